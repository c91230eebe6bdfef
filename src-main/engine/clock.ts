import type { Clock } from '../../src-shared/clock.ts';

/** The longest delay a single timer may have, ms: a longer setTimeout overflows and fires at once. */
const longestTimer = 2_147_000_000;

/** The clock of the machine. The only place of the program that reads time or sets timers. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  timer(ms, fn) {
    const handle = setTimeout(fn, Math.min(Math.max(0, ms), longestTimer));
    return () => clearTimeout(handle);
  },
};

/** Resolves after `ms` milliseconds of `clock`. */
export function sleep(clock: Clock, ms: number): Promise<void> {
  return new Promise((resolve) => {
    clock.timer(ms, resolve);
  });
}
