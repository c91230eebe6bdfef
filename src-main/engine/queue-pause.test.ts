import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { AutomationCreate } from '../../src-shared/model/automation.ts';
import { type TestEngine, testEngine, testStart } from '../testing/test-engine.ts';
import { pauseAll, pauseState, resumeAll, schedulingHeld } from './queue-pause.ts';

const minute = 60_000;
const hour = 60 * minute;
let test: TestEngine;
beforeEach(async () => {
  test = await testEngine();
});
afterEach(() => test.dispose());

const hourly = { kind: 'cron' as const, expression: '0 * * * *' };
const create = (input: Partial<AutomationCreate> = {}) =>
  test.change(() =>
    test.automations.create({ name: 'task', prompt: 'hello', schedule: hourly, ...input }, 'api'),
  );
const pause = (minutes: number | null = null) => test.change(() => pauseAll(test.ctx, minutes));
const resume = () => test.change(() => resumeAll(test.ctx));
const runNow = async (id: string) => {
  const asked = await test.change(() => test.runs.runNow(id, 'manual', 'api', false));
  return test.store.runs.get(asked.run.thread_id)!;
};
const runs = (id: string) => test.runsOf(id).map((run) => `${run.trigger} ${run.status}`);
const slots = (id: string) =>
  test.store.slots
    .list(id, 100)
    .items.map((slot) => `${(slot.scheduled_for - testStart) / hour}h ${slot.outcome} ×${slot.count}`);

describe('while everything is paused', () => {
  it('nothing is planned or claimed by schedule, and run now works', async () => {
    const { id } = await create({ overlap_policy: 'allow' });
    await pause();
    const next = test.automations.read(id).next_run_at;
    await test.clock.advance(3 * hour);
    expect(runs(id)).toEqual([]);
    expect(test.automations.read(id).next_run_at).toBe(next);
    expect((await runNow(id)).status).toBe('IN_PROGRESS');
  });

  it('what waits by schedule goes on waiting, in its place, behind what is asked for', async () => {
    test.ctx.settings.max_concurrent = 1;
    const [first, second, asked] = [
      await create(),
      await create(),
      await create({ schedule: { kind: 'manual' } }),
    ];
    await test.clock.advance(hour);
    expect(runs(second.id)).toEqual(['schedule QUEUED']);
    await pause();
    test.launcher.ends(test.runsOf(first.id)[0]!.thread_id);
    await test.clock.advance(10 * minute);
    expect(runs(second.id)).toEqual(['schedule QUEUED']);
    expect((await runNow(asked.id)).status).toBe('IN_PROGRESS');
    test.launcher.ends(test.runsOf(asked.id)[0]!.thread_id);
    await resume();
    expect(runs(second.id)).toEqual(['schedule IN_PROGRESS']);
  });

  it('a retry of the schedule waits, and one of a run that was asked for does not', async () => {
    const retries = { max_retries: 1, retry_delay_ms: 1000 };
    const planned = await create(retries);
    const manual = await create({ schedule: { kind: 'manual' }, ...retries });
    await test.clock.advance(hour);
    await runNow(manual.id);
    await pause();
    for (const { id } of [planned, manual]) {
      test.launcher.ends(test.runsOf(id)[0]!.thread_id, { result: 'failure', reason: 'network' });
    }
    await test.clock.advance(10 * minute);
    expect(runs(planned.id)).toEqual(['schedule FAILED', 'retry QUEUED']);
    expect(runs(manual.id)).toEqual(['manual FAILED', 'retry IN_PROGRESS']);
  });

  it('it stays so after the host was killed', async () => {
    const { id } = await create();
    await pause();
    await test.restart();
    await test.clock.advance(2 * hour);
    expect(runs(id)).toEqual([]);
    expect(pauseState(test.ctx)).toEqual({ paused: true, until: null });
  });
});

describe('no slot is lost: at resume', () => {
  it.each([
    ['latest', ['missed IN_PROGRESS'], ['3h ran ×1', '1h missed ×2']],
    ['skip', [], ['1h missed ×3']],
    ['ask', [], ['1h missed ×3']],
  ] as const)('missed policy %s decides', async (missed_policy, expectedRuns, expectedSlots) => {
    const { id } = await create({ missed_policy });
    await pause();
    await test.clock.advance(3 * hour + 10 * minute);
    expect(slots(id)).toEqual([]);
    await resume();
    expect(runs(id)).toEqual(expectedRuns);
    expect(slots(id)).toEqual(expectedSlots);
    expect(test.automations.read(id).next_run_at).toBe(testStart + 4 * hour);
  });

  it('what is late by less than two scans is simply due', async () => {
    const { id } = await create({ missed_policy: 'skip' });
    await pause();
    await test.clock.advance(hour + 20_000);
    await resume();
    expect(runs(id)).toEqual(['schedule IN_PROGRESS']);
  });

  it('a one-shot runs late', async () => {
    const { id } = await create({ schedule: { kind: 'at', at: new Date(testStart + minute).toISOString() } });
    await pause();
    await test.clock.advance(hour);
    await resume();
    expect(runs(id)).toEqual(['missed IN_PROGRESS']);
  });
});

describe('a pause with an end', () => {
  it('ends at its instant, and says so in the settings', async () => {
    const { id } = await create({ schedule: { kind: 'cron', expression: '* * * * *' } });
    let told = 0;
    test.engine.onChange((changes) => {
      told += changes.filter((change) => change.table_name === 'settings').length;
    });
    await pause(10);
    expect(pauseState(test.ctx)).toEqual({ paused: true, until: testStart + 10 * minute });
    await test.clock.advance(10 * minute - 1);
    expect(runs(id)).toEqual([]);
    expect(told).toBe(1);
    await test.clock.advance(1);
    expect(runs(id)).toEqual(['missed IN_PROGRESS']);
    expect(pauseState(test.ctx)).toEqual({ paused: false, until: null });
    expect(told).toBe(2);
  });

  it('takes a new end, an earlier one as well', async () => {
    await pause(60);
    await pause(5);
    expect(pauseState(test.ctx).until).toBe(testStart + 5 * minute);
    await pause();
    expect(pauseState(test.ctx)).toEqual({ paused: true, until: null });
  });
});

it('what another program wrote in its place and nobody can read is no pause', async () => {
  const { id } = await create();
  const write = (text: string) =>
    test.db.prepare('INSERT OR REPLACE INTO settings VALUES (?, ?, 0)').run('queue_pause', text);
  for (const text of ['{', '7', '{"until": "tomorrow"}']) {
    write(text);
    expect(pauseState(test.ctx).paused).toBe(false);
  }
  await test.clock.advance(hour);
  expect(runs(id)).toEqual(['schedule IN_PROGRESS']);
});

it('resuming what is not paused writes nothing', async () => {
  await resume();
  expect(test.db.prepare('SELECT count(*) FROM settings').pluck().get()).toBe(0);
});

it('scheduling that is off in the settings holds back as well, and run now works (ruling 13)', async () => {
  test.ctx.settings.max_concurrent = 1;
  const [first, second] = [await create(), await create()];
  await test.clock.advance(hour);
  test.ctx.settings.enabled = false;
  test.launcher.ends(test.runsOf(first.id)[0]!.thread_id);
  await test.clock.advance(10 * minute);
  expect(runs(second.id)).toEqual(['schedule QUEUED']);
  expect(schedulingHeld(test.ctx)).toBe(true);
  expect((await runNow(first.id)).status).toBe('IN_PROGRESS');
});
