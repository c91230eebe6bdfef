import {
  nextOccurrence,
  normalizeSchedule,
  type Schedule,
  type ScheduleContext,
  ScheduleError,
} from '../schedules/index.ts';
import { fireTime, nextSlot } from './plan.ts';
import { beforeAll } from './validity.ts';

/** The raw columns that healing looks at: any program may have put any type into them. */
export interface RawAutomation {
  id: string;
  status: unknown;
  schedule_type: unknown;
  schedule_kind: string | null;
  next_run_at: unknown;
  next_slot_at: number | null;
  scheduled_at: unknown;
  rrule: unknown;
  cwds: unknown;
  valid_from: string | null;
  valid_until: string | null;
  jitter_ms: number;
  owner_status: unknown;
  owner_user_id: string | null;
  deleted_at: unknown;
  last_run_at: number | null;
}

export interface HealInput {
  raw: RawAutomation;
  /** What the columns say now, null when they say nothing that can be read. */
  schedule: Schedule | null;
  /** Columns another program changed since the last check; empty for a new row. */
  edited: ReadonlySet<string>;
  /** The row's status before the foreign edits, when one of them changed it. */
  statusBefore: string | null;
  ctx: ScheduleContext;
  now: number;
}

export interface Healing {
  status: 'ACTIVE' | 'PAUSED' | 'DONE' | 'EXPIRED';
  deleted: boolean;
  schedule: Schedule | null;
  next_run_at: number | null;
  next_slot_at: number | null;
  cwds: string[];
  adopt: boolean;
  attention: { code: string; detail: string } | null;
  notes: { field: string; note: string }[];
}

const statuses = new Set(['ACTIVE', 'PAUSED', 'DONE', 'EXPIRED']);
/** Below this a number of ms would be before 1973: it can only be seconds (facts: Codex's older rows). */
const secondsBelow = 1e11;

function readInstant(value: unknown, ctx: ScheduleContext): { at: number | null; note: string | null } {
  if (value === null || value === undefined || value === '') return { at: null, note: null };
  const text = typeof value === 'string' ? value.trim() : null;
  const number = text !== null && /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : value;
  if (typeof number === 'number') {
    if (!Number.isFinite(number) || number <= 0 || number > 8.64e15)
      return { at: null, note: 'not an instant' };
    const at = Math.trunc(number < secondsBelow ? number * 1000 : number);
    if (number < secondsBelow) return { at, note: 'seconds read as milliseconds' };
    return { at, note: text !== null || at !== number ? 'read as milliseconds' : null };
  }
  if (text === null) return { at: null, note: 'not an instant' };
  try {
    const at = nextOccurrence({ kind: 'at', at: text, timezone: ctx.timezone }, beforeAll, ctx);
    return { at, note: 'ISO time read as milliseconds' };
  } catch (error) {
    if (error instanceof ScheduleError) return { at: null, note: 'not an instant' };
    throw error;
  }
}

function readFolders(value: unknown): { cwds: string[]; note: string | null } {
  if (typeof value !== 'string' || value.trim() === '') return { cwds: [], note: 'empty, default folder' };
  try {
    const parsed: unknown = JSON.parse(value);
    if (Array.isArray(parsed) && parsed.every((item) => typeof item === 'string')) {
      return { cwds: parsed, note: null };
    }
    if (typeof parsed === 'string') return { cwds: [parsed], note: 'one folder read as a list' };
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return { cwds: [value], note: 'not JSON, read as one folder' };
  }
  return { cwds: [], note: 'not a list of folders, default folder' };
}

/** Which schedule the compatible columns mean; the last writer of them wins over ours (ruling 15). */
function derive(input: HealInput, at: number | null): { schedule: Schedule | null; derived: boolean } {
  const { raw, edited } = input;
  const own = raw.schedule_kind !== null && input.schedule !== null;
  const overruled = edited.has('rrule') || edited.has('scheduled_at') || edited.has('schedule_type');
  if (own && !overruled) return { schedule: input.schedule, derived: false };
  const rrule = typeof raw.rrule === 'string' ? raw.rrule.trim() : '';
  const recurring = String(raw.schedule_type).toLowerCase() === 'recurring';
  if (rrule !== '' && (recurring || edited.has('rrule'))) {
    return { schedule: { kind: 'rrule', rrule }, derived: true };
  }
  if (
    own &&
    input.schedule !== null &&
    input.schedule.kind !== 'at' &&
    !edited.has('scheduled_at') &&
    recurring
  ) {
    return { schedule: input.schedule, derived: false };
  }
  if (typeof raw.scheduled_at === 'string' && raw.scheduled_at.trim() !== '') {
    return { schedule: { kind: 'at', at: raw.scheduled_at.trim() }, derived: true };
  }
  if (at !== null) return { schedule: { kind: 'at', at: new Date(at).toISOString() }, derived: true };
  return { schedule: null, derived: true };
}

function normalized(
  schedule: Schedule | null,
  ctx: ScheduleContext,
): { schedule: Schedule | null; error: ScheduleError | null } {
  if (schedule === null) return { schedule: null, error: null };
  try {
    return { schedule: normalizeSchedule(schedule, ctx), error: null };
  } catch (error) {
    if (error instanceof ScheduleError) return { schedule, error };
    throw error;
  }
}

type Next = Pick<Healing, 'next_run_at' | 'next_slot_at' | 'attention'>;

function nextOf(
  input: HealInput,
  schedule: Schedule | null,
  error: ScheduleError | null,
  at: number | null,
): Next {
  const { raw, ctx, now, edited } = input;
  const invalid = error === null ? null : { code: 'schedule_invalid', detail: error.message };
  const resumed = input.statusBefore !== null && input.statusBefore.toUpperCase() !== 'ACTIVE';
  const recompute = resumed && !edited.has('next_run_at');
  if (at !== null && !recompute) {
    const kept = raw.next_slot_at !== null && !edited.has('next_run_at') ? raw.next_slot_at : at;
    // A due time that somebody wrote runs once even when the rule cannot be read; planning then says so.
    return { next_run_at: at, next_slot_at: kept, attention: null };
  }
  if (schedule === null || schedule.kind === 'manual') {
    const attention =
      schedule === null ? { code: 'no_schedule', detail: 'no next_run_at, scheduled_at or rrule' } : null;
    return { next_run_at: null, next_slot_at: null, attention };
  }
  if (invalid !== null && schedule.kind !== 'at') {
    return { next_run_at: null, next_slot_at: null, attention: invalid };
  }
  if (schedule.kind === 'at') {
    const written = readInstant(schedule.at, ctx).at;
    if (written !== null && written > now) {
      return {
        next_run_at: fireTime(raw.id, written, raw.jitter_ms),
        next_slot_at: written,
        attention: null,
      };
    }
    const attention =
      written === null
        ? { code: 'schedule_invalid', detail: `scheduled_at is not an instant: ${schedule.at}` }
        : { code: 'past_without_next_run', detail: schedule.at };
    return { next_run_at: null, next_slot_at: null, attention };
  }
  const next = nextSlot(
    {
      id: raw.id,
      schedule,
      ctx,
      jitter_ms: raw.jitter_ms,
      valid_from: raw.valid_from,
      valid_until: raw.valid_until,
    },
    now,
  );
  if (next === null)
    return { next_run_at: null, next_slot_at: null, attention: { code: 'schedule_ended', detail: '' } };
  return { ...next, attention: null };
}

/**
 * What a row written by another program means, and what had to be mended. Pure; never throws for any content of
 * the columns: what cannot be read becomes an attention code, and other rows are not touched by it.
 */
export function heal(input: HealInput): Healing {
  const { raw, ctx } = input;
  const notes: Healing['notes'] = [];
  const note = (field: string, text: string | null) => {
    if (text !== null) notes.push({ field, note: text });
  };
  const upper = String(raw.status).trim().toUpperCase();
  const known = statuses.has(upper);
  if (known && upper !== raw.status) note('status', `${String(raw.status)} read as ${upper}`);
  const due = readInstant(raw.next_run_at, ctx);
  note('next_run_at', due.note);
  const folders = readFolders(raw.cwds);
  note('cwds', folders.note);
  const { schedule: meant, derived } = derive(input, due.at);
  const { schedule, error } = normalized(meant, ctx);
  if (derived && schedule !== null) note('schedule_kind', `taken as ${schedule.kind}`);
  const adopt = raw.owner_status === 'legacy_unassigned' && raw.owner_user_id === null;
  if (adopt) note('owner_status', 'adopted: one person per data folder');
  const deleted = raw.deleted_at !== null || upper === 'DELETED';
  const status = known ? (upper as Healing['status']) : 'PAUSED';
  const result = { deleted, schedule, cwds: folders.cwds, adopt, notes };
  if (!known && !deleted) {
    const attention = { code: 'status_unknown', detail: String(raw.status).slice(0, 100) };
    return { ...result, status, next_run_at: null, next_slot_at: null, attention };
  }
  if (deleted || status !== 'ACTIVE') {
    // DONE or EXPIRED with a time written meanwhile is wanted again by whoever wrote it (ruling 6).
    const again =
      !deleted &&
      due.at !== null &&
      due.at > input.now &&
      input.edited.has('next_run_at') &&
      status === 'DONE';
    if (!again) {
      const kept = deleted ? null : due.at;
      return {
        ...result,
        status,
        next_run_at: kept,
        next_slot_at: kept === null ? null : raw.next_slot_at,
        attention: null,
      };
    }
    return { ...result, status: 'ACTIVE', next_run_at: due.at, next_slot_at: due.at, attention: null };
  }
  const next = nextOf(input, schedule, error, due.at);
  if (due.at === null && next.next_run_at !== null) note('next_run_at', 'computed from the schedule');
  return { ...result, status, ...next };
}
