import { ArrowDownToLine } from 'lucide-react';
import { memo, useEffect, useLayoutEffect, useRef } from 'react';
import type { Run } from '../../src-shared/model/run.ts';
import { useNow } from '../clock.ts';
import { bytes, roughDuration } from '../format.ts';
import type { Segment } from '../output-text.ts';
import { usePageState, useWords } from '../page-context.ts';
import type { RunOutput as Output } from '../store/output.ts';
import { useRunOutput } from '../store/run-output.ts';
import { Button } from '../ui/button.tsx';

const worthTelling = 60_000;
const nearEnd = 24;

const OutputSegment = memo(function OutputSegment({ segment }: { segment: Segment }) {
  const plain = segment.stream === 'stdout';
  return (
    <div className={plain ? 'output-part' : 'output-part output-other'}>
      {!plain && <span className="output-stream">{segment.stream}</span>}
      <span className="output-text">{segment.text}</span>
    </div>
  );
});

function Silence({ since }: { since: number }) {
  const words = useWords();
  const silent = useNow() - since;
  if (silent < worthTelling) return null;
  return <span className="tone-review">{words.output.silent(roughDuration(silent, words.time))}</span>;
}

function useEmptyWords(run: Run, output: Output | undefined): string | undefined {
  const words = useWords();
  if (output === undefined || output.text.segments.length > 0) return undefined;
  if (output.state === 'loading') return `${words.output.loading}…`;
  if (output.state === 'failed') return undefined;
  if (run.status === 'QUEUED') return words.output.queued;
  return run.status === 'IN_PROGRESS' ? words.output.waiting : words.output.empty;
}

/** Scrolls to the tail while following, and stops following when the person scrolls away from it. */
function useTail(output: Output | undefined) {
  const following = usePageState((state) => state.following);
  const follow = usePageState((state) => state.follow);
  const box = useRef<HTMLDivElement>(null);
  const segments = output?.text.segments;
  useLayoutEffect(() => {
    const element = box.current;
    if (element === null || segments === undefined) return;
    if (following) element.scrollTop = element.scrollHeight;
    // What scrolls must be reachable with the keyboard, and what does not scroll is no stop on the way.
    element.tabIndex = element.scrollHeight > element.clientHeight ? 0 : -1;
  }, [following, segments]);
  useEffect(() => {
    const element = box.current;
    if (element === null) return;
    let before = element.scrollTop;
    const onScroll = () => {
      const atEnd = element.scrollHeight - element.scrollTop - element.clientHeight < nearEnd;
      // Only a move upwards is the person's: new text moves the end away without one.
      if (atEnd) follow(true);
      else if (element.scrollTop < before) follow(false);
      before = element.scrollTop;
    };
    element.addEventListener('scroll', onScroll, { passive: true });
    return () => element.removeEventListener('scroll', onScroll);
  }, [follow]);
  return { box, following, follow };
}

/** What the run writes, as it writes it: escapes taken out, other streams than stdout marked by name. */
export function RunOutput({ run }: { run: Run }) {
  const words = useWords();
  useRunOutput(run.id, run.status);
  const output = usePageState((state) => (state.output?.runId === run.id ? state.output : undefined));
  const readAgain = usePageState((state) => state.readAgain);
  const { box, following, follow } = useTail(output);
  const empty = useEmptyWords(run, output);
  const dropped = Math.max(output?.droppedBytes ?? 0, run.output_dropped_bytes);
  const since = output?.text.lastAt ?? run.started_at;
  return (
    <div className="detail-part">
      <div className="output-head">
        <h3>{words.output.title}</h3>
        {run.status === 'IN_PROGRESS' && since !== null && <Silence since={since} />}
        <Button
          look={following ? 'plain' : 'quiet'}
          aria-pressed={following}
          onClick={() => follow(!following)}
        >
          <ArrowDownToLine aria-hidden="true" />
          {following ? words.output.following : words.output.follow}
        </Button>
      </div>
      {output?.state === 'failed' && (
        <div className="banner" role="alert">
          <p>{words.load.failed(words.output.title)}</p>
          <Button onClick={readAgain}>{words.verbs.retry}</Button>
        </div>
      )}
      {output !== undefined && output.text.trimmed > 0 && (
        <p className="output-note">{words.output.trimmed(bytes(output.text.trimmed))}</p>
      )}
      <section ref={box} className="output" aria-label={words.output.label}>
        {empty !== undefined && <p className="quiet">{empty}</p>}
        {output?.text.segments.map((segment) => (
          <OutputSegment key={segment.id} segment={segment} />
        ))}
      </section>
      {dropped > 0 && <p className="output-note">{words.output.dropped(bytes(dropped))}</p>}
    </div>
  );
}
