import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type HttpServer, listen } from '../../api/http-server.ts';
import { staticPage } from '../../api/static.ts';
import { systemClock } from '../../engine/clock.ts';
import { forkLauncher } from '../../launcher/client.ts';
import { endFormer, pidStartedAt } from '../../launcher/process-tree.ts';
import { DatabaseRefusedError } from '../../storage/errors.ts';
import { type Backend, createBackend } from '../backend.ts';
import { ConfigError, readConfig } from '../config.ts';
import {
  adminToken,
  type DataFolder,
  DataFolderError,
  dataFolderPaths,
  prepareDataFolder,
  removeServerFile,
  writeServerFile,
} from '../data-folder.ts';
import { type FoundAgents, findAgents } from '../find-agents.ts';
import { createLog } from '../log.ts';
import { AlreadyServedError, openOwned } from '../single-owner.ts';
import { version } from '../version.ts';

export interface ServeOptions {
  dataFolder: string;
  /** Port to begin with; undefined = config.toml or 8899. */
  port?: number | undefined;
  /** Say why there is no window: this was started in its place. */
  insteadOfWindow?: boolean;
}

const builtFolder = dirname(fileURLToPath(import.meta.url));

/** The launcher's program: beside the bundle, or the source when run from source. */
function launcherEntry(): string {
  const built = join(builtFolder, 'launcher.js');
  return existsSync(built) ? built : join(builtFolder, '../launcher/main.ts');
}

/** The built page beside the bundle, whichever folder of out/ this file was bundled into. */
function pageFolder(): string {
  const beside = join(builtFolder, '../renderer');
  return existsSync(beside) ? beside : join(builtFolder, '../../../out/renderer');
}

function openBackend(
  folder: DataFolder,
  options: ServeOptions,
): {
  backend: Backend;
  found: FoundAgents;
  ready: Promise<void>;
  release(): void;
  host: string;
  port: number;
} {
  const notes = prepareDataFolder(folder);
  const env = process.env;
  const config = readConfig(folder.config, env);
  const found = findAgents(config.agents, env);
  const ready = found.complete();
  const log = createLog(join(folder.logs, 'nextrun.log'), env['NEXTRUN_LOG']);
  for (const note of notes) log.warn({}, note);
  const { db, lock } = openOwned(folder, systemClock.now(), env['NEXTRUN_SQLITE_BINDING']);
  const launcher = forkLauncher({ entry: launcherEntry(), env, clock: systemClock });
  const backend = createBackend({
    folder,
    db,
    clock: systemClock,
    config: { ...config, agents: found.agents },
    log,
    version,
    hostEnvironment: found.environment,
    execution: {
      launcher,
      processes: { end: (pid, startedAt, runId) => endFormer({ pid, startedAt, runId, clock: systemClock }) },
    },
    http: {
      adminToken: adminToken(folder),
      page: staticPage(pageFolder()),
      allowWithoutToken: config.http.allow_local_without_token,
    },
  });
  return {
    backend,
    found,
    ready,
    release: () => lock.release(),
    host: config.http.host,
    port: options.port ?? config.http.port,
  };
}

/**
 * Serves a data folder without a window until SIGINT, SIGTERM or SIGHUP. Gives the exit code: 0, 2 for a
 * configuration or database that is refused, 6 when another process serves it already.
 */
export async function serve(options: ServeOptions): Promise<number> {
  const folder = dataFolderPaths(options.dataFolder);
  try {
    const opened = openBackend(folder, options);
    await run(folder, opened, options);
    return 0;
  } catch (error) {
    if (error instanceof AlreadyServedError) {
      process.stderr.write(`${error.message}; see: nextrun status\n`);
      return 6;
    }
    if (
      error instanceof ConfigError ||
      error instanceof DatabaseRefusedError ||
      error instanceof DataFolderError
    ) {
      process.stderr.write(`${error.message}\n`);
      return 2;
    }
    throw error;
  }
}

async function run(
  folder: DataFolder,
  opened: ReturnType<typeof openBackend>,
  options: ServeOptions,
): Promise<void> {
  const { backend } = opened;
  const stopAsked = signalled();
  let server: HttpServer | null = null;
  try {
    server = await listen({
      door: backend.door,
      host: '127.0.0.1',
      port: opened.port,
      clock: systemClock,
      onListening: backend.setPort,
    });
    await begin(folder, opened, server, options);
    await stopAsked;
    process.stderr.write('Stopping; what runs is queued again …\n');
  } finally {
    // Also after a start that failed half-way: nobody may keep the lock, the port or a launcher.
    removeServerFile(folder, process.pid);
    await server?.close();
    await backend.stop().finally(() => opened.release());
  }
}

async function begin(
  folder: DataFolder,
  opened: ReturnType<typeof openBackend>,
  server: HttpServer,
  options: ServeOptions,
): Promise<void> {
  const { backend } = opened;
  writeServerFile(folder, {
    pid: process.pid,
    pid_started_at: pidStartedAt(process.pid),
    started_at: systemClock.now(),
    host: '127.0.0.1',
    port: server.port,
    url: server.url,
    version,
  });
  // What is overdue starts at once and may need a program that only the login shell knows.
  await opened.ready;
  await backend.start();
  void opened.found.askVersions();
  announce(folder, backend, server.url, options);
}

function signalled(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => resolve());
  });
}

function announce(folder: DataFolder, backend: Backend, url: string, options: ServeOptions): void {
  const login = backend.logins.create();
  const lines = [
    options.insteadOfWindow === true ? `NextRun ${version} runs without a window.` : `NextRun ${version}`,
    `Open     ${login.url}   (works once, for ten minutes; another one: nextrun open)`,
    `API      ${url}   token: ${folder.token}`,
    `Data     ${folder.path}`,
    'Stop     Ctrl+C',
  ];
  process.stdout.write(`${lines.join('\n')}\n`);
}
