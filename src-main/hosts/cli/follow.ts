import type { CallOutput } from '../../../src-shared/contract/client.ts';
import type { AppEvent } from '../../../src-shared/contract/events.ts';
import type { Run } from '../../../src-shared/model/run.ts';
import type { Cli } from './cli.ts';
import type { Connection } from './deps.ts';
import { CliError, exits, InterruptedError, UnreachableError } from './failure.ts';

type OutputPage = CallOutput<'getRunOutput'>;
export type OutputChunk = OutputPage['items'][number];

const attempts = 5;
const firstPause = 500;

/** True when the run has ended, or waits for a person: nothing more comes by itself. */
export function hasEnded(run: Pick<Run, 'status'>): boolean {
  return run.status !== 'QUEUED' && run.status !== 'IN_PROGRESS';
}

/** Waits `ms` milliseconds, less when `signal` is aborted. */
function pause(cli: Cli, ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      cancel();
      signal.removeEventListener('abort', done);
      resolve();
    };
    const cancel = cli.deps.clock.timer(ms, done);
    signal.addEventListener('abort', done);
  });
}

type Step = (connection: Connection, event: AppEvent | null) => Promise<boolean>;

/** One connection's worth of events. True when `step` is done, false when the stream ended before. */
async function watchOnce(connection: Connection, step: Step, signal: AbortSignal): Promise<boolean> {
  const events = await connection.openEvents(signal);
  if (await step(connection, null)) return true;
  for await (const event of events) {
    if (signal.aborted) return false;
    if (await step(connection, event.type === 'reset' ? null : event)) return true;
  }
  return false;
}

/**
 * Calls `step` with null at first and after every loss of the connection (then it reads the state), and with
 * each event in between, until it gives true. Throws InterruptedError at Ctrl-C, a CliError with exit code 5
 * when the host stays away.
 */
export async function follow(cli: Cli, step: Step): Promise<void> {
  const stop = new AbortController();
  const restore = cli.deps.onInterrupt(() => stop.abort());
  let failed = 0;
  const counted: Step = (connection, event) => {
    failed = 0;
    return step(connection, event);
  };
  try {
    let connection: Connection | null = await cli.host();
    for (;;) {
      try {
        if (connection !== null && (await watchOnce(connection, counted, stop.signal))) return;
      } catch (error) {
        if (!(error instanceof UnreachableError) && !stop.signal.aborted) throw error;
      }
      if (stop.signal.aborted) throw new InterruptedError();
      if (failed === attempts) {
        throw new CliError(exits.noHost, 'no_host', cli.t.hostLost, cli.t.noHostHint);
      }
      await pause(cli, firstPause * 2 ** failed, stop.signal);
      if (stop.signal.aborted) throw new InterruptedError();
      failed += 1;
      connection = await cli.findAgain();
    }
  } finally {
    restore();
    // Ends the event stream when `step` was done before it.
    stop.abort();
  }
}

/** Reads the output of a run from `from` to where it stands; gives the next number to ask for. */
export async function readOutput(
  { client }: Connection,
  id: string,
  from: number,
  onPage: (page: OutputPage) => void,
): Promise<number> {
  let next = from;
  for (;;) {
    const page = await client.call('getRunOutput', { params: { id }, query: { from: String(next) } });
    onPage(page);
    if (page.items.length === 0 || page.next <= next) return next;
    next = page.next;
  }
}

export interface RunWatcher {
  onChunk(chunk: OutputChunk): void;
  /** Called for each state the run is seen in, once. */
  onState?(run: Run): void;
}

/** Watches a run until it has ended, giving every chunk of its output once and in order. Gives the run as it ended. */
export async function followRun(cli: Cli, id: string, watcher: RunWatcher): Promise<Run> {
  let next = 0;
  let seen = '';
  let ended: Run | undefined;

  const take = (chunks: readonly OutputChunk[]) => {
    for (const chunk of chunks) {
      if (chunk.seq < next) continue;
      next = chunk.seq + 1;
      watcher.onChunk(chunk);
    }
  };
  const catchUp = (connection: Connection) => readOutput(connection, id, next, ({ items }) => take(items));

  await follow(cli, async (connection, event) => {
    if (event?.type === 'output') {
      if (event.run_id !== id) return false;
      // Chunks that were lost on the way are read from where they are stored.
      if ((event.chunks[0]?.seq ?? next) > next) await catchUp(connection);
      take(event.chunks);
      return false;
    }
    if (event !== null && !(event.type === 'run' && event.id === id)) return false;
    const run = event?.row ?? (await connection.client.call('getRun', { params: { id } }));
    if (run.status !== seen) watcher.onState?.(run);
    seen = run.status;
    if (event === null || hasEnded(run)) await catchUp(connection);
    if (hasEnded(run)) ended = run;
    return ended !== undefined;
  });
  if (ended === undefined) throw new InterruptedError();
  return ended;
}

/** States in which a submitted task without a run may still get one. */
const hopeful = new Set(['SCHEDULED', 'ACTIVE', 'PAUSED']);

/** Waits until a submitted task has a run; gives its id, or null when the task ended without one. */
export async function followSubmission(cli: Cli, automationId: string): Promise<string | null> {
  let runId: string | null = null;
  await follow(cli, async ({ client }, event) => {
    const concerns =
      event === null ||
      (event.type === 'automation' && event.id === automationId) ||
      (event.type === 'run' && event.row?.automation_id === automationId);
    if (!concerns) return false;
    const status = await client.call('submittedRunStatus', { query: { id: automationId } });
    runId = status.runId;
    return runId !== null || !hopeful.has(status.status);
  });
  return runId;
}
