import { afterEach, beforeEach, expect, it } from 'vitest';
import type { AutomationCreate } from '../../src-shared/model/automation.ts';
import { type TestEngine, testEngine, testStart } from '../testing/test-engine.ts';
import { rowFacts } from './diagnosis.ts';

const minute = 60_000;
let test: TestEngine;
beforeEach(async () => {
  test = await testEngine();
});
afterEach(() => test.dispose());

const create = (name: string, input: Partial<AutomationCreate> = {}) =>
  test.change(() => test.automations.create({ name, prompt: 'hello', ...input }, 'api'));
const minutely = { kind: 'cron' as const, expression: '* * * * *' };
const facts = () => rowFacts(test.ctx, false);

it('finds nothing in an engine that does its work', async () => {
  await create('minutely', { schedule: minutely, overlap_policy: 'skip' });
  await test.clock.advance(5 * minute);
  expect(facts()).toMatchObject({
    active: 1,
    agents_used: [{ agent: 'echo', found: true, count: 1 }],
    overdue: { count: 0 },
    unaccounted: { count: 0 },
    stuck_runs: { count: 0 },
    unchecked: 0,
    attention: [],
    failing: { count: 0 },
  });
  expect(facts().change_log).toBeGreaterThan(3);
});

it('finds what is overdue, unless it waits for its own run or nothing is planned', async () => {
  const late = await create('late', { schedule: minutely });
  const waits = await create('waits', { schedule: minutely, missed_policy: 'all' });
  await test.change(() => test.runs.runNow(waits.id, 'manual', 'api', false));
  for (const { id } of [late, waits]) {
    test.store.automations.update(id, { next_run_at: testStart - 10 * minute });
  }
  expect(facts().overdue).toEqual({ count: 1, names: ['late'] });
  expect(rowFacts(test.ctx, true).overdue.count).toBe(0);
});

it('finds a next run that moved on although the slot has neither row nor run', async () => {
  const { id } = await create('ghost', { schedule: minutely });
  await test.clock.advance(5 * minute);
  expect(facts().unaccounted.count).toBe(0);
  test.db.prepare('DELETE FROM slots WHERE automation_id = ?').run(id);
  expect(facts().unaccounted).toEqual({ count: 1, names: ['ghost'] });
  // Whoever edits it, pauses it or resumes it begins anew.
  await test.change(() => test.automations.update(id, { name: 'other', prompt: 'new' }));
  expect(facts().unaccounted.count).toBe(0);
});

it('accounts for a long gap by its one row', async () => {
  await create('gap', { schedule: minutely, missed_policy: 'skip' });
  await test.clock.advance(minute);
  test.clock.jump(50 * minute);
  await test.clock.advance(2 * minute);
  expect(facts().unaccounted.count).toBe(0);
});

it('finds runs whose lease has expired, attention by code, and what fails', async () => {
  const { id } = await create('stuck');
  await test.change(() => test.runs.runNow(id, 'manual', 'api', false));
  const run = test.runsOf(id)[0]!;
  test.store.runs.touch(run.thread_id, { lease_expires_at: testStart - minute }, { from: 'IN_PROGRESS' });
  for (const name of ['a', 'b']) {
    const row = await create(name);
    test.store.automations.update(row.id, {
      attention_code: 'missed',
      failure_count: 2,
      last_status: 'FAILED',
    });
  }
  expect(facts()).toMatchObject({
    stuck_runs: { count: 1, names: ['stuck'] },
    attention: [{ code: 'missed', count: 2 }],
    failing: { count: 2, names: ['a', 'b'] },
  });
});

it('finds rows of other programs that nobody looked at for a minute', async () => {
  await test.engine.stop();
  const insert = test.db.prepare(
    `INSERT INTO automations (id, name, prompt, status, created_at, updated_at) VALUES (?, 'n', 'p', 'ACTIVE', 1, 1)`,
  );
  const changed = test.db.prepare('UPDATE change_log SET at = ? WHERE row_id = ?');
  insert.run('old');
  insert.run('new');
  insert.run('pruned');
  changed.run(testStart - 61_000, 'old');
  changed.run(testStart - 59_000, 'new');
  test.db.prepare("DELETE FROM change_log WHERE row_id = 'pruned'").run();
  expect(facts().unchecked).toBe(2);
});

it('says which agents are used and which of them are not configured', async () => {
  await create('default');
  await create('named', { agent: 'echo' });
  await create('unknown', { agent: 'nobody' });
  await create('command', { kind: 'command', command: ['true'] });
  expect(
    facts().agents_used.toSorted((one, other) => (one.agent ?? '').localeCompare(other.agent ?? '')),
  ).toEqual([
    { agent: 'echo', found: true, count: 1 },
    { agent: 'echo', found: true, count: 1 },
    { agent: 'nobody', found: false, count: 1 },
  ]);
});
