import type { Run } from '../../src-shared/model/run.ts';
import { useWords } from '../page-context.ts';
import { useRuns } from '../store/queries.ts';
import { Button } from '../ui/button.tsx';
import { Loaded } from '../ui/loaded.tsx';
import { RunRow } from '../ui/run-row.tsx';
import { Section } from '../ui/section.tsx';
import { Duration, Time } from '../ui/time.tsx';

function RunMeta({ run }: { run: Run }) {
  const words = useWords();
  return (
    <span className="run-meta">
      <span className="run-trigger">{words.triggers[run.trigger]}</span>
      <span className="run-duration">{run.duration_ms !== null && <Duration ms={run.duration_ms} />}</span>
      <span className="run-time">
        <Time at={run.started_at ?? run.created_at} />
      </span>
    </span>
  );
}

/** Runs of all tasks, newest first. */
export function RecentRuns() {
  const words = useWords();
  const runs = useRuns();
  return (
    <Section title={words.runs.title}>
      <Loaded of={runs} what={words.runs.title}>
        {({ pages }) => {
          // What runs and waits stands in the queue right above, with its place and its buttons.
          const items = pages
            .flatMap((page) => page.items)
            .filter((run) => run.status !== 'QUEUED' && run.status !== 'IN_PROGRESS');
          if (items.length === 0) return <p className="quiet">{words.runs.empty}</p>;
          return (
            <ul className="rows">
              {items.map((run) => (
                <RunRow key={run.id} run={run} meta={<RunMeta run={run} />} />
              ))}
            </ul>
          );
        }}
      </Loaded>
      {runs.hasNextPage && (
        <div className="more">
          <Button disabled={runs.isFetchingNextPage} onClick={() => void runs.fetchNextPage()}>
            {words.runs.more}
          </Button>
        </div>
      )}
    </Section>
  );
}
