import { afterEach, beforeEach, expect, it } from 'vitest';
import type { AutomationCreate } from '../../src-shared/model/automation.ts';
import type { Outcome } from '../../src-shared/model/outcome.ts';
import { metadataOf } from '../storage/codec.ts';
import { type TestEngine, testEngine } from '../testing/test-engine.ts';

let test: TestEngine;
beforeEach(async () => {
  test = await testEngine();
});
afterEach(() => test.dispose());

/** The run of an automation that is started and ends so. */
async function ran(review_policy: NonNullable<AutomationCreate['review_policy']>, outcome: Partial<Outcome>) {
  const { id } = await test.change(() => {
    const made = test.automations.create({ name: 'task', prompt: 'hello', review_policy }, 'api');
    test.runs.runNow(made.id, 'manual', 'api', false);
    return made;
  });
  test.launcher.ends(test.runsOf(id)[0]!.thread_id, outcome);
  await test.clock.advance(0);
  return test.runsOf(id)[0]!;
}

const changes: Outcome['changes'] = [
  { path: 'b', change: 'changed', bytes_before: 1, bytes_after: 2 },
  { path: 'a', change: 'created', bytes_after: 3 },
  { path: 'c', change: 'deleted' },
];

it('keeps the changed files of a run, which are its evidence when it wrote no text', async () => {
  const run = await ran('auto', { changes, has_text: false });
  expect(run).toMatchObject({ status: 'ACCEPTED', change_count: 3 });
  expect(metadataOf(run)).toMatchObject({
    resultState: 'side_effect_only',
    resultEvidence: 'local_file_mutation',
  });
  expect(test.store.artifacts.of(run.thread_id)).toEqual([
    { path: 'a', change: 'created', bytes_before: null, bytes_after: 3 },
    { path: 'b', change: 'changed', bytes_before: 1, bytes_after: 2 },
    { path: 'c', change: 'deleted', bytes_before: null, bytes_after: null },
  ]);
});

it('counts also those that are not named', async () => {
  const run = await ran('auto', { changes, changes_total: 700 });
  expect(run.change_count).toBe(700);
  expect(test.store.artifacts.of(run.thread_id)).toHaveLength(3);
});

it('on_changes asks a person when files changed, or when that is not known', async () => {
  expect(await ran('on_changes', { changes })).toMatchObject({
    status: 'PENDING_REVIEW',
    reason_code: 'review',
  });
  expect(await ran('on_changes', { changes_unknown: true })).toMatchObject({ status: 'PENDING_REVIEW' });
  expect(await ran('on_changes', {})).toMatchObject({ status: 'ACCEPTED' });
  expect(await ran('auto', { changes_unknown: true })).toMatchObject({ status: 'ACCEPTED' });
});
