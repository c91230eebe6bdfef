import {
  type AtSchedule,
  atSchema,
  type Locale,
  type ScheduleContext,
  ScheduleError,
  type ScheduleModule,
} from './kind.ts';
import { withZone } from './phrases.ts';
import { dateText, instantOf, timeText, wallAt } from './wall.ts';
import { checkZone, zoneWarnings } from './zone.ts';

/** An `at` as written: its wall and, when it has one, its offset (both milliseconds). */
interface Moment {
  wall: number;
  offset: number | null;
}

const shape =
  /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?\s*(Z|[-+−]\d{2}(?::?\d{2})?)?)?$/i;

function invalid(message: string, hint: string): ScheduleError {
  return new ScheduleError('schedule_invalid', 'schedule.at', message, hint);
}

function offsetOf(text: string | undefined): number | null {
  if (text === undefined) return null;
  if (/^z$/i.test(text)) return 0;
  const digits = text.slice(1).replace(':', '').padEnd(4, '0');
  const hours = Number(digits.slice(0, 2));
  const minutes = Number(digits.slice(2));
  if (hours > 14 || minutes > 59) {
    throw invalid(`There is no offset ${text}.`, 'Offsets go from -12:00 to +14:00.');
  }
  return (text.startsWith('+') ? 1 : -1) * (hours * 60 + minutes) * 60_000;
}

function parse(text: string): Moment {
  const match = shape.exec(text.trim());
  if (match === null) {
    throw invalid(
      `"${text}" is not a date and time.`,
      'Write 2026-05-06T10:00 (local time), or with an offset 2026-05-06T10:00:00+08:00.',
    );
  }
  const [, year, month, day, hour, minute, second, fraction, offset] = match;
  if (hour === undefined || minute === undefined) {
    throw invalid(`"${text}" has no time of day.`, `Write the time too, e.g. ${text.trim()}T09:00.`);
  }
  const [y, m, d] = [Number(year), Number(month), Number(day)];
  const date = new Date(0);
  date.setUTCFullYear(y, m - 1, d);
  if (date.getUTCMonth() !== m - 1 || date.getUTCDate() !== d) {
    throw invalid(`There is no day ${year}-${month}-${day}.`, 'Check the month and the number of its days.');
  }
  const [h, min, s] = [Number(hour), Number(minute), Number(second ?? 0)];
  if (h > 23 || min > 59 || s > 59) {
    throw invalid(
      `There is no time ${hour}:${minute}${second === undefined ? '' : `:${second}`}.`,
      'Use 00:00 to 23:59.',
    );
  }
  const ms = Number((fraction ?? '').padEnd(3, '0').slice(0, 3));
  return { wall: date.getTime() + ((h * 60 + min) * 60 + s) * 1000 + ms, offset: offsetOf(offset) };
}

function instant(schedule: AtSchedule, ctx: ScheduleContext): number {
  const moment = parse(schedule.at);
  if (moment.offset !== null) return moment.wall - moment.offset;
  return instantOf(checkZone(schedule.timezone ?? ctx.timezone), moment.wall);
}

function describe(schedule: AtSchedule, locale: Locale): string {
  const match = shape.exec(schedule.at.trim());
  const when = match?.[4] === undefined ? `"${schedule.at}"` : `${match[1]}-${match[2]}-${match[3]}`;
  const clock = match?.[4] === undefined ? null : `${match[4]}:${match[5]}`;
  const offset = match?.[8]?.toUpperCase();
  const words = {
    en: clock === null ? `Once, ${when}` : `Once, on ${when} at ${clock}`,
    zh: `一次，${clock === null ? when : `${when} ${clock}`}`,
  };
  const zoned = withZone(words, offset === 'Z' ? 'UTC' : (offset ?? schedule.timezone));
  return locale === 'en' ? zoned.en : zoned.zh;
}

/** Once, at an instant or at a local time of a zone. Whether it is past is asked of `requireUpcoming`. */
export const atModule: ScheduleModule<AtSchedule> = {
  kind: 'at',
  schema: atSchema,
  normalize(schedule, ctx) {
    parse(schedule.at);
    return { kind: 'at', at: schedule.at.trim(), timezone: checkZone(schedule.timezone ?? ctx.timezone) };
  },
  next(schedule, after, ctx) {
    const at = instant(schedule, ctx);
    return at > after ? at : null;
  },
  previous(schedule, before, ctx) {
    const at = instant(schedule, ctx);
    return at < before ? at : null;
  },
  describe,
  warnings: (schedule) => zoneWarnings(schedule.timezone),
  skippedWall(schedule, at, ctx) {
    const { wall, offset } = parse(schedule.at);
    if (offset !== null || wallAt(schedule.timezone ?? ctx.timezone, at) === wall) return null;
    return wall;
  },
  runsTwice: () => false,
};

/** The refusal of a one-time schedule whose instant is not after `now` (milliseconds). */
export function pastError(schedule: AtSchedule, at: number, ctx: ScheduleContext): ScheduleError {
  const zone = schedule.timezone ?? ctx.timezone;
  const wall = wallAt(zone, at);
  return new ScheduleError(
    'schedule_past',
    'schedule.at',
    `"${schedule.at}" is ${dateText(wall)} ${timeText(wall)} in ${zone} (${new Date(at).toISOString()}), which has passed.`,
    'Choose a later time, or run it now.',
  );
}
