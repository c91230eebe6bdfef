import { useId } from 'react';
import type { Automation } from '../../src-shared/model/automation.ts';
import { usePageState, useWords } from '../page-context.ts';
import { useAutomations, viewStatuses } from '../store/queries.ts';
import { Button } from '../ui/button.tsx';
import { Loaded } from '../ui/loaded.tsx';
import { reasonWords } from '../ui/reason.tsx';
import { Section } from '../ui/section.tsx';
import { AttentionLabel, StateLabel } from '../ui/state-label.tsx';
import { Time } from '../ui/time.tsx';
import { DeleteButton, PauseButton, RunNowButton } from './task-buttons.tsx';
import { WithWhy } from './why.tsx';

function NextRun({ automation }: { automation: Automation }) {
  const words = useWords();
  if (automation.status !== 'ACTIVE') return <StateLabel state={automation.status} />;
  if (automation.next_run_at === null) return <span className="muted">{words.tasks.never}</span>;
  return (
    <span className="task-next">
      <Time at={automation.next_run_at} />
      <span className="muted">
        <Time at={automation.next_run_at} look="relative" />
      </span>
    </span>
  );
}

function LastResult({ automation }: { automation: Automation }) {
  const words = useWords();
  if (automation.last_status === null) return <span className="muted">{words.tasks.neverRan}</span>;
  return <StateLabel state={automation.last_status.toUpperCase()} />;
}

function TaskRow({ automation }: { automation: Automation }) {
  const words = useWords();
  const zh = usePageState((state) => state.language === 'zh-CN');
  const finished = automation.status === 'DONE' || automation.status === 'EXPIRED';
  return (
    <li className="task">
      <div className="task-what">
        <h3>
          <bdi>{automation.name}</bdi>
        </h3>
        <p className="muted">
          {zh ? automation.schedule_words.zh : automation.schedule_words.en}
          {automation.status_reason !== null && ` · ${reasonWords(automation.status_reason, words)}`}
        </p>
        {automation.attention_code !== null && <AttentionLabel />}
      </div>
      <dl className="task-facts">
        <div>
          <dt className="hidden">{words.tasks.next}</dt>
          <dd>
            <NextRun automation={automation} />
          </dd>
        </div>
        <div>
          <dt className="hidden">{words.tasks.last}</dt>
          <dd>
            <LastResult automation={automation} />
          </dd>
        </div>
      </dl>
      <WithWhy automation={automation} className="task-actions">
        <RunNowButton automation={automation} />
        {!finished && <PauseButton automation={automation} />}
        <DeleteButton automation={automation} />
      </WithWhy>
    </li>
  );
}

function ViewChoice() {
  const words = useWords();
  const view = usePageState((state) => state.taskView);
  const show = usePageState((state) => state.showTasks);
  const name = useId();
  return (
    <fieldset className="choice">
      <legend className="hidden">{words.tasks.view}</legend>
      {(['current', 'finished'] as const).map((value) => (
        <label key={value}>
          <input type="radio" name={name} checked={view === value} onChange={() => show(value)} />
          <span>{words.tasks[value]}</span>
        </label>
      ))}
    </fieldset>
  );
}

const far = Number.MAX_SAFE_INTEGER;
/** Next up first; what is not planned at all comes last, by name. */
const byNextRun = (a: Automation, b: Automation) =>
  (a.next_run_at ?? far) - (b.next_run_at ?? far) || a.name.localeCompare(b.name);
const byLastRun = (a: Automation, b: Automation) =>
  (b.last_run_at ?? b.updated_at) - (a.last_run_at ?? a.updated_at);

function Empty({ view }: { view: 'current' | 'finished' }) {
  const words = useWords();
  if (view === 'finished') return <p className="quiet">{words.tasks.emptyFinished}</p>;
  return (
    <div className="quiet">
      <p>{words.tasks.empty}</p>
      <pre className="code-line">
        <code>{words.tasks.emptyExample}</code>
      </pre>
    </div>
  );
}

/** The tasks: what is planned and paused, or what is over. */
export function Tasks() {
  const words = useWords();
  const view = usePageState((state) => state.taskView);
  const [first, second] = viewStatuses[view];
  const one = useAutomations(first);
  const two = useAutomations(second);
  const both = {
    data: one.data && two.data && [...one.data.pages, ...two.data.pages].flatMap((page) => page.items),
    error: one.error ?? two.error,
    isFetching: one.isFetching || two.isFetching,
    refetch: () => Promise.all([one.refetch(), two.refetch()]),
  };
  const loadMore = () => {
    if (one.hasNextPage) void one.fetchNextPage();
    if (two.hasNextPage) void two.fetchNextPage();
  };
  return (
    <Section title={words.tasks.title} aside={<ViewChoice />}>
      <Loaded of={both} what={words.tasks.title}>
        {(items) => {
          if (items.length === 0) return <Empty view={view} />;
          const sorted = items.toSorted(view === 'current' ? byNextRun : byLastRun);
          return (
            <ul className="tasks">
              {sorted.map((automation) => (
                <TaskRow key={automation.id} automation={automation} />
              ))}
            </ul>
          );
        }}
      </Loaded>
      {(one.hasNextPage || two.hasNextPage) && (
        <div className="more">
          <Button onClick={loadMore}>{words.tasks.more}</Button>
        </div>
      )}
    </Section>
  );
}
