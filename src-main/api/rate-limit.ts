import type { Clock } from '../../src-shared/clock.ts';

export interface RateLimiter {
  /** Seconds until another wrong attempt is listened to, at least 1; 0 = now. */
  blockedSeconds(): number;
  /** Notes a wrong attempt; the function given back takes it off again. */
  count(): () => void;
}

/**
 * Counts wrong attempts in a sliding window of `windowMs`: after `most` of them it blocks until the oldest is out
 * of the window. There is one window for everybody, loopback included: every caller is on loopback.
 */
export function createRateLimiter(clock: Clock, most = 30, windowMs = 10_000): RateLimiter {
  let attempts: { at: number }[] = [];

  function recent(): { at: number }[] {
    const from = clock.monotonic() - windowMs;
    attempts = attempts.filter((attempt) => attempt.at > from);
    return attempts;
  }

  return {
    blockedSeconds() {
      const known = recent();
      const frees = known[known.length - most];
      if (frees === undefined) return 0;
      return Math.max(1, Math.ceil((frees.at + windowMs - clock.monotonic()) / 1000));
    },
    count() {
      const attempt = { at: clock.monotonic() };
      // A cap keeps memory bounded when attempts are counted while blocked: only the newest `most` decide.
      attempts = [...recent(), attempt].slice(-most);
      return () => {
        attempts = attempts.filter((other) => other !== attempt);
      };
    },
  };
}
