import { Cron } from 'croner';
import { type CronFields, cronError, readCron } from './cron-fields.ts';
import { cronWarnings, cronWords } from './cron-words.ts';
import {
  BoundedCache,
  type CronSchedule,
  cronSchema,
  horizonMs,
  type Locale,
  type ScheduleContext,
  ScheduleError,
  type ScheduleModule,
  type ScheduleWarning,
} from './kind.ts';
import { withZone } from './phrases.ts';
import { changeNear, offsetAt, wallAt } from './wall.ts';
import { checkZone, zoneWarnings } from './zone.ts';

interface Compiled {
  cron: Cron;
  fields: CronFields;
  /** Neither wildcard nor step in minute and hour: a wall-clock time, which daylight saving may move. */
  fixed: boolean;
  /** True once an occurrence within the horizon was seen. */
  happens: boolean;
}

/** A compiled expression takes about 80 kB (croner keeps a table of years), hence the small limit. */
const compiled = new BoundedCache<Compiled>(128);

function compile(expression: string, timezone: string): Compiled {
  return compiled.get(`${timezone}\n${expression}`, () => {
    const fields = readCron(expression);
    const zone = checkZone(timezone);
    let cron: Cron;
    try {
      cron = new Cron(fields.expression, {
        timezone: zone,
        mode: '5-part',
        fixedTimeRule: 'no-wildcard',
        paused: true,
      });
    } catch (error) {
      const reason = error instanceof Error ? error.message.replace(/^CronPattern: /, '') : String(error);
      throw cronError(
        `The cron expression cannot be read: ${reason}`,
        'Write five fields, e.g. "0 9 * * 1-5".',
      );
    }
    const fixed = !/[*?/]/.test(fields.minute.text + fields.hour.text);
    return { cron, fields, fixed, happens: false };
  });
}

function compiledOf(schedule: CronSchedule, ctx: ScheduleContext): Compiled {
  return compile(schedule.expression, schedule.timezone ?? ctx.timezone);
}

function read(schedule: CronSchedule): CronFields | null {
  try {
    return compile(schedule.expression, schedule.timezone ?? 'UTC').fields;
  } catch {
    // Words and warnings are asked for rows that others wrote as well; normalize is where errors are told.
    return null;
  }
}

function normalize(schedule: CronSchedule, ctx: ScheduleContext): CronSchedule {
  const timezone = checkZone(schedule.timezone ?? ctx.timezone);
  const entry = compile(schedule.expression, timezone);
  if (!entry.happens) {
    const first = entry.cron.nextRun(new Date(ctx.anchorAt))?.getTime();
    if (first === undefined || first - ctx.anchorAt > horizonMs) {
      throw new ScheduleError(
        'schedule_never',
        'schedule.expression',
        `"${schedule.expression}" has no run within the next 8 years: there is no such day.`,
        'Check day of month and month, e.g. 30 February; L is the last day of a month.',
      );
    }
    entry.happens = true;
  }
  return { kind: 'cron', expression: entry.fields.expression, timezone };
}

function previous(schedule: CronSchedule, before: number, ctx: ScheduleContext): number | null {
  const { cron } = compiledOf(schedule, ctx);
  const found = cron.previousRuns(1, new Date(before))[0]?.getTime();
  return found === undefined || found >= before ? null : found;
}

function skippedWall(schedule: CronSchedule, at: number, ctx: ScheduleContext): number | null {
  const zone = schedule.timezone ?? ctx.timezone;
  if (changeNear(zone, at) <= 0) return null;
  const { fields, fixed } = compiledOf(schedule, ctx);
  const start = at + offsetAt(zone, at - 1);
  const end = wallAt(zone, at);
  if (!fixed || end <= start) return null;
  const minutes = new Set(fields.minute.values);
  const hours = new Set(fields.hour.values);
  for (let wall = start; wall < end; wall += 60_000) {
    const date = new Date(wall);
    // croner moves a time to the end of the gap only within its day.
    const sameDay = date.getUTCDate() === new Date(end).getUTCDate();
    if (sameDay && minutes.has(date.getUTCMinutes()) && hours.has(date.getUTCHours())) return wall;
  }
  return null;
}

/** Five cron fields. Daylight saving as croner's rule `no-wildcard`: a fixed time in a gap runs at its end. */
export const cronModule: ScheduleModule<CronSchedule> = {
  kind: 'cron',
  schema: cronSchema,
  normalize,
  next: (schedule, after, ctx) => compiledOf(schedule, ctx).cron.nextRun(new Date(after))?.getTime() ?? null,
  previous,
  describe(schedule: CronSchedule, locale: Locale): string {
    const fields = read(schedule);
    const words =
      fields === null
        ? { en: `Cron "${schedule.expression}"`, zh: `Cron“${schedule.expression}”` }
        : cronWords(fields);
    const zoned = withZone(words, schedule.timezone);
    return locale === 'en' ? zoned.en : zoned.zh;
  },
  warnings(schedule: CronSchedule): ScheduleWarning[] {
    const fields = read(schedule);
    return [...(fields === null ? [] : cronWarnings(fields)), ...zoneWarnings(schedule.timezone)];
  },
  skippedWall,
  runsTwice(schedule: CronSchedule): boolean {
    const fields = read(schedule);
    return fields !== null && /[*?/]/.test(fields.minute.text + fields.hour.text);
  },
};
