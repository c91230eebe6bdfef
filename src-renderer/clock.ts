import { useSyncExternalStore } from 'react';

/** The clock of the page: the only file of the renderer that reads time or sets timers. Milliseconds. */

/** Wall clock, milliseconds since 1970 UTC. */
export function now(): number {
  return Date.now();
}

/** Calls `fn` once after `ms`; gives a function that cancels it. */
export function after(ms: number, fn: () => void): () => void {
  const handle = setTimeout(fn, ms);
  return () => clearTimeout(handle);
}

/** Resolves after `ms`, or at once when `signal` is aborted. */
export function delay(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const done = () => {
      cancel();
      signal.removeEventListener('abort', done);
      resolve();
    };
    const cancel = after(ms, done);
    signal.addEventListener('abort', done);
  });
}

const second = 1000;
const watchers = new Set<() => void>();
let tick = Date.now();
let handle: ReturnType<typeof setInterval> | undefined;

function watch(onTick: () => void): () => void {
  watchers.add(onTick);
  if (handle === undefined) {
    tick = Date.now();
    handle = setInterval(() => {
      // Nobody looks at a hidden page; its clock catches up within a second when it is shown again.
      if (document.hidden) return;
      tick = Date.now();
      for (const watcher of watchers) watcher();
    }, second);
  }
  return () => {
    watchers.delete(onTick);
    if (watchers.size === 0 && handle !== undefined) {
      clearInterval(handle);
      handle = undefined;
    }
  };
}

/**
 * The present instant, renewed every `step` milliseconds (a second or more); every time on the page ticks
 * together, and what changes by the minute only is rendered by the minute only.
 */
export function useNow(step = second): number {
  return useSyncExternalStore(watch, () => tick - (tick % step));
}
