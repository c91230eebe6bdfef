import { ApiError } from '../../src-shared/contract/errors.ts';
import { nextSlot } from '../../src-shared/logic/plan.ts';
import { validUntil } from '../../src-shared/logic/validity.ts';
import {
  type AutomationCreate,
  type AutomationFields,
  type AutomationPatch,
  automationDefaults,
  type Source,
} from '../../src-shared/model/automation.ts';
import { defined } from '../../src-shared/model/defined.ts';
import { normalizeSchedule, type Schedule, ScheduleError } from '../../src-shared/schedules/index.ts';
import { automationOf, scheduleColumns, scheduleOf } from '../storage/codec.ts';
import type { AutomationRow } from '../storage/rows.ts';
import { type EngineContext, scheduleContext } from './context.ts';

/** Columns of the fields that are stored as they are. */
const plain = [
  'name',
  'description',
  'prompt',
  'kind',
  'agent',
  'model_id',
  'jitter_ms',
  'valid_from',
  'valid_until',
  'target_mode',
  'session_id',
  'permission_mode',
  'conflict_policy',
  'defer_seconds',
  'overlap_policy',
  'missed_policy',
  'missed_window_ms',
  'review_policy',
  'on_interrupt',
  'timeout_ms',
  'idle_timeout_ms',
  'max_retries',
  'retry_delay_ms',
  'pause_after_failures',
  'max_runs',
  'priority',
] as const satisfies readonly (keyof AutomationFields & keyof AutomationRow)[];

/** The defaults with lists of their own. */
function freshDefaults(): Omit<AutomationFields, 'name'> {
  return { ...automationDefaults, cwds: [], skills: [], tags: [], env: {} };
}

function columnsOf(fields: Partial<AutomationFields>): Partial<AutomationRow> {
  const columns: Record<string, unknown> = {};
  for (const name of plain) if (fields[name] !== undefined) columns[name] = fields[name];
  if (fields.command !== undefined) {
    columns['command_json'] = fields.command === null ? null : JSON.stringify(fields.command);
    columns['shell'] = typeof fields.command === 'string' ? 1 : 0;
  }
  if (fields.cwds !== undefined) columns['cwds'] = JSON.stringify(fields.cwds);
  if (fields.skills !== undefined) columns['skills_json'] = JSON.stringify(fields.skills);
  if (fields.tags !== undefined) columns['tags_json'] = JSON.stringify(fields.tags);
  if (fields.env !== undefined) columns['env_json'] = JSON.stringify(fields.env);
  if (fields.pinned !== undefined) columns['pinned'] = fields.pinned ? 1 : 0;
  return columns;
}

/** Translates what a schedule module refuses into an answer that names the field. */
export function asApiError(error: unknown): unknown {
  if (!(error instanceof ScheduleError)) return error;
  return new ApiError(error.code, error.message, { field: error.field, hint: error.hint });
}

function checkedSchedule(ctx: EngineContext, schedule: Schedule, createdAt: number): Schedule {
  try {
    const context = { ...scheduleContext(ctx, { created_at: createdAt, last_run_at: null, timezone: null }) };
    return normalizeSchedule(schedule, context);
  } catch (error) {
    throw asApiError(error);
  }
}

function checkWindow(ctx: EngineContext, fields: Pick<AutomationFields, 'valid_from' | 'valid_until'>): void {
  for (const field of ['valid_from', 'valid_until'] as const) {
    const text = fields[field];
    if (text === null || text === '' || validUntil(text, ctx.timezone) !== null) continue;
    throw new ApiError('invalid', `${field} is not a date or an ISO time: ${text}`, {
      field,
      hint: 'write 2026-12-31 or 2026-12-31T18:00:00+08:00',
    });
  }
}

function checkWork(fields: Pick<AutomationFields, 'kind' | 'command' | 'prompt'>): void {
  if (fields.kind === 'command' && fields.command === null) {
    throw new ApiError('nothing_to_run', 'A command automation needs a command', {
      field: 'command',
      hint: 'give "command": ["program", "argument"] or a shell line as a string',
    });
  }
  if (fields.kind === 'agent' && fields.prompt.trim() === '') {
    throw new ApiError('nothing_to_run', 'An agent automation needs a prompt', { field: 'prompt' });
  }
}

type PlannedFields = Pick<AutomationFields, 'jitter_ms' | 'valid_from' | 'valid_until'>;

function planned(
  ctx: EngineContext,
  id: string,
  schedule: Schedule,
  fields: PlannedFields,
  times: { created_at: number; last_run_at: number | null },
): Pick<AutomationRow, 'next_run_at' | 'next_slot_at'> {
  const timezone = 'timezone' in schedule ? (schedule.timezone ?? null) : null;
  const next = nextSlot(
    { id, schedule, ctx: scheduleContext(ctx, { ...times, timezone }), ...fields },
    ctx.clock.now(),
  );
  if (next !== null) return next;
  if (schedule.kind === 'manual') return { next_run_at: null, next_slot_at: null };
  throw new ApiError(schedule.kind === 'at' ? 'schedule_past' : 'schedule_never', neverMessage(schedule), {
    field: 'schedule',
    hint: 'give a time in the future, inside valid_from and valid_until',
  });
}

function neverMessage(schedule: Schedule): string {
  return schedule.kind === 'at' ? `${schedule.at} is in the past` : 'The schedule has no run in the future';
}

function requireRow(ctx: EngineContext, id: string): AutomationRow {
  const row = ctx.store.automations.get(id);
  if (row === undefined) throw new ApiError('not_found', `There is no automation ${id}`, { field: 'id' });
  return row;
}

const unscheduled = { next_run_at: null, next_slot_at: null };
const calm = { attention_code: null, attention_detail: null };

/**
 * The edits of automations, each one step inside the caller's transaction: validate, write the row, plan what is
 * missing. All throw ApiError, and then nothing is written. They need no running engine.
 */
export function automationCommands(ctx: EngineContext) {
  const { store } = ctx;
  const now = () => ctx.clock.now();
  const read = (id: string): AutomationRow => requireRow(ctx, id);

  /** Records the slot that a change of the schedule drops, so that the ledger has no hole. */
  function dropSlot(row: AutomationRow, reason: string): void {
    const slot = row.next_slot_at ?? row.next_run_at;
    if (typeof slot !== 'number' || store.slots.get(row.id, slot) !== undefined) return;
    store.slots.insert({
      automation_id: row.id,
      scheduled_for: slot,
      outcome: 'dropped_by_edit',
      run_id: null,
      reason_code: reason,
      fire_at: typeof row.next_run_at === 'number' ? row.next_run_at : null,
      through: null,
      count: 1,
      recorded_at: now(),
    });
  }

  return {
    read,
    create(
      input: AutomationCreate,
      source: Source,
      more: { owner_user_id?: string | null; owner_bot_id?: string | null; exact_next_run_at?: number } = {},
    ): AutomationRow {
      const kind = input.kind ?? (input.command == null ? 'agent' : 'command');
      const fields: AutomationFields = { ...freshDefaults(), ...defined(input), name: input.name, kind };
      checkWork(fields);
      checkWindow(ctx, fields);
      const at = now();
      const id = `automation-${ctx.newId()}`;
      const schedule = checkedSchedule(ctx, fields.schedule, at);
      const exact = more.exact_next_run_at;
      const next =
        exact === undefined
          ? planned(ctx, id, schedule, fields, { created_at: at, last_run_at: null })
          : { next_run_at: exact, next_slot_at: exact };
      store.automations.insert({
        id,
        ...columnsOf(fields),
        ...scheduleColumns(schedule),
        ...next,
        status: 'ACTIVE',
        owner_status: 'confirmed',
        owner_user_id: more.owner_user_id ?? null,
        owner_bot_id: more.owner_bot_id ?? null,
        source,
        created_at: at,
        updated_at: at,
        unchecked: 0,
      });
      return read(id);
    },
    /** Changes fields. A schedule that really changes drops the planned slot and is planned anew; nothing else moves it. */
    update(id: string, patch: AutomationPatch): AutomationRow {
      const row = read(id);
      const { rev, ...given } = patch;
      const changes = defined(given);
      if (row.deleted_at !== null)
        throw new ApiError('state_conflict', 'The automation is deleted', { hint: 'restore it first' });
      if (rev !== undefined && rev !== row.rev) {
        throw new ApiError('rev_conflict', `It was changed meanwhile: rev is ${row.rev}, not ${rev}`, {
          field: 'rev',
          hint: 'read it again and repeat the change',
        });
      }
      const view = { ...automationOf(row), ...changes };
      checkWork(view);
      checkWindow(ctx, view);
      const columns: Partial<AutomationRow> = {
        ...columnsOf(changes),
        retry_count: 0,
        rev: row.rev + 1,
        updated_at: now(),
      };
      if (movesSchedule(ctx, row, changes)) {
        const schedule = checkedSchedule(ctx, view.schedule, row.created_at);
        Object.assign(columns, scheduleColumns(schedule), calm);
        const active = row.status === 'ACTIVE' || row.status === 'DONE' || row.status === 'EXPIRED';
        if (active) {
          Object.assign(columns, planned(ctx, id, schedule, view, row), {
            status: 'ACTIVE',
            status_reason: null,
          });
          dropSlot(row, 'schedule_changed');
        } else Object.assign(columns, unscheduled);
      }
      store.automations.update(id, columns);
      return read(id);
    },
    /** Deletes softly: no further runs, waiting ones end CANCELLED, running ones end as they end. */
    remove(id: string): AutomationRow {
      const row = read(id);
      if (row.deleted_at !== null) return row;
      dropSlot(row, 'deleted');
      store.automations.update(id, {
        deleted_at: now(),
        ...unscheduled,
        rev: row.rev + 1,
        updated_at: now(),
      });
      this.dropWaiting(id, 'automation_deleted');
      return read(id);
    },
    restore(id: string): AutomationRow {
      const row = read(id);
      if (row.deleted_at === null) return row;
      store.automations.update(id, {
        deleted_at: null,
        status: 'PAUSED',
        ...unscheduled,
        rev: row.rev + 1,
        updated_at: now(),
      });
      return read(id);
    },
    pause(id: string, dropWaiting: boolean): AutomationRow {
      const row = read(id);
      if (row.deleted_at !== null) throw new ApiError('state_conflict', 'The automation is deleted');
      if (row.status !== 'PAUSED') {
        dropSlot(row, 'paused');
        store.automations.update(id, {
          status: 'PAUSED',
          status_reason: 'paused_by_user',
          ...unscheduled,
          rev: row.rev + 1,
          updated_at: now(),
        });
      }
      if (dropWaiting) this.dropWaiting(id, 'paused');
      return read(id);
    },
    /** Plans from now on; never fires at once. A one-shot whose time has passed is refused with the choice. */
    resume(id: string): AutomationRow {
      const row = read(id);
      if (row.deleted_at !== null)
        throw new ApiError('state_conflict', 'The automation is deleted', { hint: 'restore it first' });
      if (row.status === 'ACTIVE' && row.attention_code === null) return row;
      const schedule = scheduleOf(row) ?? { kind: 'manual' as const };
      const view = automationOf(row);
      const next = planned(ctx, id, schedule, view, row);
      store.automations.update(id, {
        status: 'ACTIVE',
        status_reason: null,
        failure_count: 0,
        ...calm,
        ...next,
        rev: row.rev + 1,
        updated_at: now(),
      });
      return read(id);
    },
    dropWaiting(id: string, reason: string): void {
      for (const run of store.runs.openOf(id)) {
        const ended = { finished_at: now(), updated_at: now(), reason_code: reason };
        store.runs.move(run.thread_id, 'CANCELLED', ended, { from: 'QUEUED' });
      }
      store.runs.refreshPositions(now());
    },
  };
}

/** Whether a patch changes when the automation runs: equal values must not move next_run_at (invariant 7). */
function movesSchedule(ctx: EngineContext, row: AutomationRow, changes: Partial<AutomationFields>): boolean {
  const view = automationOf(row);
  if (changes.valid_from !== undefined && changes.valid_from !== view.valid_from) return true;
  if (changes.valid_until !== undefined && changes.valid_until !== view.valid_until) return true;
  if (changes.jitter_ms !== undefined && changes.jitter_ms !== view.jitter_ms) return true;
  if (changes.schedule === undefined) return false;
  const wanted = scheduleColumns(checkedSchedule(ctx, changes.schedule, row.created_at));
  return Object.entries(wanted).some(([column, value]) => row[column as keyof AutomationRow] !== value);
}
