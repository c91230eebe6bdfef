import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import type { Clock } from '../../src-shared/clock.ts';
import type { StartableProgram } from './executor-port.ts';
import { killTree, leftovers, pidStartedAt } from './process-tree.ts';

/** How long output is still read after the root has ended; pipes that others keep open do not hold a run. */
const drainMs = 800;
/** Grace for what the root left behind: the run shall end within 2 s of its root (faults F47). */
const leftoverGraceMs = 500;

export interface ChildSpec extends StartableProgram {
  runId: string;
  cwd: string;
  env: Record<string, string>;
  /** Goes to stdin byte for byte as UTF-8, then stdin is closed. */
  stdin: string;
}

export interface ChildListener {
  started(pid: number, startedAt: number | null): void;
  data(stream: 'stdout' | 'stderr', bytes: Uint8Array): void;
}

export interface ChildResult {
  exit_code: number | null;
  signal: string | null;
  /** Why it could not be started; null when it was. */
  failed: string | null;
  /** True when it was still running when `stop` was called. */
  stopped: boolean;
  /** What it left running and what was stopped, by name. */
  left: string[];
  /** What could not be stopped, by name. */
  survivors: string[];
}

/** A child of a run: its whole tree ends with it. */
export interface RunningChild {
  ended: Promise<ChildResult>;
  /** Ends the tree (see killTree); a second call only shortens the grace of the first. */
  stop(graceMs: number): void;
  /** Back-pressure: stops and continues reading; a flood then waits in its own pipe. */
  pause(): void;
  resume(): void;
}

const notStarted = (failed: string): ChildResult => ({
  exit_code: null,
  signal: null,
  failed,
  stopped: false,
  left: [],
  survivors: [],
});

/** Why a working folder cannot be used, null when it can. Checked first: a missing one reads like a missing program. */
export function folderProblem(cwd: string): string | null {
  try {
    return statSync(cwd).isDirectory() ? null : `the working folder ${cwd} is not a folder`;
  } catch (error) {
    const code = codeOf(error);
    if (code === 'ENOENT') return `the working folder ${cwd} does not exist`;
    return `the working folder ${cwd} cannot be opened (${code})`;
  }
}

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error ? String(error.code) : String(error);

/** A start error in words that name the program. */
function startProblem(error: unknown, file: string): string {
  const code = codeOf(error);
  if (code === 'ENOENT') {
    return /[\\/]/.test(file) && existsSync(file)
      ? `the interpreter that the first line of ${file} names was not found`
      : `the program ${file} was not found`;
  }
  if (code === 'EACCES') return `the program ${file} may not be executed`;
  if (code === 'E2BIG') return `the arguments for ${file} are too long for this system`;
  if (code === 'EAGAIN' || code === 'EMFILE' || code === 'ENFILE' || code === 'ENOMEM') {
    return `the system has no room for another process or file (${code})`;
  }
  return `the program ${file} could not be started (${error instanceof Error ? error.message : code})`;
}

function begin(spec: ChildSpec): ChildProcess {
  return spawn(spec.file, spec.args, {
    cwd: spec.cwd,
    env: spec.env,
    // A group and session of its own, so that the whole tree can be signalled at once.
    detached: process.platform !== 'win32',
    stdio: ['pipe', 'pipe', 'pipe'],
    shell: false,
    windowsHide: true,
    windowsVerbatimArguments: spec.verbatim,
  });
}

function feed({ stdin }: ChildProcess, text: string): void {
  // A child that does not read its prompt closes the pipe: EPIPE is its right, not an error of the run (F64).
  stdin?.on('error', () => {});
  stdin?.end(text);
}

/** Resolves when both output streams have ended, at the latest `drainMs` after the call. */
function drained(child: ChildProcess, clock: Clock): Promise<void> {
  return new Promise((resolve) => {
    const open = [child.stdout, child.stderr].filter((stream) => stream && !stream.readableEnded);
    let left = open.length;
    const cancel = clock.timer(drainMs, resolve);
    const one = () => {
      left -= 1;
      if (left > 0) return;
      cancel();
      resolve();
    };
    if (left === 0) one();
    for (const stream of open) stream?.once('close', one).resume();
  });
}

/** Starts one child. Never throws: what goes wrong is in `ended`. */
export function startChild(spec: ChildSpec, listener: ChildListener, clock: Clock): RunningChild {
  const idle = { stop: () => {}, pause: () => {}, resume: () => {} };
  let child: ChildProcess;
  try {
    child = begin(spec);
  } catch (error) {
    return { ...idle, ended: Promise.resolve(notStarted(startProblem(error, spec.file))) };
  }
  const pid = child.pid;
  if (pid === undefined) {
    const ended = new Promise<ChildResult>((resolve) => {
      child.once('error', (error) => resolve(notStarted(startProblem(error, spec.file))));
    });
    return { ...idle, ended };
  }
  return started(child, pid, spec, listener, clock);
}

function started(
  child: ChildProcess,
  pid: number,
  spec: ChildSpec,
  listener: ChildListener,
  clock: Clock,
): RunningChild {
  const tree = { pid, runId: spec.runId, startedAt: pidStartedAt(pid) };
  const hurry = new AbortController();
  let stopping: Promise<string[]> | null = null;
  let over = false;
  child.on('error', () => {});
  listener.started(pid, tree.startedAt);
  child.stdout?.on('data', (bytes: Uint8Array) => listener.data('stdout', bytes));
  child.stderr?.on('data', (bytes: Uint8Array) => listener.data('stderr', bytes));
  feed(child, spec.stdin);

  let resolveEnd: (result: ChildResult) => void = () => {};
  const ended = new Promise<ChildResult>((resolve) => {
    resolveEnd = resolve;
  });
  const finish = async (exit_code: number | null, signal: string | null) => {
    over = true;
    await drained(child, clock);
    const left = stopping === null ? leftovers(tree) : [];
    const survivors = await (stopping ?? killTree({ ...tree, clock, graceMs: leftoverGraceMs }));
    for (const stream of [child.stdin, child.stdout, child.stderr]) stream?.destroy();
    resolveEnd({ exit_code, signal, failed: null, stopped: stopping !== null, left, survivors });
  };
  child.once('exit', (exit_code, signal) => void finish(exit_code, signal));

  return {
    ended,
    stop(graceMs) {
      // What a root that has ended left behind is being stopped already.
      if (over) return;
      if (stopping !== null) return void clock.timer(graceMs, () => hurry.abort());
      stopping = killTree({ ...tree, clock, graceMs, hurry: hurry.signal });
      void stopping.then((survivors) => {
        // A root that even KILL does not end (it hangs in the kernel) must not hold the run for ever.
        if (survivors.length > 0 && !over) void finish(null, null);
      });
    },
    pause() {
      if (over) return;
      child.stdout?.pause();
      child.stderr?.pause();
    },
    resume() {
      child.stdout?.resume();
      child.stderr?.resume();
    },
  };
}
