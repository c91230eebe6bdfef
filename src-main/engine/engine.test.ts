import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { AutomationCreate } from '../../src-shared/model/automation.ts';
import { metadataOf } from '../storage/codec.ts';
import { type TestEngine, testEngine, testStart } from '../testing/test-engine.ts';

const minute = 60_000;
const hour = 3_600_000;

let test: TestEngine;
beforeEach(async () => {
  test = await testEngine();
});
afterEach(() => test.dispose());

const create = (input: Partial<AutomationCreate> = {}) =>
  test.change(() => test.automations.create({ name: 'task', prompt: 'hello', ...input }, 'api'));
const at = (ms: number): AutomationCreate['schedule'] => ({ kind: 'at', at: new Date(ms).toISOString() });
const statuses = (id: string) => test.runsOf(id).map((run) => run.status);
const inState = (status: string) =>
  test.store.runs.list({ status }, 100).items.map((run) => run.automation_id);

describe('a one-shot', () => {
  it('fires at its instant, not at the next scan, and is DONE after its run', async () => {
    const { id } = await create({ schedule: at(testStart + 7_003) });
    await test.clock.advance(7_002);
    expect(test.launcher.started).toHaveLength(0);
    await test.clock.advance(1);
    expect(test.launcher.started).toHaveLength(1);
    const [run] = test.runsOf(id);
    expect(run).toMatchObject({
      status: 'IN_PROGRESS',
      trigger: 'schedule',
      scheduled_for: testStart + 7_003,
    });
    expect(test.store.sessions.get(run!.session_id!)).toMatchObject({
      status: 'working',
      is_background_automation: 1,
    });
    test.launcher.ends(run!.thread_id);
    await test.clock.advance(0);
    expect(test.runsOf(id)[0]).toMatchObject({ status: 'ACCEPTED', result_success: 1, summary: 'done' });
    expect(metadataOf(test.runsOf(id)[0]!)).toMatchObject({
      runKind: 'scheduled',
      resultState: 'delivered',
      resultEvidence: 'assistant_output',
    });
    expect(test.automations.read(id)).toMatchObject({ status: 'DONE', next_run_at: null, run_count: 1 });
    expect(test.store.sessions.get(run!.session_id!)?.status).toBe('completed');
  });

  it('that failed is DONE with attention failed_once', async () => {
    const { id } = await create({ schedule: at(testStart + minute) });
    await test.clock.advance(minute);
    test.launcher.ends(test.runsOf(id)[0]!.thread_id, {
      result: 'failure',
      reason: 'exit_code',
      exit_code: 3,
      detail: 'exit 3',
    });
    await test.clock.advance(0);
    expect(test.automations.read(id)).toMatchObject({
      status: 'DONE',
      attention_code: 'failed_once',
      last_error: 'exit 3',
    });
    expect(test.runsOf(id)[0]).toMatchObject({
      status: 'FAILED',
      failure_code: 'exit_code',
      exit_code: 3,
      result_success: 0,
    });
  });

  it('that falls due while a scan goes on starts at once, not at the next interval', async () => {
    const { id } = await create({ schedule: at(testStart + 1040) });
    await test.clock.advance(1000);
    const { writer } = test.engine;
    const { write } = writer;
    writer.write = async (fn, deadlineMs) => {
      writer.write = write;
      const value = await write(fn, deadlineMs);
      // The commit took 80 ms: the instant passes after planning and before the next scan is set.
      test.clock.jump(80);
      return value;
    };
    test.engine.poke();
    await test.clock.advance(1);
    expect(statuses(id)).toEqual(['IN_PROGRESS']);
  });

  it('60 days out needs no timer that overflows', async () => {
    const { id } = await create({ schedule: at(testStart + 60 * 24 * hour) });
    await test.clock.advance(hour);
    expect(statuses(id)).toEqual([]);
    test.clock.jump(60 * 24 * hour - hour);
    await test.clock.advance(1000);
    expect(statuses(id)).toEqual(['IN_PROGRESS']);
  });
});

describe('a recurring automation', () => {
  it('of kind every keeps its phase', async () => {
    const { id } = await create({
      schedule: { kind: 'every', interval_ms: 10 * minute, anchor_at: testStart + 3 * minute },
    });
    await test.clock.advance(3 * minute);
    test.launcher.ends(test.runsOf(id)[0]!.thread_id);
    await test.clock.advance(10 * minute);
    expect(test.runsOf(id).map((run) => run.scheduled_for)).toEqual([
      testStart + 3 * minute,
      testStart + 13 * minute,
    ]);
    expect(test.automations.read(id).next_run_at).toBe(testStart + 23 * minute);
  });

  it('of kind cron fires at its local time', async () => {
    const { id } = await create({
      schedule: { kind: 'cron', expression: '5 17 * * *', timezone: 'Asia/Shanghai' },
    });
    await test.clock.advance(hour + 5 * minute - 1);
    expect(statuses(id)).toEqual([]);
    await test.clock.advance(1);
    expect(statuses(id)).toEqual(['IN_PROGRESS']);
  });

  it('makes one run named missed for the newest slot after the machine slept', async () => {
    const { id } = await create({
      schedule: { kind: 'every', interval_ms: 10 * minute, anchor_at: testStart },
    });
    test.clock.jump(95 * minute);
    await test.clock.advance(1000);
    const runs = test.runsOf(id);
    expect(runs).toHaveLength(1);
    expect(runs[0]).toMatchObject({ trigger: 'missed', scheduled_for: testStart + 90 * minute });
    expect(metadataOf(runs[0]!)).toMatchObject({
      runKind: 'missed',
      missedScheduledAt: testStart + 90 * minute,
    });
    expect(test.store.slots.list(id, 10).items).toMatchObject([
      { scheduled_for: testStart + 90 * minute, outcome: 'ran', run_id: runs[0]!.thread_id },
      {
        scheduled_for: testStart + 10 * minute,
        outcome: 'missed',
        through: testStart + 80 * minute,
        count: 8,
      },
    ]);
    expect(test.automations.read(id).next_run_at).toBe(testStart + 100 * minute);
  });

  it.each([
    ['skip', 0],
    ['ask', 0],
    ['latest', 1],
  ] as const)('with missed policy %s makes %i runs after a long gap', async (missed_policy, runs) => {
    const { id } = await create({
      missed_policy,
      schedule: { kind: 'every', interval_ms: hour, anchor_at: testStart },
    });
    test.clock.jump(5 * hour + minute * 30);
    await test.clock.advance(1000);
    expect(statuses(id)).toHaveLength(runs);
    expect(test.automations.read(id).attention_code).toBe(missed_policy === 'ask' ? 'missed_ask' : null);
    expect(test.automations.read(id).next_run_at).toBe(testStart + 6 * hour);
  });

  it('with missed policy all makes them up one after the other', async () => {
    const { id } = await create({
      missed_policy: 'all',
      schedule: { kind: 'every', interval_ms: hour, anchor_at: testStart },
    });
    test.clock.jump(3 * hour + 30 * minute);
    await test.clock.advance(1000);
    for (let run = 0; run < 3; run += 1) {
      const open = test.runsOf(id).filter((item) => item.status === 'IN_PROGRESS');
      expect(open).toHaveLength(1);
      test.launcher.ends(open[0]!.thread_id);
      await test.clock.advance(0);
    }
    expect(test.runsOf(id).map((run) => run.scheduled_for)).toEqual(
      [1, 2, 3].map((hours) => testStart + hours * hour),
    );
  });

  it('skips a slot visibly while its run is active', async () => {
    const { id } = await create({ schedule: { kind: 'every', interval_ms: minute, anchor_at: testStart } });
    await test.clock.advance(3 * minute);
    expect(statuses(id)).toEqual(['IN_PROGRESS']);
    expect(test.store.slots.list(id, 10).items.map((slot) => slot.outcome)).toEqual([
      'skipped_overlap',
      'skipped_overlap',
      'ran',
    ]);
  });

  it('with overlap queue keeps exactly one waiting', async () => {
    const { id } = await create({
      overlap_policy: 'queue',
      schedule: { kind: 'every', interval_ms: minute, anchor_at: testStart },
    });
    await test.clock.advance(5 * minute);
    expect(statuses(id).sort()).toEqual(['IN_PROGRESS', 'QUEUED']);
    expect(test.store.slots.list(id, 10).items.map((slot) => slot.outcome)).toEqual([
      'coalesced',
      'coalesced',
      'coalesced',
      'ran',
      'ran',
    ]);
  });

  it('with overlap cancel_previous stops the run before', async () => {
    const { id } = await create({
      overlap_policy: 'cancel_previous',
      schedule: { kind: 'every', interval_ms: minute, anchor_at: testStart },
    });
    await test.clock.advance(2 * minute);
    expect(statuses(id)).toEqual(['CANCELLED', 'IN_PROGRESS']);
  });

  it('is not moved by reading, listing or renaming, and is by a new schedule', async () => {
    const { id, next_run_at } = await create({
      schedule: { kind: 'every', interval_ms: hour, anchor_at: testStart },
    });
    await test.clock.advance(minute);
    test.store.automations.list({}, 50);
    await test.change(() =>
      test.automations.update(id, {
        name: 'other',
        schedule: { kind: 'every', interval_ms: hour, anchor_at: testStart },
      }),
    );
    expect(test.automations.read(id)).toMatchObject({ name: 'other', next_run_at, rev: 2 });
    await test.change(() =>
      test.automations.update(id, {
        schedule: { kind: 'every', interval_ms: 2 * hour, anchor_at: testStart },
      }),
    );
    expect(test.automations.read(id).next_run_at).toBe(testStart + 2 * hour);
    expect(test.store.slots.get(id, testStart + hour)?.outcome).toBe('dropped_by_edit');
  });

  it('resumed from a pause plans from now and does not fire at once', async () => {
    const { id } = await create({ schedule: { kind: 'cron', expression: '0 9 * * *', timezone: 'UTC' } });
    await test.change(() => test.automations.pause(id, false));
    await test.clock.advance(2 * hour);
    await test.change(() => test.automations.resume(id));
    await test.clock.advance(minute);
    expect(statuses(id)).toEqual([]);
    expect(test.automations.read(id).next_run_at).toBe(testStart + 25 * hour);
  });

  it('is blocked visibly when its runs of the day are used up, and goes on the next day', async () => {
    const { id } = await create({
      max_runs_per_day: 2,
      schedule: { kind: 'every', interval_ms: hour, anchor_at: testStart },
    });
    for (let slot = 1; slot <= 4; slot += 1) {
      test.clock.jump(hour - 1000);
      await test.clock.advance(1000);
      for (const run of test.runsOf(id)) if (run.status === 'IN_PROGRESS') test.launcher.ends(run.thread_id);
      await test.clock.advance(0);
    }
    const outcomes = () =>
      test.store.slots.list(id, 10).items.map((slot) => slot.reason_code ?? slot.outcome);
    expect(outcomes()).toEqual(['runs_per_day', 'runs_per_day', 'ran', 'ran']);
    test.clock.jump(13 * hour);
    await test.clock.advance(1000);
    expect(statuses(id)).toHaveLength(3);
  });

  it('is DONE after max_runs', async () => {
    const { id } = await create({
      max_runs: 2,
      schedule: { kind: 'every', interval_ms: minute, anchor_at: testStart },
    });
    for (let run = 0; run < 2; run += 1) {
      await test.clock.advance(minute);
      test.launcher.ends(test.runsOf(id)[run]!.thread_id);
      await test.clock.advance(0);
    }
    await test.clock.advance(5 * minute);
    expect(statuses(id)).toEqual(['ACCEPTED', 'ACCEPTED']);
    expect(test.automations.read(id)).toMatchObject({ status: 'DONE', next_run_at: null });
  });
});

describe('the queue', () => {
  it.each([1, 3, 5])('with cap %i starts that many of five due at once and numbers the rest', async (cap) => {
    await test.dispose();
    test = await testEngine({ max_concurrent: cap });
    const ids: string[] = [];
    for (let index = 0; index < 5; index += 1)
      ids.push((await create({ name: `t${index}`, schedule: at(testStart + minute) })).id);
    await test.clock.advance(minute);
    expect(inState('IN_PROGRESS')).toHaveLength(cap);
    const waiting = test.store.runs.waiting(test.clock.now(), 10);
    expect(waiting.map((run) => metadataOf(run).queuedPosition)).toEqual(
      Array.from({ length: 5 - cap }, (_, index) => index + 1),
    );
    const order: string[] = [];
    for (let done = 0; done < 5; done += 1) {
      const first = test.store.runs.inProgress()[0]!;
      order.push(first.automation_id);
      test.launcher.ends(first.thread_id);
      await test.clock.advance(1);
      expect(test.store.runs.countInProgress()).toBeLessThanOrEqual(cap);
    }
    expect(order).toEqual(ids);
    expect(inState('ACCEPTED')).toHaveLength(5);
  });

  it('that is full blocks a one-shot with attention, not in silence', async () => {
    await test.dispose();
    test = await testEngine({ max_concurrent: 1, queue_limit: 1 });
    for (const name of ['runs', 'waits', 'blocked']) await create({ name, schedule: at(testStart + minute) });
    await test.clock.advance(minute);
    const blocked = test.store.automations.list({ attention: true }, 10).items;
    expect(blocked).toMatchObject([{ status: 'DONE', attention_code: 'queue_full' }]);
    expect(test.store.slots.list(blocked[0]!.id, 10).items).toMatchObject([
      { outcome: 'blocked', reason_code: 'queue_full' },
    ]);
  });

  it('starts a manual run at once when a slot is free', async () => {
    const { id } = await create();
    const claimed = await test.change(() => {
      test.runs.runNow(id, 'manual', 'api', false);
      return test.engine.claimInside();
    });
    test.engine.launch(claimed);
    expect(test.launcher.started).toHaveLength(1);
    expect(await test.change(() => test.runs.runNow(id, 'manual', 'api', false))).toMatchObject({
      existing: true,
    });
  });

  it('ends a waiting run at once and stops a running one', async () => {
    const { id } = await create({ schedule: at(testStart + 1000) });
    await test.clock.advance(1000);
    const run = test.runsOf(id)[0]!;
    expect(await test.change(() => test.runs.cancel(run.thread_id))).toMatchObject({ stop: [run.thread_id] });
    test.engine.cancelRunning(run.thread_id);
    await test.clock.advance(0);
    expect(test.runsOf(id)[0]).toMatchObject({ status: 'CANCELLED', pid: null, lease_token: null });
  });
});

describe('failures', () => {
  const failing = async (input: Partial<AutomationCreate>, reason: 'network' | 'exit_code') => {
    const { id } = await create({ schedule: at(testStart + 1000), ...input });
    await test.clock.advance(1000);
    test.launcher.ends(test.runsOf(id)[0]!.thread_id, { result: 'failure', reason, has_text: false });
    await test.clock.advance(0);
    return id;
  };

  it('that may pass are tried again with growing delays under one run key', async () => {
    const id = await failing({ max_retries: 2, retry_delay_ms: minute }, 'network');
    expect(test.store.runs.positionOf(test.runsOf(id)[1]!.thread_id, test.clock.now())).toBeNull();
    await test.clock.advance(1.2 * minute);
    const second = test.runsOf(id)[1]!;
    expect(second).toMatchObject({
      status: 'IN_PROGRESS',
      attempt: 2,
      trigger: 'retry',
      retry_of: test.runsOf(id)[0]!.thread_id,
    });
    expect(second.run_key).toBe(test.runsOf(id)[0]!.run_key);
    expect(test.store.slots.get(id, testStart + 1000)?.run_id).toBe(second.thread_id);
  });

  it('that will not pass are not', async () => {
    expect(statuses(await failing({ max_retries: 2 }, 'exit_code'))).toEqual(['FAILED']);
  });

  it('five in a row pause the automation with a reason', async () => {
    const { id } = await create({ schedule: { kind: 'every', interval_ms: minute, anchor_at: testStart } });
    for (let failure = 0; failure < 5; failure += 1) {
      await test.clock.advance(minute);
      test.launcher.ends(test.runsOf(id)[failure]!.thread_id, { result: 'failure', reason: 'exit_code' });
      await test.clock.advance(0);
    }
    await test.clock.advance(10 * minute);
    expect(statuses(id)).toHaveLength(5);
    expect(test.automations.read(id)).toMatchObject({
      status: 'PAUSED',
      status_reason: 'paused_after_failures',
      next_run_at: null,
    });
  });

  it('of a one-shot are forgotten when it is run again and succeeds', async () => {
    const id = await failing({}, 'exit_code');
    expect(test.automations.read(id).attention_code).toBe('failed_once');
    const claimed = await test.change(() => {
      test.runs.runNow(id, 'manual', 'api', false);
      return test.engine.claimInside();
    });
    test.engine.launch(claimed);
    test.launcher.ends(test.runsOf(id)[1]!.thread_id);
    await test.clock.advance(0);
    expect(test.automations.read(id)).toMatchObject({
      attention_code: null,
      status: 'DONE',
      last_error: null,
    });
  });

  it('of time are unknown: they wait for a person', async () => {
    const { id } = await create({ schedule: at(testStart + 1000), max_retries: 5 });
    await test.clock.advance(1000);
    test.launcher.ends(test.runsOf(id)[0]!.thread_id, { result: 'open', reason: 'timed_out' });
    await test.clock.advance(hour);
    expect(test.runsOf(id)).toMatchObject([
      { status: 'PENDING_REVIEW', reason_code: 'timed_out', result_success: null },
    ]);
    const accepted = await test.change(() => test.runs.accept(test.runsOf(id)[0]!.thread_id, null, 'api'));
    expect(accepted.status).toBe('ACCEPTED');
  });
});
