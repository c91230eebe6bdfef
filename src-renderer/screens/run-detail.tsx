import { clsx } from 'clsx';
import { ArrowLeft } from 'lucide-react';
import { type RefObject, useEffect, useRef } from 'react';
import { ApiError } from '../../src-shared/contract/errors.ts';
import { duration, scriptOf } from '../format.ts';
import { plainText } from '../output-text.ts';
import { usePageState, useWords } from '../page-context.ts';
import { useRunNow } from '../store/actions.ts';
import type { RunDetail as Detail } from '../store/apply-event.ts';
import { useRun } from '../store/queries.ts';
import { Button } from '../ui/button.tsx';
import { Loaded } from '../ui/loaded.tsx';
import { Reason } from '../ui/reason.tsx';
import { StateLabel } from '../ui/state-label.tsx';
import { Elapsed, Time } from '../ui/time.tsx';
import { CancelButton } from './cancel-button.tsx';
import { RunChanges } from './run-changes.tsx';
import { RunFacts } from './run-facts.tsx';
import { RunOutput } from './run-output.tsx';
import { Verdict } from './verdict.tsx';

interface BodyProps {
  run: Detail;
  onVerdict(): void;
}

function Actions({ run, onVerdict }: BodyProps) {
  const words = useWords();
  const again = useRunNow();
  if (run.status === 'PENDING_REVIEW') return <Verdict run={run} onVerdict={onVerdict} />;
  if (run.status === 'IN_PROGRESS' || run.status === 'QUEUED') return <CancelButton run={run} />;
  return (
    <Button
      disabled={again.isPending}
      onClick={() => again.mutate({ id: run.automation_id, name: run.title })}
    >
      {words.verbs.runAgain}
    </Button>
  );
}

function Outcome({ run }: { run: Detail }) {
  const words = useWords();
  return (
    <p className="detail-line">
      <span role="status">
        <StateLabel chip state={run.status} position={run.queued_position} />
      </span>
      {run.status === 'IN_PROGRESS' && run.started_at !== null && <Elapsed since={run.started_at} />}
      {run.duration_ms !== null && <span className="numbers">{duration(run.duration_ms, words.time)}</span>}
      <span>{words.triggers[run.trigger]}</span>
      <Time at={run.started_at ?? run.created_at} />
      {run.executor_label !== null && <span className="mono">{run.executor_label}</span>}
    </p>
  );
}

function Body({ run, onVerdict }: BodyProps) {
  const words = useWords();
  const ended = run.finished_at !== null;
  const summary = run.summary === null ? '' : plainText(run.summary).trim();
  return (
    <>
      <div className="detail-head">
        <Outcome run={run} />
        {(run.reason_code !== null || run.reason_detail !== null) && (
          <p className="detail-reason">
            <Reason code={run.reason_code} detail={run.reason_detail} />
          </p>
        )}
        {run.review_note !== null && (
          <p>
            <span className="muted">
              {words.run.note}
              {words.colon}
            </span>
            {run.review_note}
          </p>
        )}
        <Actions run={run} onVerdict={onVerdict} />
      </div>
      {ended && (
        <div className="detail-part">
          <h3>{words.run.result}</h3>
          {summary === '' && <p className="quiet">{words.run.noResult}</p>}
          {summary !== '' && (
            <div className={clsx('prose', run.kind === 'command' && 'prose-mono')} lang={scriptOf(summary)}>
              {summary}
            </div>
          )}
        </div>
      )}
      <RunChanges run={run} />
      <RunOutput run={run} />
      <details className="detail-part">
        <summary>
          <h3>{words.run.prompt}</h3>
        </summary>
        {run.prompt === null || run.prompt === '' ? (
          <p className="quiet">{words.run.noPrompt}</p>
        ) : (
          <div className="prose" lang={scriptOf(run.prompt)}>
            {plainText(run.prompt)}
          </div>
        )}
      </details>
      <RunFacts run={run} />
    </>
  );
}

/** One run: how it stands, what it gave, what it wrote, what it was asked. */
export function RunDetail({ id, opened }: { id: string; opened: RefObject<boolean> }) {
  const words = useWords();
  const select = usePageState((state) => state.select);
  const run = useRun(id);
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (!opened.current) return;
    // On a narrow page the list that had the focus is gone; on a wide one it keeps it.
    const focused = document.activeElement;
    if (focused === null || focused === document.body || !focused.checkVisibility()) heading.current?.focus();
  }, [opened]);
  // The buttons of a verdict are gone after it.
  const onVerdict = () => heading.current?.focus();
  const gone = run.error instanceof ApiError && run.error.code === 'not_found';
  return (
    <article className="section detail">
      <div className="section-head">
        <Button
          look="quiet"
          onClick={() => select(undefined)}
          aria-label={words.run.back}
          title={words.run.back}
        >
          <ArrowLeft aria-hidden="true" />
        </Button>
        <h2 ref={heading} tabIndex={-1}>
          <bdi>{run.data?.title ?? (gone ? words.run.gone : words.run.loading)}</bdi>
        </h2>
      </div>
      {!gone && (
        <Loaded of={run} what={words.run.details}>
          {(data) => <Body run={data} onVerdict={onVerdict} />}
        </Loaded>
      )}
    </article>
  );
}
