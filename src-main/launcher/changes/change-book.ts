import { dirname, join } from 'node:path';
import type { Clock } from '../../../src-shared/clock.ts';
import type { FileChange, Outcome } from '../../../src-shared/model/outcome.ts';
import type { StartRequest } from '../protocol.ts';
import { type FolderWatch, watchFolder } from './folder-watch.ts';

/** So many files are named in an outcome; the others are counted. */
const mostNamed = 500;
/** A run that is stopped has its host waiting. */
const stoppedMs = 1000;

export interface BookOptions {
  request: StartRequest;
  clock: Clock;
  /** Says something beside the output of the run. */
  note(text: string): void;
}

/** Two changes of one path, one after the other, as one; null when they undo each other. */
function joined(first: FileChange | undefined, then: FileChange): FileChange | null {
  if (first === undefined) return then;
  const { bytes_before: _, ...after } = then;
  const merged = first.bytes_before === undefined ? after : { ...after, bytes_before: first.bytes_before };
  if (first.change === 'created') return then.change === 'deleted' ? null : { ...merged, change: 'created' };
  return first.change === 'deleted' && then.change === 'created' ? { ...merged, change: 'changed' } : merged;
}

/**
 * Looks at the working folders of a run before and after their sub-runs. A run goes on whatever becomes of that: what
 * cannot be told is noted and marked in the outcome. Nothing here rejects.
 */
export function changeBook({ request, clock, note }: BookOptions) {
  const { run_id: runId, env, cwds } = request;
  // runs/<run id> lies in the data folder.
  const dataFolder = dirname(dirname(request.run_folder));
  const changes = new Map<string, FileChange>();
  const stopped = new AbortController();
  let unknown = false;
  let watch: FolderWatch | null = null;
  let looking: 'before' | 'after' | null = null;
  let cancelHurry = () => {};

  function add(cwd: string, change: FileChange): void {
    const path = cwds.length > 1 ? join(cwd, change.path) : change.path;
    const merged = joined(changes.get(path), { ...change, path });
    if (merged === null) changes.delete(path);
    else changes.set(path, merged);
  }

  function failed(cwd: string, error: unknown): void {
    unknown = true;
    if (!(stopped.signal.aborted && looking === 'before'))
      note(`which files changed in ${cwd} is not known: ${message(error, stopped.signal)}\n`);
  }

  function hurry(): void {
    cancelHurry();
    cancelHurry = clock.timer(stoppedMs, () => stopped.abort());
  }

  async function look(cwd: string, when: 'before' | 'after', work: () => Promise<void>): Promise<void> {
    looking = when;
    try {
      await work();
    } catch (error) {
      failed(cwd, error);
    }
    looking = null;
    cancelHurry();
  }

  return {
    /** The run is stopped: nothing more is looked at but, when its host is there to hear of it, what it has done. */
    stop(hostGone: boolean): void {
      if (hostGone || looking === 'before') stopped.abort();
      else if (looking === 'after') hurry();
    },
    async before(cwd: string): Promise<void> {
      const options = { cwd, runId, env, dataFolder, clock };
      watch = null;
      await look(cwd, 'before', async () => {
        watch = await watchFolder(options, stopped.signal);
      });
    },
    /** `hurried`: for a run that was stopped this may take a second and no more. */
    async after(cwd: string, hurried: boolean): Promise<void> {
      const from = watch;
      if (from === null) return;
      if (hurried) hurry();
      await look(cwd, 'after', async () => {
        for (const change of await from.changes(stopped.signal)) add(cwd, change);
      });
    },
    /** What the outcome says of changed files. */
    result(): Pick<Outcome, 'changes' | 'changes_total' | 'changes_unknown'> {
      const more = changes.size - mostNamed;
      if (more > 0) note(`${more} more changed files are not listed\n`);
      return {
        changes: [...changes.values()].slice(0, mostNamed),
        ...(more > 0 ? { changes_total: changes.size } : {}),
        ...(unknown ? { changes_unknown: true } : {}),
      };
    },
  };
}
export type ChangeBook = ReturnType<typeof changeBook>;

function message(error: unknown, stopped: AbortSignal): string {
  if (stopped.aborted) return 'the run was stopped';
  return error instanceof Error ? error.message : String(error);
}
