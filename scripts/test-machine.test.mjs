import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { findBrowser, missingPackages } from './test-machine.mjs';

let folder;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'nextrun-machine-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

function program(name) {
  const file = join(folder, name);
  writeFileSync(file, '#!/bin/sh\n');
  chmodSync(file, 0o755);
  return file;
}

test('the browser is found by name on the PATH, or named', () => {
  const file = program('chromium');
  expect(findBrowser({ PATH: folder })).toBe(file);
  expect(findBrowser({ PATH: '', NEXTRUN_CHROMIUM: file })).toBe(file);
  expect(findBrowser({ PATH: folder, NEXTRUN_CHROMIUM: join(folder, 'none') })).toBe(null);
});

test('what is missing is named by its package', () => {
  const NEXTRUN_CHROMIUM = program('my-browser');
  expect(missingPackages({ PATH: folder, NEXTRUN_CHROMIUM })).toEqual(['python3', 'sqlite3']);
  program('sqlite3');
  expect(missingPackages({ PATH: folder, NEXTRUN_CHROMIUM })).toEqual(['python3']);
  program('python3');
  expect(missingPackages({ PATH: folder, NEXTRUN_CHROMIUM: join(folder, 'none') })).toEqual(['chromium']);
});
