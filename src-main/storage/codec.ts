import {
  type Automation,
  automationDefaults,
  automationKindSchema,
  automationStatusSchema,
  commandSchema,
  sourceSchema,
} from '../../src-shared/model/automation.ts';
import {
  conflictPolicySchema,
  missedPolicySchema,
  onInterruptSchema,
  overlapPolicySchema,
  permissionModeSchema,
  reviewPolicySchema,
  targetModeSchema,
} from '../../src-shared/model/policies.ts';
import {
  type Run,
  resultEvidenceSchema,
  resultStateSchema,
  runStatusSchema,
  triggerSchema,
} from '../../src-shared/model/run.ts';
import type { TaskItem } from '../../src-shared/model/task-item.ts';
import { describeSchedule, type Schedule } from '../../src-shared/schedules/index.ts';
import type { AutomationRow, RunMetadata, RunRow, TaskItemRow } from './rows.ts';

interface Parser<T> {
  safeParse(value: unknown): { success: true; data: T } | { success: false };
}

/** The value when it is legal, else the default: a foreign word in a policy column must not stop a list. */
function legal<T>(schema: Parser<T>, value: unknown, fallback: T): T {
  const parsed = schema.safeParse(value);
  return parsed.success ? parsed.data : fallback;
}

/** Parses JSON text of a column; undefined when it is none. */
export function parseJson(text: string | null): unknown {
  if (text === null || text === '') return undefined;
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** A JSON array of strings; other shapes give an empty list. */
export function stringList(text: string | null): string[] {
  const value = parseJson(text);
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}

function stringRecord(text: string | null): Record<string, string> {
  const value = parseJson(text);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return {};
  return Object.fromEntries(Object.entries(value).filter((entry) => typeof entry[1] === 'string'));
}

const whole = (value: unknown): number | null =>
  typeof value === 'number' && Number.isFinite(value) ? Math.trunc(value) : null;

/** The schedule that the columns say, or null when they say none (a foreign row not yet healed). */
export function scheduleOf(row: AutomationRow): Schedule | null {
  const timezone = row.timezone === null ? {} : { timezone: row.timezone };
  const anchor = row.anchor_at === null ? {} : { anchor_at: row.anchor_at };
  switch (row.schedule_kind) {
    case 'manual':
      return { kind: 'manual' };
    case 'at':
      return row.scheduled_at === null ? null : { kind: 'at', at: String(row.scheduled_at), ...timezone };
    case 'every':
      return row.interval_ms === null
        ? null
        : {
            kind: 'every',
            interval_ms: row.interval_ms,
            ...anchor,
            anchor_mode: row.anchor_mode === 'last_run' ? 'last_run' : 'fixed',
          };
    case 'cron':
      return row.cron_expression === null
        ? null
        : { kind: 'cron', expression: row.cron_expression, ...timezone };
    case 'rrule':
      return { kind: 'rrule', rrule: row.rrule, ...timezone, ...anchor };
    default:
      return null;
  }
}

/** The columns that store a schedule, compatible ones included (ruling 15: cron and every are recurring, rrule ''). */
export function scheduleColumns(schedule: Schedule): Partial<AutomationRow> {
  const none: Partial<AutomationRow> = {
    schedule_kind: schedule.kind,
    schedule_type: schedule.kind === 'at' || schedule.kind === 'manual' ? 'once' : 'recurring',
    rrule: '',
    scheduled_at: null,
    cron_expression: null,
    interval_ms: null,
    anchor_at: null,
    anchor_mode: 'fixed',
    timezone: null,
  };
  switch (schedule.kind) {
    case 'manual':
      return none;
    case 'at':
      return { ...none, scheduled_at: schedule.at, timezone: schedule.timezone ?? null };
    case 'every':
      return {
        ...none,
        interval_ms: schedule.interval_ms,
        anchor_at: schedule.anchor_at ?? null,
        anchor_mode: schedule.anchor_mode ?? 'fixed',
      };
    case 'cron':
      return { ...none, cron_expression: schedule.expression, timezone: schedule.timezone ?? null };
    case 'rrule':
      return {
        ...none,
        rrule: schedule.rrule,
        timezone: schedule.timezone ?? null,
        anchor_at: schedule.anchor_at ?? null,
      };
  }
}

function commandOf(row: AutomationRow): string[] | string | null {
  const value = parseJson(row.command_json);
  const parsed = commandSchema.safeParse(value);
  return parsed.success ? parsed.data : null;
}

function healedOf(row: AutomationRow): Automation['healed'] {
  const value = parseJson(row.healed_json);
  return Array.isArray(value) ? value : [];
}

/** An automation row as every door shows it. Never throws: what a foreign program broke reads as its default. */
export function automationOf(row: AutomationRow): Automation {
  const schedule = scheduleOf(row) ?? { kind: 'manual' as const };
  return {
    id: row.id,
    name: String(row.name),
    description: row.description,
    prompt: String(row.prompt),
    kind: legal(automationKindSchema, row.kind, 'agent'),
    agent: row.agent,
    command: commandOf(row),
    model_id: row.model_id,
    cwds: stringList(row.cwds),
    skills: stringList(row.skills_json),
    env: stringRecord(row.env_json),
    tags: stringList(row.tags_json),
    schedule,
    schedule_words: { en: describeSchedule(schedule, 'en'), zh: describeSchedule(schedule, 'zh-CN') },
    jitter_ms: row.jitter_ms,
    valid_from: row.valid_from,
    valid_until: row.valid_until,
    target_mode: legal(targetModeSchema, row.target_mode, automationDefaults.target_mode),
    session_id: row.session_id,
    permission_mode: legal(permissionModeSchema.nullable(), row.permission_mode, null),
    conflict_policy: legal(conflictPolicySchema, row.conflict_policy, automationDefaults.conflict_policy),
    defer_seconds: row.defer_seconds,
    overlap_policy: legal(overlapPolicySchema, row.overlap_policy, automationDefaults.overlap_policy),
    missed_policy: legal(missedPolicySchema, row.missed_policy, automationDefaults.missed_policy),
    missed_window_ms: row.missed_window_ms,
    review_policy: legal(reviewPolicySchema, row.review_policy, automationDefaults.review_policy),
    on_interrupt: legal(onInterruptSchema, row.on_interrupt, automationDefaults.on_interrupt),
    timeout_ms: row.timeout_ms,
    idle_timeout_ms: row.idle_timeout_ms,
    max_retries: Math.max(0, row.max_retries),
    retry_delay_ms: row.retry_delay_ms,
    pause_after_failures: row.pause_after_failures,
    max_runs: row.max_runs,
    max_runs_per_day: row.max_runs_per_day,
    max_tokens_per_day: row.max_tokens_per_day,
    max_cost_per_day_micros: row.max_cost_per_day_micros,
    priority: row.priority,
    pinned: row.pinned === 1,
    status: legal(automationStatusSchema, row.status.toUpperCase(), 'PAUSED'),
    status_reason: row.status_reason,
    next_run_at: whole(row.next_run_at),
    next_slot_at: whole(row.next_slot_at),
    last_run_at: whole(row.last_run_at),
    last_status: row.last_status,
    last_error: row.last_error,
    run_count: row.run_count,
    failure_count: row.failure_count,
    retry_count: row.retry_count,
    attention_code: row.attention_code,
    attention_detail: row.attention_detail,
    healed: healedOf(row),
    source: legal(sourceSchema, row.source, 'external'),
    owner_user_id: row.owner_user_id,
    owner_bot_id: row.owner_bot_id,
    created_at: whole(row.created_at) ?? 0,
    updated_at: whole(row.updated_at) ?? 0,
    deleted_at: whole(row.deleted_at),
    rev: row.rev,
  };
}

/** The parsed `metadata_json` of a run; an empty object when it is none. */
export function metadataOf(row: Pick<RunRow, 'metadata_json'>): RunMetadata {
  const value = parseJson(row.metadata_json);
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {};
}

/** A run row as every door shows it; `position` is 1..n while it waits and is claimable, else null. */
export function runOf(row: RunRow, position: number | null): Run {
  const metadata = metadataOf(row);
  return {
    id: row.thread_id,
    automation_id: row.automation_id,
    title: row.thread_title ?? row.automation_id,
    status: legal(runStatusSchema, row.status, 'FAILED'),
    reason_code: row.reason_code,
    reason_detail: row.reason_detail,
    trigger: legal(triggerSchema, row.trigger, 'schedule'),
    scheduled_for: row.scheduled_for,
    attempt: row.attempt,
    retry_of: row.retry_of,
    run_key: row.run_key,
    priority: row.priority,
    queued_position: position,
    not_before: row.not_before,
    created_at: row.created_at,
    queued_at: row.queued_at,
    started_at: row.started_at,
    finished_at: row.finished_at,
    duration_ms: row.duration_ms,
    heartbeat_at: row.heartbeat_at,
    pid: row.pid,
    session_id: row.session_id,
    turn_id: row.turn_id,
    kind: row.kind,
    executor_label: row.executor_label,
    exit_code: row.exit_code,
    signal: row.signal,
    result_success: row.result_success === null ? null : row.result_success === 1,
    result_state: legal(resultStateSchema.nullable(), metadata.resultState, null),
    result_evidence: legal(resultEvidenceSchema.nullable(), metadata.resultEvidence, null),
    summary: row.summary,
    question: row.question,
    requested_permission_mode: row.requested_permission_mode,
    effective_permission_mode: row.effective_permission_mode,
    output_bytes: row.output_bytes,
    output_dropped_bytes: row.output_dropped_bytes,
    change_count: row.change_count,
    read_at: row.read_at,
    reviewed_at: row.reviewed_at,
    review_note: row.review_note,
    pinned: row.pinned === 1,
    archived_at: row.archived_at,
  };
}

const taskStatusWords = ['queued', 'running', 'done', 'failed'] as const;

/** A background item as every door shows it; metadata that is no JSON object is shown as an empty one. */
export function taskItemOf(row: TaskItemRow): TaskItem {
  const { is_deleted: _, metadata, status, ...same } = row;
  const value = parseJson(metadata);
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  return {
    ...same,
    status: taskStatusWords[status] ?? 'failed',
    metadata: isObject ? { ...value } : {},
  };
}
