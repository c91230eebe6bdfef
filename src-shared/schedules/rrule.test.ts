import { describe, expect, it } from 'vitest';
import {
  nextOccurrence,
  normalizeSchedule,
  occurrencesBetween,
  previousOccurrence,
  type Schedule,
  type ScheduleContext,
  ScheduleError,
  upcoming,
} from './index.ts';
import { instantOf, wallAt } from './wall.ts';

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;
const ms = (iso: string) => Date.parse(iso);
const iso = (at: number) => new Date(at).toISOString().replace('.000Z', 'Z');
const ctx: ScheduleContext = { timezone: 'UTC', anchorAt: ms('2026-01-05T08:30:20Z') };
const rrule = (rule: string, timezone = 'UTC', anchor_at = ctx.anchorAt): Schedule => ({
  kind: 'rrule',
  rrule: rule,
  timezone,
  anchor_at,
});
const first = (rule: string, after: string, count: number, zone = 'UTC', anchor = ctx.anchorAt) =>
  upcoming(normalizeSchedule(rrule(rule, zone, anchor), ctx), ms(after), count, ctx).map(iso);

describe('against a brute force that shares no code', () => {
  const windows: [string, string, string][] = [
    ['America/New_York', '2026-03-06T00:00:00Z', '2026-03-11T00:00:00Z'],
    ['America/New_York', '2026-10-30T00:00:00Z', '2026-11-04T00:00:00Z'],
    ['Australia/Lord_Howe', '2026-04-03T00:00:00Z', '2026-04-07T00:00:00Z'],
    ['Australia/Lord_Howe', '2026-10-02T00:00:00Z', '2026-10-06T00:00:00Z'],
    ['America/Santiago', '2026-04-03T00:00:00Z', '2026-04-07T00:00:00Z'],
    ['Asia/Kathmandu', '2026-04-03T00:00:00Z', '2026-04-07T00:00:00Z'],
  ];
  const anchor = ms('2026-01-01T05:40:00Z');
  const part = (rule: string, name: string) =>
    new RegExp(`${name}=([\\d,]+)`).exec(rule)?.[1]?.split(',').map(Number) ?? null;
  const codes = ['SU', 'MO', 'TU', 'WE', 'TH', 'FR', 'SA'];
  const weekdays = (rule: string) =>
    /BYDAY=([A-Z,]+)/
      .exec(rule)?.[1]
      ?.split(',')
      .map((code) => codes.indexOf(code));

  /** Every period from the anchor on, one after the other. */
  function elapsed(rule: string, zone: string, through: number): number[] {
    const hourly = rule.includes('HOURLY');
    const step = (part(rule, 'INTERVAL')?.[0] ?? 1) * (hourly ? hour : minute);
    const hours = part(rule, 'BYHOUR');
    const minutes = part(rule, 'BYMINUTE');
    const days = weekdays(rule);
    const found = new Set<number>();
    for (let at = anchor; at <= through + 9 * day; at += step) {
      const wall = new Date(wallAt(zone, at));
      if (days !== undefined && !days.includes(wall.getUTCDay())) continue;
      if (hours !== null && !hours.includes(wall.getUTCHours())) continue;
      const own = wall.getUTCMinutes();
      if (minutes === null) found.add(at);
      else if (!hourly && minutes.includes(own)) found.add(at);
      else if (hourly) for (const value of minutes) found.add(at + (value - own) * minute);
    }
    return [...found].filter((at) => at >= anchor).sort((a, b) => a - b);
  }

  /** Every local date of the window, every time of the rule. */
  function local(rule: string, zone: string, from: number, through: number): number[] {
    const found = new Set<number>();
    const start = Math.floor((from - 9 * day) / day) * day;
    for (let midnight = start; midnight < through + 9 * day; midnight += day) {
      const days = weekdays(rule);
      if (days !== undefined && !days.includes(new Date(midnight).getUTCDay())) continue;
      for (const h of part(rule, 'BYHOUR') ?? []) {
        for (const m of part(rule, 'BYMINUTE') ?? [])
          found.add(instantOf(zone, midnight + h * hour + m * minute));
      }
    }
    return [...found].sort((a, b) => a - b);
  }

  const rules = [
    'FREQ=HOURLY',
    'FREQ=HOURLY;INTERVAL=5',
    'FREQ=HOURLY;BYMINUTE=0,30,45',
    'FREQ=HOURLY;INTERVAL=3;BYMINUTE=10',
    'FREQ=HOURLY;BYHOUR=1,2;BYMINUTE=15',
    'FREQ=HOURLY;BYDAY=SU',
    'FREQ=MINUTELY;INTERVAL=20',
    'FREQ=MINUTELY;INTERVAL=7;BYHOUR=1,2,3',
    'FREQ=MINUTELY;BYMINUTE=30;BYDAY=SA,SU',
    'FREQ=DAILY;BYHOUR=2;BYMINUTE=30',
    'FREQ=DAILY;BYHOUR=1,2,3;BYMINUTE=0,15,30,45',
    'FREQ=DAILY;BYHOUR=2;BYMINUTE=0,15,30,40',
    'FREQ=WEEKLY;BYDAY=SA,SU,MO;BYHOUR=0,2,23;BYMINUTE=0,59',
  ];
  for (const [zone, from, through] of windows) {
    it(`${zone} from ${from}`, () => {
      for (const rule of rules) {
        const [start, end] = [ms(from), ms(through)];
        const all = /HOURLY|MINUTELY/.test(rule) ? elapsed(rule, zone, end) : local(rule, zone, start, end);
        const expected = all.filter((at) => at > start && at <= end);
        const schedule = rrule(rule, zone, anchor);
        expect(occurrencesBetween(schedule, start, end, 100_000, ctx).map(iso), rule).toEqual(
          expected.map(iso),
        );
        // From any instant, not only from occurrences: the second pass of an hour is where searches go wrong.
        for (let t = start + day; t < end - day; t += 11 * minute) {
          const label = `${rule} at ${iso(t)}`;
          expect(previousOccurrence(schedule, t, ctx), label).toBe(all.findLast((at) => at < t) ?? null);
          expect(nextOccurrence(schedule, t, ctx), label).toBe(all.find((at) => at > t) ?? null);
        }
      }
    });
  }
});

describe('parts', () => {
  it('what is missing comes from the anchor, truncated to the minute', () => {
    expect(first('FREQ=DAILY', '2026-02-01T00:00:00Z', 1)).toEqual(['2026-02-01T08:30:00Z']);
    expect(first('FREQ=DAILY;BYHOUR=7', '2026-02-01T00:00:00Z', 1)).toEqual(['2026-02-01T07:30:00Z']);
    expect(first('FREQ=WEEKLY', '2026-02-01T00:00:00Z', 1)).toEqual(['2026-02-02T08:30:00Z']);
    expect(first('FREQ=MONTHLY', '2026-02-01T00:00:00Z', 1)).toEqual(['2026-02-05T08:30:00Z']);
    expect(first('FREQ=YEARLY', '2026-02-01T00:00:00Z', 1)).toEqual(['2027-01-05T08:30:00Z']);
    expect(first('FREQ=YEARLY;BYMONTHDAY=1', '2026-02-02T00:00:00Z', 1)).toEqual(['2026-03-01T08:30:00Z']);
  });

  it('an interval counts from the local date of the anchor', () => {
    // 20:00 UTC on the 5th is the 6th in Shanghai.
    const anchor = ms('2026-01-05T20:00:00Z');
    expect(
      first('FREQ=DAILY;INTERVAL=2;BYHOUR=9;BYMINUTE=0', '2026-01-05T20:00:00Z', 2, 'Asia/Shanghai', anchor),
    ).toEqual(['2026-01-06T01:00:00Z', '2026-01-08T01:00:00Z']);
    const biweekly = 'FREQ=WEEKLY;INTERVAL=2;BYDAY=SU;BYHOUR=9;BYMINUTE=0';
    expect(first(biweekly, '2026-01-05T00:00:00Z', 1)).toEqual(['2026-01-11T09:00:00Z']);
    expect(first(`${biweekly};WKST=SU`, '2026-01-05T00:00:00Z', 1)).toEqual(['2026-01-18T09:00:00Z']);
  });

  it('BYSETPOS, counted weekdays, week numbers, days of the year', () => {
    const at9 = ';BYHOUR=9;BYMINUTE=0';
    const from = '2026-01-06T00:00:00Z';
    expect(first(`FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1${at9}`, from, 1)).toEqual([
      '2026-01-30T09:00:00Z',
    ]);
    expect(first(`FREQ=MONTHLY;BYDAY=2TU,-1FR${at9}`, from, 2)).toEqual([
      '2026-01-13T09:00:00Z',
      '2026-01-30T09:00:00Z',
    ]);
    expect(first(`FREQ=MONTHLY;BYMONTHDAY=-1${at9}`, '2026-02-01T00:00:00Z', 1)).toEqual([
      '2026-02-28T09:00:00Z',
    ]);
    expect(first(`FREQ=YEARLY;BYWEEKNO=10;BYDAY=MO${at9}`, from, 1)).toEqual(['2026-03-02T09:00:00Z']);
    expect(first(`FREQ=YEARLY;BYYEARDAY=100,-1${at9}`, from, 2)).toEqual([
      '2026-04-10T09:00:00Z',
      '2026-12-31T09:00:00Z',
    ]);
    expect(first(`FREQ=HOURLY;BYYEARDAY=-1;BYHOUR=9`, from, 1)).toEqual(['2026-12-31T09:30:00Z']);
    expect(first(`FREQ=HOURLY;BYMONTHDAY=-1;BYMONTH=2;BYHOUR=9`, from, 2)).toEqual([
      '2026-02-28T09:30:00Z',
      '2027-02-28T09:30:00Z',
    ]);
  });

  it.each([
    ['FREQ=DAILY;COUNT=3', ['2026-01-05T08:30:00Z', '2026-01-06T08:30:00Z', '2026-01-07T08:30:00Z']],
    ['FREQ=HOURLY;COUNT=2', ['2026-01-05T08:30:00Z', '2026-01-05T09:30:00Z']],
    ['FREQ=MINUTELY;INTERVAL=30;COUNT=2', ['2026-01-05T08:30:00Z', '2026-01-05T09:00:00Z']],
    [
      'FREQ=HOURLY;BYMINUTE=0,45;COUNT=3',
      ['2026-01-05T08:45:00Z', '2026-01-05T09:00:00Z', '2026-01-05T09:45:00Z'],
    ],
    [
      'FREQ=MINUTELY;BYHOUR=8,10;BYMINUTE=58,59;COUNT=3',
      ['2026-01-05T08:58:00Z', '2026-01-05T08:59:00Z', '2026-01-05T10:58:00Z'],
    ],
    ['FREQ=MONTHLY;BYMONTHDAY=31;COUNT=2', ['2026-01-31T08:30:00Z', '2026-03-31T08:30:00Z']],
    ['FREQ=DAILY;UNTIL=20260106', ['2026-01-05T08:30:00Z', '2026-01-06T08:30:00Z']],
    ['FREQ=DAILY;UNTIL=20260106T083000Z', ['2026-01-05T08:30:00Z', '2026-01-06T08:30:00Z']],
    ['FREQ=DAILY;UNTIL=20260106T082959', ['2026-01-05T08:30:00Z']],
    ['FREQ=HOURLY;UNTIL=20260105T093000Z', ['2026-01-05T08:30:00Z', '2026-01-05T09:30:00Z']],
  ])('%s ends', (rule, expected) => {
    expect(first(rule, '2026-01-01T00:00:00Z', 10)).toEqual(expected);
    const last = ms(expected.at(-1) ?? '');
    const schedule = rrule(rule);
    expect(nextOccurrence(schedule, last, ctx)).toBeNull();
    expect(nextOccurrence(schedule, last + 1000 * day, ctx)).toBeNull();
    expect(previousOccurrence(schedule, last + 1000 * day, ctx)).toBe(last);
    expect(previousOccurrence(schedule, ms(expected[0] ?? ''), ctx)).toBeNull();
  });

  it('a COUNT that is not reached within 8 years does not end the rule early', () => {
    const rule = 'FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29;COUNT=100000';
    expect(first(rule, '2026-01-05T00:00:00Z', 1)).toEqual(['2028-02-29T08:30:00Z']);
    expect(first('FREQ=HOURLY;BYMONTH=2;BYMONTHDAY=29;COUNT=3000', '2026-01-05T00:00:00Z', 1)).toEqual([
      '2028-02-29T00:30:00Z',
    ]);
  });

  it('a rule by days that happens each 29 February is found both ways', () => {
    const schedule = rrule('FREQ=DAILY;BYMONTH=2;BYMONTHDAY=29', 'UTC', ms('2016-01-01T09:00:00Z'));
    expect(iso(nextOccurrence(schedule, ms('2024-03-01T00:00:00Z'), ctx)!)).toBe('2028-02-29T09:00:00Z');
    expect(iso(previousOccurrence(schedule, ms('2024-02-28T00:00:00Z'), ctx)!)).toBe('2020-02-29T09:00:00Z');
    expect(previousOccurrence(schedule, ms('2016-02-28T00:00:00Z'), ctx)).toBeNull();
  });
});

describe('refusals', () => {
  it.each([
    ['', 'is empty'],
    ['FREQ=SOMETIMES', 'FREQ=SOMETIMES is not a frequency'],
    ['BYDAY=MO', 'FREQ is missing'],
    ['FREQ=SECONDLY', 'too often'],
    ['DTSTART:20260101T090000Z\nRRULE:FREQ=DAILY', 'DTSTART'],
    ['FREQ=DAILY;TZID=Asia/Shanghai', 'TZID'],
    ['FREQ=DAILY\nEXDATE:20260101', 'without exceptions'],
    ['FREQ=DAILY;HOUR=9', 'HOUR is not a part'],
    ['FREQ=DAILY;BYHOUR', 'not a part of a rule'],
    ['FREQ=DAILY;BYHOUR=', 'not a part of a rule'],
    ['FREQ=DAILY;BYHOUR=9;BYHOUR=10', 'given twice'],
    ['FREQ=DAILY;BYHOUR=24', 'outside 0 to 23'],
    ['FREQ=DAILY;BYMINUTE=x', 'outside 0 to 59'],
    ['FREQ=DAILY;INTERVAL=0', 'outside 1 to 1000000'],
    ['FREQ=DAILY;COUNT=100001', 'outside 1 to 100000'],
    ['FREQ=DAILY;COUNT=3;UNTIL=20270101', 'exclude each other'],
    ['FREQ=DAILY;UNTIL=20270230', 'not a date'],
    ['FREQ=DAILY;UNTIL=tomorrow', 'not a date'],
    ['FREQ=DAILY;UNTIL=20250101', 'UNTIL lies before the first run'],
    ['FREQ=DAILY;BYSECOND=30', 'BYSECOND'],
    ['FREQ=WEEKLY;BYDAY=XX', 'not a weekday'],
    ['FREQ=MONTHLY;BYDAY=0MO', 'not a weekday'],
    ['FREQ=WEEKLY;BYDAY=2MO', 'counts weekdays'],
    ['FREQ=MONTHLY;BYMONTHDAY=0', 'does not exist'],
    ['FREQ=WEEKLY;BYMONTHDAY=1', 'does not go with FREQ=WEEKLY'],
    ['FREQ=MONTHLY;BYWEEKNO=1', 'does not go with FREQ=MONTHLY'],
    ['FREQ=YEARLY;BYWEEKNO=1;BYDAY=1MO', 'counted weekdays'],
    ['FREQ=DAILY;BYYEARDAY=1', 'does not go with FREQ=DAILY'],
    ['FREQ=HOURLY;BYSETPOS=1;BYMINUTE=0', 'does not go with FREQ=HOURLY'],
    ['FREQ=DAILY;BYSETPOS=1', 'another BY part'],
    ['FREQ=WEEKLY;WKST=XX', 'WKST=XX'],
    ['FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30', 'no run within the 8 years'],
    ['FREQ=DAILY;BYMONTH=4;BYMONTHDAY=31', 'no run within the 8 years'],
    ['FREQ=HOURLY;BYMONTH=2;BYMONTHDAY=30', 'no run within the 8 years'],
    ['FREQ=HOURLY;INTERVAL=100000;BYMINUTE=0', 'no run within the 8 years'],
    ['FREQ=MINUTELY;INTERVAL=2;BYMINUTE=5', 'no run within the 8 years'],
  ])('%s', (rule, said) => {
    const attempt = () => normalizeSchedule(rrule(rule), ctx);
    expect(attempt).toThrow(ScheduleError);
    expect(attempt).toThrow(said);
  });

  it('an anchor that is no instant', () => {
    expect(() => normalizeSchedule(rrule('FREQ=DAILY', 'UTC', Number.MAX_SAFE_INTEGER), ctx)).toThrow(
      /anchor/,
    );
  });

  it('a rule that never happens gives null, also backwards, when it was not normalized', () => {
    for (const rule of ['FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30', 'FREQ=MINUTELY;BYMONTH=2;BYMONTHDAY=30']) {
      expect(nextOccurrence(rrule(rule), ctx.anchorAt, ctx)).toBeNull();
      expect(previousOccurrence(rrule(rule), ctx.anchorAt + 400 * day, ctx)).toBeNull();
    }
  });
});
