import { join } from 'node:path';
import { Job, Locator, QueueManager, QueueSchemaService, Worker } from '@boringnode/queue';
import { knex as knexAdapter } from '@boringnode/queue/drivers/knex_adapter';
import Database from 'better-sqlite3';
import Knex from 'knex';
import { better, defineQueue, defineWorker } from 'plainjob';

/** A queue that is measured: jobs of no work, at most three at once, every commit synced, fastest poll. */
export interface PeerQueue {
  /** Puts `count` jobs there that are due in `delay` ms. */
  add(count: number, delay: number): Promise<void>;
  /** Starts working; `onJob` is called when a job's handler is. */
  start(onJob: () => void): void;
  stop(): Promise<void>;
}

const atOnce = 3;
const silent = () => undefined;

function synced(file: string): Database.Database {
  const db = new Database(file);
  db.pragma('journal_mode = WAL');
  db.pragma('synchronous = FULL');
  return db;
}

/** The least that does the work: a claim that returns the row, and a completion, each a commit. */
export function floorQueue(folder: string): PeerQueue {
  const db = synced(join(folder, 'floor.db'));
  db.exec(`CREATE TABLE IF NOT EXISTS jobs (id INTEGER PRIMARY KEY, due INTEGER NOT NULL, status INTEGER NOT NULL);
    CREATE INDEX IF NOT EXISTS due ON jobs (due) WHERE status = 0`);
  const insert = db.prepare('INSERT INTO jobs (due, status) VALUES (?, 0)');
  const claim = db.prepare<[number], { id: number }>(
    `UPDATE jobs SET status = 1 WHERE id = (SELECT id FROM jobs WHERE status = 0 AND due <= ? ORDER BY due LIMIT 1)
     RETURNING id`,
  );
  const nearest = db
    .prepare<[], number>('SELECT due FROM jobs WHERE status = 0 ORDER BY due LIMIT 1')
    .pluck();
  const complete = db.prepare('UPDATE jobs SET status = 2 WHERE id = ?');
  let timer: NodeJS.Timeout | undefined;
  let onJob: (() => void) | null = null;
  let active = 0;

  function fill(): void {
    while (onJob !== null && active < atOnce) {
      const job = claim.get(Date.now());
      if (job === undefined) break;
      active += 1;
      onJob();
      setImmediate(() => {
        complete.run(job.id);
        active -= 1;
        fill();
      });
    }
    if (active === 0) arm();
  }
  function arm(): void {
    clearTimeout(timer);
    const due = nearest.get();
    if (due !== undefined && onJob !== null) timer = setTimeout(fill, Math.max(0, due - Date.now()));
  }
  return {
    async add(count, delay) {
      db.transaction(() => {
        for (let index = 0; index < count; index += 1) insert.run(Date.now() + delay);
      })();
      arm();
    },
    start(listener) {
      onJob = listener;
      arm();
    },
    async stop() {
      onJob = null;
      clearTimeout(timer);
    },
  };
}

export function plainjobQueue(folder: string, pollMs = 1): PeerQueue {
  const connection = better(synced(join(folder, 'plainjob.db')) as never);
  connection.pragma('synchronous = FULL');
  const logger = { error: silent, warn: silent, info: silent, debug: silent };
  const queue = defineQueue({ connection, logger });
  // It sets its own pragmas when it opens.
  connection.pragma('synchronous = FULL');
  let workers: ReturnType<typeof defineWorker>[] = [];
  return {
    async add(count, delay) {
      if (count === 1) queue.add('no-op', {}, { delay });
      else queue.addMany('no-op', Array(count).fill({}), { delay });
    },
    start(onJob) {
      const one = () => defineWorker('no-op', () => onJob(), { queue, logger, pollIntervall: pollMs });
      workers = Array.from({ length: atOnce }, one);
      for (const worker of workers) void worker.start();
    },
    async stop() {
      await Promise.all(workers.map((worker) => worker.stop()));
    },
  };
}

export async function boringQueue(folder: string, pollMs = 1): Promise<PeerQueue> {
  const filename = join(folder, 'boring.db');
  synced(filename).close();
  const connection = Knex({
    client: 'better-sqlite3',
    connection: { filename },
    useNullAsDefault: true,
    pool: {
      min: 1,
      max: 1,
      afterCreate: (db: Database.Database, done: (error: Error | null, db: Database.Database) => void) => {
        db.pragma('synchronous = FULL');
        done(null, db);
      },
    },
  });
  const schema = new QueueSchemaService(connection);
  await schema.createJobsTable();
  await schema.createSchedulesTable();
  let listener = silent as () => void;
  class NoOp extends Job<object> {
    static override options = { name: 'NoOp', queue: 'default' };
    async execute(): Promise<void> {
      listener();
    }
  }
  Locator.register('NoOp', NoOp as never);
  const config = {
    default: 'knex',
    adapters: { knex: knexAdapter(connection) },
    worker: { concurrency: atOnce, idleDelay: pollMs, gracefulShutdown: false },
    locations: [],
  };
  await QueueManager.init(config as never);
  let worker: Worker | null = null;
  return {
    async add(count, delay) {
      for (let n = 0; n < count; n += 1) {
        const job = NoOp.dispatch({});
        await (delay > 0 ? job.in(delay) : job);
      }
    },
    start(onJob) {
      listener = onJob;
      worker = new Worker(config as never);
      void worker.start(['default']);
    },
    async stop() {
      await worker?.stop();
    },
  };
}
