import type { CronField, CronFields } from './cron-fields.ts';
import type { ScheduleWarning } from './kind.ts';
import {
  cadenceOn,
  clock,
  type Days,
  dayWords,
  listEn,
  minutesWords,
  ordinalEn,
  runs,
  type Words,
} from './phrases.ts';

/** More clock times than this are told by hours and minutes instead of one by one. */
const maxTimes = 8;
const names = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];

function weekdayNumber(text: string): number {
  const named = names.indexOf(text.toLowerCase());
  return named >= 0 ? named : Number(text) % 7;
}

/** `FRI#2`, `5L` and their lists. */
function nthWeekdays(field: CronField): Pick<Days, 'nth' | 'weekdays'> {
  const nth: { n: number; weekday: number }[] = [];
  const weekdays: number[] = [];
  for (const item of field.text.split(',')) {
    const hash = /^(\w+)#(\w+)$/.exec(item);
    const last = /^(\w+?)L$/i.exec(item);
    if (hash !== null) {
      const n = /^l$/i.test(hash[2] ?? '') ? -1 : Number(hash[2]);
      nth.push({ n, weekday: weekdayNumber(hash[1] ?? '') });
    } else if (last !== null) nth.push({ n: -1, weekday: weekdayNumber(last[1] ?? '') });
    else weekdays.push(weekdayNumber(item));
  }
  return { nth, weekdays };
}

/** `L`, `LW`, `15W` and their lists. */
function monthDayWords(field: CronField): Pick<Days, 'monthDays' | 'extra'> {
  const monthDays: number[] = [];
  const extra: Words[] = [];
  for (const item of field.text.toUpperCase().split(',')) {
    const nearest = /^(\d+)W$/.exec(item);
    if (item === 'L') monthDays.push(-1);
    else if (item === 'LW') extra.push({ en: 'last weekday (Monday to Friday)', zh: '最后一个工作日' });
    else if (nearest !== null) {
      const day = Number(nearest[1]);
      extra.push({ en: `weekday nearest the ${ordinalEn(day)}`, zh: `离 ${day} 日最近的工作日` });
    } else monthDays.push(Number(item));
  }
  return { monthDays, extra };
}

function daysOf(fields: CronFields): Days {
  const { day, weekday, month } = fields;
  const week =
    weekday.values === null ? nthWeekdays(weekday) : { nth: [], weekdays: weekday.any ? [] : weekday.values };
  const date =
    day.values === null ? monthDayWords(day) : { monthDays: day.any ? [] : day.values, extra: [] as Words[] };
  if (day.step !== null && day.step > 1) {
    date.monthDays = [];
    date.extra = [{ en: `1st and then every ${ordinalEn(day.step)} day`, zh: `1 日起每 ${day.step} 天` }];
  }
  return {
    ...week,
    ...date,
    months: month.any ? [] : (month.values ?? []),
    join: fields.both ? 'and' : 'or',
  };
}

function within(hours: readonly number[]): Words {
  const first = hours[0] ?? 0;
  const last = hours.at(-1) ?? 0;
  if (last - first === hours.length - 1) {
    return {
      en: ` from ${clock(first, 0)} to ${clock(last, 59)}`,
      zh: `（${clock(first, 0)}–${clock(last, 59)}）`,
    };
  }
  return {
    en: ` in the hours ${listEn(runs(hours, String, ' to '))}`,
    zh: `（${runs(hours, String, '–').join('、')} 点内）`,
  };
}

function everyMinutes(step: number): Words {
  return step === 1
    ? { en: 'Every minute', zh: '每分钟' }
    : { en: `Every ${step} minutes`, zh: `每 ${step} 分钟` };
}

/** A sentence for a cron expression, without the zone. */
export function cronWords(fields: CronFields): Words {
  const days = daysOf(fields);
  const minutes = fields.minute.values ?? [];
  const hours = fields.hour.values ?? [];
  const cadence = fields.minute.any ? 1 : fields.minute.step;
  // A step that does not divide the hour is told by its minutes: "every 45 minutes" would be wrong.
  if (cadence !== null && cadence < 60 && 60 % cadence === 0) {
    const every = everyMinutes(cadence);
    const window = fields.hour.any ? { en: '', zh: '' } : within(hours);
    return cadenceOn({ en: every.en + window.en, zh: every.zh + window.zh }, days);
  }
  const at = minutesWords(minutes);
  const onTheHour = minutes.length === 1 && minutes[0] === 0;
  if (fields.hour.any) {
    const hourly = onTheHour
      ? { en: 'Every hour, on the hour', zh: '每小时整点' }
      : { en: `Every hour at ${at.en}`, zh: `每小时${at.zh}` };
    return cadenceOn(hourly, days);
  }
  if (minutes.length * hours.length <= maxTimes) {
    const times = hours.flatMap((hour) => minutes.map((minute) => clock(hour, minute)));
    const on = dayWords(days);
    return { en: `${on.en} at ${listEn(times)}`, zh: `${on.zh} ${times.join('、')}` };
  }
  const [first, last, minute] = [hours[0] ?? 0, hours.at(-1) ?? 0, minutes[0] ?? 0];
  if (minutes.length === 1 && last - first === hours.length - 1) {
    const [from, to] = [clock(first, minute), clock(last, minute)];
    return cadenceOn({ en: `Every hour from ${from} to ${to}`, zh: `${from}–${to} 每小时` }, days);
  }
  if (fields.hour.step !== null) {
    const step = fields.hour.step;
    return cadenceOn({ en: `Every ${step} hours at ${at.en}`, zh: `每 ${step} 小时${at.zh}` }, days);
  }
  const on = dayWords(days);
  const hourList = runs(hours, String, ' to ');
  return {
    en: `${on.en} at ${at.en} of the hours ${listEn(hourList)}`,
    zh: `${on.zh} ${runs(hours, String, '–').join('、')} 点的${at.zh}`,
  };
}

function unevenSteps(fields: CronFields): ScheduleWarning[] {
  const { minute, hour, day, month, weekday } = fields;
  const checks: [CronField, number, Words, Words][] = [
    [minute, 60, { en: 'minute', zh: '分钟' }, { en: 'every hour', zh: '每小时' }],
    [hour, 24, { en: 'hour', zh: '小时' }, { en: 'every day at midnight', zh: '每天零点' }],
    [day, 31, { en: 'day-of-month', zh: '日期' }, { en: 'on the 1st of every month', zh: '每月 1 日' }],
    [month, 12, { en: 'month', zh: '月份' }, { en: 'every January', zh: '每年 1 月' }],
    [weekday, 7, { en: 'day-of-week', zh: '星期' }, { en: 'every Sunday', zh: '每周日' }],
  ];
  return checks.flatMap(([field, size, name, again]) => {
    const step = field.step;
    if (step === null || step === 1 || (size % step === 0 && size !== 31)) return [];
    return [
      {
        code: 'uneven_step',
        en: `*/${step} in the ${name.en} field starts again ${again.en}, so the last gap is not ${step}.`,
        zh: `${name.zh}字段的 */${step} 会在${again.zh}重新开始，因此最后一段间隔不是 ${step}。`,
      },
    ];
  });
}

/** Warnings for the days a month may not have; `days` as written, `months` empty for all twelve. */
export function shortMonthWarnings(days: readonly number[], months: readonly number[]): ScheduleWarning[] {
  const all = months.length === 0 ? [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12] : months;
  const longest = (month: number) => (month === 2 ? 28 : [4, 6, 9, 11].includes(month) ? 30 : 31);
  const missing = days.filter((day) => day > 28 && all.some((month) => day > longest(month)));
  if (missing.length === 0) return [];
  if (all.length === 1 && all[0] === 2 && days.every((day) => day >= 29)) {
    return [
      { code: 'leap_day', en: '29 February exists only in leap years.', zh: '2 月 29 日只在闰年存在。' },
    ];
  }
  const list = listEn(missing.map(ordinalEn));
  return [
    {
      code: 'short_months',
      en: `Months without the ${list} are skipped. For the last day of every month use "last day" (L in cron, BYMONTHDAY=-1 in a rule).`,
      zh: `没有 ${missing.join('、')} 日的月份会被跳过。若要每月最后一天，请用“最后一天”（cron 写 L，规则写 BYMONTHDAY=-1）。`,
    },
  ];
}

/** What may surprise in a cron expression. */
export function cronWarnings(fields: CronFields): ScheduleWarning[] {
  const { day, weekday, month, both } = fields;
  const found: ScheduleWarning[] = [];
  if (!day.any && !weekday.any && !both) {
    found.push({
      code: 'day_or_weekday',
      en: 'Day of month and day of week are both set: it runs when either matches.',
      zh: '同时设置了日期和星期：任意一个符合就会运行。',
    });
  }
  found.push(...unevenSteps(fields));
  found.push(...shortMonthWarnings(day.singles, month.any ? [] : (month.values ?? [])));
  return found;
}
