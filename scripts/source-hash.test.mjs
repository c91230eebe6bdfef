import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { sourceHash } from './source-hash.mjs';

let root;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'nextrun-hash-'));
  mkdirSync(join(root, 'src/deep'), { recursive: true });
  writeFileSync(join(root, 'src/deep/a.ts'), 'a');
  writeFileSync(join(root, 'config.ts'), 'c');
});
afterEach(() => rmSync(root, { recursive: true }));

const hash = () => sourceHash(root, ['src', 'config.ts', 'missing.json']);

test('the hash follows contents and names', () => {
  const before = hash();
  expect(hash()).toBe(before);
  writeFileSync(join(root, 'src/deep/a.ts'), 'b');
  const changed = hash();
  expect(changed).not.toBe(before);
  renameSync(join(root, 'src/deep/a.ts'), join(root, 'src/deep/b.ts'));
  expect(hash()).not.toBe(changed);
  writeFileSync(join(root, 'missing.json'), '{}');
  expect(hash()).not.toBe(changed);
});

test('tests are not built, so they do not count', () => {
  const before = hash();
  writeFileSync(join(root, 'src/deep/a.test.ts'), 'x');
  expect(hash()).toBe(before);
});

test('text moved from one file to the next is a change', () => {
  writeFileSync(join(root, 'src/deep/b.ts'), 'bc');
  const before = hash();
  writeFileSync(join(root, 'src/deep/a.ts'), 'ab');
  writeFileSync(join(root, 'src/deep/b.ts'), 'c');
  expect(hash()).not.toBe(before);
});
