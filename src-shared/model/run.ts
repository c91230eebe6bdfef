import { z } from 'zod';

export const runStatusSchema = z.enum([
  'QUEUED',
  'IN_PROGRESS',
  'ACCEPTED',
  'PENDING_REVIEW',
  'FAILED',
  'CANCELLED',
  'SKIPPED',
  'REJECTED',
]);
export type RunStatus = z.infer<typeof runStatusSchema>;

/** What made the run. */
export const triggerSchema = z.enum([
  'schedule',
  'missed',
  'manual',
  'retry',
  'review',
  'api',
  'tray',
  'cli',
  'mcp',
  'conversation',
]);
export type Trigger = z.infer<typeof triggerSchema>;

export const resultStateSchema = z.enum(['delivered', 'side_effect_only', 'partial_delivered', 'failed']);
export const resultEvidenceSchema = z.enum([
  'assistant_output',
  'external_action',
  'local_file_mutation',
  'none',
]);

/** A run as every door shows it. Instants in milliseconds since 1970 UTC, `duration_ms` from a clock that never jumps. */
export const runSchema = z.object({
  id: z.string(),
  automation_id: z.string(),
  title: z.string(),
  status: runStatusSchema,
  reason_code: z.string().nullable(),
  reason_detail: z.string().nullable(),
  trigger: triggerSchema,
  scheduled_for: z.number().int().nullable(),
  attempt: z.number().int(),
  retry_of: z.string().nullable(),
  run_key: z.string().nullable(),
  priority: z.number().int(),
  queued_position: z.number().int().nullable(),
  not_before: z.number().int(),
  created_at: z.number().int(),
  queued_at: z.number().int().nullable(),
  started_at: z.number().int().nullable(),
  finished_at: z.number().int().nullable(),
  duration_ms: z.number().int().nullable(),
  heartbeat_at: z.number().int().nullable(),
  pid: z.number().int().nullable(),
  session_id: z.string().nullable(),
  turn_id: z.string().nullable(),
  kind: z.string().nullable(),
  executor_label: z.string().nullable(),
  exit_code: z.number().int().nullable(),
  signal: z.string().nullable(),
  result_success: z.boolean().nullable(),
  result_state: resultStateSchema.nullable(),
  result_evidence: resultEvidenceSchema.nullable(),
  summary: z.string().nullable(),
  /** What the agent asks, with reason `needs_input`. */
  question: z.string().nullable(),
  /** Asked for by the automation, and what the agent was given; null = the agent's own headless default. */
  requested_permission_mode: z.string().nullable(),
  effective_permission_mode: z.string().nullable(),
  output_bytes: z.number().int(),
  output_dropped_bytes: z.number().int(),
  change_count: z.number().int(),
  read_at: z.number().int().nullable(),
  reviewed_at: z.number().int().nullable(),
  review_note: z.string().nullable(),
  pinned: z.boolean(),
  archived_at: z.number().int().nullable(),
});
export type Run = z.infer<typeof runSchema>;

export const outputChunkSchema = z.object({
  seq: z.number().int(),
  at: z.number().int(),
  stream: z.string(),
  text: z.string(),
});

/** A file that a run created, changed or deleted; null where a size is not known. */
export const runChangeSchema = z.object({
  /** Relative to the working folder, with `/`; a whole path when the run had several folders. */
  path: z.string(),
  change: z.enum(['created', 'changed', 'deleted']),
  bytes_before: z.number().int().nullable(),
  bytes_after: z.number().int().nullable(),
});

/** One planned occurrence and what became of it. `through` and `count` group a long gap into one row. */
export const slotSchema = z.object({
  automation_id: z.string(),
  scheduled_for: z.number().int(),
  outcome: z.enum([
    'ran',
    'missed',
    'skipped_overlap',
    'skipped_human',
    'coalesced',
    'deferred',
    'dropped_by_edit',
    'blocked',
  ]),
  run_id: z.string().nullable(),
  reason_code: z.string().nullable(),
  through: z.number().int().nullable(),
  count: z.number().int(),
  recorded_at: z.number().int(),
});
export type Slot = z.infer<typeof slotSchema>;
