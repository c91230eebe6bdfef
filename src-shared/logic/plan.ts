import type { MissedPolicy, OverlapPolicy } from '../model/policies.ts';
import type { Slot } from '../model/run.ts';
import {
  nextOccurrence,
  occurrencesBetween,
  previousOccurrence,
  type Schedule,
  type ScheduleContext,
} from '../schedules/index.ts';
import { spread } from './spread.ts';
import { validFrom, validUntil } from './validity.ts';

/** At most this many missed slots are counted one by one; a longer gap is counted as at least this many. */
const mostCounted = 5000;
/** Policy `all` makes up at most this many of the newest missed slots. */
const mostMadeUp = 20;

export interface PlanInput {
  id: string;
  schedule: Schedule;
  ctx: ScheduleContext;
  next_run_at: number;
  next_slot_at: number | null;
  jitter_ms: number;
  valid_from: string | null;
  valid_until: string | null;
  missed_policy: MissedPolicy;
  missed_window_ms: number;
  overlap_policy: OverlapPolicy;
  run_count: number;
  max_runs: number | null;
  now: number;
  /** Lateness up to here is simply due: two scan intervals, ms. */
  grace_ms: number;
  /** Whether the ledger already knows a slot: it must not run again. */
  isRecorded(slot: number): boolean;
  queue_full: boolean;
  /** The limit per day that is used up, by its reason code; null = none. */
  limit_reached: string | null;
  /** The exclusive runs of this automation that are active. */
  waiting: { id: string; delayed_retry: boolean } | null;
  running: { id: string } | null;
}

type PlannedSlot = Pick<Slot, 'scheduled_for' | 'outcome' | 'reason_code' | 'through' | 'count'>;

export interface Plan {
  /** Ledger rows; the one with outcome `ran` gets the run's id, the one `coalesced` the waiting run's. */
  slots: PlannedSlot[];
  run: { scheduled_for: number; trigger: 'schedule' | 'missed'; exclusive: boolean } | null;
  /** A delayed retry that the new slot replaces (ends SKIPPED, superseded). */
  supersede: string | null;
  /** Runs that policy cancel_previous stops. */
  cancel: string[];
  /** Where the schedule stands afterwards; null = nothing follows. */
  next: { next_slot_at: number; next_run_at: number } | null;
  /** A status to take besides; DONE waits for the run's end. */
  end: { status: 'DONE' | 'EXPIRED'; reason: string } | null;
  attention: { code: string; detail: string } | null;
}

/** `plan` says to leave the automation as it is until its active run ends. */
export const wait = 'wait';

const slotRow = (
  scheduled_for: number,
  outcome: Slot['outcome'],
  reason_code: string | null = null,
  through: number | null = null,
  count = 1,
): PlannedSlot => ({ scheduled_for, outcome, reason_code, through, count });

/** The fire time of a slot: the slot plus the jitter drawn for it. */
export function fireTime(id: string, slot: number, jitterMs: number): number {
  return slot + spread(`${id}@${slot}`, jitterMs);
}

/** The first slot after `after` with its fire time, inside the validity window; null when none follows. */
export function nextSlot(
  input: Pick<PlanInput, 'id' | 'schedule' | 'ctx' | 'jitter_ms' | 'valid_from' | 'valid_until'>,
  after: number,
): Plan['next'] {
  const opens = validFrom(input.valid_from, input.ctx.timezone);
  const slot = nextOccurrence(input.schedule, opens === null ? after : Math.max(after, opens - 1), input.ctx);
  if (slot === null) return null;
  const closes = validUntil(input.valid_until, input.ctx.timezone);
  if (closes !== null && slot > closes) return null;
  return { next_slot_at: slot, next_run_at: fireTime(input.id, slot, input.jitter_ms) };
}

function after(input: PlanInput, from: number, runsNow: number): Pick<Plan, 'next' | 'end'> {
  if (input.max_runs !== null && input.run_count + runsNow >= input.max_runs) {
    return { next: null, end: { status: 'DONE', reason: 'max_runs' } };
  }
  // What another program wrote into scheduled_at may differ from next_run_at; one-shot means one.
  if (input.schedule.kind === 'at') return { next: null, end: { status: 'DONE', reason: 'schedule_ended' } };
  const next = nextSlot(input, from);
  if (next !== null) return { next, end: null };
  const closes = validUntil(input.valid_until, input.ctx.timezone);
  const beyond =
    closes !== null && nextOccurrence(input.schedule, Math.max(from, closes), input.ctx) !== null;
  return {
    next: null,
    end: beyond ? { status: 'EXPIRED', reason: 'valid_until' } : { status: 'DONE', reason: 'schedule_ended' },
  };
}

const nothing: Omit<Plan, 'slots' | 'next' | 'end'> = {
  run: null,
  supersede: null,
  cancel: [],
  attention: null,
};

/** Groups missed slots into one ledger row. */
function gap(slots: readonly number[], reason: string): PlannedSlot[] {
  const first = slots[0];
  const last = slots.at(-1);
  if (first === undefined || last === undefined) return [];
  return [slotRow(first, 'missed', reason, last === first ? null : last, slots.length)];
}

/** The run of a slot under the overlap policy, and the ledger row that says so. */
function start(input: PlanInput, slot: number, trigger: 'schedule' | 'missed', from: number): Plan {
  const blocked = input.queue_full ? 'queue_full' : input.limit_reached;
  if (blocked !== null) {
    // A one-shot has no next slot that could make up for this one: a person must hear of it.
    const attention = input.schedule.kind === 'at' ? { code: blocked, detail: '' } : null;
    return { ...nothing, slots: [slotRow(slot, 'blocked', blocked)], ...after(input, from, 0), attention };
  }
  const replaces = input.waiting?.delayed_retry === true ? input.waiting.id : null;
  const waiting = replaces === null ? input.waiting : null;
  const free = waiting === null && input.running === null;
  if (!free && input.overlap_policy === 'skip') {
    return { ...nothing, slots: [slotRow(slot, 'skipped_overlap', 'overlap')], ...after(input, from, 0) };
  }
  if (waiting !== null && input.overlap_policy === 'queue') {
    return { ...nothing, slots: [slotRow(slot, 'coalesced', 'overlap')], ...after(input, from, 0) };
  }
  const cancels = input.overlap_policy === 'cancel_previous' ? [waiting?.id, input.running?.id] : [];
  return {
    slots: [slotRow(slot, 'ran', trigger === 'missed' ? 'missed' : null)],
    run: { scheduled_for: slot, trigger, exclusive: input.overlap_policy !== 'allow' },
    supersede: replaces,
    cancel: cancels.filter((id) => id !== undefined),
    attention: null,
    ...after(input, from, 1),
  };
}

/** The slots from the planned one up to now, oldest first; the newest ones when there are too many. */
function missedSlots(input: PlanInput, slot: number): number[] {
  if (input.schedule.kind === 'at') return input.isRecorded(slot) ? [] : [slot];
  const later = occurrencesBetween(input.schedule, slot, input.now, mostCounted, input.ctx);
  const newest = previousOccurrence(input.schedule, input.now + 1, input.ctx);
  if (newest !== null && newest > slot && !later.includes(newest)) later.push(newest);
  return [slot, ...later].filter((at) => !input.isRecorded(at));
}

function late(input: PlanInput, slot: number): Plan | typeof wait {
  const slots = missedSlots(input, slot);
  const newest = slots.at(-1);
  if (newest === undefined) return { ...nothing, slots: [], ...after(input, input.now, 0) };
  const inWindow = newest >= input.now - input.missed_window_ms;
  if (input.missed_policy === 'all' && inWindow) {
    if (input.waiting !== null || input.running !== null) return wait;
    const fresh = slots.filter((at) => at >= input.now - input.missed_window_ms).slice(-mostMadeUp);
    const first = fresh[0] ?? newest;
    const older = slots.filter((at) => at < first);
    const made = start(input, first, 'missed', first);
    return { ...made, slots: [...gap(older, 'too_old'), ...made.slots] };
  }
  if (input.missed_policy === 'latest' && inWindow) {
    const made = start(input, newest, 'missed', input.now);
    return { ...made, slots: [...gap(slots.slice(0, -1), 'newer_slot_ran'), ...made.slots] };
  }
  const ask = input.missed_policy === 'ask';
  const reason = ask ? 'asked' : input.missed_policy === 'skip' ? 'policy_skip' : 'too_old';
  const once = input.schedule.kind === 'at';
  return {
    ...nothing,
    slots: gap(slots, reason),
    ...after(input, input.now, 0),
    attention: ask || once ? { code: ask ? 'missed_ask' : 'missed', detail: String(slots.length) } : null,
  };
}

/**
 * What a due automation does now: pure, and the only place that decides it. Order of the policies: recorded
 * slot, validity, missed, overlap, limits (spec/engine.md, Planner). `wait` = change nothing until its run ends.
 */
export function plan(input: PlanInput): Plan | typeof wait {
  const slot = input.next_slot_at ?? input.next_run_at;
  const recorded = input.isRecorded(slot);
  const closes = validUntil(input.valid_until, input.ctx.timezone);
  if (closes !== null && input.now > closes) {
    const slots = recorded ? [] : [slotRow(slot, 'blocked', 'expired')];
    return { ...nothing, slots, next: null, end: { status: 'EXPIRED', reason: 'valid_until' } };
  }
  if (recorded && input.now - slot <= input.grace_ms) {
    return { ...nothing, slots: [], ...after(input, Math.max(slot, input.now), 0) };
  }
  if (input.max_runs !== null && input.run_count >= input.max_runs) {
    return { ...nothing, slots: [slotRow(slot, 'blocked', 'max_runs')], ...after(input, slot, 0) };
  }
  const opens = validFrom(input.valid_from, input.ctx.timezone);
  if (opens !== null && input.now < opens) {
    return { ...nothing, slots: [slotRow(slot, 'blocked', 'not_yet_valid')], ...after(input, slot, 0) };
  }
  if (input.now - input.next_run_at > input.grace_ms) return late(input, slot);
  return start(input, slot, 'schedule', slot);
}
