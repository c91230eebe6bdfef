import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import cases from './cases.json';
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
import { instantOf, passOf, wallAt } from './wall.ts';

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

type Accept = (typeof cases.accept)[number];

/** The schedule, its context and the instant to start from, of one golden case. */
function golden(entry: Accept): { schedule: Schedule; ctx: ScheduleContext; after: number } {
  const zone = entry.timezone ?? 'UTC';
  const after = entry.after === undefined ? 0 : ms(entry.after);
  if (entry.kind === 'at') return { schedule: at(entry.local ?? '', zone), ctx: context(zone), after };
  if (entry.kind === 'every') {
    return { schedule: every(entry.intervalMs ?? 0, ms(entry.anchor ?? '')), ctx: context(zone), after };
  }
  if (entry.kind === 'cron')
    return { schedule: cron(entry.expression ?? '', zone), ctx: context(zone), after };
  const anchor = instantOf(zone, ms(`${entry.anchorLocal}Z`));
  return {
    schedule: { kind: 'rrule', rrule: entry.expression ?? '', timezone: zone },
    ctx: context(zone, anchor),
    after,
  };
}

describe('golden cases', () => {
  for (const entry of cases.accept) {
    const name = [
      entry.kind,
      entry.expression ?? entry.local ?? entry.intervalMs,
      entry.timezone,
      entry.after,
    ];
    it(name.join(' '), () => {
      const { schedule, ctx, after } = golden(entry);
      const normal = normalizeSchedule(schedule, ctx);
      expect(upcoming(normal, after, entry.expect.length, ctx).map(iso)).toEqual(entry.expect);
      expect(upcoming(schedule, after, entry.expect.length, ctx).map(iso)).toEqual(entry.expect);
      // Backwards over the same instants.
      const instants = entry.expect.map(ms);
      for (const [index, instant] of instants.entries()) {
        const before = previousOccurrence(normal, instant + 1, ctx);
        expect(before).toBe(instant);
        if (index > 0) expect(previousOccurrence(normal, instant, ctx)).toBe(instants[index - 1]);
      }
    });
  }

  for (const entry of cases.refuse) {
    it(`refuses ${entry.kind} "${entry.input}" ${entry.timezone}: ${entry.why}`, () => {
      const { input, timezone } = entry;
      const schedule: Schedule =
        entry.kind === 'cron'
          ? cron(input, timezone)
          : entry.kind === 'at'
            ? at(input, timezone)
            : entry.kind === 'every'
              ? { kind: 'every', interval_ms: Number(input) }
              : { kind: 'rrule', rrule: input, timezone };
      const error = refused(schedule);
      const code =
        /zone/.test(entry.why) || timezone !== 'UTC'
          ? 'timezone_invalid'
          : /never/.test(entry.why)
            ? 'schedule_never'
            : 'schedule_invalid';
      expect(error.code).toBe(code);
      expect(error.field).toMatch(/^schedule\.[a-z_]+$/);
      expect(error.message).toMatch(/\.$/);
      expect(error.hint.length).toBeGreaterThan(5);
    });
  }
});

const zones = [
  'UTC',
  'Asia/Shanghai',
  'America/New_York',
  'America/St_Johns',
  'America/Santiago',
  'Europe/Berlin',
  'Europe/Dublin',
  'Africa/Cairo',
  'Africa/Casablanca',
  'Asia/Kathmandu',
  'Asia/Beirut',
  'Australia/Lord_Howe',
  'Pacific/Chatham',
  'Pacific/Apia',
];

/** Days on which a zone changes its clocks; instants are drawn around them more often than anywhere else. */
const changes: Record<string, number[]> = Object.fromEntries(
  zones.map((zone) => {
    const found: number[] = [];
    for (let t = ms('2010-01-01T00:00:00Z'); t < ms('2034-01-01T00:00:00Z'); t += day) {
      if (wallAt(zone, t) - t !== wallAt(zone, t + day) - t - day) found.push(t);
    }
    return [zone, found];
  }),
);

const instants = (zone: string): fc.Arbitrary<number> => {
  const anywhere = fc.integer({ min: ms('2010-01-01T00:00:00Z'), max: ms('2034-01-01T00:00:00Z') });
  const known = changes[zone] ?? [];
  if (known.length === 0) return anywhere;
  const near = fc
    .tuple(fc.constantFrom(...known), fc.integer({ min: -day, max: 2 * day }))
    .map(([change, shift]) => change + shift);
  return fc.oneof(
    anywhere,
    near,
    near.map((value) => Math.floor(value / 60_000) * 60_000),
  );
};

const cronText = fc
  .tuple(
    fc.constantFrom('0', '30', '15', '0,30', '*/15', '*', '*/20', '10-20'),
    fc.constantFrom('*', '2', '1', '0', '9', '0,2', '1-3', '*/2', '23'),
    fc.constantFrom('*', '*', '1', '31', 'L', '15W', '*/2', '13'),
    fc.constantFrom('*', '*', '3', '10,11', '2'),
    fc.constantFrom('*', '*', '1-5', '0', 'FRI#2', '7', '5L'),
  )
  // Day 31 of February alone never happens.
  .filter(([, , dayField, month, week]) => !(month === '2' && dayField === '31' && week === '*'))
  .map((parts) => parts.join(' '));

const ruleText = fc
  .tuple(
    fc.constantFrom(
      'FREQ=DAILY',
      'FREQ=DAILY;INTERVAL=3',
      'FREQ=WEEKLY',
      'FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,FR',
      'FREQ=MONTHLY',
      'FREQ=MONTHLY;BYDAY=-1SU',
      'FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1',
      'FREQ=MONTHLY;BYMONTHDAY=-1',
      'FREQ=YEARLY;BYMONTH=3,11;BYDAY=2SU',
      'FREQ=HOURLY',
      'FREQ=HOURLY;INTERVAL=7',
      'FREQ=HOURLY;BYDAY=SU',
      'FREQ=MINUTELY;INTERVAL=45',
      'FREQ=MINUTELY;INTERVAL=7;BYDAY=SA,SU',
    ),
    fc.constantFrom('', ';BYHOUR=2', ';BYHOUR=1,2,3', ';BYHOUR=0', ';BYHOUR=23'),
    fc.constantFrom('', ';BYMINUTE=30', ';BYMINUTE=0,15,30,45'),
    fc.constantFrom('', '', ';COUNT=500', ';UNTIL=20200301', ';UNTIL=20210314T063000Z'),
  )
  .map((parts) => parts.join(''));

const anySchedule = (zone: string): fc.Arbitrary<Schedule> => {
  const anchor = fc.integer({ min: ms('2009-01-01T00:00:00Z'), max: ms('2011-01-01T00:00:00Z') });
  return fc.oneof(
    cronText.map((text) => cron(text, zone)),
    fc.tuple(ruleText, anchor).map(([text, from]) => rrule(text, zone, from)),
    fc.tuple(fc.integer({ min: 60_000, max: 60 * day }), anchor).map(([length, from]) => every(length, from)),
    instants(zone).map((when) => at(new Date(when).toISOString().slice(0, 16), zone)),
  );
};

describe('next and previous', () => {
  for (const zone of zones) {
    it(`agree in ${zone}`, () => {
      const ctx = context(zone);
      const drawn = fc.tuple(anySchedule(zone), instants(zone));
      fc.assert(
        fc.property(drawn, ([schedule, t]) => {
          const next = nextOccurrence(schedule, t, ctx);
          const previous = previousOccurrence(schedule, t, ctx);
          if (next !== null) {
            expect(next).toBeGreaterThan(t);
            // Nothing lies between: the last one before the next is not after t.
            const back = previousOccurrence(schedule, next, ctx);
            if (back !== null) expect(back).toBeLessThanOrEqual(t);
            expect(previousOccurrence(schedule, next + 1, ctx)).toBe(next);
          }
          if (previous !== null) {
            expect(previous).toBeLessThan(t);
            const forth = nextOccurrence(schedule, previous, ctx);
            if (forth !== null) expect(forth).toBeGreaterThanOrEqual(t);
            expect(nextOccurrence(schedule, previous - 1, ctx)).toBe(previous);
          }
        }),
        { numRuns: 300 },
      );
    });
  }
});

describe('a daily job', () => {
  const from = ms('2024-01-01T00:00:00Z');
  const through = ms('2034-01-01T00:00:00Z');
  for (const zone of zones) {
    it(`has gaps of 23 to 25 hours for ten years in ${zone}`, () => {
      const daily = [
        cron('0 0 * * *', zone),
        cron('30 2 * * *', zone),
        ...['0;BYMINUTE=0', '2;BYMINUTE=15', '2;BYMINUTE=30', '23;BYMINUTE=30'].map((time) =>
          rrule(`FREQ=DAILY;BYHOUR=${time}`, zone, from - day),
        ),
      ];
      for (const schedule of daily) {
        const found = occurrencesBetween(schedule, from, through, 10_000, context(zone));
        expect(found.length).toBeGreaterThanOrEqual(3652);
        const gaps = found.slice(1).map((at, i) => at - (found[i] ?? 0));
        expect(Math.min(...gaps)).toBeGreaterThanOrEqual(23 * hour);
        expect(Math.max(...gaps)).toBeLessThanOrEqual(25 * hour);
      }
    });
  }

  it('survives a day that a zone left out (Samoa, 30 December 2011)', () => {
    const schedule = rrule('FREQ=DAILY;BYHOUR=9;BYMINUTE=0', 'Pacific/Apia', ms('2011-12-01T00:00:00Z'));
    const found = upcoming(schedule, ms('2011-12-28T20:00:00Z'), 3, context('Pacific/Apia'));
    expect(found.map(iso)).toEqual(['2011-12-29T19:00:00Z', '2011-12-30T19:00:00Z', '2011-12-31T19:00:00Z']);
  });
});

describe('walls', () => {
  it('walls and instants fit together', () => {
    for (const zone of zones) {
      fc.assert(
        fc.property(instants(zone), (instant) => {
          const wall = wallAt(zone, instant);
          const back = instantOf(zone, wall);
          expect(back === instant || (back < instant && passOf(zone, instant) === 'second')).toBe(true);
        }),
        { numRuns: 200 },
      );
    }
    expect(iso(wallAt('Europe/London', ms('1900-06-01T00:00:00Z')))).toBe('1900-06-01T00:00:00Z');
    expect(wallAt('Asia/Shanghai', -8.64e15)).toBeGreaterThan(-8.64e15);
  });
});
