import {
  BoundedCache,
  horizonMs,
  type Locale,
  type RRuleSchedule,
  rruleSchema,
  type ScheduleContext,
  ScheduleError,
  type ScheduleModule,
  type ScheduleWarning,
} from './kind.ts';
import { type Words, withZone } from './phrases.ts';
import { elapsedOccurrences } from './rrule-elapsed.ts';
import { type RuleParts, readRule } from './rrule-parts.ts';
import { type Occurrences, wallOccurrences } from './rrule-wall.ts';
import { ruleWarnings, ruleWords } from './rrule-words.ts';
import { changeNear, dateText, instantOf, timeText, wallAt } from './wall.ts';
import { checkZone, zoneWarnings } from './zone.ts';

interface Compiled {
  rule: RuleParts;
  zone: string;
  occurrences: Occurrences;
  /** No occurrence is after this instant; Infinity without UNTIL. */
  until: number;
}

const compiled = new BoundedCache<Compiled>(256);
const minute = 60_000;

function untilInstant(rule: RuleParts, zone: string): number {
  if (rule.until === null) return Number.POSITIVE_INFINITY;
  return rule.until.utc ? rule.until.wall : instantOf(zone, rule.until.wall);
}

function compile(text: string, timezone: string, anchorAt: number): Compiled {
  // Anchors count from the whole minute (ruling 24); a wrong anchor must not reach Date.
  const anchor = Math.floor(anchorAt / minute) * minute;
  return compiled.get(`${timezone}\n${anchor}\n${text}`, () => {
    const rule = readRule(text);
    const zone = checkZone(timezone);
    if (!(Math.abs(anchor) < 8e15)) {
      throw new ScheduleError(
        'schedule_invalid',
        'schedule.anchor_at',
        `The anchor ${anchorAt} is not an instant.`,
        'Write milliseconds since 1970.',
      );
    }
    const elapsed = rule.freq === 'HOURLY' || rule.freq === 'MINUTELY';
    const occurrences = (elapsed ? elapsedOccurrences : wallOccurrences)(rule, zone, anchor);
    return { rule, zone, occurrences, until: untilInstant(rule, zone) };
  });
}

function compiledOf(schedule: RRuleSchedule, ctx: ScheduleContext): Compiled {
  return compile(schedule.rrule, schedule.timezone ?? ctx.timezone, schedule.anchor_at ?? ctx.anchorAt);
}

function normalize(schedule: RRuleSchedule, ctx: ScheduleContext): RRuleSchedule {
  const timezone = checkZone(schedule.timezone ?? ctx.timezone);
  const anchor = Math.floor((schedule.anchor_at ?? ctx.anchorAt) / minute) * minute;
  const { rule, occurrences, until } = compile(schedule.rrule, timezone, anchor);
  const first = occurrences.next(anchor - 1);
  if (first === null || first - anchor > horizonMs) {
    throw new ScheduleError(
      'schedule_never',
      'schedule.rrule',
      `"${rule.body}" has no run within the 8 years after ${dateText(wallAt(timezone, anchor))}.`,
      'Check BYMONTH, BYMONTHDAY and INTERVAL.',
    );
  }
  if (first > until) {
    throw new ScheduleError(
      'schedule_never',
      'schedule.rrule',
      `UNTIL lies before the first run, ${dateText(wallAt(timezone, first))} ${timeText(wallAt(timezone, first))}.`,
      'Write a later UNTIL or leave it out.',
    );
  }
  return { kind: 'rrule', rrule: rule.body, timezone, anchor_at: anchor };
}

/** The rule and the local reading of its anchor, for words; null when it cannot be read. */
function reading(schedule: RRuleSchedule): { rule: RuleParts; anchorWall: number | null } | null {
  try {
    const rule = readRule(schedule.rrule);
    const { anchor_at: anchor, timezone } = schedule;
    const known = anchor !== undefined && timezone !== undefined;
    return { rule, anchorWall: known ? wallAt(timezone, Math.floor(anchor / minute) * minute) : null };
  } catch {
    // Words and warnings are asked for rows that others wrote as well; normalize is where errors are told.
    return null;
  }
}

function wordsOf(schedule: RRuleSchedule): Words {
  const read = reading(schedule);
  if (read === null) return { en: `Rule "${schedule.rrule}"`, zh: `规则“${schedule.rrule}”` };
  return ruleWords(read.rule, read.anchorWall);
}

/**
 * An RFC 5545 rule without start: it counts from `anchor_at`, and takes from there what it does not say itself.
 * DAILY and slower run at local wall-clock times, HOURLY and MINUTELY at elapsed time.
 */
export const rruleModule: ScheduleModule<RRuleSchedule> = {
  kind: 'rrule',
  schema: rruleSchema,
  normalize,
  next(schedule, after, ctx) {
    const { occurrences, until } = compiledOf(schedule, ctx);
    if (after >= until) return null;
    const found = occurrences.next(after);
    return found === null || found > until ? null : found;
  },
  previous(schedule, before, ctx) {
    const { occurrences, until } = compiledOf(schedule, ctx);
    return occurrences.previous(Math.min(before, until + 1));
  },
  describe(schedule, locale: Locale): string {
    const words = withZone(wordsOf(schedule), schedule.timezone);
    return locale === 'en' ? words.en : words.zh;
  },
  warnings(schedule): ScheduleWarning[] {
    const read = reading(schedule);
    const own = read === null ? [] : ruleWarnings(read.rule, read.anchorWall);
    return [...own, ...zoneWarnings(schedule.timezone)];
  },
  skippedWall(schedule, at, ctx) {
    const { occurrences, zone } = compiledOf(schedule, ctx);
    const jump = changeNear(zone, at);
    if (jump <= 0) return null;
    const wall = wallAt(zone, at) - jump;
    return instantOf(zone, wall) === at && occurrences.hasWall(wall) ? wall : null;
  },
  runsTwice(schedule) {
    return /FREQ=(HOURLY|MINUTELY)/i.test(schedule.rrule);
  },
};
