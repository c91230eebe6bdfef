import { z } from 'zod';
import { scheduleSchema } from '../schedules/index.ts';
import {
  conflictPolicySchema,
  missedPolicySchema,
  onInterruptSchema,
  overlapPolicySchema,
  permissionModeSchema,
  reviewPolicySchema,
  targetModeSchema,
} from './policies.ts';

export const automationStatusSchema = z.enum(['ACTIVE', 'PAUSED', 'DONE', 'EXPIRED']);
export type AutomationStatus = z.infer<typeof automationStatusSchema>;

/** The kinds of work that can be carried out today. */
export const automationKindSchema = z.enum(['agent', 'command']);
export type AutomationKind = z.infer<typeof automationKindSchema>;

/** Which door created a row; a row without one was written by another program. */
export const sourceSchema = z.enum([
  'window',
  'api',
  'cli',
  'mcp',
  'conversation',
  'import',
  'external',
  'tray',
]);
export type Source = z.infer<typeof sourceSchema>;

/** Text without NUL and lone surrogates, which neither SQLite nor a child's stdin would keep. */
export const textSchema = z.string().refine((text) => !text.includes('\u0000') && text.isWellFormed(), {
  message: 'must be well-formed text without NUL characters',
});

const oneLine = textSchema.max(200, 'at most 200 characters');
const envSchema = z.record(
  z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'an environment name is letters, digits and _'),
  textSchema.max(32_768),
);
const milliseconds = z.number().int().min(0).max(Number.MAX_SAFE_INTEGER);
const day = 86_400_000;

/**
 * A program to run: an argv (array, no shell) or one shell line (string, given to /bin/sh).
 */
export const commandSchema = z.union([
  z.array(textSchema.max(131_071)).min(1, 'an argv needs at least the program').max(1000),
  textSchema.min(1).max(131_071),
]);

/** What a person may set on an automation; names are the columns' names. Durations in milliseconds. */
export const automationFieldsSchema = z.object({
  name: oneLine.min(1, 'give the automation a name'),
  description: textSchema.max(2000).nullable(),
  prompt: textSchema.max(5_000_000),
  kind: automationKindSchema,
  agent: oneLine.nullable(),
  command: commandSchema.nullable(),
  model_id: oneLine.nullable(),
  cwds: z.array(textSchema.min(1).max(4096)).max(50),
  skills: z.array(oneLine).max(50),
  env: envSchema,
  tags: z.array(oneLine).max(50),
  schedule: scheduleSchema,
  jitter_ms: milliseconds.max(day),
  valid_from: z.string().max(64).nullable(),
  valid_until: z.string().max(64).nullable(),
  target_mode: targetModeSchema,
  session_id: oneLine.nullable(),
  permission_mode: permissionModeSchema.nullable(),
  conflict_policy: conflictPolicySchema,
  defer_seconds: z.number().int().min(1).max(86_400),
  overlap_policy: overlapPolicySchema,
  missed_policy: missedPolicySchema,
  missed_window_ms: milliseconds.max(366 * day),
  review_policy: reviewPolicySchema,
  on_interrupt: onInterruptSchema,
  timeout_ms: milliseconds.min(1000, 'at least 1000 ms').max(7 * day),
  idle_timeout_ms: milliseconds.max(7 * day),
  max_retries: z
    .number()
    .int()
    .max(100)
    .transform((count) => Math.max(0, count)),
  retry_delay_ms: milliseconds.max(day),
  pause_after_failures: z.number().int().min(0).max(1000),
  max_runs: z.number().int().min(1).nullable(),
  max_runs_per_day: z.number().int().min(1).nullable(),
  max_tokens_per_day: z.number().int().min(1).nullable(),
  max_cost_per_day_micros: z.number().int().min(1).nullable(),
  priority: z.number().int().min(-100).max(100),
  pinned: z.boolean(),
});
export type AutomationFields = z.infer<typeof automationFieldsSchema>;

/** Defaults of ruling 14; a field that is not given takes these. */
export const automationDefaults = {
  description: null,
  prompt: '',
  kind: 'agent',
  agent: null,
  command: null,
  model_id: null,
  cwds: [],
  skills: [],
  env: {},
  tags: [],
  schedule: { kind: 'manual' },
  jitter_ms: 0,
  valid_from: null,
  valid_until: null,
  target_mode: 'isolated',
  session_id: null,
  permission_mode: null,
  conflict_policy: 'defer',
  defer_seconds: 300,
  overlap_policy: 'skip',
  missed_policy: 'latest',
  missed_window_ms: day,
  review_policy: 'auto',
  on_interrupt: 'requeue',
  timeout_ms: 5_400_000,
  idle_timeout_ms: 0,
  max_retries: 0,
  retry_delay_ms: 60_000,
  pause_after_failures: 5,
  max_runs: null,
  max_runs_per_day: null,
  max_tokens_per_day: null,
  max_cost_per_day_micros: null,
  priority: 0,
  pinned: false,
} as const satisfies Omit<AutomationFields, 'name'>;

/** Body of POST /automations: a name and whatever differs from the defaults. */
export const automationCreateSchema = automationFieldsSchema
  .partial()
  .required({ name: true })
  .extend({ owner_user_id: oneLine.nullable().optional(), owner_bot_id: oneLine.nullable().optional() })
  .strict();
export type AutomationCreate = z.infer<typeof automationCreateSchema>;

/** Body of PATCH /automations/{id}: only the fields to change, and the `rev` they were read at. */
export const automationPatchSchema = automationFieldsSchema
  .partial()
  .extend({ rev: z.number().int().min(1).optional() })
  .strict();
export type AutomationPatch = z.infer<typeof automationPatchSchema>;

/** An automation as every door shows it. Instants are milliseconds since 1970 UTC. */
export const automationSchema = automationFieldsSchema.extend({
  id: z.string(),
  status: automationStatusSchema,
  status_reason: z.string().nullable(),
  max_retries: z.number().int(),
  schedule_words: z.object({ en: z.string(), zh: z.string() }),
  next_run_at: z.number().int().nullable(),
  next_slot_at: z.number().int().nullable(),
  last_run_at: z.number().int().nullable(),
  last_status: z.string().nullable(),
  last_error: z.string().nullable(),
  run_count: z.number().int(),
  failure_count: z.number().int(),
  retry_count: z.number().int(),
  attention_code: z.string().nullable(),
  attention_detail: z.string().nullable(),
  healed: z.array(z.object({ field: z.string(), note: z.string(), at: z.number().int() })),
  source: sourceSchema,
  owner_user_id: z.string().nullable(),
  owner_bot_id: z.string().nullable(),
  created_at: z.number().int(),
  updated_at: z.number().int(),
  deleted_at: z.number().int().nullable(),
  rev: z.number().int(),
});
export type Automation = z.infer<typeof automationSchema>;
