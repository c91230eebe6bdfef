import type { Schedule } from '../../../src-shared/schedules/index.ts';
import { usageError } from './failure.ts';
import type { Words } from './words.ts';

export const scheduleTypes = ['cron', 'once', 'every', 'rrule', 'manual'] as const;
export type ScheduleType = (typeof scheduleTypes)[number];

/** The options that say when; as commander gives them. */
export interface ScheduleOptions {
  type?: ScheduleType;
  schedule?: string;
  scheduledAt?: string;
  every?: string;
  timezone?: string;
}

const units: Record<string, number> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };
const part = /(\d+(?:\.\d+)?)\s*(seconds?|secs?|s|minutes?|mins?|m|hours?|hrs?|h|days?|d|weeks?|w)/gi;
const whole = new RegExp(`^(?:every\\s+)?(?:${part.source}\\s*)+$`, 'i');
const everyUnit = /^every\s+(second|minute|hour|day|week)$/i;

/** Milliseconds of `10m`, `1h30m`, `2 hours`, `every 10 minutes`; null when it is no duration. */
export function parseInterval(text: string): number | null {
  const trimmed = text.trim();
  const single = everyUnit.exec(trimmed)?.[1];
  if (single !== undefined) return units[single.charAt(0).toLowerCase()] ?? null;
  if (!whole.test(trimmed)) return null;
  let total = 0;
  for (const [, count, unit] of trimmed.matchAll(part)) {
    total += Number(count) * (units[(unit ?? '').charAt(0).toLowerCase()] ?? Number.NaN);
  }
  const rounded = Math.round(total);
  return Number.isSafeInteger(rounded) && rounded > 0 ? rounded : null;
}

function interval(text: string, t: Words): Schedule {
  const ms = parseInterval(text);
  if (ms === null) throw usageError(t.badInterval(text), t.badIntervalHint);
  return { kind: 'every', interval_ms: ms };
}

/** Tells from how it is written which kind of schedule is meant; whether it makes sense is asked of the host. */
export function detectSchedule(text: string, timezone: string | undefined, t: Words): Schedule {
  const trimmed = text.trim();
  const zone = timezone === undefined ? {} : { timezone };
  if (/\bFREQ\s*=/i.test(trimmed)) return { kind: 'rrule', rrule: trimmed, ...zone };
  if (parseInterval(trimmed) !== null) return { ...interval(trimmed, t), ...withoutZone(timezone, t) };
  if (/^\d{4}-\d{2}-\d{2}/.test(trimmed)) return { kind: 'at', at: trimmed, ...zone };
  if (trimmed.startsWith('@') || trimmed.split(/\s+/).length === 5) {
    return { kind: 'cron', expression: trimmed, ...zone };
  }
  if (/^manual$/i.test(trimmed)) return { kind: 'manual' };
  throw usageError(t.badSchedule(text), t.badScheduleHint);
}

function withoutZone(timezone: string | undefined, t: Words): Record<never, never> {
  if (timezone !== undefined) throw usageError(t.zoneWithout);
  return {};
}

/** The option each type takes its text from, besides --schedule. */
const ownOption: Record<ScheduleType, 'schedule' | 'scheduledAt' | 'every' | null> = {
  cron: 'schedule',
  rrule: 'schedule',
  once: 'scheduledAt',
  every: 'every',
  manual: null,
};
const flags = { schedule: '--schedule', scheduledAt: '--scheduled-at', every: '--every' } as const;

function ofType(type: ScheduleType, text: string, timezone: string | undefined, t: Words): Schedule {
  const zone = timezone === undefined ? {} : { timezone };
  switch (type) {
    case 'cron':
      return { kind: 'cron', expression: text, ...zone };
    case 'rrule':
      return { kind: 'rrule', rrule: text, ...zone };
    case 'once':
      return { kind: 'at', at: text, ...zone };
    case 'every':
      withoutZone(timezone, t);
      return interval(text, t);
    case 'manual':
      throw usageError(t.noSchedule);
  }
}

function ofOption(
  option: keyof typeof flags,
  text: string,
  timezone: string | undefined,
  t: Words,
): Schedule {
  if (option === 'scheduledAt') return ofType('once', text, timezone, t);
  return option === 'every' ? ofType('every', text, timezone, t) : detectSchedule(text, timezone, t);
}

/**
 * The schedule that the options ask for, or undefined when they say nothing about it (a time zone alone says
 * nothing). Throws a usage error when they contradict each other.
 */
export function scheduleOf(options: ScheduleOptions, t: Words): Schedule | undefined {
  const { type, timezone } = options;
  const given = (['schedule', 'scheduledAt', 'every'] as const).filter((name) => options[name] !== undefined);
  const [option] = given;
  if (given.length > 1) throw usageError(t.twoSchedules);
  const text = option === undefined ? undefined : options[option];
  if (type === undefined) {
    return option === undefined || text === undefined ? undefined : ofOption(option, text, timezone, t);
  }
  const own = ownOption[type];
  if (own === null) {
    if (option !== undefined) throw usageError(t.noSchedule);
    withoutZone(timezone, t);
    return { kind: 'manual' };
  }
  if (option === undefined || text === undefined) throw usageError(t.needSchedule(type, flags[own]));
  if (option !== own && option !== 'schedule') throw usageError(t.wrongSchedule(type, flags[option]));
  return ofType(type, text, timezone, t);
}
