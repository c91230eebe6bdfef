import type { Clock } from '../../src-shared/clock.ts';
import type { Executors } from './executor-port.ts';
import { markStarted, writeExitRecord } from './exit-record.ts';
import type { FromLauncher, StartRequest, ToLauncher } from './protocol.ts';
import { type ActiveRun, carryOut, type FinishedRun, type StopReason, stopGraceMs } from './run.ts';
import type { Watchdog } from './watchdog.ts';

/** Grace of the trees when the host has died: all must be gone within 2 s (faults F14). */
const hostGoneGraceMs = 800;
/** Above the first mark of characters waiting for the host no output is read; below the second it is again. */
const pauseAbove = 1024 * 1024;
const resumeBelow = 256 * 1024;

export interface LauncherOptions {
  clock: Clock;
  /** Hands a message to the host; `sent` is called when it has left this process, or never will. */
  send(message: FromLauncher, sent: () => void): void;
  watchdog: Pick<Watchdog, 'watch' | 'forget'>;
  executors: Executors;
}

/** What runs inside the launcher process. */
export interface LauncherCore {
  /** Carries out one message of the host. Never throws. */
  receive(message: ToLauncher): void;
  /** Stops all runs with reason `service_stopped`; resolves when their outcomes were handed over. */
  shutdown(): Promise<void>;
  /** Ends all trees without telling anybody; resolves when they are gone. */
  hostGone(): Promise<void>;
}

/** The logic of the launcher process: starts, stops and reports runs. */
export function createLauncher({ clock, send, watchdog, executors }: LauncherOptions): LauncherCore {
  const runs = new Map<string, ActiveRun>();
  const unsettled = new Set<Promise<void>>();
  let closing = false;
  let waiting = 0;
  let paused = false;

  function setPaused(now: boolean): void {
    paused = now;
    for (const run of runs.values()) now ? run.pause() : run.resume();
  }

  function tell(message: FromLauncher, size = 0): void {
    waiting += size;
    if (!paused && waiting > pauseAbove) setPaused(true);
    send(message, () => {
      waiting -= size;
      if (paused && waiting < resumeBelow) setPaused(false);
    });
  }

  function settle(request: StartRequest, { outcome, stopped, survivors }: FinishedRun): void {
    const { run_id } = request;
    runs.delete(run_id);
    // What cannot be killed stays listed: the watchdog tries again when this process ends.
    if (survivors.length === 0) watchdog.forget(run_id);
    if (stopped === 'host_gone' && outcome.reason === 'interrupted') return;
    try {
      writeExitRecord(request.run_folder, outcome);
    } catch {
      // No space or no right: the message is then the only way the outcome reaches the host.
    }
    tell({ type: 'outcome', run_id, outcome });
  }

  function start(request: StartRequest): void {
    const { run_id } = request;
    if (runs.has(run_id)) return;
    try {
      markStarted(request.run_folder);
    } catch {
      // No space or no right: the run goes on, only a crash of the host in this very moment would be misread.
    }
    watchdog.watch({ run_id, pid: null, started_at: null });
    const run = carryOut({
      request,
      executor: Object.hasOwn(executors, request.kind) ? executors[request.kind] : undefined,
      clock,
      onStarted(pid, started_at) {
        watchdog.watch({ run_id, pid, started_at });
        tell({ type: 'started', run_id, pid, pid_started_at: started_at, at: clock.now() });
      },
      onOutput(chunks, output_bytes, dropped_bytes) {
        const size = chunks.reduce((sum, { text }) => sum + text.length, 0);
        tell({ type: 'output', run_id, chunks, output_bytes, dropped_bytes }, size);
      },
    });
    runs.set(run_id, run);
    if (paused) run.pause();
    if (closing) run.stop('service_stopped', stopGraceMs);
    const settled = run.finished.then((finished) => settle(request, finished));
    unsettled.add(settled);
    void settled.then(() => unsettled.delete(settled));
  }

  async function stopAll(why: StopReason, graceMs: number): Promise<void> {
    closing = true;
    for (const run of runs.values()) run.stop(why, graceMs);
    await Promise.all(unsettled);
  }

  return {
    receive(message) {
      if (message.type === 'start') start(message.request);
      else if (message.type === 'cancel') runs.get(message.run_id)?.stop(message.why, stopGraceMs);
      else void stopAll('service_stopped', stopGraceMs);
    },
    shutdown: () => stopAll('service_stopped', stopGraceMs),
    hostGone: () => stopAll('host_gone', hostGoneGraceMs),
  };
}
