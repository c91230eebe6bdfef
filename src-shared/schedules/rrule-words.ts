import { shortMonthWarnings } from './cron-words.ts';
import type { ScheduleWarning } from './kind.ts';
import {
  cadenceOn,
  clock,
  type Days,
  dayWords,
  listEn,
  minutesWords,
  onDays,
  placeWords,
  runs,
  type Words,
  weekdayWords,
} from './phrases.ts';
import { type Frequency, type RuleParts, weekdayCodes } from './rrule-parts.ts';
import { dateText, timeText } from './wall.ts';

const units: Record<Frequency, Words> = {
  YEARLY: { en: 'year', zh: '年' },
  MONTHLY: { en: 'month', zh: '个月' },
  WEEKLY: { en: 'week', zh: '周' },
  DAILY: { en: 'day', zh: '天' },
  HOURLY: { en: 'hour', zh: '小时' },
  MINUTELY: { en: 'minute', zh: '分钟' },
};

/** The days the rule means, those included that it takes from its anchor. */
function daysOf(rule: RuleParts, anchorWall: number | null): Days {
  const anchor = anchorWall === null ? null : new Date(anchorWall);
  const { freq } = rule;
  const days = {
    weekdays: rule.weekdays.filter(({ n }) => n === 0).map(({ day }) => weekdayCodes.indexOf(day)),
    nth: rule.weekdays
      .filter(({ n }) => n !== 0)
      .map(({ n, day }) => ({ n, weekday: weekdayCodes.indexOf(day) })),
    monthDays: [
      ...rule.monthDays.filter((day) => day > 0),
      ...rule.monthDays.filter((day) => day < 0).reverse(),
    ],
    extra: [] as Words[],
    yearly: freq === 'YEARLY' && rule.monthDays.length === 0,
    months: rule.months,
    join: 'and' as const,
  };
  const free =
    rule.weekdays.length + rule.monthDays.length + rule.yearDays.length + rule.weekNumbers.length === 0;
  if (chosen(rule)) return { ...days, weekdays: [], extra: chosenWords(rule, days.weekdays) };
  if (!free || anchor === null) return days;
  if (freq === 'WEEKLY') return { ...days, weekdays: [anchor.getUTCDay()] };
  if (freq === 'MONTHLY') return { ...days, monthDays: [anchor.getUTCDate()] };
  if (freq !== 'YEARLY') return days;
  const months = rule.months.length === 0 ? [anchor.getUTCMonth() + 1] : rule.months;
  return { ...days, monthDays: [anchor.getUTCDate()], months };
}

/** True for "the last of Monday to Friday of the month": weekdays of which BYSETPOS takes some. */
function chosen(rule: RuleParts): boolean {
  const others = rule.monthDays.length + rule.yearDays.length + rule.weekNumbers.length;
  const times = rule.hours.length > 1 || rule.minutes.length > 1;
  const plain = rule.weekdays.length > 0 && rule.weekdays.every(({ n }) => n === 0);
  const spanned = rule.freq === 'MONTHLY' || (rule.freq === 'YEARLY' && rule.months.length < 2);
  return rule.positions.length > 0 && plain && spanned && others === 0 && !times;
}

function chosenWords(rule: RuleParts, weekdays: readonly number[]): Words[] {
  const of = weekdayWords(weekdays);
  const one = weekdays.length === 1;
  return rule.positions.map((n) => {
    const place = placeWords(n);
    if (weekdays.length === 7) return { en: `${place.en} day`, zh: `${place.zh.replace('个', '')}天` };
    return {
      en: `${place.en} ${one ? '' : 'of '}${of.en}`,
      zh: `${place.zh}${one ? of.zh : `（${of.zh}）`}`,
    };
  });
}

/** Clock times, those included that come from the anchor; empty when there are too many or none is known. */
function timesOf(rule: RuleParts, anchorWall: number | null): string[] {
  if (anchorWall === null && (rule.hours.length === 0 || rule.minutes.length === 0)) return [];
  const anchor = new Date(anchorWall ?? 0);
  const hours = rule.hours.length === 0 ? [anchor.getUTCHours()] : rule.hours;
  const minutes = rule.minutes.length === 0 ? [anchor.getUTCMinutes()] : rule.minutes;
  if (hours.length * minutes.length > 8) return [];
  return hours.flatMap((hour) => minutes.map((minute) => clock(hour, minute)));
}

function cadence(rule: RuleParts): Words {
  const unit = units[rule.freq];
  if (rule.interval === 1) return { en: `Every ${unit.en}`, zh: `每${unit.zh}` };
  return { en: `Every ${rule.interval} ${unit.en}s`, zh: `每 ${rule.interval} ${unit.zh}` };
}

function elapsedWords(rule: RuleParts, days: Days): Words {
  const every = cadence(rule);
  const at = rule.minutes.length === 0 ? { en: '', zh: '' } : minutesWords(rule.minutes);
  const hours = runs(rule.hours, String, ' to ');
  const inside =
    hours.length === 0 ? { en: '', zh: '' } : { en: ` in the hours ${listEn(hours)}`, zh: hourZh(rule) };
  return cadenceOn(
    {
      en: `${every.en}${at.en === '' ? '' : ` at ${at.en}`}${inside.en}`,
      zh: `${every.zh}${at.zh}${inside.zh}`,
    },
    days,
  );
}

function hourZh(rule: RuleParts): string {
  return `（${runs(rule.hours, String, '–').join('、')} 点内）`;
}

function calendarWords(rule: RuleParts, days: Days, times: readonly string[]): Words {
  const every = cadence(rule);
  const on = onDays(days);
  const named = dayWords(days);
  // "Every day" is what no restriction reads as, which is right for DAILY only.
  const numbered = rule.yearDays.length + rule.weekNumbers.length > 0;
  const plain = numbered || (rule.freq !== 'DAILY' && on.en === '');
  const start = rule.interval > 1 || plain ? { en: every.en + on.en, zh: every.zh + on.zh } : named;
  const many = minutesHours(rule);
  if (times.length > 0)
    return { en: `${start.en} at ${listEn(times)}`, zh: `${start.zh} ${times.join('、')}` };
  return { en: start.en + many.en, zh: start.zh + many.zh };
}

function minutesHours(rule: RuleParts): Words {
  if (rule.hours.length === 0) return { en: '', zh: '' };
  const at = rule.minutes.length === 0 ? null : minutesWords(rule.minutes);
  const hours = listEn(runs(rule.hours, String, ' to '));
  const hoursZh = runs(rule.hours, String, '–').join('、');
  return {
    en: `${at === null ? '' : ` at ${at.en}`}${at === null ? ' in' : ' of'} the hours ${hours}`,
    zh: ` ${hoursZh} 点${at === null ? '' : `的${at.zh}`}`,
  };
}

/** What the sentence cannot say in words is quoted, so that nothing is hidden. */
function quoted(rule: RuleParts): string {
  const lists: [string, readonly number[]][] = [
    ['BYSETPOS', chosen(rule) ? [] : rule.positions],
    ['BYYEARDAY', rule.yearDays],
    ['BYWEEKNO', rule.weekNumbers],
  ];
  const parts = lists
    .filter(([, list]) => list.length > 0)
    .map(([name, list]) => `${name}=${list.join(',')}`);
  return parts.length === 0 ? '' : ` [${parts.join(';')}]`;
}

/**
 * A sentence for a rule, without the zone. `anchorWall` is the local reading of the anchor; null when it is not
 * known, then what comes from it is left out.
 */
export function ruleWords(rule: RuleParts, anchorWall: number | null): Words {
  const days = daysOf(rule, anchorWall);
  const elapsed = rule.freq === 'HOURLY' || rule.freq === 'MINUTELY';
  const words = elapsed ? elapsedWords(rule, days) : calendarWords(rule, days, timesOf(rule, anchorWall));
  const rest: Words = { en: quoted(rule), zh: quoted(rule) };
  if (rule.interval > 1 && anchorWall !== null) {
    const from = `${dateText(anchorWall)}${elapsed ? ` ${timeText(anchorWall)}` : ''}`;
    rest.en += `, counted from ${from}`;
    rest.zh += `，从 ${from} 起计`;
  }
  if (rule.count !== null) {
    rest.en += rule.count === 1 ? ', once' : `, ${rule.count} times`;
    rest.zh += `，共 ${rule.count} 次`;
  }
  if (rule.until !== null) {
    const until = `${dateText(rule.until.wall)}${rule.until.utc ? ` ${timeText(rule.until.wall)} UTC` : ''}`;
    rest.en += `, until ${until}`;
    rest.zh += `，至 ${until}`;
  }
  return { en: words.en + rest.en, zh: words.zh + rest.zh };
}

/** What may surprise in a rule. */
export function ruleWarnings(rule: RuleParts, anchorWall: number | null): ScheduleWarning[] {
  const days = daysOf(rule, anchorWall);
  if (rule.freq === 'HOURLY' || rule.freq === 'MINUTELY') return [];
  return shortMonthWarnings(
    days.monthDays.filter((day) => day > 0),
    days.months,
  );
}
