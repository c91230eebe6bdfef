import type { Clock } from '../../src-shared/clock.ts';
import type { Change } from '../storage/changes.ts';
import { storageFault } from '../storage/errors.ts';
import type { Store } from '../storage/store.ts';
import type { Log } from './context.ts';

const pollMs = 200;
const readAtOnce = 1000;
const keepChanges = 20_000;
const pruneEvery = 5000;
/** A wall clock that moved this much against the monotonic one jumped: sleep, or somebody set it. ms. */
const jumpMs = 1000;

/** What changed since the last look, each row once, in the order of its last change. */
export type ChangeListener = (changes: Change[], foreign: boolean) => void;

export interface ChangeFeed {
  /** Looks now, after a commit of ours. */
  poke(): void;
  subscribe(listener: ChangeListener): () => void;
  stop(): void;
}

/**
 * Follows change_log. Our own commits poke it; those of other programs are seen by `PRAGMA data_version`, asked
 * every 200 ms. `onJump` is called when the wall clock jumped (resume from sleep looks the same).
 */
export function createChangeFeed(deps: {
  store: Store;
  clock: Clock;
  log: Log;
  onForeign(): void;
  onJump(byMs: number): void;
}): ChangeFeed {
  const { store, clock, log } = deps;
  const listeners = new Set<ChangeListener>();
  let last = store.changes.newest();
  let version = store.changes.dataVersion();
  let pruned = last;
  let drift = clock.now() - clock.monotonic();
  let stopped = false;
  let cancel = clock.timer(pollMs, poll);

  function deliver(foreign: boolean): void {
    for (;;) {
      const changes = store.changes.after(last, readAtOnce);
      const newest = changes.at(-1);
      if (newest === undefined) break;
      last = newest.id;
      const once = new Map<string, Change>();
      for (const change of changes) {
        const key = `${change.table_name}/${change.row_id}`;
        once.delete(key);
        once.set(key, change);
      }
      for (const listener of listeners) {
        try {
          listener([...once.values()], foreign);
        } catch (error) {
          log.error({ error: String(error) }, 'a listener of the change feed threw');
        }
      }
    }
    if (last - pruned >= pruneEvery) {
      store.changes.prune(last - keepChanges);
      pruned = last;
    }
  }

  function look(foreign: boolean): void {
    try {
      deliver(foreign);
    } catch (error) {
      // Locked by another program: the next poll looks again, nothing is lost because `last` did not move.
      if (storageFault(error) !== 'busy')
        log.error({ error: String(error) }, 'the change log cannot be read');
    }
  }

  function poll(): void {
    if (stopped) return;
    cancel = clock.timer(pollMs, poll);
    const offset = clock.now() - clock.monotonic();
    if (Math.abs(offset - drift) > jumpMs) {
      const by = offset - drift;
      deps.onJump(by);
    }
    drift = offset;
    if (!versionChanged()) return;
    look(true);
    deps.onForeign();
  }

  /** A database that cannot be read now is asked again in the next poll; a timer that throws would end the host. */
  function versionChanged(): boolean {
    try {
      const current = store.changes.dataVersion();
      const changed = current !== version;
      version = current;
      return changed;
    } catch (error) {
      log.error({ error: String(error) }, 'the database cannot be asked for changes');
      return false;
    }
  }

  return {
    poke: () => {
      if (!stopped) look(false);
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    stop() {
      stopped = true;
      cancel();
    },
  };
}
