import { ApiError } from '../../src-shared/contract/errors.ts';
import { nextSlot } from '../../src-shared/logic/plan.ts';
import type {
  AutomationCreate,
  AutomationFields,
  AutomationPatch,
  Source,
} from '../../src-shared/model/automation.ts';
import { defined } from '../../src-shared/model/defined.ts';
import { normalizeSchedule, type Schedule, ScheduleError } from '../../src-shared/schedules/index.ts';
import { automationOf, scheduleColumns, scheduleOf } from '../storage/codec.ts';
import type { AutomationRow } from '../storage/rows.ts';
import type { Store } from '../storage/store.ts';
import { checkWindow, checkWork, columnsOf, freshDefaults } from './automation-fields.ts';
import { type EngineContext, scheduleContext } from './context.ts';
import { dropSlot } from './drop-slot.ts';

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

interface Origin {
  exact_next_run_at?: number;
}

/**
 * The edits of automations, each one step inside the caller's transaction: validate, write the row, plan what is
 * missing. All throw ApiError, and then nothing is written. They need no running engine.
 */
class AutomationCommands {
  readonly #ctx: EngineContext;
  readonly #store: Store;

  constructor(ctx: EngineContext) {
    this.#ctx = ctx;
    this.#store = ctx.store;
  }

  read(id: string): AutomationRow {
    return requireRow(this.#ctx, id);
  }

  create(input: AutomationCreate, source: Source, more: Origin = {}): AutomationRow {
    const kind = input.kind ?? (input.command == null ? 'agent' : 'command');
    const fields: AutomationFields = { ...freshDefaults(), ...defined(input), name: input.name, kind };
    checkWork(fields);
    checkWindow(this.#ctx, fields);
    const at = this.#now();
    const id = `automation-${this.#ctx.newId()}`;
    const schedule = checkedSchedule(this.#ctx, fields.schedule, at);
    const exact = more.exact_next_run_at;
    const next =
      exact === undefined
        ? planned(this.#ctx, id, schedule, fields, { created_at: at, last_run_at: null })
        : { next_run_at: exact, next_slot_at: exact };
    this.#store.automations.insert({
      id,
      ...columnsOf(fields),
      ...scheduleColumns(schedule),
      ...next,
      status: 'ACTIVE',
      owner_status: 'confirmed',
      owner_user_id: input.owner_user_id ?? null,
      owner_bot_id: input.owner_bot_id ?? null,
      source,
      created_at: at,
      updated_at: at,
      unchecked: 0,
    });
    return this.read(id);
  }

  /** Changes fields. A schedule that really changes drops the planned slot and is planned anew; nothing else moves it. */
  update(id: string, patch: AutomationPatch): AutomationRow {
    const row = this.read(id);
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
    checkWindow(this.#ctx, view);
    const columns: Partial<AutomationRow> = {
      ...columnsOf(changes),
      retry_count: 0,
      rev: row.rev + 1,
      updated_at: this.#now(),
    };
    if (movesSchedule(this.#ctx, row, changes)) Object.assign(columns, this.#reschedule(row, view));
    this.#store.automations.update(id, columns);
    return this.read(id);
  }

  /** Deletes softly: no further runs, waiting ones end CANCELLED, running ones end as they end. */
  remove(id: string): AutomationRow {
    const row = this.read(id);
    if (row.deleted_at !== null) return row;
    dropSlot(this.#ctx, row, 'deleted');
    this.#write(row, { deleted_at: this.#now(), ...unscheduled });
    this.dropWaiting(id, 'automation_deleted');
    return this.read(id);
  }

  restore(id: string): AutomationRow {
    const row = this.read(id);
    if (row.deleted_at === null) return row;
    return this.#write(row, { deleted_at: null, status: 'PAUSED', ...unscheduled });
  }

  pause(id: string, dropWaiting: boolean): AutomationRow {
    const row = this.read(id);
    if (row.deleted_at !== null) throw new ApiError('state_conflict', 'The automation is deleted');
    if (row.status !== 'PAUSED') {
      dropSlot(this.#ctx, row, 'paused');
      this.#write(row, { status: 'PAUSED', status_reason: 'paused_by_user', ...unscheduled });
    }
    if (dropWaiting) this.dropWaiting(id, 'paused');
    return this.read(id);
  }

  /** Plans from now on; never fires at once. A one-shot whose time has passed is refused with the choice. */
  resume(id: string): AutomationRow {
    const row = this.read(id);
    if (row.deleted_at !== null)
      throw new ApiError('state_conflict', 'The automation is deleted', { hint: 'restore it first' });
    if (row.status === 'ACTIVE' && row.attention_code === null) return row;
    const schedule = scheduleOf(row) ?? { kind: 'manual' as const };
    const next = planned(this.#ctx, id, schedule, automationOf(row), row);
    if (next.next_slot_at !== row.next_slot_at) dropSlot(this.#ctx, row, 'resumed');
    return this.#write(row, { status: 'ACTIVE', status_reason: null, failure_count: 0, ...calm, ...next });
  }

  dropWaiting(id: string, reason: string): void {
    for (const run of this.#store.runs.openOf(id)) {
      const ended = { finished_at: this.#now(), updated_at: this.#now(), reason_code: reason };
      this.#store.runs.move(run.thread_id, 'CANCELLED', ended, { from: 'QUEUED' });
    }
    this.#store.runs.refreshPositions(this.#now());
  }

  #now(): number {
    return this.#ctx.clock.now();
  }

  /** Writes columns as the row's next revision and reads it again. */
  #write(row: AutomationRow, columns: Partial<AutomationRow>): AutomationRow {
    this.#store.automations.update(row.id, { ...columns, rev: row.rev + 1, updated_at: this.#now() });
    return this.read(row.id);
  }

  /** The columns of a schedule that changed. Where one was planned or had ended, it is planned anew. */
  #reschedule(row: AutomationRow, view: PlannedFields & { schedule: Schedule }): Partial<AutomationRow> {
    const schedule = checkedSchedule(this.#ctx, view.schedule, row.created_at);
    const columns = { ...scheduleColumns(schedule), ...calm };
    const active = row.status === 'ACTIVE' || row.status === 'DONE' || row.status === 'EXPIRED';
    if (!active) return { ...columns, ...unscheduled };
    const next = planned(this.#ctx, row.id, schedule, view, row);
    dropSlot(this.#ctx, row, 'schedule_changed');
    return { ...columns, ...next, status: 'ACTIVE', status_reason: null };
  }
}

/** The edits of automations over one context. */
export function automationCommands(ctx: EngineContext): AutomationCommands {
  return new AutomationCommands(ctx);
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
