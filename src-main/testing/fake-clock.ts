import type { Clock } from '../../src-shared/clock.ts';

export interface FakeClock extends Clock {
  /** Time passes: every timer that falls due runs at its instant, and promises settle in between. */
  advance(ms: number): Promise<void>;
  /** The wall clock jumps (sleep, or somebody sets it); the monotonic one and timers do not see it. */
  jump(ms: number): void;
}

/** Lets everything that is ready run: promises, and work put off by setImmediate. */
export async function settled(): Promise<void> {
  for (let round = 0; round < 3; round += 1) await new Promise((resolve) => setImmediate(resolve));
}

/** A clock that only moves when told to; starts at `start`, ms since 1970 UTC. */
export function fakeClock(start: number): FakeClock {
  let elapsed = 0;
  let wall = start;
  let next = 0;
  const timers = new Map<number, { at: number; fn: () => void }>();

  function nearest(until: number): { id: number; at: number; fn: () => void } | null {
    let found: { id: number; at: number; fn: () => void } | null = null;
    for (const [id, timer] of timers) {
      if (timer.at <= until && (found === null || timer.at < found.at)) found = { id, ...timer };
    }
    return found;
  }

  return {
    now: () => wall + elapsed,
    monotonic: () => elapsed,
    timer(ms, fn) {
      const id = next;
      next += 1;
      timers.set(id, { at: elapsed + Math.max(0, ms), fn });
      return () => timers.delete(id);
    },
    async advance(ms) {
      const until = elapsed + ms;
      await settled();
      for (let timer = nearest(until); timer !== null; timer = nearest(until)) {
        timers.delete(timer.id);
        elapsed = Math.max(elapsed, timer.at);
        timer.fn();
        await settled();
      }
      elapsed = until;
    },
    jump(ms) {
      wall += ms;
    },
  };
}
