/*
 * Words for days and times that cron and rrule share. Both languages are made together, so that neither can be
 * forgotten. Weekdays are 0 (Sunday) to 6, months 1 to 12, days of the month 1 to 31 or -1 (last) to -31.
 */

/** A text in both languages. */
export interface Words {
  en: string;
  zh: string;
}

/** The days of a rule. An empty list means "no restriction". */
export interface Days {
  weekdays: readonly number[];
  /** The n-th weekday of the month (or year, when no month is meant); -1 is the last. */
  nth: readonly { n: number; weekday: number }[];
  monthDays: readonly number[];
  /** Days of the month that are words already (nearest weekday and the like). */
  extra: readonly Words[];
  months: readonly number[];
  /** True when dates without a month are counted in the year, not in every month. */
  yearly?: boolean;
  /** How days of the month and days of the week are joined when both are given. */
  join: 'or' | 'and';
}

const weekdayEn = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];
const weekdayZh = ['周日', '周一', '周二', '周三', '周四', '周五', '周六'];
const monthEn = [
  ...['January', 'February', 'March', 'April', 'May', 'June'],
  ...['July', 'August', 'September', 'October', 'November', 'December'],
];
const nthEn = ['', 'first', 'second', 'third', 'fourth', 'fifth'];
const nthZh = ['', '一', '二', '三', '四', '五'];

/** `a`, `a and b`, `a, b and c`. */
export function listEn(items: readonly string[]): string {
  if (items.length < 2) return items.join('');
  return `${items.slice(0, -1).join(', ')} and ${items.at(-1)}`;
}

/** `1st`, `2nd`, `3rd`, `4th`, `11th`, `21st`. */
export function ordinalEn(value: number): string {
  const tens = value % 100;
  const last = value % 10;
  if (tens >= 11 && tens <= 13) return `${value}th`;
  return `${value}${last === 1 ? 'st' : last === 2 ? 'nd' : last === 3 ? 'rd' : 'th'}`;
}

/** `HH:mm`. */
export function clock(hour: number, minute: number): string {
  return `${String(hour).padStart(2, '0')}:${String(minute).padStart(2, '0')}`;
}

/** Joins three and more neighbours to a range: [1,2,3,5] → `1 to 3`, `5`. */
export function runs(values: readonly number[], name: (value: number) => string, to: string): string[] {
  const found: string[] = [];
  for (let start = 0; start < values.length; ) {
    let end = start;
    while (end + 1 < values.length && values[end + 1] === (values[end] ?? 0) + 1) end += 1;
    const first = values[start] ?? 0;
    const last = values[end] ?? 0;
    if (end - start >= 2) found.push(`${name(first)}${to}${name(last)}`);
    else for (let value = first; value <= last; value += 1) found.push(name(value));
    start = end + 1;
  }
  return found;
}

/** `minute 5`, `minutes 0 and 30`. */
export function minutesWords(minutes: readonly number[]): Words {
  const name = minutes.length === 1 ? 'minute' : 'minutes';
  return {
    en: `${name} ${listEn(runs(minutes, String, ' to '))}`,
    zh: `第 ${runs(minutes, String, '–').join('、')} 分`,
  };
}

/** `second`, `last`, `second to last` for a place counted from 1, or from -1 backwards. */
export function placeWords(n: number): Words {
  if (n === -1) return { en: 'last', zh: '最后一个' };
  const size = Math.abs(n);
  return {
    en: `${nthEn[size] ?? ordinalEn(size)}${n < 0 ? ' to last' : ''}`,
    zh: `${n < 0 ? '倒数' : ''}第${nthZh[size] ?? ` ${size} `}个`,
  };
}

/** Weekdays as a list, from Monday: `Monday to Friday`. */
export function weekdayWords(values: readonly number[]): Words {
  // The week is read from Monday, so that "Saturday and Sunday" stay together.
  const week = values.map((value) => (value + 6) % 7).sort((a, b) => a - b);
  return {
    en: listEn(runs(week, (value) => weekdayEn[(value + 1) % 7] ?? '', ' to ')),
    zh: runs(week, (value) => weekdayZh[(value + 1) % 7] ?? '', '至').join('、'),
  };
}

function nthWord({ n, weekday }: { n: number; weekday: number }): Words {
  const place = placeWords(n);
  return { en: `${place.en} ${weekdayEn[weekday]}`, zh: `${place.zh}${weekdayZh[weekday]}` };
}

function monthDay(day: number): Words {
  if (day === -1) return { en: 'last day', zh: '最后一天' };
  if (day < 0) return { en: `${ordinalEn(-day)} last day`, zh: `倒数第 ${-day} 天` };
  return { en: ordinalEn(day), zh: `${day} 日` };
}

function months(values: readonly number[]): Words {
  return {
    en: listEn(runs(values, (value) => monthEn[value - 1] ?? '', ' to ')),
    zh: `${runs(values, String, ' 至 ').join('、')} 月`,
  };
}

/** The dates within a month: `the 1st and 15th`, `the last Friday`; empty when there are none. */
function dates(days: Days): Words {
  const positive = days.monthDays.filter((day) => day > 0);
  const ranged = runs(positive, ordinalEn, ' to ');
  const rest = days.monthDays.filter((day) => day < 0).map(monthDay);
  const named = [...rest, ...days.extra, ...days.nth.map(nthWord)];
  const en = listEn([...ranged, ...named.map((word) => word.en)]);
  const zh = [...runs(positive, String, ' 至 ').map((text) => `${text} 日`), ...named.map((word) => word.zh)];
  return { en: en === '' ? '' : `the ${en}`, zh: zh.join('、') };
}

/** True when every day is meant. */
export function isEveryDay(days: Days): boolean {
  const { weekdays: week, nth, monthDays, extra, months: year } = days;
  return week.length + nth.length + monthDays.length + extra.length + year.length === 0;
}

/** The days as the start of a sentence: `Every day`, `Monday to Friday`, `On the 1st of every month`. */
export function dayWords(days: Days): Words {
  const date = dates(days);
  const week = weekdayWords(days.weekdays);
  const month = days.months.length === 0 ? null : months(days.months);
  const everyWeekdayEn = days.weekdays.length === 1 ? `Every ${week.en}` : week.en;
  if (date.en === '') {
    const en = week.en === '' ? 'Every day' : everyWeekdayEn;
    const zh = week.zh === '' ? '每天' : `每${week.zh}`;
    if (month === null) return { en, zh };
    return { en: `${en} in ${month.en}`, zh: `${month.zh}${week.zh === '' ? '' : '的'}${zh}` };
  }
  const single =
    days.months.length === 1 && days.monthDays.length === 1 && days.extra.length + days.nth.length === 0;
  const day = days.monthDays[0] ?? 0;
  const first: Words =
    month === null
      ? days.yearly
        ? { en: `On ${date.en} of every year`, zh: `每年 ${date.zh}` }
        : { en: `On ${date.en} of every month`, zh: `每月 ${date.zh}` }
      : single && day > 0
        ? { en: `Every year on ${day} ${month.en}`, zh: `每年 ${month.zh} ${date.zh}` }
        : { en: `On ${date.en} of ${month.en}`, zh: `每年 ${month.zh}的 ${date.zh}` };
  const spaced = { en: first.en, zh: first.zh.replace(/ (?=[最倒第离])/, '') };
  if (week.en === '') return spaced;
  if (days.join === 'and')
    return { en: `${spaced.en} if it is ${week.en}`, zh: `${spaced.zh}且为${week.zh}` };
  return { en: `${spaced.en}, and every ${week.en}`, zh: `${spaced.zh}，以及每${week.zh}` };
}

/** The days after "every n weeks": ` on Friday`, ` on the 1st`, ` in March`; empty when there are none. */
export function onDays(days: Days): Words {
  const date = dates(days);
  const week = weekdayWords(days.weekdays);
  const month = days.months.length === 0 ? null : months(days.months);
  const parts = [date.en, week.en].filter((text) => text !== '');
  const en = `${parts.length === 0 ? '' : ` on ${parts.join(' if it is ')}`}${
    month === null ? '' : `${parts.length === 0 ? ' in ' : ' of '}${month.en}`
  }`;
  if (month !== null && parts.length === 0) return { en, zh: `（仅 ${month.zh}）` };
  const zh = [month?.zh ?? '', date.zh, week.zh].filter((text) => text !== '').join(' ');
  return { en, zh: zh === '' ? '' : `的 ${zh}`.replace(/的 (?=[周最倒第])/, '的') };
}

/** Days with a cadence: `Every 30 minutes, Monday to Friday`. */
export function cadenceOn(cadence: Words, days: Days): Words {
  if (isEveryDay(days)) return cadence;
  const on = dayWords(days);
  const lower = /^(Every|On)\b/.test(on.en) ? on.en.charAt(0).toLowerCase() + on.en.slice(1) : on.en;
  return { en: `${cadence.en}, ${lower}`, zh: `${on.zh}，${cadence.zh}` };
}

/** The zone in brackets behind the words. */
export function withZone(words: Words, zone: string | undefined): Words {
  if (zone === undefined) return words;
  return { en: `${words.en} (${zone})`, zh: `${words.zh}（${zone}）` };
}
