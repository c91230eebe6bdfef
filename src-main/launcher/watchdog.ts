import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Clock } from '../../src-shared/clock.ts';
import { killTree } from './process-tree.ts';

/**
 * The launcher's side: what the watchdog has to kill when the launcher dies. A run is listed before its child
 * exists, so there is no moment in which a child could be left alone.
 */
export interface Watchdog {
  watch(run: WatchedRun): void;
  forget(runId: string): void;
  /** Lets the watchdog end; what is still listed is killed by it. */
  close(): void;
}

export interface WatchedRun {
  run_id: string;
  /** Root and leader of the group; null as long as there is none. */
  pid: number | null;
  started_at: number | null;
}

type Line = { watch: WatchedRun } | { forget: string };

const restartMs = 1000;

/** What starts the watchdog process: this program again, in its other role. */
export interface WatchdogCommand {
  file: string;
  args: string[];
  env: Record<string, string | undefined>;
}

/** Starts the watchdog process and keeps it informed. It is started again when something ends it. */
export function startWatchdog({ command, clock }: { command: WatchdogCommand; clock: Clock }): Watchdog {
  const listed = new Map<string, WatchedRun>();
  let child: ChildProcess | null = null;
  let cancelRestart = () => {};
  let closed = false;

  const write = (line: Line) => void child?.stdin?.write(`${JSON.stringify(line)}\n`);

  function start(): void {
    const started = spawn(command.file, command.args, {
      env: command.env,
      detached: true,
      stdio: ['pipe', 'ignore', 'ignore'],
      windowsHide: true,
    });
    child = started;
    started.on('error', lost);
    started.on('exit', lost);
    started.stdin?.on('error', () => {});
    for (const watch of listed.values()) write({ watch });
    function lost(): void {
      if (child !== started || closed) return;
      child = null;
      cancelRestart = clock.timer(restartMs, start);
    }
  }

  start();
  return {
    watch(run) {
      listed.set(run.run_id, run);
      write({ watch: run });
    },
    forget(runId) {
      if (listed.delete(runId)) write({ forget: runId });
    },
    close() {
      closed = true;
      cancelRestart();
      child?.stdin?.end();
    },
  };
}

/**
 * The watchdog process: reads the list until its pipe ends (the launcher closed it or was killed), kills every
 * tree still listed, and resolves when they are gone.
 */
export async function runWatchdog({
  input,
  clock,
}: {
  input: NodeJS.ReadableStream;
  clock: Clock;
}): Promise<void> {
  const listed = new Map<string, WatchedRun>();
  for await (const text of createInterface({ input })) {
    const line = parse(text);
    if (line === null) continue;
    if ('watch' in line) listed.set(line.watch.run_id, line.watch);
    else listed.delete(line.forget);
  }
  const kill = ({ run_id, pid, started_at }: WatchedRun) =>
    killTree({ pid, runId: run_id, startedAt: started_at, clock, graceMs: 0 });
  const runs = [...listed.values()];
  await Promise.all(runs.map(kill));
  if (runs.length === 0) return;
  // A child that was just being forked gets its tag with exec, after the first look.
  await new Promise<void>((resolve) => void clock.timer(200, resolve));
  await Promise.all(runs.map(kill));
}

/** The last line may have been cut off by the launcher's death. */
function parse(text: string): Line | null {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
