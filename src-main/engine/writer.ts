import type { Clock } from '../../src-shared/clock.ts';
import { storageFault } from '../storage/errors.ts';
import type { Store } from '../storage/store.ts';
import { sleep } from './clock.ts';

/** Another program held the database's write lock for longer than the caller can wait. Nothing was written. */
export class DatabaseBusyError extends Error {
  constructor() {
    super('Another program keeps the database locked');
    this.name = 'DatabaseBusyError';
  }
}

export interface Writer {
  /**
   * Runs `fn` in one transaction and resolves after the commit. While another program holds the lock it tries
   * again without blocking the event loop: for ever, or for `deadlineMs` and then throws DatabaseBusyError.
   */
  write<T>(fn: () => T, deadlineMs?: number): Promise<T>;
}

const firstPause = 20;
const longestPause = 250;

/** `committed` is called after each commit, so that the change feed looks at once. */
export function createWriter(store: Store, clock: Clock, committed: () => void): Writer {
  return {
    async write(fn, deadlineMs) {
      const giveUp = deadlineMs === undefined ? Number.POSITIVE_INFINITY : clock.monotonic() + deadlineMs;
      for (let pause = firstPause; ; pause = Math.min(longestPause, pause * 2)) {
        let done: { value: ReturnType<typeof fn> };
        try {
          done = { value: store.transaction(fn) };
        } catch (error) {
          if (storageFault(error) !== 'busy') throw error;
          if (clock.monotonic() + pause > giveUp) throw new DatabaseBusyError();
          await sleep(clock, pause);
          continue;
        }
        // Outside the try: what goes wrong here must never lead to a second commit of the same thing.
        committed();
        return done.value;
      }
    },
  };
}
