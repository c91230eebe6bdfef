import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { outcomeOf } from '../testing/scripted-launcher.ts';
import { type TestEngine, testEngine, testStart } from '../testing/test-engine.ts';
import { runFolder } from './start-request.ts';

let test: TestEngine;
beforeEach(async () => {
  test = await testEngine();
});
afterEach(() => test.dispose());

const once = (name: string, more: object = {}) =>
  test.change(() =>
    test.automations.create(
      { name, prompt: 'p', schedule: { kind: 'at', at: new Date(testStart + 1000).toISOString() }, ...more },
      'api',
    ),
  );

describe('after the host was killed', () => {
  it('spawned runs are interrupted and start again under the same key; the queue keeps its order', async () => {
    const ids: string[] = [];
    for (let index = 0; index < 5; index += 1) ids.push((await once(`t${index}`)).id);
    await test.clock.advance(1000);
    const waitingBefore = test.store.runs.waiting(test.clock.now(), 10).map((run) => run.thread_id);
    await test.restart();
    for (const id of ids.slice(0, 3)) {
      const [first, second] = test.runsOf(id);
      expect(first).toMatchObject({
        status: 'FAILED',
        reason_code: 'interrupted',
        pid: null,
        lease_token: null,
        holder: null,
      });
      expect(second).toMatchObject({
        attempt: 2,
        retry_of: first!.thread_id,
        run_key: first!.run_key,
        scheduled_for: first!.scheduled_for,
      });
    }
    const running = test.store.runs.inProgress().map((run) => run.thread_id);
    expect(running.slice(0, 2)).toEqual(waitingBefore);
    expect(running).toHaveLength(3);
  });

  it('an interruption is repeated at most three times', async () => {
    const { id } = await once('t');
    await test.clock.advance(1000);
    for (let death = 0; death < 6; death += 1) await test.restart();
    expect(test.runsOf(id).map((run) => run.status)).toEqual(['FAILED', 'FAILED', 'FAILED', 'FAILED']);
  });

  it.each([
    ['review', 'PENDING_REVIEW', 1],
    ['fail', 'FAILED', 1],
  ] as const)('on_interrupt %s leaves it %s', async (on_interrupt, status, runs) => {
    const { id } = await once('t', { on_interrupt });
    await test.clock.advance(1000);
    await test.restart();
    expect(test.runsOf(id)).toHaveLength(runs);
    expect(test.runsOf(id)[0]).toMatchObject({ status, reason_code: 'interrupted' });
  });

  it('an outcome that the launcher had written is adopted', async () => {
    const { id } = await once('t');
    await test.clock.advance(1000);
    const run = test.runsOf(id)[0]!;
    const folder = runFolder(test.ctx, run.thread_id);
    mkdirSync(folder, { recursive: true });
    writeFileSync(
      join(folder, 'outcome.json'),
      JSON.stringify(outcomeOf(testStart + 2000, { summary: 'it had ended' })),
    );
    await test.restart();
    expect(test.runsOf(id)).toMatchObject([{ status: 'ACCEPTED', summary: 'it had ended' }]);
  });

  it('a run that was claimed and never spawned starts without spending an attempt', async () => {
    const { id } = await once('t');
    await test.clock.advance(1000);
    const run = test.runsOf(id)[0]!;
    test.db
      .prepare('UPDATE automation_runs SET pid = NULL, pid_started_at = NULL WHERE thread_id = ?')
      .run(run.thread_id);
    await test.restart();
    expect(test.runsOf(id)).toMatchObject([{ thread_id: run.thread_id, status: 'IN_PROGRESS', attempt: 1 }]);
  });

  it('a run that the launcher had taken counts as started although its pid was never written', async () => {
    const { id } = await once('t');
    await test.clock.advance(1000);
    const run = test.runsOf(id)[0]!;
    test.db
      .prepare('UPDATE automation_runs SET pid = NULL, pid_started_at = NULL WHERE thread_id = ?')
      .run(run.thread_id);
    mkdirSync(runFolder(test.ctx, run.thread_id), { recursive: true });
    await test.restart();
    expect(test.runsOf(id)).toMatchObject([{ status: 'FAILED', reason_code: 'interrupted' }, { attempt: 2 }]);
  });

  it.each(['before', 'after'] as const)(
    'a run that was to stop ends cancelled, killed %s its pid was known',
    async (when) => {
      const { id } = await once('t');
      await test.clock.advance(1000);
      const run = test.runsOf(id)[0]!;
      if (when === 'before') test.db.prepare('UPDATE automation_runs SET pid = NULL').run();
      expect(await test.change(() => test.runs.cancel(run.thread_id))).toMatchObject({
        stop: [run.thread_id],
      });
      await test.restart();
      expect(test.runsOf(id)).toMatchObject([
        { status: 'CANCELLED', reason_code: 'cancelled_by_user', attempt: 1 },
      ]);
      expect(test.automations.read(id).status).toBe('DONE');
    },
  );

  it('a run that was to stop ends cancelled when the launcher dies over it', async () => {
    const { id } = await once('t');
    await test.clock.advance(1000);
    await test.change(() => test.runs.cancel(test.runsOf(id)[0]!.thread_id));
    test.launcher.dies();
    await test.clock.advance(0);
    expect(test.runsOf(id)).toMatchObject([{ status: 'CANCELLED' }]);
  });

  it('an orderly stop queues the work again and never counts against the three', async () => {
    const { id } = await once('t');
    await test.clock.advance(1000);
    await test.engine.stop();
    const [first, second] = test.runsOf(id);
    expect(first).toMatchObject({ status: 'FAILED', reason_code: 'service_stopped' });
    expect(first!.reason_detail).toContain('服务停止，任务已重新排队');
    expect(second).toMatchObject({ status: 'QUEUED', attempt: 2 });
    expect(test.automations.read(id).failure_count).toBe(0);
  });

  it('the launcher alone may die: its runs are interrupted and start again', async () => {
    const { id } = await once('t');
    await test.clock.advance(1000);
    test.launcher.dies();
    await test.clock.advance(0);
    expect(test.runsOf(id).map((run) => run.status)).toEqual(['FAILED', 'IN_PROGRESS']);
  });
});

describe('a run that is silent', () => {
  it('keeps its lease by heartbeats while its child lives', async () => {
    const { id } = await once('t');
    await test.clock.advance(1000 + 20 * 60_000);
    expect(test.runsOf(id)[0]).toMatchObject({ status: 'IN_PROGRESS' });
    expect(test.runsOf(id)[0]!.heartbeat_at).toBeGreaterThan(testStart + 19 * 60_000);
  }, 60_000);

  it('without anybody who carries it out is taken back', async () => {
    const { id } = await once('t', { on_interrupt: 'fail' });
    test.db
      .prepare(
        "INSERT INTO automation_runs (thread_id, automation_id, status, created_at, updated_at, lease_token, lease_expires_at) VALUES ('lost', ?, 'IN_PROGRESS', 1, 1, 'x', 1)",
      )
      .run(id);
    await test.clock.advance(500);
    await test.clock.advance(6000);
    expect(test.store.runs.get('lost')).toMatchObject({ status: 'FAILED', reason_code: 'heartbeat_expired' });
  });
});
