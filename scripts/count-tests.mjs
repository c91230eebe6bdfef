/** @typedef {{ passed: number, failed: number, notes: string[] }} Count */

const broken = (note) => ({ passed: 0, failed: 1, notes: [note] });

/** A run that failed must never be counted as none: what the counts do not show becomes one failure. */
function complete(count, exitCode, name) {
  if (exitCode === 0 || count.failed > 0) return count;
  return { ...count, failed: 1, notes: [...count.notes, `${name} ended with code ${exitCode}`] };
}

/**
 * Counts of a vitest JSON report (null when it wrote none). Skipped and todo tests count as failed, and so does
 * a file that could not be loaded.
 * @returns {Count}
 */
export function countVitest(report, exitCode) {
  if (report === null) return broken(`vitest wrote no report and ended with code ${exitCode}`);
  const skipped = report.numPendingTests + report.numTodoTests;
  const unloaded = report.testResults.filter(
    (file) => file.status === 'failed' && file.assertionResults.every((test) => test.status !== 'failed'),
  );
  const notes = [
    ...(skipped > 0 ? [`${skipped} skipped or todo in vitest: they count as failed`] : []),
    ...unloaded.map((file) => `${file.name} failed outside its tests`),
  ];
  const failed = report.numFailedTests + skipped + unloaded.length;
  return complete({ passed: report.numPassedTests, failed, notes }, exitCode, 'vitest');
}

/**
 * Counts of a Playwright JSON report (null when it wrote none). Skipped tests and tests that passed only at a
 * second attempt count as failed.
 * @returns {Count}
 */
export function countPlaywright(report, exitCode) {
  if (report === null) return broken(`playwright wrote no report and ended with code ${exitCode}`);
  const { expected, unexpected, flaky, skipped } = report.stats;
  const notes = [
    ...(skipped > 0 ? [`${skipped} skipped in playwright: they count as failed`] : []),
    ...(flaky > 0 ? [`${flaky} flaky in playwright: they count as failed`] : []),
    ...report.errors.map((error) => error.message ?? 'an error outside the tests'),
  ];
  const failed = unexpected + flaky + skipped + report.errors.length;
  return complete({ passed: expected, failed, notes }, exitCode, 'playwright');
}

/**
 * All suites together; no test at all is a failure.
 * @param {Count[]} counts
 * @returns {Count}
 */
export function total(counts) {
  const sum = (key) => counts.reduce((all, count) => all + count[key], 0);
  const result = {
    passed: sum('passed'),
    failed: sum('failed'),
    notes: counts.flatMap((count) => count.notes),
  };
  return result.passed + result.failed > 0 ? result : broken('no test was found');
}
