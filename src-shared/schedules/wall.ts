import { BoundedCache } from './kind.ts';

/*
 * Wall-clock arithmetic. A "wall" is a local reading kept as the milliseconds it would be in UTC, so that
 * dates and times can be computed with plain numbers. Intl answers "what does the clock show", slowly; the
 * answers are kept per zone and six-day block, so that a look-up costs less than a microsecond.
 */

const day = 86_400_000;
/** About 6.2 days: no zone has changed its clocks twice within that since 1970. */
const blockMs = 2 ** 29;
const maxBlocks = 4096;
/** Farthest instant a Date can show, less a block, so that block edges stay valid. Milliseconds. */
const edge = 8.64e15 - 2 * blockMs;

/** A change of the clocks inside a block: the first instant of the new offset. */
interface Block {
  at: number;
  before: number;
  after: number;
}

class Zone {
  readonly #format: Intl.DateTimeFormat;
  readonly #blocks = new Map<number, Block>();

  constructor(name: string) {
    this.#format = new Intl.DateTimeFormat('en-US', {
      timeZone: name,
      calendar: 'gregory',
      numberingSystem: 'latn',
      hourCycle: 'h23',
      era: 'short',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
  }

  offset(instant: number): number {
    const index = Math.floor(instant / blockMs);
    let block = this.#blocks.get(index);
    if (block === undefined) {
      if (this.#blocks.size >= maxBlocks) this.#blocks.clear();
      block = this.#measureBlock(index * blockMs);
      this.#blocks.set(index, block);
    }
    return instant < block.at ? block.before : block.after;
  }

  #measureBlock(start: number): Block {
    const before = this.#measure(start);
    const after = this.#measure(start + blockMs - 1);
    if (before === after) return { at: start, before, after };
    let low = start;
    let high = start + blockMs - 1;
    while (high - low > 1) {
      const middle = Math.floor((low + high) / 2);
      if (this.#measure(middle) === before) low = middle;
      else high = middle;
    }
    return { at: high, before, after };
  }

  #measure(instant: number): number {
    const second = Math.floor(instant / 1000) * 1000;
    const read: Record<string, string> = {};
    for (const part of this.#format.formatToParts(new Date(second))) read[part.type] = part.value;
    const year = read['era'] === 'BC' ? 1 - Number(read['year']) : Number(read['year']);
    const wall = new Date(0);
    wall.setUTCFullYear(year, Number(read['month']) - 1, Number(read['day']));
    wall.setUTCHours(Number(read['hour']), Number(read['minute']), Number(read['second']));
    return wall.getTime() - second;
  }
}

const zones = new BoundedCache<Zone>(64);

/**
 * Milliseconds that the zone's clocks are ahead of UTC at `instant` (milliseconds).
 * Throws RangeError for a zone that Intl does not know.
 */
export function offsetAt(zone: string, instant: number): number {
  if (zone === 'UTC') return 0;
  return zones.get(zone, () => new Zone(zone)).offset(Math.min(Math.max(instant, -edge), edge));
}

/** What the zone's clocks show at `instant`, as a wall. */
export function wallAt(zone: string, instant: number): number {
  return instant + offsetAt(zone, instant);
}

/**
 * The instant at which the zone's clocks show `wall`. A time that comes twice: the first; a time that the
 * clocks jump over: with the offset before the jump (RFC 5545), so it comes out later by the jump.
 */
export function instantOf(zone: string, wall: number): number {
  const before = offsetAt(zone, wall - day);
  const after = offsetAt(zone, wall + day);
  const first = wall - before;
  if (before === after || offsetAt(zone, first) === before) return first;
  const second = wall - after;
  return offsetAt(zone, second) === after ? second : first;
}

/**
 * By how much the clocks change around `instant` (a day and a bit to each side), in milliseconds: positive
 * when they jump forward, negative when they go back, 0 when they do not change.
 */
export function changeNear(zone: string, instant: number): number {
  const margin = day + 7_200_000;
  return offsetAt(zone, instant + margin) - offsetAt(zone, instant - margin);
}

/** Which of the two passes `instant` is in, when its wall-clock time comes twice; null when it comes once. */
export function passOf(zone: string, instant: number): 'first' | 'second' | null {
  const change = changeNear(zone, instant);
  if (change >= 0) return null;
  const wall = wallAt(zone, instant);
  if (wallAt(zone, instant - change) === wall) return 'first';
  return wallAt(zone, instant + change) === wall ? 'second' : null;
}

function two(value: number): string {
  return value < 10 ? `0${value}` : String(value);
}

/** `YYYY-MM-DD` of a wall. */
export function dateText(wall: number): string {
  const date = new Date(wall);
  return `${String(date.getUTCFullYear()).padStart(4, '0')}-${two(date.getUTCMonth() + 1)}-${two(date.getUTCDate())}`;
}

/** `HH:mm` of a wall. */
export function timeText(wall: number): string {
  const date = new Date(wall);
  return `${two(date.getUTCHours())}:${two(date.getUTCMinutes())}`;
}

/** `+08:00` for an offset in milliseconds; seconds, which only very old times have, are rounded. */
export function offsetText(offset: number): string {
  const minutes = Math.round(Math.abs(offset) / 60_000);
  return `${offset < 0 ? '-' : '+'}${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`;
}
