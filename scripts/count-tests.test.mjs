import { expect, test } from 'vitest';
import { countPlaywright, countVitest, total } from './count-tests.mjs';

const vitest = (changes) => ({
  numPassedTests: 3,
  numFailedTests: 0,
  numPendingTests: 0,
  numTodoTests: 0,
  testResults: [],
  ...changes,
});
const playwright = (stats, errors = []) => ({
  stats: { expected: 2, unexpected: 0, flaky: 0, skipped: 0, ...stats },
  errors,
});

test('a clean run counts what passed', () => {
  expect(total([countVitest(vitest(), 0), countPlaywright(playwright(), 0)])).toEqual({
    passed: 5,
    failed: 0,
    notes: [],
  });
});

test('skipped, todo and flaky tests count as failed and are named', () => {
  const counts = [
    countVitest(vitest({ numPendingTests: 1, numTodoTests: 1 }), 0),
    countPlaywright(playwright({ skipped: 1, flaky: 2 }), 0),
  ];
  const { passed, failed, notes } = total(counts);
  expect({ passed, failed, notes: notes.length }).toEqual({ passed: 5, failed: 5, notes: 3 });
});

test('a file that cannot be loaded counts as one failure', () => {
  const testResults = [
    { name: 'a.test.ts', status: 'failed', assertionResults: [] },
    { name: 'b.test.ts', status: 'failed', assertionResults: [{ status: 'failed' }] },
  ];
  expect(countVitest(vitest({ numFailedTests: 1, testResults }), 1).failed).toBe(2);
  expect(countPlaywright(playwright({}, [{ message: 'x' }]), 1).failed).toBe(1);
});

test('a run that ended badly is never counted as none', () => {
  expect(countVitest(vitest(), 1)).toEqual({ passed: 3, failed: 1, notes: ['vitest ended with code 1'] });
  expect(countVitest(null, 0).failed).toBe(1);
  expect(countPlaywright(null, 0).failed).toBe(1);
});

test('no test at all is a failure', () => {
  expect(total([countVitest(vitest({ numPassedTests: 0 }), 0)]).failed).toBe(1);
});
