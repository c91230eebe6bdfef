import type { Clock } from '../../src-shared/clock.ts';
import type { Log } from './context.ts';

/** No timer is longer, so that a sleeping machine or a jumping clock cannot fool it. ms. */
const longestSleep = 30_000;
const pauseAfterError = 1000;

export interface Ticker {
  /** Scan as soon as possible; many pokes before the scan are one. */
  poke(): void;
  state(): { last_scan_at: number | null; next_scan_at: number | null };
  /** No scan starts afterwards; resolves when the one that is under way has ended. */
  stop(): Promise<void>;
}

/**
 * Calls `scan` at the instant it asked for (wall clock, ms), at the latest every 30 s, and at once when poked.
 * One scan at a time; a poke during a scan leads to another one after it; a scan that throws is tried again.
 */
export function createTicker(clock: Clock, log: Log, scan: () => Promise<number>): Ticker {
  let cancel: (() => void) | null = null;
  let scanning: Promise<void> | null = null;
  let again = false;
  let stopped = false;
  let lastScan: number | null = null;
  let nextScan: number | null = null;

  function arm(at: number): void {
    cancel?.();
    const delay = Math.min(longestSleep, Math.max(0, at - clock.now()));
    nextScan = clock.now() + delay;
    cancel = clock.timer(delay, () => {
      cancel = null;
      run();
    });
  }

  async function once(): Promise<void> {
    let next: number;
    try {
      next = await scan();
      lastScan = clock.now();
    } catch (error) {
      log.error({ error: String(error) }, 'a scan failed; the next one follows in a second');
      next = clock.now() + pauseAfterError;
    }
    scanning = null;
    if (!stopped) arm(again ? clock.now() : next);
    again = false;
  }

  function run(): void {
    if (stopped) return;
    if (scanning === null) scanning = once();
    else again = true;
  }

  return {
    poke() {
      if (stopped) return;
      if (scanning !== null) again = true;
      else arm(clock.now());
    },
    state: () => ({ last_scan_at: lastScan, next_scan_at: nextScan }),
    async stop() {
      stopped = true;
      cancel?.();
      cancel = null;
      nextScan = null;
      await scanning;
    },
  };
}
