import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { afterEach, expect, test } from 'vitest';
import { systemClock } from '../engine/clock.ts';
import { readStat } from './proc.ts';
import { endFormer, killTree, leftovers, pidStartedAt, tagged } from './process-tree.ts';

const children: ChildProcess[] = [];
afterEach(() => {
  for (const { pid } of children.splice(0)) {
    try {
      process.kill(-pid!, 'SIGKILL');
    } catch {
      // The test ended it.
    }
  }
});

/** A tagged `sh` that leads its own group and has a sleeping child. */
async function tree(runId: string, script = 'sleep 3600 & echo up; wait') {
  const child = spawn('/bin/sh', ['-c', script], {
    detached: true,
    env: { PATH: '/usr/bin:/bin', NEXTRUN_RUN_ID: runId },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  children.push(child);
  await once(child.stdout, 'data');
  return { child, pid: child.pid!, startedAt: pidStartedAt(child.pid!)! };
}

test('the stat of a process whose name looks like one', () => {
  const fields = 'S 1 42 43 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 987654 1000';
  expect(readStat(`42 (a) R (b c)) ${fields}\n`)).toEqual({
    pid: 42,
    name: 'a) R (b c)',
    state: 'S',
    parent: 1,
    group: 42,
    session: 43,
    started_at: 987654,
  });
  expect(readStat('')).toBe(null);
  expect(readStat('42 (a)')).toBe(null);
});

test('start times', () => {
  expect(pidStartedAt(process.pid)).toBeGreaterThan(0);
  expect(pidStartedAt(2 ** 22 + 1)).toBe(null);
});

test('tagged lists exactly the processes of a run', async () => {
  const runId = randomUUID();
  const { pid } = await tree(runId);
  expect(tagged(runId)).toContain(pid);
  expect(tagged(runId)).toHaveLength(2);
  expect(tagged(runId.slice(0, -1))).toEqual([]);
});

test('killTree resolves when all are gone; again it has nothing to do', async () => {
  const runId = randomUUID();
  const { pid, startedAt } = await tree(runId);
  const options = { pid, startedAt, runId, clock: systemClock };
  expect(leftovers(options)).toHaveLength(2);
  expect(await killTree(options)).toEqual([]);
  expect(tagged(runId)).toEqual([]);
  expect(await killTree(options)).toEqual([]);
});

test('the grace ends early when it is hurried', async () => {
  const runId = randomUUID();
  const { pid, startedAt } = await tree(runId, 'trap "" TERM; echo up; while :; do sleep 3600; done');
  const hurry = new AbortController();
  const before = systemClock.monotonic();
  const killed = killTree({
    pid,
    startedAt,
    runId,
    clock: systemClock,
    graceMs: 60_000,
    hurry: hurry.signal,
  });
  hurry.abort();
  expect(await killed).toEqual([]);
  expect(systemClock.monotonic() - before).toBeLessThan(10_000);
});

test('a pid that belongs to another program since is left alone', async () => {
  const { child, pid, startedAt } = await tree(randomUUID());
  const options = { pid, runId: randomUUID(), clock: systemClock };
  expect(await killTree({ ...options, startedAt: startedAt - 1 })).toEqual([]);
  await endFormer({ ...options, startedAt: startedAt - 1 });
  await endFormer({ ...options, startedAt: null });
  expect(child.exitCode ?? child.signalCode).toBe(null);
  expect(pidStartedAt(pid)).toBe(startedAt);
});

test('endFormer ends by pid and start time, or by the tag alone', async () => {
  const known = await tree(randomUUID());
  await endFormer({ pid: known.pid, startedAt: known.startedAt, runId: 'another tag', clock: systemClock });
  expect(known.child.signalCode ?? (await once(known.child, 'exit'))[1]).toBe('SIGTERM');
  const runId = randomUUID();
  await tree(runId);
  await endFormer({ pid: null, startedAt: null, runId, clock: systemClock });
  expect(tagged(runId)).toEqual([]);
});
