import { ScheduleError } from './kind.ts';

/** One field of a cron expression, read. */
export interface CronField {
  text: string;
  /** True for `*` and `?`. */
  any: boolean;
  /** n of a field that is just `*` with step n; null otherwise. */
  step: number | null;
  /** The values in order; null when the field has L, W or #, which depend on the month. */
  values: readonly number[] | null;
  /** Values that were written as single numbers, not as part of a range or step. */
  singles: readonly number[];
}

export interface CronFields {
  /** Five fields with single spaces, nicknames replaced. */
  expression: string;
  minute: CronField;
  hour: CronField;
  day: CronField;
  month: CronField;
  weekday: CronField;
  /** True when `+` before the weekday asks for day of month AND day of week. */
  both: boolean;
}

interface Spec {
  name: string;
  min: number;
  max: number;
  /** How many different values there are; the largest step. */
  size: number;
  names: readonly string[];
}

const monthNames = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const weekdayNames = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];
const specs = {
  minute: { name: 'minute', min: 0, max: 59, size: 60, names: [] },
  hour: { name: 'hour', min: 0, max: 23, size: 24, names: [] },
  day: { name: 'day of month', min: 1, max: 31, size: 31, names: [] },
  month: { name: 'month', min: 1, max: 12, size: 12, names: monthNames },
  weekday: { name: 'day of week', min: 0, max: 7, size: 7, names: weekdayNames },
} as const satisfies Record<string, Spec>;

const nicknames: Record<string, string> = {
  '@yearly': '0 0 1 1 *',
  '@annually': '0 0 1 1 *',
  '@monthly': '0 0 1 * *',
  '@weekly': '0 0 * * 0',
  '@daily': '0 0 * * *',
  '@midnight': '0 0 * * *',
  '@hourly': '0 * * * *',
};

/** A ScheduleError `schedule_invalid` about the expression. */
export function cronError(message: string, hint: string): ScheduleError {
  return new ScheduleError('schedule_invalid', 'schedule.expression', message, hint);
}

function nickname(text: string): string {
  const found = nicknames[text.toLowerCase()];
  if (found !== undefined) return found;
  if (/^@every\b/i.test(text)) {
    const duration = /^@every\s+(\d+)\s*(s|m|h)$/i.exec(text);
    const unit = { s: 1000, m: 60_000, h: 3_600_000 }[(duration?.[2] ?? 'm').toLowerCase()] ?? 60_000;
    const ms = duration === null ? 'the interval in milliseconds' : String(Number(duration[1]) * unit);
    throw cronError(
      '@every is an interval, not a cron expression.',
      `Use an interval: {"kind": "every", "interval_ms": ${ms}}.`,
    );
  }
  if (/^@reboot\b/i.test(text)) {
    throw cronError(
      '@reboot is not a time: NextRun runs at times, not at the start of the machine.',
      'Write a time such as "0 9 * * *".',
    );
  }
  throw cronError(`"${text}" is not a known nickname.`, `Known are ${Object.keys(nicknames).join(', ')}.`);
}

function split(input: string): string[] {
  const text = input.trim();
  if (text === '') throw cronError('The cron expression is empty.', 'Write five fields, e.g. "0 9 * * *".');
  const zone = /^(?:CRON_)?TZ=(\S+)\s+(.*)$/i.exec(text);
  if (zone !== null) {
    throw cronError(
      'A time zone stands inside the expression.',
      `Write "${zone[2]}" and put "${zone[1]}" into the time zone.`,
    );
  }
  const parts = (text.startsWith('@') ? nickname(text) : text).split(/\s+/);
  if (parts.length === 5) return parts;
  if (parts.length === 6 || parts.length === 7) {
    const rest = parts.slice(1, 6).join(' ');
    throw cronError(
      `The expression has ${parts.length} fields; cron here has exactly five (minute, hour, day, month, weekday), ` +
        'without seconds and years.',
      `Leave the seconds out: "${rest}". Nothing runs more often than once a minute.`,
    );
  }
  throw cronError(
    `The expression has ${parts.length} field${parts.length === 1 ? '' : 's'}; cron has exactly five.`,
    'Write minute, hour, day of month, month and day of week, e.g. "0 9 * * 1-5".',
  );
}

function value(text: string, spec: Spec, endOfRange: boolean): number {
  const named = spec.names.indexOf(text.toLowerCase());
  if (named >= 0) {
    if (spec.max === 12) return named + 1;
    // FRI-SUN ends with the Sunday after Friday.
    return named === 0 && endOfRange ? 7 : named;
  }
  const number = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (Number.isNaN(number)) {
    throw cronError(
      `"${text}" in the ${spec.name} field cannot be read.`,
      `Write numbers from ${spec.min} to ${spec.max}, *, lists (1,2), ranges (1-5) or steps (*/2).`,
    );
  }
  if (number < spec.min || number > spec.max) {
    throw cronError(
      `${text} is outside the ${spec.name} field, which takes ${spec.min} to ${spec.max}.`,
      `Write a number from ${spec.min} to ${spec.max}.`,
    );
  }
  return number;
}

function stepOf(text: string | undefined, spec: Spec): number {
  if (text === undefined) return 1;
  const step = /^\d+$/.test(text) ? Number(text) : 0;
  if (step === 0) {
    throw cronError(
      `The step "/${text}" in the ${spec.name} field is not a step.`,
      'Write a step of 1 or more.',
    );
  }
  if (step > spec.size) {
    const hint =
      spec.name === 'minute' && step % 60 === 0 && step / 60 <= 24
        ? `For every ${step / 60} hours write "0 */${step / 60} * * *", or use an interval.`
        : 'Use an interval ("every") for anything longer.';
    throw cronError(
      `The step ${step} is larger than the ${spec.name} field, which takes ${spec.min} to ${spec.max}.`,
      hint,
    );
  }
  return step;
}

/** The values of one item between commas; null for L, W and #, which croner checks. */
function item(text: string, spec: Spec): number[] | null {
  if (text === '') {
    throw cronError(`The ${spec.name} field has an empty item.`, 'Remove the comma that is too many.');
  }
  const special =
    spec.name === 'day of month' ? /^(L|LW|\d+W)$/i : spec.name === 'day of week' ? /[#]|.L$/i : null;
  if (special?.test(text)) return null;
  const [body = '', stepText, ...more] = text.split('/');
  if (more.length > 0) throw cronError(`"${text}" has two steps.`, 'Write one step, e.g. */2.');
  const step = stepOf(stepText, spec);
  const top = spec.name === 'day of week' ? 6 : spec.max;
  let [low, high] = [spec.min, top];
  if (body !== '*' && body !== '?') {
    const [from = '', to, ...rest] = body.split('-');
    if (rest.length > 0 || from === '') {
      throw cronError(`"${text}" in the ${spec.name} field is not a range.`, 'Write a range such as 1-5.');
    }
    low = value(from, spec, false);
    high = to === undefined ? low : value(to, spec, true);
    if (to === undefined && stepText !== undefined) {
      throw cronError(
        `"${text}" in the ${spec.name} field has a step but no range.`,
        `Write "${low}-${top}/${stepText}" or "*/${stepText}".`,
      );
    }
    if (low > high) {
      throw cronError(
        `The range ${body} in the ${spec.name} field runs backwards.`,
        `Write "${low}-${top},${spec.min}-${high}".`,
      );
    }
  }
  const values: number[] = [];
  for (let at = low; at <= high; at += step) values.push(spec.size === 7 ? at % 7 : at);
  return values;
}

function readField(text: string, spec: Spec): CronField {
  const items = text.split(',').map((part) => item(part, spec));
  const known = items.filter((values) => values !== null);
  const singles = text.split(',').flatMap((part, index) => (/[-/*?]/.test(part) ? [] : (items[index] ?? [])));
  const step = /^[*?]\/(\d+)$/.exec(text);
  return {
    text,
    any: text === '*' || text === '?',
    step: step === null ? null : Number(step[1]),
    values: known.length === items.length ? [...new Set(known.flat())].sort((a, b) => a - b) : null,
    singles,
  };
}

/** Reads a cron expression of five fields or a nickname. Throws ScheduleError `schedule_invalid`. */
export function readCron(input: string): CronFields {
  const parts = split(input);
  const [minute = '', hour = '', day = '', month = '', week = ''] = parts;
  const both = week.startsWith('+');
  return {
    expression: parts.join(' '),
    minute: readField(minute, specs.minute),
    hour: readField(hour, specs.hour),
    day: readField(day, specs.day),
    month: readField(month, specs.month),
    weekday: readField(both ? week.slice(1) : week, specs.weekday),
    both,
  };
}
