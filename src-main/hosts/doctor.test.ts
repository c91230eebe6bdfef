import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type Doctor, doctorSchema } from '../../src-shared/contract/doctor.ts';
import { configSchema } from '../../src-shared/model/settings.ts';
import { pidStartedAt } from '../launcher/process-tree.ts';
import { isOwnerLockHeld, type OwnerLock, takeOwnerLock } from '../storage/owner-lock.ts';
import { fakeClock } from '../testing/fake-clock.ts';
import { scriptedLauncher } from '../testing/scripted-launcher.ts';
import { createBackend } from './backend.ts';
import { runFake } from './cli/fixture.ts';
import { connectOffline } from './cli/transport.ts';
import { type DataFolder, dataFolderPaths, prepareDataFolder, writeServerFile } from './data-folder.ts';
import { findsProgram } from './machine-facts.ts';
import { openOffline } from './offline.ts';
import { openOwned } from './single-owner.ts';

/** The whole way: a real data folder, lock and database; with a host, and without one. */

let folder: DataFolder;
beforeEach(() => {
  folder = dataFolderPaths(mkdtempSync(join(tmpdir(), 'nextrun-doctor-')));
  prepareDataFolder(folder);
});
afterEach(() => rmSync(folder.path, { recursive: true, force: true }));

const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };
const found = (doctor: Doctor) =>
  doctor.checks.filter((check) => check.status !== 'ok').map((check) => `${check.status} ${check.code}`);

async function withHost(work: (ask: () => Promise<Doctor>) => Promise<void>): Promise<void> {
  const clock = fakeClock(Date.UTC(2026, 10, 29, 8));
  const { db, lock } = openOwned(folder, 0, undefined);
  const backend = createBackend({
    folder,
    db,
    clock,
    config: configSchema.parse({ agents: { sh: { command: ['sh'] } } }),
    log: silent,
    version: '1.2.3',
    hostEnvironment: { PATH: '/nowhere:/usr/bin:/bin' },
    execution: { launcher: scriptedLauncher(clock.now), processes: { end: async () => undefined } },
  });
  backend.setPort(8899);
  await backend.start();
  try {
    await work(async () => {
      const actor = { door: 'process' as const, token_id: 't', scope: 'read' as const, anonymous: false };
      const reply = await backend.app.fetch(new Request('http://127.0.0.1/api/doctor'), { actor });
      expect(reply.status).toBe(200);
      return doctorSchema.parse(await reply.json());
    });
  } finally {
    const stopping = backend.stop();
    await clock.advance(20_000);
    await stopping;
    lock.release();
  }
}

const serverFile = (pid: number) =>
  writeServerFile(folder, {
    pid,
    pid_started_at: pidStartedAt(pid),
    started_at: 0,
    host: '127.0.0.1',
    port: 8899,
    url: 'http://127.0.0.1:8899',
    version: '1.2.3',
  });

it('finds a host well that has just started', async () => {
  serverFile(process.pid);
  await withHost(async (ask) => {
    const doctor = await ask();
    expect(found(doctor).filter((text) => !text.endsWith(' disk'))).toEqual([]);
    expect(doctor.checks.find((check) => check.code === 'agent')).toMatchObject({
      subject: 'sh',
      status: 'ok',
    });
    expect(doctor.checks.find((check) => check.code === 'database_size')?.en).toMatch(/KiB, WAL/);
  });
});

it('keeps its lock while it looks, and sees that the files of a host are gone', async () => {
  await withHost(async (ask) => {
    expect(found(await ask())).toContain('fail port');
    expect(isOwnerLockHeld(folder.lock)).toBe(true);
    rmSync(folder.lock);
    expect(found(await ask())).toContain('fail owner_lock');
  });
});

const nextrun = (...args: string[]) =>
  runFake(args, {
    live: false,
    deps: { openOffline: async () => connectOffline(await openOffline(folder.path)) },
  });

it('works without a host: exit code 0 while nothing is planned, 1 when something will not run', async () => {
  const empty = await nextrun('doctor', '--json');
  expect(empty).toMatchObject({ code: 0, err: '' });
  const warned = found(doctorSchema.parse(JSON.parse(empty.out)));
  expect(warned.filter((text) => !text.endsWith(' disk'))).toEqual(['warn engine']);
  await nextrun('add', '--every', '2h', '--', 'echo', 'hi');
  const planned = await nextrun('doctor');
  expect(planned.code).toBe(1);
  expect(planned.out).toContain('✗ No engine runs here: nothing will run  → Start it: nextrun serve\n');
  expect(planned.out).toContain('✓ The database is sound\n');
});

it('without a host it tells what is left of one, and who holds the lock', async () => {
  serverFile(2 ** 22 + 1);
  expect((await nextrun('doctor')).out).toContain('! server.json was left by a host that was killed');
  chmodSync(folder.server, 0o644);
  expect((await nextrun('doctor')).out).toContain('! server.json can be read or written by others');
  const lock = takeOwnerLock(folder.lock) as OwnerLock;
  expect(await nextrun('doctor')).toMatchObject({
    code: 1,
    out: expect.stringContaining('✗ Another process holds the owner lock'),
  });
  lock.release();
});

it('speaks Chinese', async () => {
  const world = { deps: { openOffline: async () => connectOffline(await openOffline(folder.path)) } };
  const { out } = await runFake(['doctor'], { live: false, env: { LANG: 'zh_CN.UTF-8' }, ...world });
  expect(out).toContain('此处没有引擎在运行：不会执行任何任务  → 启动：nextrun serve');
});

it('knows a program by its path or in the PATH, and takes no folder or plain file for one', async () => {
  const file = join(folder.path, 'tool');
  writeFileSync(file, '', { mode: 0o644 });
  expect(await findsProgram('sh', { PATH: '/nowhere:/bin' })).toBe(true);
  expect(await findsProgram('/bin/sh', {})).toBe(true);
  expect(await findsProgram('no-such-program', { PATH: '/bin' })).toBe(false);
  expect(await findsProgram('tool', { PATH: folder.path })).toBe(false);
  expect(await findsProgram('bin', { PATH: '/usr' })).toBe(false);
  chmodSync(file, 0o755);
  expect(await findsProgram('tool', { PATH: folder.path })).toBe(true);
});
