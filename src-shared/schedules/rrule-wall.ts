import { RRuleTemporal } from 'rrule-temporal';
import type { RuleParts } from './rrule-parts.ts';
import { changeNear, instantOf, wallAt } from './wall.ts';

/** Where the occurrences of a rule lie. Instants are milliseconds. */
export interface Occurrences {
  next(after: number): number | null;
  previous(before: number): number | null;
  /** True when the rule itself names this wall-clock time. */
  hasWall(wall: number): boolean;
}

/**
 * Periods the library may look through: a rule by days that happens each 29 February steps 8 × 366 days, and
 * its search backwards looks at up to four times as many.
 */
const maxPeriods = 13_000;

function libraryRule(
  rule: RuleParts,
  dtstart: number,
  more: { count?: number; maxIterations: number },
): RRuleTemporal {
  const start = `${new Date(dtstart).toISOString().replace('Z', '')}+00:00[UTC]`;
  return new RRuleTemporal({
    freq: rule.freq,
    interval: rule.interval,
    ...(rule.hours.length > 0 && { byHour: [...rule.hours] }),
    ...(rule.minutes.length > 0 && { byMinute: [...rule.minutes] }),
    ...(rule.weekdays.length > 0 && {
      byDay: rule.weekdays.map(({ n, day }) => (n === 0 ? day : `${n}${day}`)),
    }),
    ...(rule.monthDays.length > 0 && { byMonthDay: [...rule.monthDays] }),
    ...(rule.yearDays.length > 0 && { byYearDay: [...rule.yearDays] }),
    ...(rule.weekNumbers.length > 0 && { byWeekNo: [...rule.weekNumbers] }),
    ...(rule.months.length > 0 && { byMonth: [...rule.months] }),
    ...(rule.positions.length > 0 && { bySetPos: [...rule.positions] }),
    wkst: rule.weekStart,
    tzid: 'UTC',
    dtstart: { timeZoneId: 'UTC', toString: () => start },
    cache: false,
    ...more,
  });
}

/** Wall times of the rule next to a wall time; `null` when there are none within reach. */
class Walls {
  readonly #rule: RRuleTemporal;
  readonly #last: number;

  constructor(rule: RuleParts, dtstart: number) {
    this.#rule = libraryRule(rule, dtstart, { maxIterations: maxPeriods });
    this.#last = rule.count === null ? Number.POSITIVE_INFINITY : this.#lastOf(rule, dtstart, rule.count);
  }

  #lastOf(rule: RuleParts, dtstart: number, count: number): number {
    const maxIterations = maxPeriods + count;
    try {
      const all = libraryRule(rule, dtstart, { count, maxIterations }).all();
      return all.at(-1)?.epochMilliseconds ?? Number.NEGATIVE_INFINITY;
    } catch {
      // Fewer than COUNT within reach of the library: then COUNT ends nothing that can be reached.
      return Number.POSITIVE_INFINITY;
    }
  }

  after(wall: number): number | null {
    const found = this.#ask(() => this.#rule.next(new Date(wall), false));
    return found === null || found > this.#last ? null : found;
  }

  before(wall: number): number | null {
    if (wall > this.#last) return this.#last;
    return this.#ask(() => this.#rule.previous(new Date(wall), false));
  }

  #ask(query: () => { epochMilliseconds: number } | null): number | null {
    try {
      return query()?.epochMilliseconds ?? null;
    } catch {
      // The library throws, with no type of its own, when nothing lies within maxPeriods (30 February).
      return null;
    }
  }
}

/**
 * Occurrences of a rule by days or slower. The library computes on wall-clock time (as if in UTC), and each
 * wall time is mapped to an instant here: a time the clocks jump over comes later by the jump, so that no day
 * is skipped (the library alone would skip it); a time that comes twice is taken once, the first.
 * `anchor` is the instant the rule counts from, on a whole minute.
 */
export function wallOccurrences(rule: RuleParts, zone: string, anchor: number): Occurrences {
  const walls = new Walls(rule, wallAt(zone, anchor));
  return {
    next(after) {
      // Around a jump the mapping is not in order (02:30 becomes 03:30, past 03:00), so the jump is searched whole.
      let wall: number | null = wallAt(zone, after) - Math.max(0, changeNear(zone, after));
      let best: number | null = null;
      for (;;) {
        wall = walls.after(wall);
        if (wall === null || (best !== null && wall > wallAt(zone, best))) return best;
        const at = instantOf(zone, wall);
        if (at > after && (best === null || at < best)) best = at;
        if (best === at && wallAt(zone, at) === wall) return best;
      }
    },
    previous(before) {
      const change = Math.abs(changeNear(zone, before));
      let wall: number | null = wallAt(zone, before) + change;
      let best: number | null = null;
      for (;;) {
        wall = walls.before(wall);
        if (wall === null) return best;
        const at = instantOf(zone, wall);
        if (at < before && (best === null || at > best)) best = at;
        if (best === null) continue;
        const jump = Math.max(0, changeNear(zone, best));
        if (jump === 0 || wall < wallAt(zone, best) - jump) return best;
      }
    },
    hasWall: (wall) => walls.after(wall - 1) === wall,
  };
}
