import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openOffline } from '../offline.ts';
import { runFake } from './fixture.ts';
import { connectOffline } from './transport.ts';

/** The whole way without a host: the command line, the real backend in-process, a real database. */

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'nextrun-cli-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const nextrun = (...args: string[]) =>
  runFake(args, {
    live: false,
    deps: { openOffline: async () => connectOffline(await openOffline(folder)) },
  });

it('adds, lists, shows, edits, pauses, explains and deletes', async () => {
  const added = await nextrun(
    'add',
    '--type',
    'cron',
    '--schedule',
    '0 9 * * *',
    '--timezone',
    'Asia/Tokyo',
    '--',
    'echo',
    'hi',
  );
  expect(added).toMatchObject({ code: 0 });
  const id = added.out.trim();
  expect((await nextrun('list', '--format', 'brief')).out).toContain(`${id} [active] echo hi | `);
  expect(JSON.parse((await nextrun('show', id.slice(0, 6), '--json')).out)).toMatchObject({
    command: ['echo', 'hi'],
    kind: 'command',
    schedule: { kind: 'cron', expression: '0 9 * * *', timezone: 'Asia/Tokyo' },
  });
  const edited = await nextrun('edit', 'echo hi', '--every', '2h', '--name', '每日', '--json');
  expect(JSON.parse(edited.out)).toMatchObject({ name: '每日', schedule: { interval_ms: 7_200_000 } });
  expect((await nextrun('toggle', '每日')).err).toContain('Paused “每日”.');
  expect((await nextrun('why', id)).out).toContain('✗ No engine runs for this data folder');
  expect(await nextrun('delete', id)).toMatchObject({ code: 0, out: `${id}\n` });
  expect((await nextrun('list')).err).toContain('No tasks.');
  expect((await nextrun('list', '--status', 'deleted')).out).toContain(id);
});

it('says what is wrong with a field, and changes nothing', async () => {
  const refused = await nextrun('add', '-m', 'x', '--schedule', '0 9 * * *', '--timezone', 'Mars/Olympus');
  expect(refused.code).toBe(2);
  expect(refused.err).toContain('field: schedule.timezone');
  expect((await nextrun('add')).code).toBe(2);
  expect((await nextrun('list')).err).toContain('No tasks.');
});

it('previews, and tells its status', async () => {
  const preview = await nextrun('preview', 'every 10m', '--count', '3');
  expect(preview).toMatchObject({ code: 0 });
  expect(preview.out.trim().split('\n')).toHaveLength(3);
  expect(preview.err).not.toContain('not running');
  expect((await nextrun('status')).code).toBe(5);
});
