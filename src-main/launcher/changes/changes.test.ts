import { execFileSync, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { FileChange, Outcome } from '../../../src-shared/model/outcome.ts';
import { systemClock } from '../../engine/clock.ts';
import { executors } from '../../executors/index.ts';
import { createLauncher } from '../launcher.ts';
import type { StartRequest } from '../protocol.ts';
import { mailbox, request } from '../test-rig.ts';
import { readStatus } from './git-state.ts';

const path = `${dirname(process.execPath)}:/usr/bin:/bin`;

let base: string;
let cwd: string;
let box: ReturnType<typeof mailbox>;
let launcher: ReturnType<typeof createLauncher>;

beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'nextrun-changes-')));
  cwd = join(base, 'work');
  mkdirSync(cwd);
  box = mailbox();
  launcher = createLauncher({
    clock: systemClock,
    executors,
    send(message, sent) {
      box.hear(message);
      sent();
    },
    watchdog: { watch: () => {}, forget: () => {} },
  });
});
afterEach(async () => {
  await launcher.hostGone();
  rmSync(base, { recursive: true, force: true });
});

const env = { PATH: path, HOME: '/nowhere' };

function start(script: string, given: Partial<StartRequest> = {}): string {
  const run_id = randomUUID();
  const run_folder = join(base, 'data', 'runs', run_id);
  const asked = { run_id, run_folder, cwds: [cwd], env, argv: [script], shell: true, ...given };
  launcher.receive({ type: 'start', request: request(asked, path) });
  return run_id;
}

async function outcomeOf(
  script: string,
  given: Partial<StartRequest> = {},
): Promise<Outcome & { said: string }> {
  const id = start(script, given);
  return { ...(await box.outcome(id)), said: box.text(id, 'system') };
}

const words = (changes: FileChange[]) => changes.map(({ path: file, change }) => `${change} ${file}`);
const changed = async (script: string, given: Partial<StartRequest> = {}) =>
  words((await outcomeOf(script, given)).changes);

const identity = ['-c', 'user.name=n', '-c', 'user.email=a@example.org', '-c', 'commit.gpgsign=false'];
const git = (...args: string[]) =>
  execFileSync('git', ['-C', cwd, ...identity, ...args], {
    env: { ...env, GIT_CONFIG_NOSYSTEM: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
  }).toString();
/** The same as one word of a shell. */
const gitWords = `git ${identity.join(' ')}`;

function repository(files: Record<string, string>): void {
  git('init', '-q', '-b', 'main');
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(cwd, name)), { recursive: true });
    writeFileSync(join(cwd, name), text);
  }
  git('add', '-A');
  git('commit', '-q', '-m', 'first');
}

describe('a plain folder', () => {
  test('what was made, changed and removed, with sizes; what is as before is not named', async () => {
    for (const name of ['same', 'grows', 'goes']) writeFileSync(join(cwd, name), 'four');
    mkdirSync(join(cwd, 'deep/er'), { recursive: true });
    const got = await outcomeOf('cat same; echo more >> grows; rm goes; printf new > deep/er/file');
    expect(got.changes).toEqual([
      { path: 'deep/er/file', change: 'created', bytes_after: 3 },
      { path: 'goes', change: 'deleted', bytes_before: 4 },
      { path: 'grows', change: 'changed', bytes_before: 4, bytes_after: 9 },
    ]);
    expect(got).not.toHaveProperty('changes_unknown');
    expect(got.said).toBe('');
  });

  test('tools’ folders, what links lead to, and NextRun’s own data do not count', async () => {
    mkdirSync(join(base, 'elsewhere'));
    symlinkSync(join(base, 'elsewhere'), join(cwd, 'link'));
    mkdirSync(join(cwd, 'node_modules'));
    const script = 'echo a > link/file; echo a > node_modules/file; mkdir -p .git; echo a > .git/file; true';
    expect(await changed(script)).toEqual([]);
    expect(await changed('ln -s nowhere new; mkfifo pipe; rm link')).toEqual(['deleted link', 'created new']);
    mkdirSync(join(base, 'data'), { recursive: true });
    expect(await changed('echo a > data/x; echo a > y', { cwds: [base] })).toEqual(['created y']);
  });

  test('several folders: whole paths, what is undone later is gone', async () => {
    const other = join(base, 'other');
    mkdirSync(other);
    const script = 'echo $PWD >> file';
    expect(await changed(script, { cwds: [cwd, other] })).toEqual([
      `created ${join(cwd, 'file')}`,
      `created ${join(other, 'file')}`,
    ]);
    const toggle = 'if [ -e toggled ]; then rm toggled; else touch toggled; fi';
    expect(await changed(toggle, { cwds: [cwd, cwd] })).toEqual([]);
    expect(await changed(`${script}; rm -f x`, { cwds: [cwd, cwd] })).toEqual([
      `changed ${join(cwd, 'file')}`,
    ]);
  });

  test('a run that fails or is stopped still tells; more than 500 are counted', async () => {
    expect(await changed('touch half; exit 3')).toEqual(['created half']);
    const id = start('touch early; echo up; sleep 3600');
    await box.wrote(id, 'up');
    launcher.receive({ type: 'cancel', run_id: id, why: 'user' });
    const stopped = await box.outcome(id);
    expect(stopped).toMatchObject({ result: 'cancelled', changes: [{ path: 'early', change: 'created' }] });
    const many = await outcomeOf('for i in $(seq 512); do : > m$i; done');
    expect(many.changes).toHaveLength(500);
    expect(many).toMatchObject({ changes_total: 512, said: '12 more changed files are not listed\n' });
  });

  test('too many files: unknown, said so, and no failure', async () => {
    mkdirSync(join(cwd, 'many'));
    for (let index = 0; index <= 20_000; index += 1) writeFileSync(join(cwd, 'many', String(index)), '');
    const got = await outcomeOf('touch one');
    expect(got).toMatchObject({ result: 'success', changes: [], changes_unknown: true });
    expect(got.said).toBe(`which files changed in ${cwd} is not known: it has more than 20000 files\n`);
  });

  test('the folder itself is removed', async () => {
    writeFileSync(join(cwd, 'file'), 'four');
    expect(await changed('rm -r ../work')).toEqual(['deleted file']);
  });
});

describe('a git work tree', () => {
  test('tracked, untracked, removed; what was dirty before and is not touched is not named', async () => {
    repository({ clean: 'a', dirty: 'a', gone: 'a', 'sub/tracked': 'a' });
    writeFileSync(join(cwd, 'dirty'), 'dirty');
    writeFileSync(join(cwd, 'untracked'), 'u');
    expect(await changed('true')).toEqual([]);
    const got = await outcomeOf('echo bb > sub/tracked; echo more >> untracked; rm gone; echo n > "new ä"');
    expect(got.changes).toEqual([
      { path: 'gone', change: 'deleted' },
      { path: 'new ä', change: 'created', bytes_after: 2 },
      { path: 'sub/tracked', change: 'changed', bytes_after: 3 },
      { path: 'untracked', change: 'changed', bytes_before: 1, bytes_after: 6 },
    ]);
    expect(await changed('touch clean; echo x >> dirty; git checkout -q gone')).toEqual([
      'changed dirty',
      'created gone',
    ]);
  });

  test('what the run commits counts; committing what was there does not', async () => {
    repository({ kept: 'a', edited: 'a', removed: 'a' });
    writeFileSync(join(cwd, 'waiting'), 'w');
    const script = `echo b > edited; rm removed; echo n > made; ${gitWords} add -A; ${gitWords} commit -qm second`;
    expect(await changed(script)).toEqual(['changed edited', 'created made', 'deleted removed']);
    expect(git('status', '--porcelain')).toBe('');
  });

  test('a first commit, a switch of branches', async () => {
    git('init', '-q', '-b', 'main');
    expect(await changed(`echo a > a; ${gitWords} add -A; ${gitWords} commit -qm first`)).toEqual([
      'created a',
    ]);
    expect(await changed(`git switch -qc other; echo b > a; ${gitWords} commit -qam b`)).toEqual([
      'changed a',
    ]);
    expect(await changed('git switch -q main')).toEqual(['changed a']);
  });

  test('a folder below the root sees its own part only; an ignored one is walked', async () => {
    repository({ 'part/a': 'a', b: 'b', '.gitignore': 'out/\n' });
    mkdirSync(join(cwd, 'out/deep'), { recursive: true });
    const part = join(cwd, 'part');
    expect(
      await changed('echo x > ../b; echo x > a; echo x > c; echo x > ../out/y', { cwds: [part] }),
    ).toEqual(['changed a', 'created c']);
    expect(await changed('echo x > result', { cwds: [join(cwd, 'out/deep')] })).toEqual(['created result']);
  });

  test('nothing is written: the index stays as it is', async () => {
    repository({ a: 'a' });
    const index = join(cwd, '.git/index');
    const before = statSync(index);
    await changed('touch a');
    expect(statSync(index).mtimeMs).toBe(before.mtimeMs);
    expect(statSync(index).ino).toBe(before.ino);
    expect(existsSync(join(cwd, '.git/index.lock'))).toBe(false);
  });

  test('a .git that is none, and a machine without git: walked', async () => {
    mkdirSync(join(cwd, '.git'));
    expect(await changed('echo a > a')).toEqual(['created a']);
    rmSync(join(cwd, '.git'), { recursive: true });
    repository({ b: 'b' });
    const got = await outcomeOf('echo c > b; echo d > d', { env: { PATH: '/nowhere' } });
    expect(got.changes).toEqual([
      { path: 'b', change: 'changed', bytes_before: 1, bytes_after: 2 },
      { path: 'd', change: 'created', bytes_after: 2 },
    ]);
  });

  test('the repository is removed by the run: unknown, no failure', async () => {
    repository({ a: 'a' });
    const got = await outcomeOf('rm -rf .git');
    expect(got).toMatchObject({ result: 'success', changes: [], changes_unknown: true });
    expect(got.said).toContain('is not known: git ended with 128');
  });
});

describe('a hostile repository starts nothing', () => {
  const mark = () => join(base, 'attacked');
  function attack(then = 'cat'): string {
    const file = join(base, 'attack.sh');
    writeFileSync(file, `#!/bin/sh\ntouch ${mark()}\n${then}\n`);
    chmodSync(file, 0o755);
    return file;
  }

  test.each<[string, (program: string) => void]>([
    ['core.fsmonitor', (program) => void git('config', 'core.fsmonitor', program)],
    [
      'hooks',
      (program) => {
        mkdirSync(join(base, 'hooks'));
        for (const hook of ['post-index-change', 'fsmonitor-watchman', 'reference-transaction']) {
          symlinkSync(program, join(base, 'hooks', hook));
        }
        git('config', 'core.hooksPath', join(base, 'hooks'));
      },
    ],
    ['an alias', (program) => void git('config', 'alias.status', `!${program}`)],
    ['a pager', (program) => void git('config', 'core.pager', program)],
    [
      'a clean filter',
      (program) => {
        git('config', 'filter.evil.clean', program);
        git('config', 'filter.evil.required', 'true');
      },
    ],
    ['a filter process', (program) => void git('config', 'filter.evil.process', program)],
    ['a filter with an odd name', (program) => void git('config', 'filter.evil=x.clean', program)],
    ['a diff driver', (program) => void git('config', 'diff.external', program)],
  ])('%s', async (name, configure) => {
    repository({ a: 'a', b: 'b' });
    writeFileSync(join(cwd, '.git/info/attributes'), '* filter=evil\n');
    if (name.includes('odd')) writeFileSync(join(cwd, '.git/info/attributes'), '* filter=evil=x\n');
    configure(attack());
    // Same size, other time: git has to read the content, through the filter if there is one.
    writeFileSync(join(cwd, 'a'), 'z');
    const got = await outcomeOf('printf y > b; printf n > new');
    expect(existsSync(mark())).toBe(false);
    expect(words(got.changes)).toEqual(['changed b', 'created new']);
    // The same repository does bite a git that is called without care, where git 2.39 has teeth there.
    spawnSync('git', ['-C', cwd, 'status'], { env, stdio: 'ignore', timeout: 5000 });
    expect(existsSync(mark())).toBe(!['an alias', 'a pager', 'a diff driver'].includes(name));
  });

  test('objects that are missing are not fetched', async () => {
    repository({ a: 'a' });
    git('config', 'remote.evil.url', `ext::${attack('exit 1')}`);
    git('config', 'remote.evil.promisor', 'true');
    git('config', 'remote.evil.uploadpack', attack('exit 1'));
    git('config', 'extensions.partialClone', 'evil');
    git('config', 'protocol.ext.allow', 'always');
    const tree = git('rev-parse', 'HEAD^{tree}').trim();
    rmSync(join(cwd, '.git/objects', tree.slice(0, 2), tree.slice(2)));
    expect((await outcomeOf('echo b > b')).result).toBe('success');
    expect(existsSync(mark())).toBe(false);
    spawnSync('git', ['-C', cwd, 'status'], { env, stdio: 'ignore', timeout: 5000 });
    expect(existsSync(mark())).toBe(true);
  });

  test('core.worktree does not lead elsewhere; a git that hangs is stopped with the run', async () => {
    repository({ a: 'a' });
    git('config', 'core.worktree', base);
    expect(await changed('echo b > b')).toEqual(['created b']);
    execFileSync('mkfifo', [join(base, 'fifo')]);
    git('config', 'core.excludesFile', join(base, 'fifo'));
    const id = start('touch never');
    systemClock.timer(200, () => launcher.receive({ type: 'cancel', run_id: id, why: 'user' }));
    expect(await box.outcome(id)).toMatchObject({ result: 'cancelled', parts: [] });
    expect(existsSync(join(cwd, 'never'))).toBe(false);
  });

  test('a git that hangs: unknown after 5 s, and the run goes on', async () => {
    repository({ a: 'a' });
    execFileSync('mkfifo', [join(base, 'fifo')]);
    git('config', 'core.excludesFile', join(base, 'fifo'));
    const got = await outcomeOf('touch done');
    expect(got).toMatchObject({ result: 'success', changes: [], changes_unknown: true });
    expect(got.said).toContain('is not known: looking took more than 5 s');
    expect(existsSync(join(cwd, 'done'))).toBe(true);
  }, 20_000);
});

test('every kind of record of git status is read', () => {
  const id = 'a'.repeat(40);
  const text = [
    `# branch.oid ${id}`,
    '# branch.head main',
    `1 .M N... 100644 100644 100644 ${id} ${id} sub/with space`,
    `1 A. N... 000000 100644 100644 ${id} ${id} sub/added`,
    `2 R. N... 100644 100644 100644 ${id} ${id} R100 sub/to`,
    'sub/from',
    `u UU N... 100644 100644 100644 100644 ${id} ${id} ${id} sub/both`,
    '? sub/new',
    '? outside',
    '! sub/ignored/',
    '',
  ].join('\0');
  const { head, paths, ignored } = readStatus(text, 'sub/');
  expect([head, ignored]).toEqual([id, false]);
  expect(Object.fromEntries(paths)).toEqual({
    'with space': true,
    added: false,
    to: false,
    from: true,
    both: true,
    new: false,
  });
  expect(readStatus('# branch.oid (initial)\0! sub/\0', 'sub/deep/')).toMatchObject({
    head: null,
    ignored: true,
  });
});
