import { describe, expect, it } from 'vitest';
import { preview, type Schedule, type ScheduleContext, scheduleWarnings } from './index.ts';

const ms = (iso: string) => Date.parse(iso);
const ctx: ScheduleContext = { timezone: 'Asia/Shanghai', anchorAt: ms('2026-11-02T00:30:00Z') };
const codes = (schedule: Schedule) => scheduleWarnings(schedule).map((warning) => warning.code);

describe('warnings', () => {
  it.each([
    ['0 9 13 * 5', ['day_or_weekday']],
    ['0 9 13 * +5', []],
    ['0 */13 * * *', ['uneven_step']],
    ['*/45 * * * *', ['uneven_step']],
    ['*/30 */6 * */3 *', []],
    ['0 9 */2 * *', ['uneven_step']],
    ['0 9 * */5 *', ['uneven_step']],
    ['0 9 * * */2', ['uneven_step']],
    ['0 9 */1 * *', []],
    ['0 0 29 2 *', ['leap_day']],
    ['0 9 31 * *', ['short_months']],
    ['0 9 30 2,3 *', ['short_months']],
    ['0 9 31 1,3 *', []],
    ['0 9 1-31 * *', []],
    ['0 9 L * *', []],
    ['0 9 28 * *', []],
  ])('cron %s', (expression, expected) => {
    expect(codes({ kind: 'cron', expression })).toEqual(expected);
  });

  it('rules warn of short months, also when the day comes from the anchor', () => {
    const rule = (text: string): Schedule => ({
      kind: 'rrule',
      rrule: text,
      timezone: 'UTC',
      anchor_at: ms('2024-02-29T09:00:00Z'),
    });
    expect(codes(rule('FREQ=MONTHLY;BYMONTHDAY=31'))).toEqual(['short_months']);
    expect(codes(rule('FREQ=MONTHLY'))).toEqual(['short_months']);
    expect(codes(rule('FREQ=YEARLY'))).toEqual(['leap_day']);
    expect(codes(rule('FREQ=MONTHLY;BYMONTHDAY=-1'))).toEqual([]);
    expect(codes(rule('FREQ=HOURLY;BYMONTHDAY=31'))).toEqual([]);
  });

  it('are written in both languages', () => {
    const [warning] = scheduleWarnings({ kind: 'cron', expression: '0 9 31 * *' });
    expect(warning?.en).toContain('Months without the 31st are skipped');
    expect(warning?.zh).toContain('没有 31 日的月份会被跳过');
  });
});

describe('preview', () => {
  const newYork = 'America/New_York';
  const shown = (schedule: Schedule, from: string, count: number) =>
    preview(schedule, ms(from), count, ctx).occurrences.map(({ at: _, note, ...rest }) => [
      rest.local + rest.offset,
      note?.code ?? null,
      note?.en ?? null,
    ]);

  it('shows words, warnings, local times and offsets', () => {
    expect(preview({ kind: 'cron', expression: '0 9 13 * 5' }, ms('2026-11-06T02:00:00Z'), 1, ctx)).toEqual({
      occurrences: [{ at: ms('2026-11-13T01:00:00Z'), local: '2026-11-13T09:00', offset: '+08:00' }],
      words: {
        en: 'On the 13th of every month, and every Friday at 09:00 (Asia/Shanghai)',
        zh: '每月 13 日，以及每周五 09:00（Asia/Shanghai）',
      },
      warnings: [
        {
          code: 'day_or_weekday',
          en: 'Day of month and day of week are both set: it runs when either matches.',
          zh: '同时设置了日期和星期：任意一个符合就会运行。',
        },
      ],
    });
    // Intervals have no zone of their own: shown in the system's.
    expect(shown({ kind: 'every', interval_ms: 3_600_000 }, '2026-11-02T00:30:00Z', 1)).toEqual([
      ['2026-11-02T09:30+08:00', null, null],
    ]);
    expect(
      preview({ kind: 'at', at: '2026-11-13T09:00' }, ms('2027-01-01T00:00:00Z'), 5, ctx).occurrences,
    ).toEqual([]);
  });

  it('cron at a gap: a fixed time runs at its end, a wildcard has no note', () => {
    const schedule: Schedule = { kind: 'cron', expression: '30 2 * * *', timezone: newYork };
    expect(shown(schedule, '2026-03-08T00:00:00Z', 2)).toEqual([
      [
        '2026-03-08T03:00-04:00',
        'dst_gap',
        '02:30 does not exist because the clocks jump forward; it runs at 03:00.',
      ],
      ['2026-03-09T02:30-04:00', null, null],
    ]);
    expect(shown({ ...schedule, expression: '*/30 * * * *' }, '2026-03-08T06:00:00Z', 2)).toEqual([
      ['2026-03-08T01:30-05:00', null, null],
      ['2026-03-08T03:00-04:00', null, null],
    ]);
    expect(
      shown({ ...schedule, expression: '0 3,4 * * *' }, '2026-03-08T06:00:00Z', 2).map((row) => row[1]),
    ).toEqual([null, null]);
  });

  it('cron at a fold: once for a fixed time, twice for a wildcard', () => {
    const schedule: Schedule = { kind: 'cron', expression: '30 1 * * *', timezone: newYork };
    expect(shown(schedule, '2026-11-01T00:00:00Z', 2)).toEqual([
      [
        '2026-11-01T01:30-04:00',
        'dst_fold',
        '01:30 comes twice because the clocks go back; it runs once, at the first.',
      ],
      ['2026-11-02T01:30-05:00', null, null],
    ]);
    const twice = shown({ ...schedule, expression: '30 * * * *' }, '2026-11-01T05:00:00Z', 3);
    expect(twice.map((row) => row.slice(0, 2))).toEqual([
      ['2026-11-01T01:30-04:00', 'dst_fold'],
      ['2026-11-01T01:30-05:00', 'dst_fold'],
      ['2026-11-01T02:30-05:00', null],
    ]);
    expect(twice[1]?.[2]).toContain('this is the second one, and both count');
  });

  it('rules: the time in a gap comes later by the jump', () => {
    const schedule: Schedule = { kind: 'rrule', rrule: 'FREQ=DAILY;BYHOUR=2;BYMINUTE=30', timezone: newYork };
    expect(shown(schedule, '2027-03-14T00:00:00Z', 1)).toEqual([
      [
        '2027-03-14T03:30-04:00',
        'dst_gap',
        '02:30 does not exist because the clocks jump forward; it runs at 03:30.',
      ],
    ]);
    const others = { ...schedule, rrule: 'FREQ=DAILY;BYHOUR=3;BYMINUTE=30' };
    expect(shown(others, '2027-03-14T00:00:00Z', 1)).toEqual([['2027-03-14T03:30-04:00', null, null]]);
    expect(
      shown({ ...schedule, rrule: 'FREQ=HOURLY' }, '2027-11-07T05:00:00Z', 2).map((row) => row.slice(0, 2)),
    ).toEqual([
      ['2027-11-07T01:30-04:00', 'dst_fold'],
      ['2027-11-07T01:30-05:00', 'dst_fold'],
    ]);
    expect(shown({ ...schedule, rrule: 'FREQ=HOURLY' }, '2027-03-14T06:31:00Z', 1)[0]?.[1]).toBeNull();
  });

  it('at', () => {
    expect(
      shown({ kind: 'at', at: '2026-03-08T02:30', timezone: newYork }, '2026-01-01T00:00:00Z', 1)[0]?.slice(
        0,
        2,
      ),
    ).toEqual(['2026-03-08T03:30-04:00', 'dst_gap']);
    const second = preview({ kind: 'at', at: '2026-11-01T01:30-05:00', timezone: newYork }, 0, 1, ctx)
      .occurrences[0];
    expect(second?.note).toEqual({
      code: 'dst_fold',
      en: '01:30 comes twice because the clocks go back; it runs once, at the second.',
      zh: '时钟拨慢，01:30 出现两次；只在第二次运行。',
    });
  });

  it('names the day when a zone left out a whole one', () => {
    const schedule: Schedule = { kind: 'at', at: '2011-12-30T09:00', timezone: 'Pacific/Apia' };
    expect(shown(schedule, '2011-01-01T00:00:00Z', 1)).toEqual([
      [
        '2011-12-31T09:00+14:00',
        'dst_gap',
        '2011-12-30 09:00 does not exist because the clocks jump forward; it runs at 09:00.',
      ],
    ]);
  });

  it('refuses what cannot be saved', () => {
    expect(() => preview({ kind: 'cron', expression: '0 0 30 2 *' }, 0, 3, ctx)).toThrow(
      /within the next 8 years/,
    );
  });
});
