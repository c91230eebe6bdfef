import { expect, test } from 'vitest';
import { lintHouse } from './lint-house.mjs';

/** The complaints about a small tree, as `file:line rule`. */
function lint(tree) {
  return lintHouse(new Map(Object.entries(tree))).map(({ file, line, rule }) => `${file}:${line} ${rule}`);
}

const shared = { 'src-shared/a.ts': 'export const a = 1;\n' };

test('a clean tree has no complaints', () => {
  expect(
    lint({
      ...shared,
      'src-main/storage/store.ts':
        "import Database from 'better-sqlite3';\nimport { a } from '../../src-shared/a.ts';\n",
      'src-main/engine/clock.ts': 'export const now = () => Date.now();\n',
      'src-main/hosts/serve/main.ts':
        "import '../../storage/store.ts';\nexport const home = process.env.HOME;\n",
      'playwright.config.ts': 'export default {};\n',
    }),
  ).toEqual([]);
});

test.each([
  ['src-main/storage/x.ts', "import '../engine/y.ts';"],
  ['src-main/executors/x.ts', "import '../launcher/main.ts';"],
  ['src-main/launcher/x.ts', "import '../storage/y.ts';"],
  ['src-main/engine/x.ts', "import '../launcher/main.ts';"],
  ['src-main/engine/x.ts', "export { a } from '../hosts/y.ts';\nexport const b = 1;"],
  ['src-main/api/x.ts', "const y = await import('../hosts/y.ts');"],
  ['src-main/api/x.ts', "type Y = import('../hosts/y.ts').Y;"],
  ['src-main/hosts/x.ts', "import '../testing/y.ts';"],
  ['src-main/engine/x.ts', "import './x.test.ts';"],
  ['src-renderer/x.tsx', "import '../src-main/engine/y.ts';"],
  ['src-shared/x.ts', "import '../src-main/engine/y.ts';"],
  ['e2e/x.ts', "import '../src-main/hosts/y.ts';"],
  ['src-shared/x.ts', "import '../src-shared/missing.ts';"],
])('%s may not contain %s', (file, text) => {
  const targets = [
    'engine/y.ts',
    'engine/x.test.ts',
    'launcher/main.ts',
    'storage/y.ts',
    'hosts/y.ts',
    'testing/y.ts',
  ];
  const tree = Object.fromEntries(targets.map((target) => [`src-main/${target}`, '']));
  expect(lint({ ...tree, [file]: text })).toEqual([`${file}:1 imports`]);
});

test.each([
  ['src-main/engine/x.ts', "import type { Launcher } from '../launcher/protocol.ts';"],
  ['src-main/engine/x.test.ts', "import '../testing/y.ts';\nimport '../hosts/y.ts';"],
  ['src-main/api/x.ts', "import '../engine/y.ts';\nimport '../storage/y.ts';"],
  [
    'src-main/hosts/launcher/main.ts',
    "import { spawn } from 'node:child_process';\nimport '../../executors/y.ts';",
  ],
  ['src-renderer/x.tsx', "import '../src-shared/a.ts';\nimport 'react';"],
  ['src-main/storage/x.ts', "import sql from './migrations/1.sql?raw';"],
])('%s may contain %s', (file, text) => {
  const targets = [
    'launcher/protocol.ts',
    'testing/y.ts',
    'hosts/y.ts',
    'engine/y.ts',
    'storage/y.ts',
    'executors/y.ts',
  ];
  const tree = Object.fromEntries(targets.map((target) => [`src-main/${target}`, '']));
  expect(lint({ ...shared, ...tree, 'src-main/storage/migrations/1.sql': '', [file]: text })).toEqual([]);
});

test.each([
  ['src-main/engine/x.ts', 'better-sqlite3'],
  ['src-main/api/x.ts', 'electron'],
  ['src-main/hosts/serve/x.ts', 'electron'],
  ['src-main/executors/x.ts', 'node:child_process'],
  ['src-main/storage/x.ts', 'node:sqlite'],
  ['src-shared/x.ts', 'node:fs'],
  ['src-shared/x.ts', 'hono/client'],
  ['src-renderer/x.ts', 'node:fs'],
])('%s may not import %s', (file, name) => {
  expect(lint({ [file]: `import '${name}';` })).toEqual([`${file}:1 imports`]);
});

test('a fixture has the rights of a test, and only tests may use it', () => {
  const tree = {
    'src-main/testing/y.ts': '',
    'src-main/api/door.fixture.ts': "import '../testing/y.ts';\nexport const at = Date.now();\n",
    'src-main/api/door.test.ts': "import './door.fixture.ts';\n",
  };
  expect(lint(tree)).toEqual([]);
  expect(lint({ ...tree, 'src-main/api/x.ts': "import './door.fixture.ts';\n" })).toEqual([
    'src-main/api/x.ts:1 imports',
  ]);
});

test('files that import each other are named once', () => {
  const tree = {
    'src-shared/a.ts': "import './b.ts';\n",
    'src-shared/b.ts': "\nimport type { C } from './c.ts';\n",
    'src-shared/c.ts': "import './a.ts';\n",
    'src-shared/d.ts': "import './a.ts';\n",
  };
  expect(lint(tree)).toEqual(['src-shared/c.ts:1 no-cycle']);
});

test.each([
  'Date.now()',
  'const now = Date.now',
  'new Date()',
  'Date()',
  'Math.random()',
  'setTimeout(f, 1)',
  'globalThis.setInterval(f, 1)',
  'defer(setImmediate)',
  '(setTimeout as Timer)(f)',
  "import { setTimeout as wait } from 'node:timers/promises'",
  'AbortSignal.timeout(1)',
])('only the clock may have %s', (text) => {
  expect(lint({ 'src-main/engine/x.ts': text })).toEqual(['src-main/engine/x.ts:1 clock']);
  for (const file of ['src-main/engine/clock.ts', 'src-main/testing/x.ts', 'e2e/x.ts']) {
    expect(lint({ [file]: text })).toEqual([]);
  }
});

test('the page has a clock file of its own', () => {
  expect(lint({ 'src-renderer/clock.ts': 'setInterval(f, Date.now())' })).toEqual([]);
});

test.each([
  'new Date(0)',
  '// Date.now()',
  "const text = 'Date.now() setTimeout(f)'",
  'type Handle = ReturnType<typeof setTimeout>',
  'clock.setTimeout(f)',
  'const names = { setTimeout: 1 }',
])('%s does not read the clock', (text) => {
  expect(lint({ 'src-main/engine/x.ts': text })).toEqual([]);
});

test.each([
  'process.env.HOME',
  "process['argv']",
  'const { env } = process',
  "import { argv } from 'node:process'",
])('only hosts may have %s', (text) => {
  expect(lint({ 'src-main/storage/x.ts': text })).toEqual(['src-main/storage/x.ts:1 process']);
  expect(lint({ 'src-main/hosts/config.ts': text, 'vite.main.config.ts': text })).toEqual([]);
});

test('IPC and raw markup are refused', () => {
  const ipc = "import { ipcRenderer } from 'electron';";
  expect(lint({ 'src-main/hosts/electron/window.ts': ipc })).toContain(
    'src-main/hosts/electron/window.ts:1 ipc',
  );
  expect(lint({ 'src-main/hosts/electron/preload.ts': ipc })).toEqual([]);
  const file = 'src-renderer/x.tsx';
  expect(lint({ [file]: 'const a = <p dangerouslySetInnerHTML={x} />;' })).toEqual([`${file}:1 no-raw-html`]);
  expect(lint({ [file]: 'const a = { dangerouslySetInnerHTML: x };' })).toEqual([`${file}:1 no-raw-html`]);
});

test.each([
  'test.skip("x", f)',
  'it.only.each([1])("x", f)',
  'describe.todo("x")',
  'context.skip()',
  'page.waitForTimeout(5)',
])('a test may not have %s', (text) => {
  expect(lint({ 'src-shared/x.test.ts': text })).toEqual(['src-shared/x.test.ts:1 tests-run']);
});

test('files: names, length, barrels and default exports', () => {
  const long = 'export const a = 1;\n'.repeat(301);
  expect(lint({ 'src-main/api/run-helper.ts': 'export const a = 1;' })).toEqual([
    'src-main/api/run-helper.ts:1 file-name',
  ]);
  expect(lint({ 'src-main/api/ProcessManager.ts': '' })).toEqual([
    'src-main/api/ProcessManager.ts:1 file-name',
  ]);
  expect(lint({ 'src-main/api/long.ts': long })).toEqual(['src-main/api/long.ts:301 file-length']);
  expect(lint({ 'src-shared/words/en.ts': long, 'src-shared/x.test.ts': long })).toEqual([]);
  expect(lint({ ...shared, 'src-shared/b.ts': "export { a } from './a.ts';" })).toEqual([
    'src-shared/b.ts:1 no-barrel',
  ]);
  expect(lint({ ...shared, 'src-shared/b.ts': "export * from './a.ts';\nlet c;" })).toEqual([
    'src-shared/b.ts:1 no-barrel',
  ]);
  expect(lint({ 'src-shared/b.ts': '\nexport default 1;' })).toEqual(['src-shared/b.ts:2 no-default-export']);
  expect(lint({ 'src-shared/b.ts': 'const a = 1;\nexport { a as default };' })).toEqual([
    'src-shared/b.ts:2 no-default-export',
  ]);
});

test('comments: nothing is silenced, and a promise names its document', () => {
  const file = 'src-shared/x.ts';
  const complaints = lint({
    [file]: '// @ts-ignore\n/* biome-ignore lint: x */\n// TODO later\n// FIXME docs/none.md\n',
  });
  expect(complaints).toEqual([
    `${file}:1 no-silencer`,
    `${file}:2 no-silencer`,
    `${file}:3 todo`,
    `${file}:4 todo`,
  ]);
  expect(
    lint({ 'docs/roadmap.md': '', [file]: "// TODO docs/roadmap.md\nconst a = '// @ts-ignore TODO';\n" }),
  ).toEqual([]);
});

test('a file that cannot be read is a complaint, not a crash', () => {
  expect(lint({ 'src-shared/x.ts': 'const = ;' })).toEqual(['src-shared/x.ts:1 syntax']);
});
