import type { ReactNode } from 'react';
import { bytes, duration } from '../format.ts';
import { useWords } from '../page-context.ts';
import type { RunDetail } from '../store/apply-event.ts';
import { Time } from '../ui/time.tsx';

type Fact = readonly [label: string, value: ReactNode];

function useFacts(run: RunDetail): Fact[] {
  const words = useWords();
  const { fields, resultStates, evidences } = words.run;
  const time = (at: number | null) => at !== null && <Time at={at} look="exact" />;
  const code = (text: string | null) => text !== null && text !== '' && <code>{text}</code>;
  const all: Fact[] = [
    [fields.runner, run.executor_label ?? run.kind],
    [fields.trigger, words.triggers[run.trigger]],
    [fields.scheduled, time(run.scheduled_for)],
    [fields.queued, time(run.queued_at)],
    [fields.started, time(run.started_at)],
    [fields.finished, time(run.finished_at)],
    [fields.duration, run.duration_ms !== null && duration(run.duration_ms, words.time)],
    [fields.attempt, run.attempt],
    [fields.exit, run.exit_code],
    [fields.signal, run.signal],
    [fields.result, run.result_state !== null && resultStates[run.result_state]],
    [fields.evidence, run.result_evidence !== null && evidences[run.result_evidence]],
    [fields.output, run.output_bytes > 0 && bytes(run.output_bytes)],
    [fields.pid, run.status === 'IN_PROGRESS' && run.pid],
    [fields.run, code(run.id)],
    [fields.automation, code(run.automation_id)],
    [fields.session, code(run.session_id)],
    [fields.key, code(run.run_key)],
    [fields.retryOf, code(run.retry_of)],
  ];
  return all.filter(([, value]) => value !== null && value !== false && value !== undefined);
}

/** Times, exit code and ids of a run. */
export function RunFacts({ run }: { run: RunDetail }) {
  const words = useWords();
  const facts = useFacts(run);
  return (
    <details className="detail-part" open>
      <summary>
        <h3>{words.run.details}</h3>
      </summary>
      <dl className="facts">
        {facts.map(([label, value]) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </details>
  );
}
