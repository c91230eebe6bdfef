import {
  type EverySchedule,
  everySchema,
  horizonMs,
  type Locale,
  type ScheduleContext,
  ScheduleError,
  type ScheduleModule,
} from './kind.ts';

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

/** The instant intervals are counted from; in mode `last_run` the last run when there was one. */
function base(schedule: EverySchedule, ctx: ScheduleContext): number {
  const anchor = schedule.anchor_at ?? ctx.anchorAt;
  return schedule.anchor_mode === 'last_run' ? (ctx.lastRunAt ?? anchor) : anchor;
}

function duration(ms: number): { count: number; en: string; zh: string } {
  // 24 hours stay hours: "every day" would promise a time of day that daylight saving moves.
  if (ms % day === 0 && ms > day) return { count: ms / day, en: 'days', zh: '天' };
  if (ms % hour === 0) return { count: ms / hour, en: 'hours', zh: '小时' };
  if (ms % minute === 0) return { count: ms / minute, en: 'minutes', zh: '分钟' };
  return { count: ms / 1000, en: 'seconds', zh: '秒' };
}

function normalize(schedule: EverySchedule, ctx: ScheduleContext): EverySchedule {
  const shortest = ctx.minIntervalMs ?? minute;
  const { interval_ms: interval } = schedule;
  const field = 'schedule.interval_ms';
  if (!Number.isSafeInteger(interval) || interval <= 0) {
    throw new ScheduleError(
      'schedule_invalid',
      field,
      `The interval ${interval} is not a number of milliseconds.`,
      `Write whole milliseconds, e.g. 600000 for 10 minutes; at least ${shortest}.`,
    );
  }
  if (interval < shortest) {
    throw new ScheduleError(
      'schedule_invalid',
      field,
      `The interval of ${interval / 1000} s is shorter than the shortest allowed, ${shortest / 1000} s.`,
      `Write ${shortest} or more (milliseconds).`,
    );
  }
  const anchor = schedule.anchor_at ?? ctx.anchorAt;
  if (interval > horizonMs || Math.abs(anchor) > 8e15) {
    throw new ScheduleError(
      'schedule_never',
      interval > horizonMs ? field : 'schedule.anchor_at',
      'The interval has no run within the next 8 years.',
      'Write interval and anchor in milliseconds, not in smaller units.',
    );
  }
  return {
    kind: 'every',
    interval_ms: interval,
    anchor_at: anchor,
    anchor_mode: schedule.anchor_mode ?? 'fixed',
  };
}

function describe(schedule: EverySchedule, locale: Locale): string {
  const { count, en, zh } = duration(schedule.interval_ms);
  const last = schedule.anchor_mode === 'last_run';
  if (locale === 'en') {
    const words = count === 1 ? `Every ${en.slice(0, -1)}` : `Every ${count} ${en}`;
    return last ? `${words}, counted from the last run` : words;
  }
  const words = count === 1 ? `每${zh}` : `每 ${count} ${zh}`;
  return last ? `${words}，从上次运行起计` : words;
}

/**
 * At anchor + k × interval, elapsed time, whatever the clocks do. `fixed`: k ≥ 0 and the phase is kept.
 * `last_run`: one interval after the last run (k ≥ 1); when that has passed, one interval after `after`.
 */
export const everyModule: ScheduleModule<EverySchedule> = {
  kind: 'every',
  schema: everySchema,
  normalize,
  next(schedule, after, ctx) {
    const from = base(schedule, ctx);
    const interval = schedule.interval_ms;
    if (schedule.anchor_mode === 'last_run') {
      return from + interval > after ? from + interval : after + interval;
    }
    return after < from ? from : from + (Math.floor((after - from) / interval) + 1) * interval;
  },
  previous(schedule, before, ctx) {
    const from = base(schedule, ctx);
    const steps = Math.ceil((before - from) / schedule.interval_ms) - 1;
    const first = schedule.anchor_mode === 'last_run' ? 1 : 0;
    return steps < first ? null : from + steps * schedule.interval_ms;
  },
  describe,
  warnings: () => [],
  runsTwice: () => true,
};
