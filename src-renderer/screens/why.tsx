import { Check, X } from 'lucide-react';
import { type ReactNode, useId, useState } from 'react';
import type { Automation } from '../../src-shared/model/automation.ts';
import { usePageState, useWords } from '../page-context.ts';
import { useWhy } from '../store/queries.ts';
import { Button } from '../ui/button.tsx';
import { Loaded } from '../ui/loaded.tsx';

interface WithWhyProps {
  automation: Automation;
  className: string;
  /** The other buttons of the task. */
  children: ReactNode;
}

function Clauses({ automation }: { automation: Automation }) {
  const words = useWords();
  const zh = usePageState((state) => state.language === 'zh-CN');
  const why = useWhy(automation.id, true);
  const say = (text: { en: string; zh: string }) => (zh ? text.zh : text.en);
  return (
    <Loaded of={why} what={words.tasks.why}>
      {(data) => (
        <>
          <p>{say(data.summary)}</p>
          <ul>
            {data.clauses.map((clause) => (
              <li key={clause.clause} className={clause.holds ? 'tone-accepted' : 'tone-failed'}>
                {clause.holds ? <Check aria-hidden="true" /> : <X aria-hidden="true" />}
                <span className="hidden">{clause.holds ? words.tasks.holds : words.tasks.fails} </span>
                <span className="why-text">
                  {say(clause)}
                  {clause.repair !== null && ` ${say(clause.repair)}`}
                </span>
              </li>
            ))}
          </ul>
        </>
      )}
    </Loaded>
  );
}

/** The buttons of a task with "Why?" behind them: why it runs or not, one click from wherever a task appears. */
export function WithWhy({ automation, className, children }: WithWhyProps) {
  const words = useWords();
  const [open, setOpen] = useState(false);
  const id = useId();
  return (
    <>
      <div className={className}>
        {children}
        <Button
          look="quiet"
          aria-expanded={open}
          aria-controls={id}
          aria-label={words.tasks.whyTitle(automation.name)}
          onClick={() => setOpen(!open)}
        >
          {words.tasks.why}
        </Button>
      </div>
      <div id={id} className="why" hidden={!open}>
        {open && <Clauses automation={automation} />}
      </div>
    </>
  );
}
