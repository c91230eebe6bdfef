/**
 * Time as an argument. The one real implementation is `src-main/engine/clock.ts`; tests inject a fake.
 * All durations are milliseconds.
 */
export interface Clock {
  /** Wall clock, milliseconds since 1970 UTC. It may jump. */
  now(): number;
  /** Milliseconds from an arbitrary start that never jump. */
  monotonic(): number;
  /** Calls `fn` once after `ms`; gives a function that cancels it. */
  timer(ms: number, fn: () => void): () => void;
}
