import { useNow } from '../clock.ts';
import { duration, elapsed, exactTime, fullTime, relative, shortTime, usableZone } from '../format.ts';
import { usePageState, useWords } from '../page-context.ts';
import { useInfo } from '../store/queries.ts';

/** The zone that instants are shown in: the one of the host, which plans by it. */
export function useZone(): string {
  return usableZone(useInfo().data?.timezone);
}

interface TimeProps {
  /** Milliseconds since 1970 UTC. */
  at: number;
  look?: 'short' | 'exact' | 'relative';
}

/** How often each look can change. */
const steps = { short: 60_000, exact: 3_600_000, relative: 5000 };

/** An instant; the title has it in full. */
export function Time({ at, look = 'short' }: TimeProps) {
  const now = useNow(steps[look]);
  const words = useWords();
  const zone = useZone();
  const language = usePageState((state) => state.language);
  const full = fullTime(at, language, zone);
  const text =
    look === 'exact'
      ? exactTime(at, language, zone)
      : look === 'short'
        ? shortTime(at, now, language, zone)
        : relative(at, now, language, words.time.now);
  return (
    <time dateTime={new Date(at).toISOString()} title={full} className="numbers">
      {text}
    </time>
  );
}

/** The time since `since`, ticking: "02:41". */
export function Elapsed({ since }: { since: number }) {
  const now = useNow();
  const words = useWords();
  return (
    <span className="numbers" title={words.queue.elapsed}>
      {elapsed(now - since)}
    </span>
  );
}

/** A length of time in words. */
export function Duration({ ms }: { ms: number }) {
  const words = useWords();
  return <span className="numbers">{duration(ms, words.time)}</span>;
}
