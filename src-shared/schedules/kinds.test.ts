import { describe, expect, it } from 'vitest';
import {
  checkZone,
  nextOccurrence,
  normalizeSchedule,
  preview,
  previousOccurrence,
  requireUpcoming,
  type Schedule,
  type ScheduleContext,
  ScheduleError,
  scheduleModules,
  scheduleSchema,
  scheduleWarnings,
} from './index.ts';

const hour = 3_600_000;
const day = 24 * hour;
const ms = (iso: string) => Date.parse(iso);
const iso = (at: number) => new Date(at).toISOString().replace('.000Z', 'Z');
const created = ms('2026-01-05T08:30:20Z');
const context = (timezone = 'UTC', anchorAt = created): ScheduleContext => ({ timezone, anchorAt });
const cron = (expression: string, timezone = 'UTC'): Schedule => ({ kind: 'cron', expression, timezone });
const rrule = (rule: string, timezone = 'UTC', anchor_at = created): Schedule => ({
  kind: 'rrule',
  rrule: rule,
  timezone,
  anchor_at,
});
const at = (text: string, timezone = 'UTC'): Schedule => ({ kind: 'at', at: text, timezone });
const every = (interval_ms: number, anchor_at = created): Schedule => ({
  kind: 'every',
  interval_ms,
  anchor_at,
});

function refused(schedule: Schedule, ctx = context()): ScheduleError {
  try {
    normalizeSchedule(schedule, ctx);
  } catch (error) {
    if (error instanceof ScheduleError) return error;
    throw error;
  }
  throw new Error(`accepted: ${JSON.stringify(schedule)}`);
}

describe('kinds', () => {
  it('manual never runs by itself', () => {
    const schedule: Schedule = { kind: 'manual' };
    expect(normalizeSchedule(schedule, context())).toEqual(schedule);
    expect(nextOccurrence(schedule, 0, context())).toBeNull();
    expect(previousOccurrence(schedule, 0, context())).toBeNull();
    expect(scheduleWarnings(schedule)).toEqual([]);
    expect(preview(schedule, 0, 5, context())).toEqual({
      occurrences: [],
      words: { en: 'Only when started by hand', zh: '仅手动运行' },
      warnings: [],
    });
    expect(() => requireUpcoming(schedule, 0, context())).not.toThrow();
    for (const module of Object.values(scheduleModules)) expect(typeof module.runsTwice).toBe('function');
    expect(scheduleModules.manual.runsTwice(schedule)).toBe(false);
  });

  it('schemas are strict and have no transforms', () => {
    expect(scheduleSchema.safeParse({ kind: 'cron', expression: '* * * * *' }).success).toBe(true);
    expect(scheduleSchema.safeParse({ kind: 'cron', expression: '* * * * *', more: 1 }).success).toBe(false);
    expect(scheduleSchema.safeParse({ kind: 'every', interval_ms: 1.5 }).success).toBe(false);
    expect(scheduleSchema.safeParse({ kind: 'sometimes' }).success).toBe(false);
  });

  it('normalize makes zone and anchor explicit and is idempotent', () => {
    const ctx = context('asia/shanghai');
    const inputs: Schedule[] = [
      { kind: 'cron', expression: '  0  9 * * MON-FRI ' },
      { kind: 'cron', expression: '@daily' },
      { kind: 'every', interval_ms: 60_000 },
      { kind: 'at', at: ' 2026-05-06 10:00 ' },
      { kind: 'rrule', rrule: 'rrule:freq=daily;byhour=9;' },
    ];
    const normal = inputs.map((schedule) => normalizeSchedule(schedule, ctx));
    expect(normal).toEqual([
      { kind: 'cron', expression: '0 9 * * MON-FRI', timezone: 'Asia/Shanghai' },
      { kind: 'cron', expression: '0 0 * * *', timezone: 'Asia/Shanghai' },
      { kind: 'every', interval_ms: 60_000, anchor_at: created, anchor_mode: 'fixed' },
      { kind: 'at', at: '2026-05-06 10:00', timezone: 'Asia/Shanghai' },
      {
        kind: 'rrule',
        rrule: 'FREQ=DAILY;BYHOUR=9',
        timezone: 'Asia/Shanghai',
        anchor_at: ms('2026-01-05T08:30:00Z'),
      },
    ]);
    for (const schedule of normal) expect(normalizeSchedule(schedule, context('UTC', 0))).toEqual(schedule);
  });

  it('every: before the anchor comes the anchor; last_run follows seed 000', () => {
    expect(nextOccurrence(every(hour), created - 5 * day, context())).toBe(created);
    expect(previousOccurrence(every(hour), created, context())).toBeNull();
    const schedule: Schedule = {
      kind: 'every',
      interval_ms: hour,
      anchor_at: created,
      anchor_mode: 'last_run',
    };
    expect(nextOccurrence(schedule, created, context())).toBe(created + hour);
    expect(previousOccurrence(schedule, created + hour, context())).toBeNull();
    expect(previousOccurrence(schedule, created + hour + 1, context())).toBe(created + hour);
    const ran = { ...context(), lastRunAt: created + 90_000 };
    expect(nextOccurrence(schedule, created + 100_000, ran)).toBe(created + 90_000 + hour);
    // Asleep for a day: one interval from now, nothing replayed.
    expect(nextOccurrence(schedule, created + day, ran)).toBe(created + day + hour);
  });

  it('every: the shortest interval is a setting', () => {
    const short: Schedule = { kind: 'every', interval_ms: 1000 };
    expect(normalizeSchedule(short, { ...context(), minIntervalMs: 1000 })).toMatchObject({
      interval_ms: 1000,
    });
    expect(refused(short).message).toContain('60 s');
    expect(refused(every(-5)).code).toBe('schedule_invalid');
    expect(refused(every(Number.MAX_SAFE_INTEGER)).code).toBe('schedule_never');
    expect(refused(every(hour, Number.MAX_SAFE_INTEGER)).field).toBe('schedule.anchor_at');
  });

  it('at: offsets win, bad ones are told', () => {
    const instant = (text: string) => iso(nextOccurrence(at(text, 'Asia/Shanghai'), 0, context())!);
    expect(instant('2026-05-06T10:00Z')).toBe('2026-05-06T10:00:00Z');
    expect(instant('2026-05-06T10:00:30.5-0330')).toBe('2026-05-06T13:30:30.500Z');
    expect(instant('2026-05-06 10:00+02')).toBe('2026-05-06T08:00:00Z');
    expect(instant('2026-05-06t10:00')).toBe('2026-05-06T02:00:00Z');
    expect(previousOccurrence(at('2026-05-06T10:00Z'), ms('2026-05-06T10:00Z'), context())).toBeNull();
    for (const text of [
      'tomorrow',
      '2026-05-06',
      '2026-05-06T24:00',
      '2026-05-06T10:60',
      '2026-13-01T00:00',
      '2026-05-06T10:00+15:00',
      '',
    ]) {
      expect(refused(at(text)).field).toBe('schedule.at');
    }
  });

  it('requireUpcoming names the instant that has passed', () => {
    const now = ms('2026-06-01T00:00:00Z');
    const ctx = context('America/Chicago');
    const check = (schedule: Schedule) => () => requireUpcoming(schedule, now, ctx);
    expect(check(at('2026-05-06T10:00', 'America/Chicago'))).toThrow(
      /2026-05-06 10:00 in America\/Chicago \(2026-05-06T15:00/,
    );
    expect(check({ kind: 'at', at: '2026-05-06T10:00' })).toThrow(ScheduleError);
    expect(check(rrule('FREQ=DAILY;COUNT=3'))).toThrow(/ended; its last run was at 2026-01-07T08:30/);
    expect(check(rrule('FREQ=DAILY;UNTIL=20250101'))).toThrow(/has ended\./);
    expect(check(cron('0 9 * * *'))).not.toThrow();
  });

  it('an argument that is no instant is an error, not a loop', () => {
    expect(() => nextOccurrence(cron('* * * * *'), Number.NaN, context())).toThrow(RangeError);
    expect(() => previousOccurrence(cron('* * * * *'), Number.POSITIVE_INFINITY, context())).toThrow(
      RangeError,
    );
  });
});

describe('cron refusals say what was meant', () => {
  const said = (expression: string) => {
    const { message, hint } = refused(cron(expression));
    return `${message} ${hint}`;
  };
  it.each([
    ['*/5 * * * * *', 'Leave the seconds out: "* * * * *"'],
    ['0 0 9 * * 1 2027', '7 fields'],
    ['0 9 * *', '4 fields'],
    ['now', '1 field;'],
    [
      '*/360 * * * *',
      'larger than the minute field, which takes 0 to 59. For every 6 hours write "0 */6 * * *"',
    ],
    ['0 */36 * * *', 'the hour field, which takes 0 to 23'],
    ['@every 5m', '"interval_ms": 300000'],
    ['@every day', 'the interval in milliseconds'],
    ['@reboot', 'not a time'],
    ['@noon', 'Known are @yearly'],
    ['60 * * * *', '60 is outside the minute field, which takes 0 to 59'],
    ['0 24 * * *', '24 is outside the hour field'],
    ['0 0 0 * *', '0 is outside the day of month field, which takes 1 to 31'],
    ['0 9 * * 8', '8 is outside the day of week field'],
    ['0 9 * foo *', '"foo" in the month field'],
    ['5/15 * * * *', 'Write "5-59/15" or "*/15"'],
    ['0 22-6 * * *', 'Write "22-23,0-6"'],
    ['0 1-2-3 * * *', 'not a range'],
    ['0 -2 * * *', 'not a range'],
    ['1,,2 * * * *', 'empty item'],
    ['*/2/3 * * * *', 'two steps'],
    ['*/x * * * *', 'not a step'],
    ['CRON_TZ=Asia/Tokyo 0 9 * * *', 'put "Asia/Tokyo" into the time zone'],
    ['0 9 * * 1#9', 'cannot be read'],
    ['0 9 40W * *', 'cannot be read'],
    ['0 0 29 2 +1#4', 'within the next 8 years'],
  ])('%s', (expression, part) => {
    expect(said(expression)).toContain(part);
  });

  it('accepts names, Sunday as 7, L, W and #', () => {
    const ctx = context();
    const from = ms('2026-11-01T00:00:00Z');
    const first = (expression: string) =>
      iso(nextOccurrence(normalizeSchedule(cron(expression), ctx), from, ctx)!);
    expect(first('0 9 * * fri-sun')).toBe('2026-11-01T09:00:00Z');
    expect(first('0 9 * nov sun')).toBe('2026-11-01T09:00:00Z');
    expect(first('0 9 L * *')).toBe('2026-11-30T09:00:00Z');
    expect(first('0 9 15W * *')).toBe('2026-11-16T09:00:00Z');
    expect(first('0 9 * * 5#2')).toBe('2026-11-13T09:00:00Z');
    expect(first('? 9 * * *')).toBe('2026-11-01T09:00:00Z');
  });
});

describe('zones', () => {
  it.each([
    'UTC',
    'Asia/Shanghai',
    'Europe/Berlin',
    'America/Argentina/Buenos_Aires',
    'PRC',
    'CET',
    'Etc/GMT+8',
  ])('accepts %s', (name) => {
    expect(checkZone(name)).toBe(name);
  });
  it('mends the case', () => {
    expect(checkZone(' asia/kolkata ')).toBe('Asia/Kolkata');
    expect(checkZone('AMERICA/PORT-AU-PRINCE')).toBe('America/Port-au-Prince');
    expect(checkZone('utc')).toBe('UTC');
    expect(checkZone('Etc/UTC')).toBe('UTC');
  });
  it.each([
    ['CST', /ambiguous.*America\/Chicago or Asia\/Shanghai/],
    ['IST', /ambiguous.*Asia\/Kolkata/],
    ['est', /America\/New_York/],
    ['JST', /abbreviation of Asia\/Tokyo/],
    ['GMT+8', /offset/],
    ['UTC-05:30', /offset/],
    ['+08:00', /offset/],
    ['−3', /offset/],
    ['Asia/Beijing', /Asia\/Shanghai was probably meant/],
    ['北京', /Asia\/Shanghai/],
    ['America/New York', /America\/New_York was probably meant/],
    ['Mars/Olympus', /not an IANA/],
    ['', /empty/],
  ])('refuses %s', (name, said) => {
    expect(() => checkZone(name)).toThrow(said);
    expect(refused(cron('0 9 * * *', name)).code).toBe('timezone_invalid');
    if (name !== '')
      expect(() => nextOccurrence(cron('0 9 * * *', name), 0, context())).toThrow(ScheduleError);
  });
  it('warns of the reversed sign of Etc names', () => {
    expect(scheduleWarnings(cron('0 9 * * *', 'Etc/GMT+8'))[0]?.en).toContain('8 h behind UTC');
    expect(scheduleWarnings(at('2026-05-06T10:00', 'Etc/GMT-8'))[0]?.en).toContain('8 h ahead of UTC');
    expect(scheduleWarnings(cron('0 9 * * *', 'Etc/GMT+0'))).toEqual([]);
  });
});
