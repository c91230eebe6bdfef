import type { Run } from '../../src-shared/model/run.ts';
import { useNow } from '../clock.ts';
import { roughDuration } from '../format.ts';
import { useWords } from '../page-context.ts';
import type { Queue } from '../store/apply-event.ts';
import { useAutomations, useQueue } from '../store/queries.ts';
import { Loaded } from '../ui/loaded.tsx';
import { Reason } from '../ui/reason.tsx';
import { RunRow } from '../ui/run-row.tsx';
import { Section } from '../ui/section.tsx';
import { Elapsed, Time } from '../ui/time.tsx';
import { CancelButton } from './cancel-button.tsx';

function Estimate({ run }: { run: Queue['waiting'][number] }) {
  const words = useWords();
  const now = useNow();
  const ahead = run.estimated_start_at === null ? 0 : run.estimated_start_at - now;
  if (ahead > 0) return words.queue.about(roughDuration(ahead, words.time));
  return words.queue.since(roughDuration(now - (run.queued_at ?? run.created_at), words.time));
}

function HeldBack({ run }: { run: Run }) {
  const words = useWords();
  // The sentence differs by language, so the instant is set into it rather than behind it.
  const [before, after] = words.queue.heldUntil('\u0000').split('\u0000');
  return (
    <>
      {before}
      <Time at={run.not_before} />
      {after}
    </>
  );
}

function WhyHeld({ run }: { run: Run }) {
  return (
    <p className="muted">
      <Reason code={run.reason_code} detail={run.reason_detail} />
    </p>
  );
}

function Nothing() {
  const words = useWords();
  const active = useAutomations('ACTIVE').data?.pages.flatMap((page) => page.items) ?? [];
  const planned = active.filter((automation) => automation.next_run_at !== null);
  const next = planned.sort((a, b) => (a.next_run_at ?? 0) - (b.next_run_at ?? 0))[0];
  if (next === undefined || next.next_run_at === null) return <p className="quiet">{words.queue.empty}</p>;
  const [before, after] = words.queue.emptyNext('\u0000', next.name).split('\u0000');
  return (
    <p className="quiet">
      {before}
      <Time at={next.next_run_at} />
      {after}
    </p>
  );
}

function QueueRows({ queue }: { queue: Queue }) {
  const words = useWords();
  const empty = queue.running.length + queue.waiting.length + queue.deferred.length === 0;
  return (
    <>
      {queue.paused && <p className="hint-box">{words.queue.paused}</p>}
      {empty && <Nothing />}
      {!empty && (
        <ul className="rows">
          {queue.running.map((run) => (
            <RunRow
              key={run.id}
              run={run}
              meta={<Elapsed since={run.started_at ?? run.created_at} />}
              actions={<CancelButton run={run} />}
            />
          ))}
          {queue.waiting.map((run) => (
            <RunRow
              key={run.id}
              run={run}
              meta={<Estimate run={run} />}
              actions={<CancelButton run={run} />}
            />
          ))}
          {queue.deferred.map((run) => (
            <RunRow
              key={run.id}
              run={run}
              meta={<HeldBack run={run} />}
              actions={<CancelButton run={run} />}
              below={run.reason_code !== null && <WhyHeld run={run} />}
            />
          ))}
        </ul>
      )}
    </>
  );
}

/** What runs, what waits with its place, and what is held back until when. */
export function QueueSection() {
  const words = useWords();
  const queue = useQueue();
  const slots = queue.data && words.queue.slots(queue.data.running.length, queue.data.cap);
  return (
    <Section title={words.queue.title} aside={<span className="section-note numbers">{slots}</span>}>
      <Loaded of={queue} what={words.queue.title}>
        {(data) => <QueueRows queue={data} />}
      </Loaded>
    </Section>
  );
}
