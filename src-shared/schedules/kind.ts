import { z } from 'zod';

/** Started by a person or a program only. */
export const manualSchema = z.object({ kind: z.literal('manual') }).strict();
/** Once. `at` is an ISO instant with offset, or a local time in `timezone` (an offset wins). */
export const atSchema = z
  .object({ kind: z.literal('at'), at: z.string().max(64), timezone: z.string().max(64).optional() })
  .strict();
/**
 * At `anchor_at` + k × `interval_ms` (both milliseconds). In mode `last_run` the anchor is the last run, and
 * a time that has passed meanwhile becomes "now + interval" (seed 000).
 */
export const everySchema = z
  .object({
    kind: z.literal('every'),
    interval_ms: z.number().int(),
    anchor_at: z.number().int().optional(),
    anchor_mode: z.enum(['fixed', 'last_run']).optional(),
  })
  .strict();
/** Five cron fields, read in `timezone`. */
export const cronSchema = z
  .object({
    kind: z.literal('cron'),
    expression: z.string().max(1000),
    timezone: z.string().max(64).optional(),
  })
  .strict();
/** The body of an RFC 5545 RRULE, read in `timezone` and counted from `anchor_at` (milliseconds). */
export const rruleSchema = z
  .object({
    kind: z.literal('rrule'),
    rrule: z.string().max(1000),
    timezone: z.string().max(64).optional(),
    anchor_at: z.number().int().optional(),
  })
  .strict();

export type ManualSchedule = z.infer<typeof manualSchema>;
export type AtSchedule = z.infer<typeof atSchema>;
export type EverySchedule = z.infer<typeof everySchema>;
export type CronSchedule = z.infer<typeof cronSchema>;
export type RRuleSchedule = z.infer<typeof rruleSchema>;
/** When an automation runs, as it is sent and stored. `normalizeSchedule` makes zone and anchor explicit. */
export type Schedule = ManualSchedule | AtSchedule | EverySchedule | CronSchedule | RRuleSchedule;
export type ScheduleKind = Schedule['kind'];

/** What a schedule needs to know about where it is used. Instants are milliseconds since 1970 UTC. */
export interface ScheduleContext {
  /** IANA zone of the system; taken when the schedule names none. */
  timezone: string;
  /** When the automation was created. Intervals and rules without an anchor count from here. */
  anchorAt: number;
  /** Shortest interval of kind `every`, milliseconds; 60,000 when not given. */
  minIntervalMs?: number;
  /** When it last ran; only `anchor_mode: 'last_run'` looks at it. */
  lastRunAt?: number | null;
}

export type Locale = 'en' | 'zh-CN';

/** Something that is allowed but often not what was meant. */
export interface ScheduleWarning {
  code: string;
  en: string;
  zh: string;
}

export type ScheduleErrorCode = 'schedule_invalid' | 'schedule_never' | 'schedule_past' | 'timezone_invalid';

/** A schedule that cannot be used: which field, why (a sentence), and what to write instead. */
export class ScheduleError extends Error {
  readonly code: ScheduleErrorCode;
  /** Path of the field at fault, e.g. `schedule.expression`. */
  readonly field: string;
  readonly hint: string;

  constructor(code: ScheduleErrorCode, field: string, message: string, hint: string) {
    super(message);
    this.name = 'ScheduleError';
    this.code = code;
    this.field = field;
    this.hint = hint;
  }
}

/** One kind of schedule. Everything is pure; instants are milliseconds since 1970 UTC. */
export interface ScheduleModule<S extends Schedule> {
  readonly kind: S['kind'];
  readonly schema: z.ZodType<S>;
  /** Checks the schedule and makes zone and anchor explicit. Throws ScheduleError. */
  normalize(schedule: S, ctx: ScheduleContext): S;
  /** The first occurrence strictly after `after`, or null. Throws ScheduleError for a schedule it cannot read. */
  next(schedule: S, after: number, ctx: ScheduleContext): number | null;
  /** The last occurrence strictly before `before`, or null. Throws like `next`. */
  previous(schedule: S, before: number, ctx: ScheduleContext): number | null;
  /** Plain words. Never throws: what cannot be read is quoted. */
  describe(schedule: S, locale: Locale): string;
  /** What may surprise. Never throws. */
  warnings(schedule: S): ScheduleWarning[];
  /**
   * The wall-clock time that was asked for when `at` is only a substitute for it, because the clocks jumped
   * over it; null otherwise. Milliseconds of that reading taken as UTC.
   */
  skippedWall?(schedule: S, at: number, ctx: ScheduleContext): number | null;
  /** True when a wall-clock time that comes twice is run twice. */
  runsTwice(schedule: S): boolean;
}

/** Occurrences are looked for this far ahead; a schedule with none in it is refused. Milliseconds. */
export const horizonMs = 8 * 366 * 86_400_000;

/**
 * A map that forgets its oldest entry beyond `limit`, for compiled schedules.
 * A hit costs one look-up, so it is not reordered.
 */
export class BoundedCache<V> {
  readonly #limit: number;
  readonly #entries = new Map<string, V>();

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** The value of `key`, made by `make` when it is not there. What `make` throws is not kept. */
  get(key: string, make: () => V): V {
    const found = this.#entries.get(key);
    if (found !== undefined) return found;
    const made = make();
    if (this.#entries.size >= this.#limit) {
      for (const oldest of this.#entries.keys()) {
        this.#entries.delete(oldest);
        break;
      }
    }
    this.#entries.set(key, made);
    return made;
  }
}
