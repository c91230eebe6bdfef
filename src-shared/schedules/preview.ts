import type { Schedule, ScheduleContext, ScheduleModule } from './kind.ts';
import { dateText, offsetAt, offsetText, passOf, timeText } from './wall.ts';

/** What daylight saving does to one occurrence. */
export interface OccurrenceNote {
  code: 'dst_gap' | 'dst_fold';
  en: string;
  zh: string;
}

/** One occurrence as it is shown. */
export interface PreviewOccurrence {
  /** Milliseconds since 1970 UTC. */
  at: number;
  /** `YYYY-MM-DDTHH:mm` in the schedule's zone. */
  local: string;
  /** `+08:00`. */
  offset: string;
  note?: OccurrenceNote;
}

function gapNote(wanted: number, wall: number): OccurrenceNote {
  const [missing, instead] = [timeText(wanted), timeText(wall)];
  // A zone that skipped a whole day (Samoa) names the day as well.
  const on = dateText(wanted) === dateText(wall) ? '' : `${dateText(wanted)} `;
  return {
    code: 'dst_gap',
    en: `${on}${missing} does not exist because the clocks jump forward; it runs at ${instead}.`,
    zh: `时钟拨快，${on}${missing} 不存在，改在 ${instead} 运行。`,
  };
}

function foldNote(wall: number, pass: 'first' | 'second', twice: boolean): OccurrenceNote {
  const time = timeText(wall);
  if (twice) {
    return {
      code: 'dst_fold',
      en: `${time} comes twice because the clocks go back; this is the ${pass} one, and both count.`,
      zh: `时钟拨慢，${time} 出现两次；这是第${pass === 'first' ? '一' : '二'}次，两次都算。`,
    };
  }
  return {
    code: 'dst_fold',
    en: `${time} comes twice because the clocks go back; it runs once, at the ${pass}.`,
    zh: `时钟拨慢，${time} 出现两次；只在第${pass === 'first' ? '一' : '二'}次运行。`,
  };
}

/**
 * One occurrence (`at`, milliseconds) as it is shown in `zone`, with a note when the clocks change there.
 * Throws what the module throws for a schedule it cannot read.
 */
export function showOccurrence<S extends Schedule>(
  module: ScheduleModule<S>,
  schedule: S,
  at: number,
  zone: string,
  ctx: ScheduleContext,
): PreviewOccurrence {
  const offset = offsetAt(zone, at);
  const wall = at + offset;
  const shown = { at, local: `${dateText(wall)}T${timeText(wall)}`, offset: offsetText(offset) };
  const wanted = module.skippedWall?.(schedule, at, ctx) ?? null;
  if (wanted !== null) return { ...shown, note: gapNote(wanted, wall) };
  const pass = passOf(zone, at);
  if (pass !== null) return { ...shown, note: foldNote(wall, pass, module.runsTwice(schedule)) };
  return shown;
}
