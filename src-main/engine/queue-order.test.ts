import fc from 'fast-check';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { ApiError } from '../../src-shared/contract/errors.ts';
import { type TestEngine, testEngine, testStart } from '../testing/test-engine.ts';
import { reorder } from './queue-order.ts';

let test: TestEngine;
beforeEach(async () => {
  test = await testEngine();
  // Nothing is claimed: the tests move what waits.
  await test.engine.stop();
});
afterEach(() => test.dispose());

let sequence = 0;
function waiting(
  id: string,
  more: { priority?: number; queue_order?: number; not_before?: number } = {},
): void {
  sequence += 1;
  test.store.runs.insert({
    thread_id: id,
    automation_id: `of-${id}`,
    status: 'QUEUED',
    created_at: testStart,
    updated_at: testStart,
    queued_at: testStart,
    queue_order: testStart - 1_000_000 + sequence * 1000,
    exclusive: 0,
    metadata_json: '{}',
    ...more,
  });
}
const order = () => test.store.runs.waiting(test.clock.now(), 1000).map((run) => run.thread_id);
const move = (run: string, before: string | null) => reorder(test.ctx, run, before);
function refusal(run: string, before: string | null): string {
  const then = order();
  try {
    move(run, before);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    expect(order()).toEqual(then);
    return `${error.code} ${error.field}`;
  }
  throw new Error('it was not refused');
}

it('moves a run forwards, backwards and to the end; positions follow', () => {
  for (const id of ['a', 'b', 'c', 'd']) waiting(id);
  move('d', 'b');
  expect(order()).toEqual(['a', 'd', 'b', 'c']);
  move('a', 'c');
  expect(order()).toEqual(['d', 'b', 'a', 'c']);
  move('d', null);
  expect(order()).toEqual(['b', 'a', 'c', 'd']);
  move('b', 'a');
  expect(order()).toEqual(['b', 'a', 'c', 'd']);
  expect(JSON.parse(test.store.runs.get('d')?.metadata_json ?? '')).toEqual({ queuedPosition: 4 });
});

it('finds room where runs were queued in the same millisecond, and stays before what comes later', () => {
  for (const id of ['a', 'b', 'c', 'd']) waiting(id, { queue_order: testStart });
  move('d', 'c');
  expect(order()).toEqual(['a', 'b', 'd', 'c']);
  move('c', 'a');
  expect(order()).toEqual(['c', 'a', 'b', 'd']);
  waiting('later', { queue_order: testStart + 1 });
  expect(order().at(-1)).toBe('later');
});

it('leaves priority above the order', () => {
  waiting('high', { priority: 5 });
  for (const id of ['a', 'b']) waiting(id);
  waiting('low', { priority: -5 });
  expect(refusal('a', 'high')).toBe('state_conflict before_run_id');
  expect(refusal('high', 'b')).toBe('state_conflict before_run_id');
  // Before the first of the next priority is the end of its own.
  move('a', 'low');
  expect(order()).toEqual(['high', 'b', 'a', 'low']);
  move('b', null);
  expect(order()).toEqual(['high', 'a', 'b', 'low']);
});

it('refuses what does not wait, is held back, is unknown or is itself, and changes nothing', () => {
  for (const id of ['a', 'b']) waiting(id);
  waiting('deferred', { not_before: testStart + 1_000_000 });
  waiting('over');
  test.store.runs.move('over', 'CANCELLED', {}, { from: 'QUEUED' });
  expect(refusal('none', 'a')).toBe('not_found run_id');
  expect(refusal('a', 'none')).toBe('not_found before_run_id');
  expect(refusal('over', 'a')).toBe('state_conflict run_id');
  expect(refusal('a', 'over')).toBe('state_conflict before_run_id');
  expect(refusal('deferred', null)).toBe('state_conflict run_id');
  expect(refusal('a', 'a')).toBe('invalid before_run_id');
});

it('gives the order that was asked for, whatever was moved before', () => {
  const ids = ['a', 'b', 'c', 'd', 'e', 'f'];
  const moves = fc.array(fc.tuple(fc.nat(5), fc.option(fc.nat(5), { nil: null })), { maxLength: 30 });
  fc.assert(
    fc.property(moves, fc.boolean(), (list, together) => {
      test.db.prepare('DELETE FROM automation_runs').run();
      for (const id of ids) waiting(id, together ? { queue_order: testStart } : {});
      const model = [...ids];
      for (const [from, to] of list) {
        const run = ids[from]!;
        const before = to === null ? null : ids[to]!;
        if (run === before) continue;
        move(run, before);
        model.splice(model.indexOf(run), 1);
        model.splice(before === null ? model.length : model.indexOf(before), 0, run);
        expect(order()).toEqual(model);
      }
    }),
    { numRuns: 30 },
  );
});
