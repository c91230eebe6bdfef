import { useState } from 'react';
import type { Run } from '../../src-shared/model/run.ts';
import { bytes } from '../format.ts';
import { plainText } from '../output-text.ts';
import { useWords } from '../page-context.ts';
import { useRunChanges } from '../store/queries.ts';
import { Button } from '../ui/button.tsx';
import { Loaded } from '../ui/loaded.tsx';

const shownAtFirst = 10;

function ChangeList({ items, total }: NonNullable<ReturnType<typeof useRunChanges>['data']>) {
  const words = useWords().run.changes;
  const [all, setAll] = useState(false);
  const hidden = all ? 0 : Math.max(0, items.length - shownAtFirst);
  return (
    <>
      <ul className="changes">
        {items.slice(0, items.length - hidden).map(({ path, change, bytes_after }) => (
          <li key={path}>
            <span className="muted">{words[change]}</span>
            <code>{plainText(path)}</code>
            {bytes_after !== null && <span className="numbers muted">{bytes(bytes_after)}</span>}
          </li>
        ))}
      </ul>
      {hidden > 0 && (
        <Button look="quiet" onClick={() => setAll(true)}>
          {words.more(hidden)}
        </Button>
      )}
      {total > items.length && <p className="output-note">{words.unlisted(total - items.length)}</p>}
    </>
  );
}

/** The files that a run created, changed or deleted; nothing when there are none. */
export function RunChanges({ run }: { run: Run }) {
  const { title } = useWords().run.changes;
  const changes = useRunChanges(run.id, run.change_count);
  if (run.change_count === 0) return null;
  return (
    <section className="detail-part" aria-label={title}>
      <h3>{title}</h3>
      <Loaded of={changes} what={title}>
        {(data) => <ChangeList {...data} />}
      </Loaded>
    </section>
  );
}
