import { describe, expect, it } from 'vitest';
import { detectSchedule, parseInterval, scheduleOf } from './schedule-options.ts';
import { wordsOf } from './words.ts';

const t = wordsOf('en');

describe('parseInterval', () => {
  it.each([
    ['10m', 600_000],
    ['2h', 7_200_000],
    ['36h', 129_600_000],
    ['1h30m', 5_400_000],
    ['1.5h', 5_400_000],
    ['every 10 minutes', 600_000],
    ['Every hour', 3_600_000],
    ['2 days', 172_800_000],
    ['90s', 90_000],
    ['10', null],
    ['0m', null],
    ['-5m', null],
    ['10 parsecs', null],
    ['', null],
  ])('%s', (text, ms) => {
    expect(parseInterval(text)).toBe(ms);
  });
});

describe('detectSchedule', () => {
  it.each([
    ['0 9 * * *', { kind: 'cron', expression: '0 9 * * *' }],
    ['@daily', { kind: 'cron', expression: '@daily' }],
    ['every 10m', { kind: 'every', interval_ms: 600_000 }],
    ['2026-05-06T10:00:00+08:00', { kind: 'at', at: '2026-05-06T10:00:00+08:00' }],
    ['FREQ=WEEKLY;BYDAY=MO', { kind: 'rrule', rrule: 'FREQ=WEEKLY;BYDAY=MO' }],
    ['manual', { kind: 'manual' }],
  ])('%s', (text, schedule) => {
    expect(detectSchedule(text, undefined, t)).toEqual(schedule);
  });

  it('gives the zone to what has one, and refuses it elsewhere', () => {
    expect(detectSchedule('0 9 * * *', 'UTC', t)).toEqual({
      kind: 'cron',
      expression: '0 9 * * *',
      timezone: 'UTC',
    });
    expect(() => detectSchedule('every 10m', 'UTC', t)).toThrow(t.zoneWithout);
    expect(() => detectSchedule('tomorrow', undefined, t)).toThrow('“tomorrow” is not a schedule.');
  });
});

describe('scheduleOf', () => {
  it.each([
    [{}, undefined],
    [{ timezone: 'UTC' }, undefined],
    [{ type: 'manual' }, { kind: 'manual' }],
    [
      { type: 'once', scheduledAt: '2026-05-06T10:00' },
      { kind: 'at', at: '2026-05-06T10:00' },
    ],
    [
      { scheduledAt: 'soon', timezone: 'UTC' },
      { kind: 'at', at: 'soon', timezone: 'UTC' },
    ],
    [
      { type: 'once', schedule: '2026-05-06T10:00' },
      { kind: 'at', at: '2026-05-06T10:00' },
    ],
    [
      { type: 'every', every: '2h' },
      { kind: 'every', interval_ms: 7_200_000 },
    ],
    [
      { type: 'every', schedule: '2h' },
      { kind: 'every', interval_ms: 7_200_000 },
    ],
    [
      { type: 'rrule', schedule: 'FREQ=DAILY' },
      { kind: 'rrule', rrule: 'FREQ=DAILY' },
    ],
    // The type is believed: what is wrong with it is the host's to say.
    [
      { type: 'cron', schedule: 'nonsense' },
      { kind: 'cron', expression: 'nonsense' },
    ],
    [
      { schedule: '@hourly', timezone: 'UTC' },
      { kind: 'cron', expression: '@hourly', timezone: 'UTC' },
    ],
  ] as const)('%j', (options, schedule) => {
    expect(scheduleOf(options, t)).toEqual(schedule);
  });

  it.each([
    [{ type: 'cron' }],
    [{ type: 'once', every: '2h' }],
    [{ type: 'cron', scheduledAt: 'x' }],
    [{ type: 'manual', schedule: '0 9 * * *' }],
    [{ type: 'manual', timezone: 'UTC' }],
    [{ type: 'every', every: '2h', timezone: 'UTC' }],
    [{ schedule: '0 9 * * *', scheduledAt: 'x' }],
  ] as const)('%j contradicts itself', (options) => {
    expect(() => scheduleOf(options, t)).toThrow();
  });
});
