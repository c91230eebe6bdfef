import { z } from 'zod';

/** Why a run ended as it did. Stands beside the state, never in it (spec: engine, Transitions). */
export const failureReasons = [
  'exit_code',
  'spawn',
  'auth',
  'credit',
  'rate_limit',
  'model',
  'network',
  'crash',
  'signal',
  'interrupted',
  'heartbeat_expired',
  'service_stopped',
  'output_lost',
  'no_output',
  'invalid',
  'cwd_missing',
  'agent_missing',
] as const;
export type FailureReason = (typeof failureReasons)[number];

/** Ends that are neither success nor failure: a person has to look. */
export const openReasons = ['timed_out', 'idle', 'needs_input'] as const;
export type OpenReason = (typeof openReasons)[number];

/** Token usage of one run as the executor reports it; money in millionths of `currency`. */
export const usageSchema = z.object({
  model: z.string().nullable(),
  provider: z.string().nullable(),
  input_tokens: z.number().int(),
  output_tokens: z.number().int(),
  cached_input_tokens: z.number().int(),
  reasoning_tokens: z.number().int(),
  cost_micros: z.number().int().nullable(),
  currency: z.string().nullable(),
});
export type Usage = z.infer<typeof usageSchema>;

/** What one working folder of the run gave. */
export const outcomePartSchema = z.object({
  cwd: z.string(),
  output: z.string(),
  exit_code: z.number().int().nullable(),
  signal: z.string().nullable(),
});
export type OutcomePart = z.infer<typeof outcomePartSchema>;

/** A file that differs after a run; sizes are left out where they are not known. */
export const fileChangeSchema = z.object({
  /** Relative to the working folder, with `/`; a whole path when the run has several folders. */
  path: z.string(),
  change: z.enum(['created', 'changed', 'deleted']),
  bytes_before: z.number().int().optional(),
  bytes_after: z.number().int().optional(),
});
export type FileChange = z.infer<typeof fileChangeSchema>;

/**
 * How an executor ended. Success and failure have the same shape; the launcher writes it to
 * `runs/<run_id>/outcome.json` before it tells the host, so that a dead host can adopt it.
 */
export const outcomeSchema = z.object({
  result: z.enum(['success', 'failure', 'cancelled', 'open']),
  reason: z.enum([...failureReasons, ...openReasons, 'cancelled']).nullable(),
  /** One sentence for a person; null when there is nothing to add to the reason. */
  detail: z.string().nullable(),
  exit_code: z.number().int().nullable(),
  signal: z.string().nullable(),
  /** True when text was written for the person (stdout of a command, assistant text of an agent). */
  has_text: z.boolean(),
  /** Set only by an executor that saw an action outside the machine reported in its stream. */
  external_action: z.boolean(),
  /** The last text, at most 16 KiB, terminal escapes stripped. */
  summary: z.string(),
  parts: z.array(outcomePartSchema),
  output_bytes: z.number().int(),
  output_dropped_bytes: z.number().int(),
  /** At most 500. */
  changes: z.array(fileChangeSchema),
  /** How many there were, when `changes` does not name all. */
  changes_total: z.number().int().optional(),
  /** Set when the folders could not be looked at: there may be changes that `changes` does not name. */
  changes_unknown: z.boolean().optional(),
  usage: usageSchema.nullable(),
  external_session_id: z.string().nullable(),
  question: z.string().nullable(),
  /** Milliseconds since 1970 UTC by the launcher's clock. */
  started_at: z.number().int(),
  finished_at: z.number().int(),
});
export type Outcome = z.infer<typeof outcomeSchema>;
