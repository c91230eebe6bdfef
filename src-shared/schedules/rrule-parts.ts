import { ScheduleError } from './kind.ts';

export const weekdayCodes = ['SU', 'MO', 'TU', 'WE', 'TH', 'FR', 'SA'] as const;
export type WeekdayCode = (typeof weekdayCodes)[number];
const frequencies = ['YEARLY', 'MONTHLY', 'WEEKLY', 'DAILY', 'HOURLY', 'MINUTELY'] as const;
export type Frequency = (typeof frequencies)[number];

/** UNTIL as written: an instant (with Z), or a wall that is read in the zone. Milliseconds. */
export interface Until {
  wall: number;
  utc: boolean;
}

/** A rule, read. Lists are empty when the part is missing. */
export interface RuleParts {
  /** `FREQ=…` in upper case without the prefix. */
  body: string;
  freq: Frequency;
  interval: number;
  count: number | null;
  until: Until | null;
  hours: readonly number[];
  minutes: readonly number[];
  /** `n` is 0 for every such weekday. */
  weekdays: readonly { n: number; day: WeekdayCode }[];
  monthDays: readonly number[];
  yearDays: readonly number[];
  weekNumbers: readonly number[];
  months: readonly number[];
  positions: readonly number[];
  weekStart: WeekdayCode;
}

/** A rule with more occurrences than this is better written without COUNT; finding its end takes long. */
const maxCount = 100_000;
const known = [
  ...['FREQ', 'INTERVAL', 'COUNT', 'UNTIL', 'BYSECOND', 'BYMINUTE', 'BYHOUR', 'BYDAY', 'BYMONTHDAY'],
  ...['BYYEARDAY', 'BYWEEKNO', 'BYMONTH', 'BYSETPOS', 'WKST'],
];

/** A ScheduleError `schedule_invalid` about the rule. */
export function ruleError(message: string, hint: string): ScheduleError {
  return new ScheduleError('schedule_invalid', 'schedule.rrule', message, hint);
}

function split(input: string): { body: string; parts: Map<string, string> } {
  const text = input.trim();
  if (/DTSTART|TZID/i.test(text)) {
    throw ruleError(
      'A start (DTSTART) or zone (TZID) stands inside the rule.',
      'Write only the rule, e.g. FREQ=DAILY;BYHOUR=9;BYMINUTE=0; the zone goes into timezone, the start into anchor_at.',
    );
  }
  if (/EXDATE|RDATE|EXRULE|[\r\n]/i.test(text)) {
    throw ruleError('Only one rule is possible, without exceptions.', 'Write one line beginning with FREQ=.');
  }
  const body = text
    .toUpperCase()
    .replace(/^RRULE:/, '')
    .replace(/\s+/g, '')
    .replace(/;+$/, '');
  if (body === '') throw ruleError('The rule is empty.', 'Write e.g. FREQ=DAILY;BYHOUR=9;BYMINUTE=0.');
  const parts = new Map<string, string>();
  for (const part of body.split(';')) {
    const at = part.indexOf('=');
    const [name, value] = [part.slice(0, Math.max(at, 0)), part.slice(at + 1)];
    if (at <= 0 || value === '') throw ruleError(`"${part}" is not a part of a rule.`, 'Write NAME=VALUE.');
    if (!known.includes(name))
      throw ruleError(`${name} is not a part of a rule.`, `Known are ${known.join(', ')}.`);
    if (parts.has(name))
      throw ruleError(`${name} is given twice.`, 'Write it once, with commas between values.');
    parts.set(name, value);
  }
  return { body, parts };
}

function whole(name: string, text: string, min: number, max: number): number {
  const value = /^[+-]?\d+$/.test(text) ? Number(text) : Number.NaN;
  if (!(value >= min && value <= max)) {
    throw ruleError(`${name}=${text} is outside ${min} to ${max}.`, `Write ${name} from ${min} to ${max}.`);
  }
  return value;
}

function numbers(parts: Map<string, string>, name: string, min: number, max: number): number[] {
  const text = parts.get(name);
  if (text === undefined) return [];
  const values = text.split(',').map((item) => whole(name, item, min, max));
  if (min < 0 && values.includes(0))
    throw ruleError(`${name}=0 does not exist.`, 'Count from 1, or from -1 backwards.');
  return [...new Set(values)].sort((a, b) => a - b);
}

function weekdayList(text: string | undefined, freq: Frequency): { n: number; day: WeekdayCode }[] {
  if (text === undefined) return [];
  return text.split(',').map((item) => {
    const match = /^([+-]?\d{1,2})?(SU|MO|TU|WE|TH|FR|SA)$/.exec(item);
    const n = Number(match?.[1] ?? 0);
    if (match === null || (match[1] !== undefined && (n === 0 || Math.abs(n) > 53))) {
      throw ruleError(
        `BYDAY=${item} is not a weekday.`,
        'Write MO, TU, WE, TH, FR, SA, SU, or 2TU, -1FR in months.',
      );
    }
    if (n !== 0 && freq !== 'MONTHLY' && freq !== 'YEARLY') {
      throw ruleError(
        `BYDAY=${item} counts weekdays, which needs FREQ=MONTHLY or YEARLY.`,
        `Write BYDAY=${match[2]}.`,
      );
    }
    return { n, day: match[2] as WeekdayCode };
  });
}

function untilOf(text: string | undefined): Until | null {
  if (text === undefined) return null;
  const match = /^(\d{4})(\d{2})(\d{2})(?:T(\d{2})(\d{2})(\d{2})(Z)?)?$/.exec(text);
  const [y, m, d] = [Number(match?.[1]), Number(match?.[2]), Number(match?.[3])];
  const date = new Date(0);
  if (match !== null) date.setUTCFullYear(y, m - 1, d);
  const [h, min, s] = [Number(match?.[4] ?? 23), Number(match?.[5] ?? 59), Number(match?.[6] ?? 59)];
  if (
    match === null ||
    date.getUTCMonth() !== m - 1 ||
    date.getUTCDate() !== d ||
    h > 23 ||
    min > 59 ||
    s > 60
  ) {
    throw ruleError(
      `UNTIL=${text} is not a date.`,
      'Write 20261231 (that day included) or 20261231T150000Z.',
    );
  }
  return {
    wall: date.getTime() + ((h * 60 + min) * 60 + Math.min(s, 59)) * 1000,
    utc: match[7] !== undefined,
  };
}

function refuseWhatCannotBe(rule: RuleParts, parts: Map<string, string>): void {
  const seconds = parts.get('BYSECOND');
  if (seconds !== undefined && !/^0+$/.test(seconds)) {
    throw ruleError('BYSECOND: nothing runs at a part of a minute.', 'Leave BYSECOND out.');
  }
  if (rule.count !== null && rule.until !== null) {
    throw ruleError('COUNT and UNTIL exclude each other.', 'Keep one of the two.');
  }
  const { freq } = rule;
  const elapsed = freq === 'HOURLY' || freq === 'MINUTELY';
  const wrong = (name: string, hint: string) => ruleError(`${name} does not go with FREQ=${freq}.`, hint);
  if (rule.weekNumbers.length > 0 && freq !== 'YEARLY') throw wrong('BYWEEKNO', 'Use FREQ=YEARLY.');
  if (rule.weekNumbers.length > 0 && rule.weekdays.some(({ n }) => n !== 0)) {
    throw ruleError('BYWEEKNO does not go with counted weekdays.', 'Write BYDAY=MO instead of BYDAY=1MO.');
  }
  if (rule.yearDays.length > 0 && (freq === 'DAILY' || freq === 'WEEKLY' || freq === 'MONTHLY')) {
    throw wrong('BYYEARDAY', 'Use FREQ=YEARLY.');
  }
  if (rule.monthDays.length > 0 && freq === 'WEEKLY') throw wrong('BYMONTHDAY', 'Use FREQ=MONTHLY.');
  if (rule.positions.length > 0 && elapsed) throw wrong('BYSETPOS', 'Use FREQ=DAILY or slower.');
  const others = [
    rule.weekdays,
    rule.monthDays,
    rule.yearDays,
    rule.weekNumbers,
    rule.months,
    rule.hours,
    rule.minutes,
  ];
  if (rule.positions.length > 0 && others.every((list) => list.length === 0)) {
    throw ruleError('BYSETPOS needs another BY part to choose from.', 'Add e.g. BYDAY=MO,TU,WE,TH,FR.');
  }
}

/** Reads the body of a rule, with or without `RRULE:`. Throws ScheduleError `schedule_invalid`. */
export function readRule(input: string): RuleParts {
  const { body, parts } = split(input);
  const freq = frequencies.find((name) => name === parts.get('FREQ'));
  if (freq === undefined) {
    const given = parts.get('FREQ');
    if (given === 'SECONDLY') throw ruleError('FREQ=SECONDLY is too often.', 'Use MINUTELY or slower.');
    throw ruleError(
      given === undefined ? 'FREQ is missing.' : `FREQ=${given} is not a frequency.`,
      `Write FREQ=${frequencies.join(', ')}.`,
    );
  }
  const start = parts.get('WKST') ?? 'MO';
  const weekStart = weekdayCodes.find((code) => code === start);
  if (weekStart === undefined) throw ruleError(`WKST=${start} is not a weekday.`, 'Write MO or SU.');
  const optional = (name: string, max: number) => {
    const text = parts.get(name);
    return text === undefined ? null : whole(name, text, 1, max);
  };
  const rule: RuleParts = {
    body,
    freq,
    interval: optional('INTERVAL', 1_000_000) ?? 1,
    count: optional('COUNT', maxCount),
    until: untilOf(parts.get('UNTIL')),
    hours: numbers(parts, 'BYHOUR', 0, 23),
    minutes: numbers(parts, 'BYMINUTE', 0, 59),
    weekdays: weekdayList(parts.get('BYDAY'), freq),
    monthDays: numbers(parts, 'BYMONTHDAY', -31, 31),
    yearDays: numbers(parts, 'BYYEARDAY', -366, 366),
    weekNumbers: numbers(parts, 'BYWEEKNO', -53, 53),
    months: numbers(parts, 'BYMONTH', 1, 12),
    positions: numbers(parts, 'BYSETPOS', -366, 366),
    weekStart,
  };
  refuseWhatCannotBe(rule, parts);
  return rule;
}
