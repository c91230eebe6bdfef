import type { OnInterrupt } from '../model/policies.ts';
import { spread } from './spread.ts';

/** Failures that may pass by themselves; all others need a person (spec/engine.md, Retries). */
const retryable: ReadonlySet<string> = new Set(['spawn', 'network', 'rate_limit', 'crash', 'signal']);
const longestDelay = 3_600_000;
/** An interrupted run is started again at most this often per run_key (ruling 4). */
export const mostRequeues = 3;

export interface FailedAttempt {
  reason: string;
  attempt: number;
  run_key: string;
  max_retries: number;
  retry_delay_ms: number;
  on_interrupt: OnInterrupt;
  /** Attempts with this key that were interrupted, this one included. */
  interruptions: number;
}

/**
 * What follows a failed attempt: null = nothing, else the delay in ms before the next attempt. The delay doubles
 * with each attempt, has up to 10 % jitter, and is at most one hour. Interruptions and orderly stops have their
 * own rules: they start again at once, and a stop never counts against the three.
 */
export function retryAfter(failed: FailedAttempt): number | null {
  if (failed.reason === 'service_stopped') return failed.on_interrupt === 'fail' ? null : 0;
  if (failed.reason === 'interrupted' || failed.reason === 'heartbeat_expired') {
    return failed.on_interrupt === 'requeue' && failed.interruptions <= mostRequeues ? 0 : null;
  }
  if (!retryable.has(failed.reason) || failed.attempt > failed.max_retries) return null;
  const delay = Math.min(longestDelay, failed.retry_delay_ms * 2 ** (failed.attempt - 1));
  return Math.min(longestDelay, delay + spread(`${failed.run_key}#${failed.attempt}`, delay / 10));
}
