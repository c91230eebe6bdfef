import { dateText, offsetAt, offsetText, timeText, wallAt } from '../../../src-shared/schedules/wall.ts';
import type { SharedWords } from './words.ts';

const segmenter = new Intl.Segmenter(undefined, { granularity: 'grapheme' });
const ascii = /^[ -~]*$/;
/** East Asian wide and full-width characters, and those shown as emoji. */
const wide =
  /[\u{1100}-\u{115f}\u{2e80}-\u{303e}\u{3041}-\u{33ff}\u{3400}-\u{4dbf}\u{4e00}-\u{9fff}\u{a000}-\u{a4cf}\u{a960}-\u{a97f}\u{ac00}-\u{d7a3}\u{f900}-\u{faff}\u{fe10}-\u{fe19}\u{fe30}-\u{fe6f}\u{ff00}-\u{ff60}\u{ffe0}-\u{ffe6}\u{1f200}-\u{1f2ff}\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}|\u{fe0f}/u;
const invisible = /^[\p{M}\p{Cf}\p{Cc}]*$/u;

function graphemeWidth(grapheme: string): number {
  if (invisible.test(grapheme)) return 0;
  return wide.test(grapheme) ? 2 : 1;
}

/** Columns that `text` (one line, no escapes) takes on a terminal. */
export function textWidth(text: string): number {
  if (ascii.test(text)) return text.length;
  let width = 0;
  for (const { segment } of segmenter.segment(text)) width += graphemeWidth(segment);
  return width;
}

/** `text` cut to `width` columns, with … in place of what is cut. */
export function fitWidth(text: string, width: number): string {
  if (textWidth(text) <= width) return text;
  let used = 0;
  let kept = '';
  for (const { segment } of segmenter.segment(text)) {
    used += graphemeWidth(segment);
    if (used > width - 1) break;
    kept += segment;
  }
  return `${kept}…`;
}

function pad(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - textWidth(text)));
}

/** A cell: one line of text and how it is coloured, if at all. */
export interface Cell {
  text: string;
  paint?: (text: string) => string;
}

export interface TableOptions {
  header: readonly string[];
  rows: readonly (readonly Cell[])[];
  /** Columns of the terminal; undefined when nothing shall be cut. */
  columns: number | undefined;
  /** Indexes of the columns that give way when the terminal is too narrow, first the last one. */
  flexible: readonly number[];
}

const gap = '  ';
const narrowest = 8;

function columnWidths({ header, rows, columns, flexible }: TableOptions): number[] {
  const widths = header.map((title, index) =>
    rows.reduce((widest, row) => Math.max(widest, textWidth(row[index]?.text ?? '')), textWidth(title)),
  );
  if (columns === undefined) return widths;
  let over = widths.reduce((sum, width) => sum + width, (widths.length - 1) * gap.length) - columns;
  for (const index of [...flexible].reverse()) {
    const width = widths[index] ?? 0;
    const give = Math.max(0, Math.min(over, width - narrowest));
    widths[index] = width - give;
    over -= give;
  }
  return widths;
}

/** An aligned table with a header, without line feed at the end. */
export function renderTable(options: TableOptions): string {
  const widths = columnWidths(options);
  const line = (cells: readonly Cell[]) =>
    cells
      .map(({ text, paint }, index) => {
        const width = widths[index] ?? 0;
        const shown = fitWidth(text, width);
        const padded = index === cells.length - 1 ? shown : pad(shown, width);
        return paint === undefined ? padded : paint(padded);
      })
      .join(gap)
      .trimEnd();
  return [line(options.header.map((text) => ({ text }))), ...options.rows.map(line)].join('\n');
}

/** Lines of `label  value`, the values under each other; pairs without value are left out. */
export function renderPairs(pairs: readonly (readonly [label: string, value: string | null])[]): string {
  const shown = pairs.filter(([, value]) => value !== null && value !== '');
  const width = shown.reduce((widest, [label]) => Math.max(widest, textWidth(label)), 0);
  return shown
    .map(
      ([label, value]) =>
        `${pad(label, width)}${gap}${(value ?? '').replaceAll('\n', `\n${' '.repeat(width)}${gap}`)}`,
    )
    .join('\n');
}

/** `2026-05-06 09:00` in `zone`; instants in milliseconds since 1970 UTC. */
export function localTime(zone: string, at: number): string {
  const wall = wallAt(zone, at);
  return `${dateText(wall)} ${timeText(wall)}`;
}

/** `2026-05-06 09:00:07 +08:00` in `zone`. */
export function localTimeExact(zone: string, at: number): string {
  const second = new Date(wallAt(zone, at)).getUTCSeconds();
  return `${localTime(zone, at)}:${String(second).padStart(2, '0')} ${offsetText(offsetAt(zone, at))}`;
}

/** A duration (milliseconds) in the two units that matter. */
export function durationText(ms: number, time: SharedWords['time']): string {
  const seconds = Math.floor(ms / 1000);
  if (ms < 10_000) return time.seconds(Math.round(ms / 100) / 10);
  if (seconds < 60) return time.seconds(seconds);
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return time.minutesSeconds(minutes, seconds % 60);
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? time.hoursMinutes(hours, minutes % 60) : time.days(Math.floor(hours / 24), hours % 24);
}

/**
 * What to print as the id of each row: on a terminal the shortest start (eight characters or more) that no
 * other row of the same list shares.
 */
export function shortIds(ids: readonly string[]): Map<string, string> {
  const prefixed = /^run-/;
  const short = new Map<string, string>();
  for (const id of ids) {
    let length = (prefixed.exec(id)?.[0].length ?? 0) + 8;
    const shared = (other: string) => other !== id && other.startsWith(id.slice(0, length));
    while (length < id.length && ids.some(shared)) length += 1;
    short.set(id, id.slice(0, length));
  }
  return short;
}
