import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureBuild } from './build.mjs';
import { countPlaywright, countVitest, total } from './count-tests.mjs';
import { requireNode, root, runInherited } from './run-node.mjs';
import { prepareMachine } from './test-machine.mjs';

/** `npm test`: everything. The last line says `N passed, N failed`; a skipped test counts as failed. */

/** The exit code of a program that ended itself at Ctrl-C. */
const interrupted = 130;
const browserTests = 'e2e/playwright.config.ts';

function readReport(file) {
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : null;
}

/** Runs a test program of node_modules under this Node and gives its exit code. Throws when a signal ended it. */
async function runProgram(script, args, env = {}) {
  const { code, signal } = await runInherited(
    process.execPath,
    [join(root, 'node_modules', script), ...args],
    {
      ...process.env,
      ...env,
    },
  );
  if (signal !== null || code === interrupted) throw new Error(`stopped: ${script}`);
  return code;
}

async function runUnitTests(reports) {
  const file = join(reports, 'vitest.json');
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${file}`];
  const code = await runProgram('vitest/vitest.mjs', ['run', ...reporters]);
  return countVitest(readReport(file), code);
}

async function runBrowserTests(reports, browser) {
  const file = join(reports, 'playwright.json');
  const args = ['test', '--config', browserTests, '--reporter=list,json', '--forbid-only'];
  const code = await runProgram('playwright/cli.js', args, {
    NEXTRUN_CHROMIUM: browser,
    PLAYWRIGHT_JSON_OUTPUT_FILE: file,
  });
  return countPlaywright(readReport(file), code);
}

async function runAll(reports) {
  const browser = prepareMachine();
  await ensureBuild();
  const counts = [await runUnitTests(reports)];
  if (existsSync(join(root, browserTests))) counts.push(await runBrowserTests(reports, browser));
  return total(counts);
}

await requireNode();
const reports = mkdtempSync(join(tmpdir(), 'nextrun-tests-'));
let result;
try {
  result = await runAll(reports);
} catch (error) {
  result = { passed: 0, failed: 1, notes: [error.message] };
} finally {
  rmSync(reports, { recursive: true, force: true });
}
for (const note of result.notes) console.error(note);
console.log(`${result.passed} passed, ${result.failed} failed`);
process.exitCode = result.failed === 0 ? 0 : 1;
