import type { PageWords } from '../src-shared/words/page-en.ts';

/** Pure formatting of instants, durations and sizes. All instants and durations are milliseconds. */

export type Language = 'en' | 'zh-CN';

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

const dateFormats = new Map<string, Intl.DateTimeFormat>();
const zones = new Map<string, string>();

/** Making a format is slow and the page asks for the same few each second, so each is made once. */
function dateFormat(language: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const key = `${language} ${JSON.stringify(options)}`;
  const known = dateFormats.get(key);
  if (known !== undefined) return known;
  const made = new Intl.DateTimeFormat(language, options);
  dateFormats.set(key, made);
  return made;
}

/** A duration in words: "8 s", "2 min 5 s", "3 h 10 min", "2 d 4 h". Negative counts as zero. */
export function duration(ms: number, words: PageWords['time']): string {
  const whole = Math.max(0, Math.round(ms / second));
  if (whole < 60) return words.seconds(whole);
  if (whole < 3600) {
    const seconds = whole % 60;
    const minutes = Math.floor(whole / 60);
    return seconds === 0 ? words.minutes(minutes) : words.minutesSeconds(minutes, seconds);
  }
  if (whole < 86_400) return words.hoursMinutes(Math.floor(whole / 3600), Math.floor((whole % 3600) / 60));
  return words.days(Math.floor(whole / 86_400), Math.floor((whole % 86_400) / 3600));
}

/** A duration that is only an estimate: whole minutes, or tens of seconds, rounded up. */
export function roughDuration(ms: number, words: PageWords['time']): string {
  const grain = ms < minute ? 10 * second : ms < hour ? minute : 10 * minute;
  return duration(Math.ceil(Math.max(ms, 1) / grain) * grain, words);
}

/** An elapsed time as a clock shows it: "00:08", "12:41", "1:02:41". Negative counts as zero. */
export function elapsed(ms: number): string {
  const whole = Math.max(0, Math.floor(ms / second));
  const two = (value: number) => String(value).padStart(2, '0');
  const hours = Math.floor(whole / 3600);
  const rest = `${two(Math.floor((whole % 3600) / 60))}:${two(whole % 60)}`;
  return hours === 0 ? rest : `${hours}:${rest}`;
}

/** The distance of `at` from `now`: "in 22 hours", "3 分钟前". Within 5 seconds it is `nowWord`. */
export function relative(at: number, now: number, language: Language, nowWord: string): string {
  const distance = at - now;
  const size = Math.abs(distance);
  if (size < 5 * second) return nowWord;
  const format = new Intl.RelativeTimeFormat(language, { numeric: 'always', style: 'short' });
  const [unit, ms] =
    size < minute
      ? (['second', second] as const)
      : size < hour
        ? (['minute', minute] as const)
        : size < day
          ? (['hour', hour] as const)
          : (['day', day] as const);
  return format.format(Math.trunc(distance / ms), unit);
}

function sameDay(a: number, b: number, timeZone: string): boolean {
  const format = dateFormat('en-CA', { timeZone, dateStyle: 'short' });
  return format.format(a) === format.format(b);
}

/** Time of day of an instant, 24 hours: today "14:30", this year "29 Nov 14:30", else with the year. */
export function shortTime(at: number, now: number, language: Language, timeZone: string): string {
  const time: Intl.DateTimeFormatOptions = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23', timeZone };
  if (sameDay(at, now, timeZone)) return dateFormat(language, time).format(at);
  const year = dateFormat('en', { year: 'numeric', timeZone });
  const date: Intl.DateTimeFormatOptions = { day: 'numeric', month: 'short' };
  if (year.format(at) !== year.format(now)) date.year = 'numeric';
  return dateFormat(language, { ...date, ...time }).format(at);
}

/** An instant to the second, for details. */
export function exactTime(at: number, language: Language, timeZone: string): string {
  return dateFormat(language, {
    year: 'numeric',
    month: 'short',
    day: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    hourCycle: 'h23',
    timeZone,
  }).format(at);
}

/** The whole instant with weekday, seconds and zone, for titles. */
export function fullTime(at: number, language: Language, timeZone: string): string {
  return dateFormat(language, {
    weekday: 'short',
    year: 'numeric',
    month: 'short',
    day: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    hourCycle: 'h23',
    timeZoneName: 'short',
    timeZone,
  }).format(at);
}

/** A number of bytes: "812 B", "1.2 KB", "8.4 MB" (units of 1024). */
export function bytes(count: number): string {
  if (count < 1024) return `${count} B`;
  const units = ['KB', 'MB', 'GB', 'TB'];
  let value = count / 1024;
  let index = 0;
  while (value >= 1024 && index < units.length - 1) {
    value /= 1024;
    index += 1;
  }
  return `${value < 10 ? value.toFixed(1) : Math.round(value)} ${units[index]}`;
}

/** The language that a voice and the glyphs should take for a text of unknown origin. */
export function scriptOf(text: string): 'zh' | 'en' {
  return /\p{Script=Han}/u.test(text.slice(0, 2000)) ? 'zh' : 'en';
}

/** A known zone, or the browser's own when the host named one that this browser does not know. */
export function usableZone(timeZone: string | undefined): string {
  const key = timeZone ?? '';
  const known = zones.get(key);
  if (known !== undefined) return known;
  const found = findZone(timeZone);
  zones.set(key, found);
  return found;
}

function findZone(timeZone: string | undefined): string {
  const own = dateFormat('en', {}).resolvedOptions().timeZone;
  if (timeZone === undefined) return own;
  try {
    return dateFormat('en', { timeZone }).resolvedOptions().timeZone;
  } catch {
    return own;
  }
}
