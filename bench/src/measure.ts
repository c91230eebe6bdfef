import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';

/** One line of the table. `ratio` is ours against `against`, in the direction in which the goal is written. */
export interface Line {
  figure: number;
  what: string;
  ours: number;
  unit: string;
  /** Name and value of the peer or floor of the same run. */
  against: string;
  reference: number;
  ratio: number;
  goal: { most?: number; least?: number };
  met: boolean;
  /** Other numbers of the same measurement. */
  more?: Record<string, number>;
}

/** What every figure gets: whether this is the long run, and how to say a line. */
export interface Bench {
  full: boolean;
  say(line: Omit<Line, 'ratio' | 'met'> & { ratio?: number }): void;
}

export function meets(ratio: number, goal: Line['goal']): boolean {
  return ratio <= (goal.most ?? Number.POSITIVE_INFINITY) && ratio >= (goal.least ?? 0);
}

/** The value below which the share `q` (0 to 1) of the values lies; NaN for none. */
export function quantile(values: readonly number[], q: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  const at = Math.min(sorted.length - 1, Math.max(0, Math.ceil(q * sorted.length) - 1));
  return sorted[at] ?? Number.NaN;
}

export const median = (values: readonly number[]): number => quantile(values, 0.5);

/** Runs the parts one after the other, `rounds` times, so that a slow moment of the machine hits all of them. */
export async function interleaved<K extends string>(
  rounds: number,
  parts: Record<K, () => Promise<number>>,
): Promise<Record<K, number>> {
  const names = Object.keys(parts) as K[];
  const values = new Map<K, number[]>(names.map((name) => [name, []]));
  for (let round = 0; round < rounds; round += 1) {
    for (const name of names) values.get(name)?.push(await parts[name]());
  }
  const medians = names.map((name) => [name, median(values.get(name) ?? [])] as const);
  return Object.fromEntries(medians) as Record<K, number>;
}

/** Calls `use` with a new folder and removes it afterwards. */
export async function withFolder<T>(use: (folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'nextrun-bench-'));
  try {
    return await use(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

/**
 * Microseconds of one call of each, the median of many single ones: a call is so short that a busy machine seldom
 * interrupts it, and they take turns.
 */
export function microseconds<K extends string>(fns: Record<K, () => void>, calls = 600): Record<K, number> {
  const names = Object.keys(fns) as K[];
  const each = new Map<K, number[]>(names.map((name) => [name, []]));
  for (let call = 0; call < calls; call += 1) {
    for (const name of names) {
      const from = performance.now();
      fns[name]();
      each.get(name)?.push((performance.now() - from) * 1000);
    }
  }
  return Object.fromEntries(names.map((name) => [name, median(each.get(name) ?? [])])) as Record<K, number>;
}

export const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Resolves when the event loop was not held for a second; gives how long it was held at most until then, ms. */
export async function atRest(): Promise<number> {
  const delay = monitorEventLoopDelay({ resolution: 5 });
  delay.enable();
  let longest = 0;
  for (let held = Number.POSITIVE_INFINITY; held > 50; ) {
    delay.reset();
    await wait(1000);
    held = delay.max / 1e6;
    longest = Math.max(longest, held);
  }
  delay.disable();
  return longest;
}
