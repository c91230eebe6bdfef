import { z } from 'zod';
import { atModule, pastError } from './at.ts';
import { cronModule } from './cron.ts';
import { everyModule } from './every.ts';
import {
  atSchema,
  cronSchema,
  everySchema,
  type Locale,
  manualSchema,
  rruleSchema,
  type Schedule,
  type ScheduleContext,
  ScheduleError,
  type ScheduleKind,
  type ScheduleModule,
  type ScheduleWarning,
} from './kind.ts';
import { manualModule } from './manual.ts';
import type { Words } from './phrases.ts';
import { type PreviewOccurrence, showOccurrence } from './preview.ts';
import { rruleModule } from './rrule.ts';
import { checkZone } from './zone.ts';

export {
  type AtSchedule,
  type CronSchedule,
  type EverySchedule,
  type Locale,
  type ManualSchedule,
  type RRuleSchedule,
  type Schedule,
  type ScheduleContext,
  ScheduleError,
  type ScheduleErrorCode,
  type ScheduleKind,
  type ScheduleModule,
  type ScheduleWarning,
} from './kind.ts';
export type { OccurrenceNote, PreviewOccurrence } from './preview.ts';
export { checkZone };

/** The shape of a schedule, for bodies and stored JSON; whether it makes sense is asked of `normalizeSchedule`. */
export const scheduleSchema = z.discriminatedUnion('kind', [
  manualSchema,
  atSchema,
  everySchema,
  cronSchema,
  rruleSchema,
]);

type Modules = { readonly [K in ScheduleKind]: ScheduleModule<Extract<Schedule, { kind: K }>> };

/** All kinds; the compiler refuses a kind without a module. */
export const scheduleModules: Modules = {
  manual: manualModule,
  at: atModule,
  every: everyModule,
  cron: cronModule,
  rrule: rruleModule,
};

function moduleOf<S extends Schedule>(schedule: S): ScheduleModule<S> {
  // The table is keyed by kind, which TypeScript cannot follow through a union.
  return scheduleModules[schedule.kind] as unknown as ScheduleModule<S>;
}

/** The zone a schedule is read and shown in. */
export function zoneOf(schedule: Schedule, ctx: ScheduleContext): string {
  return 'timezone' in schedule && schedule.timezone !== undefined ? schedule.timezone : ctx.timezone;
}

/**
 * Checks a schedule and makes zone and anchor explicit, so that neither a moved laptop nor a later edit moves
 * it. Idempotent. Throws ScheduleError (schedule_invalid, schedule_never, timezone_invalid).
 */
export function normalizeSchedule(schedule: Schedule, ctx: ScheduleContext): Schedule {
  return moduleOf(schedule).normalize(schedule, ctx);
}

function ordered(found: number | null, fits: (at: number) => boolean, schedule: Schedule): number | null {
  if (found === null || fits(found)) return found;
  // Would make a planner spin or replay; no known input gets here.
  throw new Error(`Occurrence ${found} of ${JSON.stringify(schedule)} is out of order.`);
}

/**
 * The first occurrence strictly after `after` (milliseconds), or null when there is none.
 * Throws ScheduleError for a schedule that cannot be read.
 */
export function nextOccurrence(schedule: Schedule, after: number, ctx: ScheduleContext): number | null {
  if (!Number.isFinite(after)) throw new RangeError(`Not an instant: ${after}`);
  return ordered(moduleOf(schedule).next(schedule, after, ctx), (at) => at > after, schedule);
}

/** The last occurrence strictly before `before` (milliseconds), or null. Throws like `nextOccurrence`. */
export function previousOccurrence(schedule: Schedule, before: number, ctx: ScheduleContext): number | null {
  if (!Number.isFinite(before)) throw new RangeError(`Not an instant: ${before}`);
  return ordered(moduleOf(schedule).previous(schedule, before, ctx), (at) => at < before, schedule);
}

/** Up to `limit` occurrences in (after, through], milliseconds, in order. Throws like `nextOccurrence`. */
export function occurrencesBetween(
  schedule: Schedule,
  after: number,
  through: number,
  limit: number,
  ctx: ScheduleContext,
): number[] {
  const found: number[] = [];
  let at: number | null = after;
  while (found.length < limit) {
    at = nextOccurrence(schedule, at, ctx);
    if (at === null || at > through) break;
    found.push(at);
  }
  return found;
}

/** The next `count` occurrences after `after` (milliseconds); fewer when the schedule ends. */
export function upcoming(schedule: Schedule, after: number, count: number, ctx: ScheduleContext): number[] {
  return occurrencesBetween(schedule, after, Number.POSITIVE_INFINITY, count, ctx);
}

/**
 * Refuses a schedule that has nothing left after `now` (milliseconds), telling the instant it resolves to.
 * Throws ScheduleError `schedule_past`. `manual` always passes.
 */
export function requireUpcoming(schedule: Schedule, now: number, ctx: ScheduleContext): void {
  if (schedule.kind === 'manual' || nextOccurrence(schedule, now, ctx) !== null) return;
  const last = previousOccurrence(schedule, now + 1, ctx);
  if (schedule.kind === 'at' && last !== null) throw pastError(schedule, last, ctx);
  throw new ScheduleError(
    'schedule_past',
    `schedule.${schedule.kind === 'rrule' ? 'rrule' : 'kind'}`,
    `The schedule has ended${last === null ? '' : `; its last run was at ${new Date(last).toISOString()}`}.`,
    'Choose a later end, or run it now.',
  );
}

/** The schedule in plain words. Never throws: what cannot be read is quoted. */
export function describeSchedule(schedule: Schedule, locale: Locale): string {
  return moduleOf(schedule).describe(schedule, locale);
}

/** What is allowed but may surprise. Never throws. */
export function scheduleWarnings(schedule: Schedule): ScheduleWarning[] {
  return moduleOf(schedule).warnings(schedule);
}

/** What a person sees before saving. */
export interface SchedulePreview {
  occurrences: PreviewOccurrence[];
  words: Words;
  warnings: ScheduleWarning[];
}

/**
 * The next `count` occurrences after `after` (milliseconds) with local times and daylight-saving notes, the
 * words in both languages and the warnings. Normalizes first and throws its ScheduleErrors.
 */
export function preview(
  schedule: Schedule,
  after: number,
  count: number,
  ctx: ScheduleContext,
): SchedulePreview {
  const normal = normalizeSchedule(schedule, ctx);
  const module = moduleOf(normal);
  const zone = checkZone(zoneOf(normal, ctx));
  return {
    occurrences: upcoming(normal, after, count, ctx).map((at) =>
      showOccurrence(module, normal, at, zone, ctx),
    ),
    words: { en: module.describe(normal, 'en'), zh: module.describe(normal, 'zh-CN') },
    warnings: module.warnings(normal),
  };
}
