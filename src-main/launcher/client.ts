import { type ChildProcess, fork } from 'node:child_process';
import type { Clock } from '../../src-shared/clock.ts';
import { killTree } from './process-tree.ts';
import type { FromLauncher, Launcher, ToLauncher } from './protocol.ts';

export interface ForkOptions {
  /** Path of hosts/launcher/main (source or build). */
  entry: string;
  /** The Node or Electron that runs it; this process's own unless told. */
  execPath?: string;
  /** Whole environment of the launcher process; under Electron it needs ELECTRON_RUN_AS_NODE=1. */
  env: Record<string, string | undefined>;
  clock: Clock;
}

type Listener = Parameters<Launcher['onMessage']>[0];
type Heard = Parameters<Listener>[0];

/** The launcher takes 5 s of grace and a little more to stop all trees; after this it is killed. */
const closeMs = 12_000;
const firstRestartMs = 250;
const longestRestartMs = 30_000;
/** A launcher that lived this long was sound: the next death is a first one again. */
const soundMs = 10_000;

interface Root {
  pid: number | null;
  startedAt: number | null;
}

/** The runs that were handed over and have no outcome yet. */
function openRuns(clock: Clock) {
  let runs = new Map<string, Root>();
  return {
    add: (runId: string) => void runs.set(runId, { pid: null, startedAt: null }),
    has: (runId: string) => runs.has(runId),
    heard(message: Heard): void {
      if (message.type === 'outcome') runs.delete(message.run_id);
      if (message.type === 'started' && runs.has(message.run_id)) {
        runs.set(message.run_id, { pid: message.pid, startedAt: message.pid_started_at });
      }
    },
    /**
     * Ends what the dead launcher left running and gives the ids. Its watchdog does the same; but only here is it
     * known when the trees are gone, and a run must not be repeated beside its former self.
     */
    async bury(): Promise<string[]> {
      const dead = [...runs];
      runs = new Map();
      await Promise.all(dead.map(([runId, root]) => killTree({ ...root, runId, clock, graceMs: 0 })));
      return dead.map(([runId]) => runId);
    },
  };
}

/** Forks one launcher process; `onEnd` is called once, when it is gone and all it said was heard. */
function forkOnce(options: ForkOptions, onMessage: (message: FromLauncher) => void, onEnd: () => void) {
  const child = fork(options.entry, [], {
    env: options.env,
    execArgv: [],
    ...(options.execPath === undefined ? {} : { execPath: options.execPath }),
    // Out of the terminal's group: Ctrl-C is for the host, which then decides. The channel ends it.
    detached: true,
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  child.on('message', (message) => onMessage(message as FromLauncher));
  // `close` and not `exit`: only then has every message been read from the channel.
  child.once('close', onEnd);
  child.on('error', () => {
    if (child.pid === undefined) onEnd();
  });
  return child;
}

/** How long to wait before the next fork: not at all after a first death, longer each time it keeps dying. */
function restartPauses(clock: Clock) {
  let deaths = 0;
  let bornAt = clock.monotonic();
  return {
    born(): void {
      bornAt = clock.monotonic();
    },
    next(): number {
      if (clock.monotonic() - bornAt > soundMs) deaths = 0;
      const ms = deaths === 0 ? 0 : Math.min(longestRestartMs, firstRestartMs * 2 ** deaths);
      deaths += 1;
      return ms;
    },
  };
}

/**
 * Forks the launcher process and speaks its protocol. When it dies, the trees of its runs are ended, `lost` is
 * reported with their ids, and a new one is forked (after a growing pause when it keeps dying). Nothing throws;
 * a run that cannot be handed over is reported as lost.
 */
export function forkLauncher(options: ForkOptions): Launcher {
  const { clock } = options;
  const listeners = new Set<Listener>();
  const runs = openRuns(clock);
  const pauses = restartPauses(clock);
  /** Asked for while no process was there. */
  let queued: ToLauncher[] = [];
  let child: ChildProcess | null = null;
  let burying = false;
  let cancelRestart = () => {};
  let closed: Promise<void> | null = null;
  let resolveClosed = () => {};

  function tell(message: Heard): void {
    runs.heard(message);
    for (const listener of listeners) listener(message);
  }

  function start(): void {
    pauses.born();
    let over = false;
    child = forkOnce(options, tell, () => {
      if (over) return;
      over = true;
      child = null;
      void ended();
    });
    for (const message of queued.splice(0)) send(message);
  }

  async function reportLost(): Promise<void> {
    const run_ids = await runs.bury();
    if (run_ids.length > 0) tell({ type: 'lost', run_ids });
  }

  async function ended(): Promise<void> {
    burying = true;
    queued = [];
    await reportLost();
    burying = false;
    if (closed !== null) await endClosed();
    else cancelRestart = clock.timer(pauses.next(), start);
  }

  async function endClosed(): Promise<void> {
    await reportLost();
    resolveClosed();
  }

  function send(message: ToLauncher): void {
    // The callback takes the error of a channel that has just closed; `close` then reports its runs as lost.
    if (child === null) queued.push(message);
    else if (child.connected) child.send(message, () => {});
  }

  function close(): Promise<void> {
    closed ??= new Promise<void>((resolve) => {
      const cancelKill = clock.timer(closeMs, () => child?.kill('SIGKILL'));
      resolveClosed = () => {
        cancelKill();
        resolve();
      };
      cancelRestart();
      if (child !== null) send({ type: 'shutdown' });
      else if (!burying) void endClosed();
    });
    return closed;
  }

  start();
  return {
    start(request) {
      if (closed === null) {
        runs.add(request.run_id);
        send({ type: 'start', request });
      } else {
        queueMicrotask(() => tell({ type: 'lost', run_ids: [request.run_id] }));
      }
    },
    cancel(run_id, why) {
      if (runs.has(run_id)) send({ type: 'cancel', run_id, why });
    },
    onMessage: (listener) => void listeners.add(listener),
    close,
  };
}
