import { join } from 'node:path';
import { type ScheduledTasksSettings, scheduledTasksSchema } from '../../src-shared/model/settings.ts';
import { automationCommands } from '../engine/automation-commands.ts';
import type { EngineContext } from '../engine/context.ts';
import { createEngine, type Engine } from '../engine/engine.ts';
import { runCommands } from '../engine/run-commands.ts';
import { childEnvironment } from '../launcher/environment.ts';
import type { RunRow } from '../storage/rows.ts';
import { type FakeClock, fakeClock, settled } from './fake-clock.ts';
import { type ScriptedLauncher, scriptedLauncher } from './scripted-launcher.ts';
import { type TemporaryStore, temporaryStore } from './temporary-store.ts';

/** 2026-11-29T08:00:00Z, a Sunday. */
export const testStart = Date.UTC(2026, 10, 29, 8);

export interface TestEngine extends TemporaryStore {
  ctx: EngineContext;
  clock: FakeClock;
  launcher: ScriptedLauncher;
  engine: Engine;
  automations: ReturnType<typeof automationCommands>;
  runs: ReturnType<typeof runCommands>;
  log: string[];
  /** Runs of an automation, oldest first. */
  runsOf(automationId: string): RunRow[];
  /** One commit, then a scan. */
  change<T>(fn: () => T): Promise<T>;
  /** As a host that was killed: nothing is written any more, then a new engine starts on the same file. */
  restart(): Promise<void>;
  dispose(): Promise<void>;
}

/** A whole engine over a real database, with a fake clock and children that the test scripts. */
export async function testEngine(
  settings: Partial<ScheduledTasksSettings> = {},
  timezone = 'UTC',
): Promise<TestEngine> {
  const temporary = temporaryStore();
  const clock = fakeClock(testStart);
  const log: string[] = [];
  const write = (level: string) => (fields: object, message: string) =>
    log.push(`${level} ${message} ${JSON.stringify(fields)}`);
  let ids = 0;
  const ctx: EngineContext = {
    store: temporary.store,
    clock,
    log: { info: write('info'), warn: write('warn'), error: write('error') },
    settings: scheduledTasksSchema.parse(settings),
    agents: { echo: { command: ['cat'], default: true } },
    timezone,
    runsFolder: join(temporary.folder, 'runs'),
    workspaceFolder: join(temporary.folder, 'workspace'),
    backupsFolder: join(temporary.folder, 'backups'),
    childEnvironment: (own, run) => childEnvironment({ PATH: '/usr/bin:/bin' }, own, run),
    newId: () => {
      ids += 1;
      return String(ids).padStart(6, '0');
    },
    holder: 'test',
  };
  const start = () => {
    const launcher = scriptedLauncher(() => clock.now());
    const engine = createEngine({
      ctx,
      launcher,
      processes: { end: async () => undefined },
      renewLease: () => undefined,
    });
    return { launcher, engine };
  };
  const test: TestEngine = {
    ...temporary,
    ctx,
    clock,
    log,
    ...start(),
    automations: automationCommands(ctx),
    runs: runCommands(ctx),
    runsOf: (id) => temporary.store.runs.list({ automation_id: id }, 1000).items.reverse(),
    async change(fn) {
      const value = await test.engine.writer.write(fn);
      test.engine.poke();
      await clock.advance(0);
      return value;
    },
    async restart() {
      test.launcher.mute();
      // It waits for runs that will never answer; a killed host does not even do that.
      void test.engine.stop();
      Object.assign(test, start());
      await test.engine.start();
      await clock.advance(0);
    },
    async dispose() {
      await test.engine.stop();
      temporary.remove();
    },
  };
  await test.engine.start();
  await clock.advance(0);
  await settled();
  return test;
}
