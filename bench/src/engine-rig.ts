import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { automationCommands } from '../../src-main/engine/automation-commands.ts';
import { systemClock } from '../../src-main/engine/clock.ts';
import type { EngineContext } from '../../src-main/engine/context.ts';
import { createEngine, type Engine } from '../../src-main/engine/engine.ts';
import { childEnvironment } from '../../src-main/launcher/environment.ts';
import type { FromLauncher, Launcher, StartRequest } from '../../src-main/launcher/protocol.ts';
import { outcomeOf } from '../../src-main/testing/scripted-launcher.ts';
import { type TemporaryStore, temporaryStore } from '../../src-main/testing/temporary-store.ts';
import { scheduledTasksSchema } from '../../src-shared/model/settings.ts';

export interface EngineRig extends TemporaryStore {
  ctx: EngineContext;
  engine: Engine;
  automations: ReturnType<typeof automationCommands>;
  dispose(): Promise<void>;
}

/** A launcher that spawns nothing: every run says that it started, and ends in the next turn of the event loop. */
export function noOpLauncher(onStart: (request: StartRequest) => void = () => undefined): Launcher {
  const listeners: ((message: FromLauncher) => void)[] = [];
  const tell = (message: FromLauncher) => {
    for (const listener of listeners) listener(message);
  };
  return {
    start(request) {
      onStart(request);
      setImmediate(() => {
        const now = Date.now();
        tell({ type: 'started', run_id: request.run_id, pid: 1, pid_started_at: 1, at: now });
        tell({ type: 'outcome', run_id: request.run_id, outcome: outcomeOf(now) });
      });
    },
    cancel: () => undefined,
    onMessage: (listener) => void listeners.push(listener),
    close: async () => undefined,
  };
}

/** The whole engine over a real database and the real clock. `fill` may put rows there before it starts. */
export async function engineRig(
  launcher: Launcher,
  fill: (store: TemporaryStore) => void = () => undefined,
): Promise<EngineRig> {
  const temporary = temporaryStore();
  fill(temporary);
  const silent = () => undefined;
  const ctx: EngineContext = {
    store: temporary.store,
    clock: systemClock,
    log: { info: silent, warn: silent, error: (fields, message) => console.error(message, fields) },
    settings: scheduledTasksSchema.parse({ queue_limit: 100_000 }),
    agents: {},
    timezone: 'UTC',
    runsFolder: join(temporary.folder, 'runs'),
    workspaceFolder: join(temporary.folder, 'workspace'),
    backupsFolder: join(temporary.folder, 'backups'),
    childEnvironment: (own, run) => childEnvironment({ PATH: '/usr/bin:/bin' }, own, run),
    newId: () => randomUUID(),
    holder: 'bench',
  };
  const engine = createEngine({
    ctx,
    launcher,
    processes: { end: async () => undefined },
    renewLease: silent,
  });
  await engine.start();
  return {
    ...temporary,
    ctx,
    engine,
    automations: automationCommands(ctx),
    async dispose() {
      await engine.stop();
      temporary.remove();
    },
  };
}

/** Writes one-shot automations that are due at `at`, ms since 1970, in one commit. */
export async function submit(
  rig: EngineRig,
  count: number,
  at: number,
  command = ['/bin/true'],
): Promise<void> {
  await rig.engine.writer.write(() => {
    for (let index = 0; index < count; index += 1) {
      const schedule = { kind: 'at' as const, at: new Date(at + 1000).toISOString() };
      const input = { name: `n${index}`, kind: 'command' as const, command, schedule };
      rig.automations.create(input, 'api', { exact_next_run_at: at });
    }
  });
  rig.engine.poke();
}

/** Resolves when `count` more runs were settled. */
export function settledRuns(rig: EngineRig, count: number): Promise<void> {
  return new Promise((resolve) => {
    let left = count;
    const remove = rig.engine.onSettled(() => {
      left -= 1;
      if (left > 0) return;
      remove();
      resolve();
    });
  });
}
