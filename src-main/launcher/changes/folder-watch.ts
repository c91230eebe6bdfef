import { realpath } from 'node:fs/promises';
import type { Clock } from '../../../src-shared/clock.ts';
import type { FileChange } from '../../../src-shared/model/outcome.ts';
import { ChangesUnknown } from './changes-unknown.ts';
import { scanChanges, scanFolder } from './folder-scan.ts';
import { GitFailed, type GitPlace, gitEnvironment } from './git-program.ts';
import { gitChanges, gitState, workTreeOf } from './git-state.ts';

const gitMs = 5000;
const scanMs = 3000;

export interface WatchOptions {
  cwd: string;
  runId: string;
  /** The environment of the run's child: git is found on its PATH. */
  env: Readonly<Record<string, string>>;
  /** NextRun's own data, which changes all the time. */
  dataFolder: string;
  clock: Clock;
}

/** What a folder was like at one moment. */
export interface FolderWatch {
  /** What differs from that moment, sorted by path. Rejects with ChangesUnknown, or the signal's reason. */
  changes(signal: AbortSignal): Promise<FileChange[]>;
}

/** Runs `work` with a signal that aborts after `ms`, or with `signal`. What works on is left to itself then. */
async function within<T>(
  { clock }: WatchOptions,
  ms: number,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const late = new AbortController();
  const cancel = clock.timer(ms, () =>
    late.abort(new ChangesUnknown(`looking took more than ${ms / 1000} s`)),
  );
  const either = AbortSignal.any([late.signal, signal]);
  const aborted = new Promise<never>((_, reject) => {
    either.addEventListener('abort', () => reject(either.reason), { once: true });
  });
  try {
    either.throwIfAborted();
    return await Promise.race([work(either), aborted]);
  } finally {
    cancel();
  }
}

async function realFolder(folder: string): Promise<string> {
  return realpath(folder).catch(() => folder);
}

async function gitWatch(options: WatchOptions, given: GitPlace): Promise<FolderWatch | null> {
  try {
    const before = await within(options, gitMs, given.signal, (signal) => gitState({ ...given, signal }));
    if (before === null) return null;
    return {
      changes: (stop) =>
        within(options, gitMs, stop, async (signal) => {
          const place = { ...given, signal };
          const after = await gitState(place);
          if (after === null) throw new ChangesUnknown('git ignores it by now');
          return gitChanges(place, before, after);
        }),
    };
  } catch (error) {
    // No git, a repository of somebody else, a damaged one: then as if there were none.
    if (error instanceof GitFailed) return null;
    throw error;
  }
}

async function scanWatch(options: WatchOptions, root: string, stop: AbortSignal): Promise<FolderWatch> {
  const except = await realFolder(options.dataFolder);
  const scan = (until: AbortSignal) =>
    within(options, scanMs, until, (signal) => scanFolder({ root, except, signal }));
  const before = await scan(stop);
  return { changes: async (until) => scanChanges(before, await scan(until)) };
}

function sorted(watch: FolderWatch): FolderWatch {
  return {
    changes: async (signal) =>
      (await watch.changes(signal)).sort((a, b) => (a.path < b.path ? -1 : Number(a.path > b.path))),
  };
}

/**
 * Looks at a folder before a run: by git where it is in a work tree (what is ignored there does not count), else by a
 * walk of at most 20,000 entries and 12 levels. Rejects with ChangesUnknown when that is too much or takes too long,
 * or with the signal's reason.
 */
export async function watchFolder(options: WatchOptions, signal: AbortSignal): Promise<FolderWatch> {
  const folder = await realFolder(options.cwd);
  const root = await workTreeOf(folder);
  const env = gitEnvironment(options.env, options.runId);
  const found = root === null ? null : await gitWatch(options, { folder, root, env, signal });
  return sorted(found ?? (await scanWatch(options, folder, signal)));
}
