import { randomBytes, randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import type { Clock } from '../../src-shared/clock.ts';
import type { Config } from '../../src-shared/model/settings.ts';
import type { Actor } from '../api/actor.ts';
import { type App, createApp } from '../api/app.ts';
import { createEventHub, type EventHub } from '../api/event-hub.ts';
import type { ApiDeps, Logins } from '../api/handler.ts';
import { createHttpDoor } from '../api/http-guard.ts';
import { automationCommands } from '../engine/automation-commands.ts';
import type { EngineContext, Log } from '../engine/context.ts';
import { createEngine, type Engine } from '../engine/engine.ts';
import type { FormerProcesses } from '../engine/recovery.ts';
import { runCommands } from '../engine/run-commands.ts';
import { createWriter } from '../engine/writer.ts';
import { childEnvironment } from '../launcher/environment.ts';
import type { Launcher } from '../launcher/protocol.ts';
import type { Db } from '../storage/open.ts';
import { createStore, type Store } from '../storage/store.ts';
import type { DataFolder } from './data-folder.ts';
import { createLogins, sameSecret } from './logins.ts';
import { machineFacts } from './machine-facts.ts';

const leaseRenewMs = 20_000;
const leaseForMs = 60_000;

export interface BackendOptions {
  folder: DataFolder;
  /** An open, migrated database; the backend closes it at the end. */
  db: Db;
  clock: Clock;
  config: Config;
  log: Log;
  version: string;
  /** What children may inherit from. */
  hostEnvironment: Record<string, string | undefined>;
  /** A better-sqlite3 addon built for another runtime; undefined = the one of the package. */
  nativeBinding?: string | undefined;
  /** With these an engine runs; without, the backend only reads and edits. */
  execution?: { launcher: Launcher; processes: FormerProcesses };
  /** How the port is opened; without it the backend is reached in-process only. */
  http?: {
    adminToken: string;
    /** The built page by path. */
    page(path: string): Response | null;
    allowWithoutToken: boolean;
  };
}

export interface Backend {
  app: App;
  /** Answers a request of the port: guard first, then the page or the app. */
  door(request: Request): Promise<Response>;
  store: Store;
  engine: Engine | null;
  events: EventHub | null;
  logins: Logins;
  /** Recovers and starts the engine; nothing to do without one. */
  start(): Promise<void>;
  /** Stops the engine, the launcher and the database, in this order. */
  stop(): Promise<void>;
  /** Where the page is reached, once a port is open. */
  setPort(port: number): void;
  port(): number | null;
}

function context(options: BackendOptions, store: Store): EngineContext {
  return {
    store,
    clock: options.clock,
    log: options.log,
    settings: options.config.scheduled_tasks,
    agents: options.config.agents,
    timezone: Intl.DateTimeFormat().resolvedOptions().timeZone,
    runsFolder: options.folder.runs,
    workspaceFolder: options.folder.workspace,
    backupsFolder: options.folder.backups,
    childEnvironment: (own, run) => childEnvironment(options.hostEnvironment, own, run),
    newId: () => randomUUID(),
    holder: `${hostname()}/${process.pid}/${randomBytes(4).toString('hex')}`,
  };
}

/** Keeps the lease row fresh: it tells other programs whom to call, it never decides who may run. */
function leaseRenewal(ctx: EngineContext, port: () => number | null): () => void {
  let renewed = Number.NEGATIVE_INFINITY;
  const acquired = ctx.clock.now();
  return () => {
    const now = ctx.clock.now();
    if (ctx.clock.monotonic() - renewed < leaseRenewMs) return;
    renewed = ctx.clock.monotonic();
    ctx.store.engine.writeLease({
      holder: ctx.holder,
      host: hostname(),
      pid: process.pid,
      port: port(),
      acquired_at: acquired,
      heartbeat_at: now,
      expires_at: now + leaseForMs,
    });
  };
}

/** The only wiring of the program: the desktop app, `nextrun serve`, the command line and the tests build this. */
export function createBackend(options: BackendOptions): Backend {
  const store = createStore(options.db);
  const ctx = context(options, store);
  let port: number | null = null;
  const { execution } = options;
  const engine =
    execution === undefined
      ? null
      : createEngine({ ctx, ...execution, renewLease: leaseRenewal(ctx, () => port) });
  const logins = createLogins(options.clock, () => `http://127.0.0.1:${port ?? options.config.http.port}`);
  const events = engine === null ? null : createEventHub(ctx, engine);
  const deps: ApiDeps = {
    ctx,
    writer: engine?.writer ?? createWriter(store, options.clock, () => undefined),
    engine,
    events,
    automations: automationCommands(ctx),
    runs: runCommands(ctx),
    logins,
    version: options.version,
    dataFolder: options.folder.path,
    port: () => port,
    machine: () =>
      machineFacts({
        folder: options.folder,
        config: options.config,
        environment: options.hostEnvironment,
        // Who runs the engine was given the database together with the lock.
        owner: engine !== null,
        nativeBinding: options.nativeBinding,
      }),
    newSecret: () => randomBytes(32).toString('base64url'),
  };
  let stopped: Promise<void> | null = null;

  async function stop(): Promise<void> {
    await engine?.stop();
    await execution?.launcher.close();
    if (engine !== null) await deps.writer.write(() => store.engine.dropLease(ctx.holder), 1000);
    store.close();
  }

  const app = createApp(deps);
  return {
    app,
    door: createDoor(options, app, store, () => port),
    store,
    engine,
    events,
    logins,
    async start() {
      await engine?.start();
    },
    stop: () => {
      stopped ??= stop();
      return stopped;
    },
    setPort: (taken) => {
      port = taken;
    },
    port: () => port,
  };
}

function createDoor(
  options: BackendOptions,
  app: App,
  store: Store,
  port: () => number | null,
): Backend['door'] {
  const { http, clock, log } = options;
  if (http === undefined) return async () => new Response(null, { status: 404 });
  const authenticate = (token: string): Actor | null => {
    if (sameSecret(token, http.adminToken)) {
      return { door: 'http', token_id: 'admin', scope: 'admin', anonymous: false };
    }
    const known = store.access.token(token, clock.now());
    return known === undefined
      ? null
      : { door: 'http', token_id: known.id, scope: known.scope, anonymous: false };
  };
  return createHttpDoor({
    app,
    authenticate,
    port: () => port() ?? 0,
    clock,
    allowWithoutToken: () => http.allowWithoutToken,
    page: http.page,
    onError: (error) => log.error({ error: String(error) }, 'a request failed at the door'),
  });
}
