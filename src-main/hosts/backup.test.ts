import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { configSchema } from '../../src-shared/model/settings.ts';
import type { TaskItem } from '../../src-shared/model/task-item.ts';
import type { OwnerLock } from '../storage/owner-lock.ts';
import { type FakeClock, fakeClock } from '../testing/fake-clock.ts';
import { scriptedLauncher } from '../testing/scripted-launcher.ts';
import { type Backend, createBackend } from './backend.ts';
import { runFake } from './cli/fixture.ts';
import { connectOffline } from './cli/transport.ts';
import { type DataFolder, dataFolderPaths, prepareDataFolder } from './data-folder.ts';
import { openOffline } from './offline.ts';
import { openOwned } from './single-owner.ts';

/** The whole way: app, engine and database of a host in this process, and the command line in front of them. */

const actor = { door: 'process', token_id: 't', scope: 'admin', anonymous: false } as const;
type Asked = { item: TaskItem; existing: boolean };
const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };

let folder: DataFolder;
let clock: FakeClock;
let backend: Backend;
let lock: OwnerLock;
beforeEach(async () => {
  folder = dataFolderPaths(mkdtempSync(join(tmpdir(), 'nextrun-backup-')));
  prepareDataFolder(folder);
  clock = fakeClock(Date.UTC(2026, 10, 29, 8));
  const owned = openOwned(folder, 0, undefined);
  lock = owned.lock;
  backend = createBackend({
    folder,
    db: owned.db,
    clock,
    config: configSchema.parse({}),
    log: silent,
    version: '1.2.3',
    hostEnvironment: {},
    execution: { launcher: scriptedLauncher(clock.now), processes: { end: async () => undefined } },
  });
  await backend.start();
  // The backup of the first start.
  await clock.advance(1000);
});
afterEach(async () => {
  const stopping = backend.stop();
  await clock.advance(20_000);
  await stopping;
  lock.release();
  rmSync(folder.path, { recursive: true, force: true });
});

const fetch = async (path: string, init?: RequestInit) =>
  backend.app.fetch(new Request(`http://127.0.0.1${path}`, init), { actor });
const list = async (query = '') => {
  const reply = await fetch(`/api/task-items${query}`);
  expect(reply.status).toBe(200);
  return (await reply.json()) as { items: TaskItem[]; next_cursor: string | null };
};
const post = (headers: Record<string, string> = {}) => fetch('/api/backup', { method: 'POST', headers });

describe('POST /api/backup', () => {
  it('gives 202 with the item; the one that is active is given back as existing', async () => {
    const replies = await Promise.all([post(), post(), post()]);
    expect(replies.map((reply) => reply.status)).toEqual([202, 202, 202]);
    const bodies = (await Promise.all(replies.map((reply) => reply.json()))) as Asked[];
    expect(bodies.map((body) => body.existing)).toEqual([false, true, true]);
    expect(new Set(bodies.map((body) => body.item.id)).size).toBe(1);
    expect(bodies[0]!.item).toMatchObject({
      task_type: 'Maintenance',
      entity_id: 'backup',
      status: 'queued',
      created_at: clock.now(),
    });
    await clock.advance(0);
    const { items } = await list(`?id=${bodies[0]!.item.id}`);
    expect(items).toMatchObject([{ status: 'done', error_message: null, completed_at: clock.now() }]);
    const file = String(items[0]!.metadata['file']);
    expect(dirname(file)).toBe(folder.backups);
    expect(statSync(file).size).toBe(items[0]!.metadata['bytes']);
  });

  it('repeats its answer to the same Idempotency-Key, and makes no second backup', async () => {
    const first = await (await post({ 'Idempotency-Key': 'k' })).json();
    await clock.advance(5000);
    const again = await post({ 'Idempotency-Key': 'k' });
    expect(again.status).toBe(202);
    expect(await again.json()).toEqual(first);
    await clock.advance(1000);
    expect((await list()).items).toHaveLength(2);
  });
});

describe('GET /api/task-items', () => {
  it('lists newest first, by page and by filter, without what was deleted', async () => {
    for (let made = 0; made < 3; made += 1) {
      await post();
      await clock.advance(1000);
    }
    const all = (await list()).items;
    expect(all.map((item) => item.status)).toEqual(['done', 'done', 'done', 'done']);
    expect(all.map((item) => item.created_at)).toEqual(
      all
        .map((item) => item.created_at)
        .toSorted()
        .toReversed(),
    );
    const first = await list('?limit=3');
    const second = await list(`?limit=3&cursor=${first.next_cursor}`);
    expect([...first.items, ...second.items]).toEqual(all);
    expect(second.next_cursor).toBeNull();
    expect((await list('?status=queued')).items).toEqual([]);
    expect((await list('?status=done&task_type=Maintenance&entity_id=backup')).items).toHaveLength(4);
    expect((await list('?task_type=Other')).items).toEqual([]);
  });

  it('refuses a status that is none, and a cursor that no page gave', async () => {
    for (const query of ['?status=2', '?status=QUEUED', '?cursor=x', '?limit=0']) {
      expect([query, (await fetch(`/api/task-items${query}`)).status]).toEqual([query, 400]);
    }
  });
});

describe('nextrun backup', () => {
  /** The command line over the app of the host; its waits move the clock of both. */
  const nextrun = (...args: string[]) => {
    const connection = {
      ...connectOffline({ fetch: (path, init) => fetch(path, init), close: async () => undefined }),
      live: true,
    };
    const patient = {
      ...clock,
      timer(ms: number, fn: () => void) {
        void clock.advance(ms).then(fn);
        return () => undefined;
      },
    };
    return runFake(args, { deps: { findHost: async () => connection, clock: patient } });
  };

  it('waits and prints the file', async () => {
    const { code, out, err } = await nextrun('backup');
    expect(err).toBe('');
    expect(code).toBe(0);
    expect(out).toBe(`${join(folder.backups, 'backup-2026-11-29T08-00-01-000Z.db')}\n`);
    expect(statSync(out.trim()).mode & 0o777).toBe(0o600);
  });

  it('waits for the one that is asked for already, also when memory had lost it', async () => {
    const lost = { id: 'lost', task_type: 'Maintenance', entity_id: 'backup', created_at: clock.now() };
    backend.store.taskItems.insert({ ...lost, entity_title: null, metadata: null });
    const { code, err } = await nextrun('backup');
    expect([code, err]).toEqual([0, 'A backup is already being made; waiting for it.\n']);
    expect((await list()).items).toHaveLength(2);
  });

  it('prints the item with --json', async () => {
    const { out, code } = await nextrun('backup', '--json');
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ status: 'done', metadata: { file: expect.any(String) } });
  });

  it('says why it failed, with exit code 1', async () => {
    backend.store.copyInto = () => {
      throw new Error('database or disk is full');
    };
    const failed = await nextrun('backup');
    expect(failed).toMatchObject({ code: 1, out: '' });
    expect(failed.err).toBe('error: The backup failed: database or disk is full\n');
    const json = await nextrun('backup', '--json');
    expect(json.code).toBe(1);
    expect(JSON.parse(json.out)).toMatchObject({ status: 'failed' });
  });

  it('needs a host: without one nothing is asked', async () => {
    expect(await runFake(['backup'], { live: false })).toMatchObject({ code: 5, requests: [] });
  });
});

it('without an engine POST /api/backup is 503, and the list is there', async () => {
  const offline = await openOffline(folder.path);
  const reply = await offline.fetch('/api/backup', { method: 'POST' });
  expect(reply.status).toBe(503);
  expect(await reply.json()).toMatchObject({ code: 'no_engine' });
  const listed = await offline.fetch('/api/task-items', {});
  expect(await listed.json()).toMatchObject({ items: [{ status: 'done' }] });
  await offline.close();
});
