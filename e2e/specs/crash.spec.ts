import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { childrenOf, expect, type Host, reaches, statusOf, submit, test } from '../fixtures/host.ts';

const stubborn = 'echo begun; trap "" TERM; sleep 600 & sleep 600';

async function threeRunningTwoWaiting(host: Host): Promise<string[]> {
  const ids: string[] = [];
  for (let index = 0; index < 5; index += 1) {
    ids.push(
      await submit(host, { name: `t${index}`, command: index === 0 ? stubborn : 'echo begun; sleep 600' }),
    );
  }
  await expect
    .poll(
      async () =>
        (await host.client.call('getQueue', {})).running.filter((run) => run.output_bytes > 0).length,
    )
    .toBe(3);
  expect((await host.client.call('getQueue', {})).waiting.map((run) => run.title)).toEqual(['t3', 't4']);
  return ids;
}

test('kill -9 of the host: no child survives, nothing acknowledged is lost, the queue keeps its order', async ({
  rig,
}) => {
  const first = await rig.start();
  const ids = await threeRunningTwoWaiting(first);
  const later = await first.client.call('submitRun', { body: { command: ['true'], delay_seconds: 3600 } });
  first.signal('SIGKILL');
  await first.ended;
  await expect.poll(() => childrenOf(rig.folder), { timeout: 2000, intervals: [50] }).toEqual([]);

  const second = await rig.start();
  expect(await statusOf(second, later.id)).toMatchObject({
    status: 'SCHEDULED',
    next_run_at: later.next_run_at,
  });
  await expect.poll(async () => (await second.client.call('getQueue', {})).running.length).toBe(3);
  const queue = await second.client.call('getQueue', {});
  expect(queue.running.slice(0, 2).map((run) => run.title)).toEqual(['t3', 't4']);
  for (const id of ids.slice(0, 3)) {
    const runs = (await second.client.call('listAutomationRuns', { params: { id } })).items;
    expect(runs.at(-1)).toMatchObject({ status: 'FAILED', reason_code: 'interrupted', attempt: 1 });
    expect(runs).toHaveLength(2);
    expect(new Set(runs.map((run) => run.run_key)).size).toBe(1);
    const slots = (await second.client.call('listSlots', { params: { id } })).items;
    expect(slots).toHaveLength(1);
    expect(slots[0]).toMatchObject({ outcome: 'ran', run_id: runs[0]!.id });
  }
});

test('SIGTERM: what runs is stopped and queued again, what waits stays, and server.json goes', async ({
  rig,
}) => {
  const host = await rig.start();
  const ids = await threeRunningTwoWaiting(host);
  host.signal('SIGTERM');
  expect(await host.ended).toBe(0);
  expect(childrenOf(rig.folder)).toEqual([]);
  expect(existsSync(`${rig.folder}/server.json`)).toBe(false);
  const rows = JSON.parse(
    rig.python(`
import json, sqlite3, sys
db = sqlite3.connect(sys.argv[1])
print(json.dumps(db.execute("SELECT status, reason_code, reason_detail FROM automation_runs ORDER BY rowid").fetchall()))
`),
  ) as [string, string | null, string | null][];
  expect(rows.filter(([status]) => status === 'QUEUED')).toHaveLength(5);
  const stopped = rows.filter(([status]) => status === 'FAILED');
  expect(stopped.map(([, reason]) => reason)).toEqual([
    'service_stopped',
    'service_stopped',
    'service_stopped',
  ]);
  expect(stopped[0]?.[2]).toContain('服务停止，任务已重新排队');
  const again = await rig.start();
  await expect.poll(async () => (await again.client.call('getQueue', {})).running.length).toBe(3);
  expect((await statusOf(again, ids[3]!)).status).toBe('IN_PROGRESS');
});

test('a second serve of the same folder exits 6 and names the way; the first goes on', async ({ rig }) => {
  const host = await rig.start();
  const second = rig.cli(['serve', '--port', '0']);
  expect(second.code).toBe(6);
  expect(second.err).toContain(rig.folder);
  expect((await fetch(`${host.url}/healthz`)).status).toBe(200);
});

test('a start that fails ends, and gives the lock back', async ({ rig }) => {
  const taken = createServer().listen(65_535, '127.0.0.1');
  await once(taken, 'listening');
  const failed = rig.cli(['serve', '--port', '65535']);
  taken.close();
  expect(failed.code).toBeGreaterThan(0);
  expect(failed.err).toContain('65535');
  const host = await rig.start();
  expect((await fetch(`${host.url}/healthz`)).status).toBe(200);
});

test('killed over and over while tasks come in: every acknowledged one exists and runs once per attempt', async ({
  rig,
}) => {
  const acknowledged: string[] = [];
  for (let round = 0; round < 4; round += 1) {
    const host = await rig.start();
    for (let index = 0; index < 6; index += 1) acknowledged.push(await submit(host, { command: ['true'] }));
    host.signal('SIGKILL');
    await host.ended;
  }
  const last = await rig.start();
  for (const id of acknowledged) {
    await reaches(last, id, 'ACCEPTED');
    const runs = (await last.client.call('listAutomationRuns', { params: { id } })).items;
    expect(new Set(runs.map((run) => run.attempt)).size).toBe(runs.length);
    expect(runs.filter((run) => run.status === 'ACCEPTED')).toHaveLength(1);
  }
  expect(
    rig
      .python(
        'import sqlite3, sys; print(sqlite3.connect(sys.argv[1]).execute("PRAGMA integrity_check").fetchone()[0])',
      )
      .trim(),
  ).toBe('ok');
});

test('the launcher alone is killed: its children end, and the runs start again under a new one', async ({
  rig,
}) => {
  const host = await rig.start();
  const id = await submit(host, { command: 'echo begun; sleep 600' });
  await reaches(host, id, 'IN_PROGRESS');
  const launcher = Number(
    readFileSync(`/proc/${host.pid}/task/${host.pid}/children`, 'utf8').trim().split(' ')[0],
  );
  process.kill(launcher, 'SIGKILL');
  await expect
    .poll(async () =>
      (await host.client.call('listAutomationRuns', { params: { id } })).items.map((run) => run.status),
    )
    .toEqual(['IN_PROGRESS', 'FAILED']);
});
