import { heal } from '../../src-shared/logic/heal.ts';
import { limitReached } from '../../src-shared/logic/limits.ts';
import { type Plan, type PlanInput, plan, wait } from '../../src-shared/logic/plan.ts';
import type { Automation } from '../../src-shared/model/automation.ts';
import {
  normalizeSchedule,
  previousOccurrence,
  type Schedule,
  ScheduleError,
} from '../../src-shared/schedules/index.ts';
import { automationOf, scheduleColumns, scheduleOf } from '../storage/codec.ts';
import { storageFault } from '../storage/errors.ts';
import type { AutomationRow } from '../storage/rows.ts';
import { wishCancel } from './cancel-wish.ts';
import { type EngineContext, scheduleContext } from './context.ts';
import { enqueue } from './queue.ts';

/** How many rows one transaction plans or heals; the rest follows in the next scan, at once. */
export const batchSize = 50;

function healedNotes(
  row: AutomationRow,
  notes: { field: string; note: string }[],
  now: number,
): string | null {
  if (notes.length === 0) return row.healed_json;
  const before = automationOf(row).healed;
  return JSON.stringify([...before, ...notes.map((note) => ({ ...note, at: now }))].slice(-20));
}

function healOne(ctx: EngineContext, row: AutomationRow): void {
  const { store } = ctx;
  const now = ctx.clock.now();
  const edits = store.automations.foreignEdits(row.id);
  const statusEdit = edits.find((edit) => edit.field === 'status');
  const healing = heal({
    raw: row,
    schedule: scheduleOf(row),
    edited: new Set(edits.map((edit) => edit.field)),
    statusBefore: typeof statusEdit?.old_value === 'string' ? statusEdit.old_value : null,
    ctx: scheduleContext(ctx, { ...row, created_at: Number(row.created_at) || now }),
    now,
  });
  const schedule = healing.schedule === null ? {} : scheduleColumns(healing.schedule);
  const once = healing.schedule?.kind === 'at';
  store.automations.update(row.id, {
    ...schedule,
    // What the other program wrote stays readable as it wrote it.
    ...(once && row.scheduled_at !== null ? { scheduled_at: row.scheduled_at } : {}),
    status: healing.status,
    deleted_at: healing.deleted ? (row.deleted_at ?? now) : null,
    next_run_at: healing.next_run_at,
    next_slot_at: healing.next_slot_at,
    cwds: JSON.stringify(healing.cwds),
    ...(healing.adopt ? { owner_status: 'confirmed' } : {}),
    attention_code: healing.attention?.code ?? null,
    attention_detail: healing.attention?.detail ?? null,
    healed_json: healedNotes(row, healing.notes, now),
    unchecked: 0,
  });
  store.automations.forgetForeignEdits(row.id);
}

/** Reads the rows that other programs wrote since the last scan. Call inside a transaction. Tells how many. */
export function healUnchecked(ctx: EngineContext): number {
  const rows = ctx.store.automations.unchecked(batchSize);
  for (const row of rows) isolated(ctx, row, () => healOne(ctx, row));
  // What stays unchecked must not be looked at again at once, or the scan never rests.
  return rows.filter((row) => ctx.store.automations.get(row.id)?.unchecked === 0).length;
}

/** One row must never stop the others: its own writes are undone and it is set aside with the reason. */
function isolated(ctx: EngineContext, row: AutomationRow, fn: () => void): void {
  try {
    ctx.store.savepoint(fn);
  } catch (error) {
    const fault = storageFault(error);
    if (fault === 'busy' || fault === 'full' || fault === 'io') throw error;
    ctx.log.error({ automation: row.id, error: String(error) }, 'a row could not be planned');
    ctx.store.automations.update(row.id, {
      next_run_at: null,
      next_slot_at: null,
      unchecked: 0,
      attention_code: 'cannot_plan',
      attention_detail: String(error).slice(0, 500),
    });
  }
}

function readSchedule(ctx: EngineContext, row: AutomationRow): { schedule: Schedule; error: string | null } {
  const schedule = scheduleOf(row);
  if (schedule === null) return { schedule: { kind: 'manual' }, error: null };
  try {
    return { schedule: normalizeSchedule(schedule, scheduleContext(ctx, row)), error: null };
  } catch (error) {
    if (!(error instanceof ScheduleError)) throw error;
    // A one-shot whose time has passed is not broken: its slot is the due one.
    return {
      schedule: schedule.kind === 'at' ? schedule : { kind: 'manual' },
      error: schedule.kind === 'at' ? null : error.message,
    };
  }
}

/** The limit per day that an automation has used up since its last local midnight. */
function limitOf(ctx: EngineContext, automation: Automation): string | null {
  const limited =
    automation.max_runs_per_day ?? automation.max_tokens_per_day ?? automation.max_cost_per_day_micros;
  if (limited === null) return null;
  const timezone = 'timezone' in automation.schedule ? automation.schedule.timezone : undefined;
  const midnight = { kind: 'cron' as const, expression: '0 0 * * *', timezone: timezone ?? ctx.timezone };
  const context = { timezone: ctx.timezone, anchorAt: automation.created_at };
  const since = previousOccurrence(midnight, ctx.clock.now() + 1, context) ?? 0;
  return limitReached(automation, ctx.store.runs.spentSince(automation.id, since));
}

function inputOf(ctx: EngineContext, row: AutomationRow, schedule: Schedule, queueFull: boolean): PlanInput {
  const automation = automationOf(row);
  const now = ctx.clock.now();
  const active = ctx.store.runs.activeOf(row.id);
  const waiting = active.find((run) => run.status === 'QUEUED');
  const running = active.find((run) => run.status === 'IN_PROGRESS');
  return {
    id: row.id,
    schedule,
    ctx: scheduleContext(ctx, row),
    next_run_at: automation.next_run_at ?? now,
    next_slot_at: automation.next_slot_at,
    jitter_ms: automation.jitter_ms,
    valid_from: automation.valid_from,
    valid_until: automation.valid_until,
    missed_policy: automation.missed_policy,
    missed_window_ms: automation.missed_window_ms,
    overlap_policy: automation.overlap_policy,
    run_count: automation.run_count,
    max_runs: automation.max_runs,
    now,
    grace_ms: 2 * ctx.settings.scan_interval_seconds * 1000,
    isRecorded: (slot) => ctx.store.slots.get(row.id, slot) !== undefined,
    queue_full: queueFull,
    limit_reached: limitOf(ctx, automation),
    waiting:
      waiting === undefined
        ? null
        : { id: waiting.thread_id, delayed_retry: waiting.attempt > 1 && waiting.not_before > now },
    running: running === undefined ? null : { id: running.thread_id },
  };
}

function apply(ctx: EngineContext, row: AutomationRow, planned: Plan, invalid: string | null): string[] {
  const { store } = ctx;
  const now = ctx.clock.now();
  const stop: string[] = [];
  if (planned.supersede !== null) {
    store.runs.move(
      planned.supersede,
      'SKIPPED',
      { finished_at: now, updated_at: now, reason_code: 'superseded' },
      { from: 'QUEUED' },
    );
  }
  for (const id of planned.cancel) {
    const ended = { finished_at: now, updated_at: now, reason_code: 'cancelled_by_next' };
    if (store.runs.move(id, 'CANCELLED', ended, { from: 'QUEUED' })) continue;
    wishCancel(ctx, id);
    stop.push(id);
  }
  const runId = planned.run === null ? null : enqueue(ctx, row, planned.run);
  const waiting = store.runs.activeOf(row.id).find((run) => run.status === 'QUEUED')?.thread_id ?? null;
  for (const slot of planned.slots) {
    const own = slot.outcome === 'ran' ? runId : slot.outcome === 'coalesced' ? waiting : null;
    store.slots.insert({
      ...slot,
      automation_id: row.id,
      run_id: own,
      fire_at: row.next_run_at === null ? null : Number(row.next_run_at),
      recorded_at: now,
    });
  }
  const attention = invalid === null ? planned.attention : { code: 'schedule_invalid', detail: invalid };
  const status = endStatus(ctx, row, planned, invalid);
  store.automations.update(row.id, {
    next_run_at: planned.next?.next_run_at ?? null,
    next_slot_at: planned.next?.next_slot_at ?? null,
    ...(status === null ? {} : { status: status.status, status_reason: status.reason }),
    ...(attention === null ? {} : { attention_code: attention.code, attention_detail: attention.detail }),
  });
  return stop;
}

/** DONE waits for the runs that are still open (ruling 6); EXPIRED does not. */
function endStatus(
  ctx: EngineContext,
  row: AutomationRow,
  planned: Plan,
  invalid: string | null,
): Plan['end'] {
  if (planned.end === null || invalid !== null) return null;
  if (planned.end.status === 'DONE' && ctx.store.runs.openOf(row.id).length > 0) return null;
  return planned.end;
}

/**
 * Plans every automation whose fire time has come, oldest first: ledger row, run and advance of each in one
 * savepoint. Call inside a transaction. Gives the running runs that policy cancel_previous stops, and whether
 * more is due than one batch takes.
 */
export function planDue(ctx: EngineContext): { stop: string[]; more: boolean } {
  const stop: string[] = [];
  let planned = 0;
  let queued = ctx.store.runs.countQueued();
  // What a free slot takes in this very commit does not wait.
  const free = Math.max(0, ctx.settings.max_concurrent - ctx.store.runs.countInProgress());
  const most = ctx.settings.queue_limit + free;
  // Rows that wait for their own run stay due; they must not hide the due rows behind them.
  for (let offset = 0; planned === 0; offset += batchSize) {
    const due = ctx.store.automations.due(ctx.clock.now(), batchSize, offset);
    for (const row of due) {
      isolated(ctx, row, () => {
        const { schedule, error } = readSchedule(ctx, row);
        const decision = plan(inputOf(ctx, row, schedule, queued >= most));
        if (decision === wait) return;
        planned += 1;
        if (decision.run !== null) queued += 1;
        stop.push(...apply(ctx, row, decision, error));
      });
    }
    if (due.length < batchSize) break;
  }
  return { stop, more: planned > 0 };
}
