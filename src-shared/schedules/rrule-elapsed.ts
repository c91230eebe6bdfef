import { horizonMs } from './kind.ts';
import { type RuleParts, weekdayCodes } from './rrule-parts.ts';
import type { Occurrences } from './rrule-wall.ts';
import { instantOf, wallAt } from './wall.ts';

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

interface Filter {
  date(wall: number): boolean;
  hour(wall: number): boolean;
}

function filterOf(rule: RuleParts): Filter {
  const hours = new Set(rule.hours);
  const months = new Set(rule.months);
  const weekdays = new Set(rule.weekdays.map((entry) => weekdayCodes.indexOf(entry.day)));
  const monthDays = new Set(rule.monthDays);
  const yearDays = new Set(rule.yearDays);
  const free = months.size + weekdays.size + monthDays.size + yearDays.size === 0;
  return {
    date(wall) {
      if (free) return true;
      const date = new Date(wall);
      const year = date.getUTCFullYear();
      const month = date.getUTCMonth();
      const dayOfMonth = date.getUTCDate();
      if (months.size > 0 && !months.has(month + 1)) return false;
      if (weekdays.size > 0 && !weekdays.has(date.getUTCDay())) return false;
      const length = new Date(Date.UTC(year, month + 1, 0)).getUTCDate();
      if (monthDays.size > 0 && !monthDays.has(dayOfMonth) && !monthDays.has(dayOfMonth - length - 1))
        return false;
      if (yearDays.size === 0) return true;
      const dayOfYear = Math.floor((wall - Date.UTC(year, 0, 1)) / day) + 1;
      const daysInYear = (Date.UTC(year + 1, 0, 1) - Date.UTC(year, 0, 1)) / day;
      return yearDays.has(dayOfYear) || yearDays.has(dayOfYear - daysInYear - 1);
    },
    hour: (wall) => hours.size === 0 || hours.has(Math.floor(wall / hour) % 24),
  };
}

/** The periods anchor + k × step that pass the filter, walked either way. */
class Periods {
  readonly #zone: string;
  readonly #anchor: number;
  readonly #step: number;
  readonly #filter: Filter;
  readonly #minutes: readonly number[];
  readonly #hourly: boolean;

  constructor(rule: RuleParts, zone: string, anchor: number) {
    this.#zone = zone;
    this.#anchor = anchor;
    this.#hourly = rule.freq === 'HOURLY';
    this.#step = rule.interval * (this.#hourly ? hour : minute);
    this.#filter = filterOf(rule);
    this.#minutes = rule.minutes;
  }

  /** The nearest occurrence after (`way` 1) or before (`way` -1) `from`; null when none is in the horizon. */
  nearest(from: number, way: 1 | -1): number | null {
    // Two periods early: the minutes of an hour reach up to an hour to both sides of its own instant.
    let k = Math.floor((from - this.#anchor) / this.#step) - 2 * way;
    if (k < 0 && way === 1) k = 0;
    const start = Math.max(from, this.#anchor);
    let best: number | null = null;
    while (k >= 0) {
      const at = this.#anchor + k * this.#step;
      const farthest = best === null ? start + horizonMs * way : best + hour * way;
      if ((at - farthest) * way > 0) return best;
      const wall = wallAt(this.#zone, at);
      const skip = this.#skip(at, wall, way);
      if (skip !== null) {
        const target = (skip - this.#anchor) / this.#step;
        // Across a change of the clocks local times come again, so nothing is jumped over there.
        if (wallAt(this.#zone, skip) - skip !== wall - at) k += way;
        else k = way === 1 ? Math.max(k + 1, Math.ceil(target)) : Math.min(k - 1, Math.floor(target));
        continue;
      }
      for (const found of this.#occurrences(at, wall)) {
        const nearer = best === null || (best - found) * way > 0;
        if (nearer && found >= this.#anchor && (found - from) * way > 0) best = found;
      }
      k += way;
    }
    return best;
  }

  /** The instant of the `count`-th occurrence, or null when it is not reached without an empty horizon. */
  nth(count: number): number | null {
    let at = this.#anchor - 1;
    // A period with a single occurrence needs no search around it.
    const single = !this.#hourly || this.#minutes.length === 0;
    for (let left = count; left > 0; left -= 1) {
      const step = at + this.#step;
      const next = single && at >= this.#anchor && this.#skip(step, wallAt(this.#zone, step), 1) === null;
      const found = next ? step : this.nearest(at, 1);
      if (found === null) return null;
      at = found;
    }
    return at;
  }

  /** The instant from which a period can pass again, when the one at `at` does not pass; else null. */
  #skip(at: number, wall: number, way: 1 | -1): number | null {
    if (!this.#filter.date(wall)) {
      const midnight = Math.floor(wall / day) * day;
      return way === 1 ? instantOf(this.#zone, midnight + day) : instantOf(this.#zone, midnight) - minute;
    }
    // Within a day elapsed time is used, so that an hour that comes twice is not jumped over.
    if (!this.#filter.hour(wall)) {
      const rest = wall - Math.floor(wall / hour) * hour;
      return way === 1 ? at + hour - rest : at - rest - minute;
    }
    const own = Math.floor(wall / minute) % 60;
    if (this.#hourly || this.#minutes.length === 0 || this.#minutes.includes(own)) return null;
    const ahead =
      way === 1
        ? (this.#minutes.find((value) => value > own) ?? (this.#minutes[0] ?? 0) + 60)
        : (this.#minutes.findLast((value) => value < own) ?? (this.#minutes.at(-1) ?? 0) - 60);
    return at + (ahead - own) * minute;
  }

  #occurrences(at: number, wall: number): number[] {
    if (!this.#hourly || this.#minutes.length === 0) return [at];
    const own = Math.floor(wall / minute) % 60;
    return this.#minutes.map((value) => at + (value - own) * minute);
  }
}

/** The instant of the COUNT-th occurrence, or Infinity when the rule has no COUNT or never gets there. */
function lastOf(rule: RuleParts, periods: Periods, anchor: number): number {
  if (rule.count === null) return Number.POSITIVE_INFINITY;
  const lists = [rule.hours, rule.minutes, rule.weekdays, rule.monthDays, rule.yearDays, rule.months];
  if (lists.every((list) => list.length === 0)) {
    return anchor + (rule.count - 1) * rule.interval * (rule.freq === 'HOURLY' ? hour : minute);
  }
  return periods.nth(rule.count) ?? Number.POSITIVE_INFINITY;
}

/**
 * Occurrences of an HOURLY or MINUTELY rule: periods of elapsed time from `anchor` (an instant on a whole
 * minute), whatever the clocks do; BYHOUR, BYDAY and the like look at the local time of the period, BYMINUTE
 * names the minutes of an HOURLY period.
 */
export function elapsedOccurrences(rule: RuleParts, zone: string, anchor: number): Occurrences {
  const periods = new Periods(rule, zone, anchor);
  const last = lastOf(rule, periods, anchor);
  return {
    next(after) {
      const found = periods.nearest(after, 1);
      return found === null || found > last ? null : found;
    },
    previous: (before) => periods.nearest(Math.min(before, last + 1), -1),
    hasWall: () => false,
  };
}
