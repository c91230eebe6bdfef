import { describe, expect, it } from 'vitest';
import {
  describeSchedule,
  normalizeSchedule,
  type Schedule,
  type ScheduleContext,
  scheduleWarnings,
} from './index.ts';

const ms = (iso: string) => Date.parse(iso);
const ctx: ScheduleContext = { timezone: 'Asia/Shanghai', anchorAt: ms('2026-11-02T00:30:00Z') };
const both = (schedule: Schedule) => [describeSchedule(schedule, 'en'), describeSchedule(schedule, 'zh-CN')];

/** Words of a normalized schedule without its zone. */
function plain(schedule: Schedule): string[] {
  return both(normalizeSchedule(schedule, ctx)).map((text) =>
    text.replace(/ \(Asia\/Shanghai\)|（Asia\/Shanghai）/, ''),
  );
}

describe('words', () => {
  it('name the zone', () => {
    expect(both(normalizeSchedule({ kind: 'cron', expression: '0 9 * * *' }, ctx))).toEqual([
      'Every day at 09:00 (Asia/Shanghai)',
      '每天 09:00（Asia/Shanghai）',
    ]);
    expect(both({ kind: 'cron', expression: '0 13 * * 1-5' })).toEqual([
      'Monday to Friday at 13:00',
      '每周一至周五 13:00',
    ]);
  });

  it.each([
    ['0 9 * * 0,6', 'Saturday and Sunday at 09:00', '每周六、周日 09:00'],
    ['30 9 * * 1,3,5', 'Monday, Wednesday and Friday at 09:30', '每周一、周三、周五 09:30'],
    ['0 9 * * 1', 'Every Monday at 09:00', '每周一 09:00'],
    ['0 9,18 * * *', 'Every day at 09:00 and 18:00', '每天 09:00、18:00'],
    ['* * * * *', 'Every minute', '每分钟'],
    ['*/5 * * * *', 'Every 5 minutes', '每 5 分钟'],
    ['*/45 * * * *', 'Every hour at minutes 0 and 45', '每小时第 0、45 分'],
    ['0 * * * *', 'Every hour, on the hour', '每小时整点'],
    ['15 * * * *', 'Every hour at minute 15', '每小时第 15 分'],
    [
      '*/10 9-17 * * 1-5',
      'Every 10 minutes from 09:00 to 17:59, Monday to Friday',
      '每周一至周五，每 10 分钟（09:00–17:59）',
    ],
    ['*/15 1,5,9 * * *', 'Every 15 minutes in the hours 1, 5 and 9', '每 15 分钟（1、5、9 点内）'],
    [
      '0 9-17 * * 1-5',
      'Every hour from 09:00 to 17:00, Monday to Friday',
      '每周一至周五，09:00–17:00 每小时',
    ],
    ['0,30 9-17 * * *', 'Every day at minutes 0 and 30 of the hours 9 to 17', '每天 9–17 点的第 0、30 分'],
    ['0 */2 * * *', 'Every 2 hours at minute 0', '每 2 小时第 0 分'],
    ['0 */2 1 * *', 'Every 2 hours at minute 0, on the 1st of every month', '每月 1 日，每 2 小时第 0 分'],
    ['0 9 1,15 * *', 'On the 1st and 15th of every month at 09:00', '每月 1 日、15 日 09:00'],
    ['0 9 1-7 * *', 'On the 1st to 7th of every month at 09:00', '每月 1 至 7 日 09:00'],
    [
      '0 9 2,3,11,22,23 * *',
      'On the 2nd, 3rd, 11th, 22nd and 23rd of every month at 09:00',
      '每月 2 日、3 日、11 日、22 日、23 日 09:00',
    ],
    ['0 9 */2 * *', 'On the 1st and then every 2nd day of every month at 09:00', '每月 1 日起每 2 天 09:00'],
    ['0 9 L * *', 'On the last day of every month at 09:00', '每月最后一天 09:00'],
    [
      '0 9 LW * *',
      'On the last weekday (Monday to Friday) of every month at 09:00',
      '每月最后一个工作日 09:00',
    ],
    [
      '0 9 1,15W * *',
      'On the 1st and weekday nearest the 15th of every month at 09:00',
      '每月 1 日、离 15 日最近的工作日 09:00',
    ],
    ['0 9 * * FRI#2', 'On the second Friday of every month at 09:00', '每月第二个周五 09:00'],
    ['0 9 * * 5#L', 'On the last Friday of every month at 09:00', '每月最后一个周五 09:00'],
    ['0 9 * 3 5L', 'On the last Friday of March at 09:00', '每年 3 月的最后一个周五 09:00'],
    [
      '0 9 * * 1,5L',
      'On the last Friday of every month, and every Monday at 09:00',
      '每月最后一个周五，以及每周一 09:00',
    ],
    ['0 9 13 * 5', 'On the 13th of every month, and every Friday at 09:00', '每月 13 日，以及每周五 09:00'],
    ['0 9 13 * +5', 'On the 13th of every month if it is Friday at 09:00', '每月 13 日且为周五 09:00'],
    ['0 0 29 2 *', 'Every year on 29 February at 00:00', '每年 2 月 29 日 00:00'],
    ['0 0 1 1,7 *', 'On the 1st of January and July at 00:00', '每年 1、7 月的 1 日 00:00'],
    ['0 9 * 1-3 *', 'Every day in January to March at 09:00', '1 至 3 月每天 09:00'],
    ['0 9 * 3 1', 'Every Monday in March at 09:00', '3 月的每周一 09:00'],
    ['@weekly', 'Every Sunday at 00:00', '每周日 00:00'],
  ])('cron %s', (expression, en, zh) => {
    expect(plain({ kind: 'cron', expression })).toEqual([en, zh]);
  });

  it.each([
    ['FREQ=DAILY', 'Every day at 08:30', '每天 08:30'],
    [
      'FREQ=DAILY;INTERVAL=3',
      'Every 3 days at 08:30, counted from 2026-11-02',
      '每 3 天 08:30，从 2026-11-02 起计',
    ],
    ['FREQ=WEEKLY', 'Every Monday at 08:30', '每周一 08:30'],
    ['FREQ=WEEKLY;BYDAY=MO,WE;BYHOUR=9;BYMINUTE=30', 'Monday and Wednesday at 09:30', '每周一、周三 09:30'],
    [
      'FREQ=WEEKLY;INTERVAL=2;BYDAY=FR;BYHOUR=18;BYMINUTE=0',
      'Every 2 weeks on Friday at 18:00, counted from 2026-11-02',
      '每 2 周的周五 18:00，从 2026-11-02 起计',
    ],
    ['FREQ=MONTHLY', 'On the 2nd of every month at 08:30', '每月 2 日 08:30'],
    [
      'FREQ=MONTHLY;BYMONTHDAY=1,-1,-3',
      'On the 1st, last day and 3rd last day of every month at 08:30',
      '每月 1 日、最后一天、倒数第 3 天 08:30',
    ],
    [
      'FREQ=MONTHLY;BYDAY=-2FR',
      'On the second to last Friday of every month at 08:30',
      '每月倒数第二个周五 08:30',
    ],
    [
      'FREQ=MONTHLY;BYDAY=FR;BYMONTHDAY=13',
      'On the 13th of every month if it is Friday at 08:30',
      '每月 13 日且为周五 08:30',
    ],
    [
      'FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1',
      'On the last of Monday to Friday of every month at 08:30',
      '每月最后一个（周一至周五） 08:30',
    ],
    [
      'FREQ=MONTHLY;BYDAY=TU;BYSETPOS=2',
      'On the second Tuesday of every month at 08:30',
      '每月第二个周二 08:30',
    ],
    [
      'FREQ=MONTHLY;BYDAY=SU,MO,TU,WE,TH,FR,SA;BYSETPOS=-1',
      'On the last day of every month at 08:30',
      '每月最后一天 08:30',
    ],
    [
      'FREQ=DAILY;BYHOUR=9,10;BYMINUTE=0;BYSETPOS=1',
      'Every day at 09:00 and 10:00 [BYSETPOS=1]',
      '每天 09:00、10:00 [BYSETPOS=1]',
    ],
    ['FREQ=YEARLY', 'Every year on 2 November at 08:30', '每年 11 月 2 日 08:30'],
    ['FREQ=YEARLY;BYMONTH=3', 'Every year on 2 March at 08:30', '每年 3 月 2 日 08:30'],
    ['FREQ=YEARLY;BYDAY=2SU', 'On the second Sunday of every year at 08:30', '每年第二个周日 08:30'],
    ['FREQ=YEARLY;BYDAY=7SU', 'On the 7th Sunday of every year at 08:30', '每年第 7 个周日 08:30'],
    [
      'FREQ=YEARLY;BYWEEKNO=10;BYDAY=MO',
      'Every year on Monday at 08:30 [BYWEEKNO=10]',
      '每年的周一 08:30 [BYWEEKNO=10]',
    ],
    ['FREQ=YEARLY;BYYEARDAY=100', 'Every year at 08:30 [BYYEARDAY=100]', '每年 08:30 [BYYEARDAY=100]'],
    [
      'FREQ=YEARLY;INTERVAL=2;BYMONTH=3',
      'Every 2 years on the 2nd of March at 08:30, counted from 2026-11-02',
      '每 2 年的 3 月 2 日 08:30，从 2026-11-02 起计',
    ],
    [
      'FREQ=DAILY;INTERVAL=2;BYMONTH=3',
      'Every 2 days in March at 08:30, counted from 2026-11-02',
      '每 2 天（仅 3 月） 08:30，从 2026-11-02 起计',
    ],
    ['FREQ=HOURLY', 'Every hour', '每小时'],
    [
      'FREQ=HOURLY;INTERVAL=24;BYMINUTE=0',
      'Every 24 hours at minute 0, counted from 2026-11-02 08:30',
      '每 24 小时第 0 分，从 2026-11-02 08:30 起计',
    ],
    [
      'FREQ=HOURLY;BYDAY=SA;BYHOUR=9,10,11',
      'Every hour in the hours 9 to 11, every Saturday',
      '每周六，每小时（9–11 点内）',
    ],
    ['FREQ=MINUTELY;COUNT=3', 'Every minute, 3 times', '每分钟，共 3 次'],
    ['FREQ=DAILY;COUNT=1', 'Every day at 08:30, once', '每天 08:30，共 1 次'],
    ['FREQ=DAILY;UNTIL=20261231', 'Every day at 08:30, until 2026-12-31', '每天 08:30，至 2026-12-31'],
    [
      'FREQ=DAILY;UNTIL=20261231T150000Z',
      'Every day at 08:30, until 2026-12-31 15:00 UTC',
      '每天 08:30，至 2026-12-31 15:00 UTC',
    ],
    [
      'FREQ=DAILY;BYHOUR=0,1,2,3,4,5,6,7,8;BYMINUTE=0,30',
      'Every day at minutes 0 and 30 of the hours 0 to 8',
      '每天 0–8 点的第 0、30 分',
    ],
    ['FREQ=DAILY;BYHOUR=0,1,2,3,4,5,6,7,8', 'Every day in the hours 0 to 8', '每天 0–8 点'],
  ])('rrule %s', (rule, en, zh) => {
    expect(plain({ kind: 'rrule', rrule: rule })).toEqual([en, zh]);
  });

  it.each([
    [60_000, 'Every minute', '每分钟'],
    [600_000, 'Every 10 minutes', '每 10 分钟'],
    [3_600_000, 'Every hour', '每小时'],
    [129_600_000, 'Every 36 hours', '每 36 小时'],
    [86_400_000, 'Every 24 hours', '每 24 小时'],
    [45 * 86_400_000, 'Every 45 days', '每 45 天'],
    [90_500, 'Every 90.5 seconds', '每 90.5 秒'],
  ])('every %i ms', (interval_ms, en, zh) => {
    expect(both({ kind: 'every', interval_ms })).toEqual([en, zh]);
    expect(both({ kind: 'every', interval_ms, anchor_mode: 'last_run' })).toEqual([
      `${en}, counted from the last run`,
      `${zh}，从上次运行起计`,
    ]);
  });

  it.each([
    [
      { kind: 'at', at: '2026-05-06T10:00', timezone: 'UTC' },
      'Once, on 2026-05-06 at 10:00 (UTC)',
      '一次，2026-05-06 10:00（UTC）',
    ],
    [
      { kind: 'at', at: '2026-05-06T10:00+08:00', timezone: 'UTC' },
      'Once, on 2026-05-06 at 10:00 (+08:00)',
      '一次，2026-05-06 10:00（+08:00）',
    ],
    [
      { kind: 'at', at: '2026-05-06T10:00:00z' },
      'Once, on 2026-05-06 at 10:00 (UTC)',
      '一次，2026-05-06 10:00（UTC）',
    ],
    // Rows of others: told as they are, never thrown at.
    [{ kind: 'at', at: 'soon' }, 'Once, "soon"', '一次，"soon"'],
    [{ kind: 'cron', expression: 'soon' }, 'Cron "soon"', 'Cron“soon”'],
    [{ kind: 'rrule', rrule: 'soon' }, 'Rule "soon"', '规则“soon”'],
    [{ kind: 'rrule', rrule: 'FREQ=DAILY' }, 'Every day', '每天'],
    [{ kind: 'rrule', rrule: 'FREQ=WEEKLY' }, 'Every week', '每周'],
    [{ kind: 'rrule', rrule: 'FREQ=DAILY;BYHOUR=9' }, 'Every day in the hours 9', '每天 9 点'],
  ] satisfies [Schedule, string, string][])('%o', (schedule, en, zh) => {
    expect(both(schedule)).toEqual([en, zh]);
    expect(scheduleWarnings(schedule)).toEqual([]);
  });
});
