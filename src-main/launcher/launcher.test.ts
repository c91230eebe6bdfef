import { createHash, randomInt, randomUUID } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Outcome, outcomeSchema } from '../../src-shared/model/outcome.ts';
import { systemClock } from '../engine/clock.ts';
import { executors } from '../executors/index.ts';
import { childEnvironment } from './environment.ts';
import { createLauncher } from './launcher.ts';
import { liveProcesses } from './proc.ts';
import { pidStartedAt, tagged } from './process-tree.ts';
import type { StartRequest } from './protocol.ts';
import { mailbox, program, request, until } from './test-rig.ts';

const path = `${dirname(process.execPath)}:/usr/bin:/bin`;
const folder = realpathSync(mkdtempSync(join(tmpdir(), 'nextrun-launcher-')));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let box: ReturnType<typeof mailbox>;
let watched: Map<string, number | null>;
let launcher: ReturnType<typeof createLauncher>;

beforeEach(() => {
  box = mailbox();
  watched = new Map();
  launcher = createLauncher({
    clock: systemClock,
    executors,
    send(message, sent) {
      box.hear(message);
      sent();
    },
    watchdog: {
      watch: ({ run_id, pid }) => void watched.set(run_id, pid),
      forget: (runId) => void watched.delete(runId),
    },
  });
});
afterEach(() => launcher.hostGone());

function start(given: Partial<StartRequest> & Pick<StartRequest, 'argv'>): string {
  const run_id = given.run_id ?? randomUUID();
  launcher.receive({
    type: 'start',
    request: request({ run_folder: join(folder, run_id), cwds: [folder], ...given, run_id }, path),
  });
  return run_id;
}

const shell = (script: string, given: Partial<StartRequest> = {}) =>
  start({ argv: [script], shell: true, ...given });
const node = (name: string, args: string[] = [], given: Partial<StartRequest> = {}) =>
  start({ argv: ['node', program(name), ...args], ...given });

async function outcome(runId: string): Promise<Outcome> {
  const got = await box.outcome(runId);
  expect(() => outcomeSchema.parse(got)).not.toThrow();
  expect(tagged(runId)).toEqual([]);
  expect(watched.has(runId)).toBe(false);
  return got;
}

describe('an end of its own', () => {
  test('a command: text, success, started before output before outcome', async () => {
    const id = shell('echo hello; echo oops >&2');
    expect(await outcome(id)).toMatchObject({
      result: 'success',
      reason: null,
      exit_code: 0,
      has_text: true,
      summary: 'hello\n',
      output_bytes: 11,
      output_dropped_bytes: 0,
      parts: [{ cwd: folder, output: 'hello\n', exit_code: 0, signal: null }],
    });
    expect(box.messages.map(({ type }) => type)).toEqual(['started', 'output', 'outcome']);
    expect(box.text(id, 'stderr')).toBe('oops\n');
  });

  test('started tells the pid and its kernel start time', async () => {
    const id = shell('read line; echo "$line"', { stdin: 'go\n' });
    const started = await box.started(id);
    expect(started).toMatchObject({ pid: expect.any(Number), pid_started_at: expect.any(Number) });
    await outcome(id);
    expect(pidStartedAt(started.pid)).toBe(null);
  });

  test('an exit code is a failure with the last line of stderr', async () => {
    const id = shell('echo partial; echo first >&2; printf "\\033[31mno such host\\033[0m\\n" >&2; exit 3');
    expect(await outcome(id)).toMatchObject({
      result: 'failure',
      reason: 'exit_code',
      detail: 'no such host',
      exit_code: 3,
      has_text: true,
      summary: 'partial\n',
    });
  });

  test('F70: killed from outside is signal, not interrupted', async () => {
    const id = shell('echo up; exec sleep 3600');
    await box.wrote(id, 'up');
    const { pid } = await box.started(id);
    process.kill(pid, 'SIGKILL');
    expect(await outcome(id)).toMatchObject({
      result: 'failure',
      reason: 'signal',
      signal: 'SIGKILL',
      exit_code: null,
    });
  });

  test('an agent that says nothing is no_output; a command is a success', async () => {
    expect(await outcome(node('silent', [], { kind: 'agent', stdin: 'do it' }))).toMatchObject({
      result: 'failure',
      reason: 'no_output',
      exit_code: 0,
      has_text: false,
    });
    expect(await outcome(node('silent'))).toMatchObject({ result: 'success', has_text: false, summary: '' });
    expect(await outcome(node('silent', ['4'], { kind: 'agent' }))).toMatchObject({
      reason: 'exit_code',
      exit_code: 4,
    });
    expect(await outcome(shell('printf " \\n\\t"'))).toMatchObject({ has_text: false, output_bytes: 3 });
  });

  test('several folders in order, each with its part', async () => {
    const cwds = ['a', 'b'].map((name) => join(folder, name));
    for (const cwd of cwds) mkdirSync(cwd);
    const id = shell('basename "$PWD"', { cwds });
    expect(await outcome(id)).toMatchObject({
      result: 'success',
      summary: 'b\n',
      parts: [
        { cwd: cwds[0], output: 'a\n', exit_code: 0 },
        { cwd: cwds[1], output: 'b\n', exit_code: 0 },
      ],
    });
    expect(box.text(id, 'stdout')).toBe('a\nb\n');
  });

  test('the first folder that fails ends the run', async () => {
    const cwds = [folder, join(folder, 'missing'), folder];
    const got = await outcome(shell('echo "$PWD"', { cwds }));
    expect(got).toMatchObject({
      result: 'failure',
      reason: 'cwd_missing',
      detail: expect.stringContaining(cwds[1]!),
    });
    expect(got.parts).toHaveLength(2);
    expect(got.has_text).toBe(true);
  });
});

describe('F66: secrets', () => {
  test('one that comes a byte at a time shows nowhere, and the text around it stays', async () => {
    const secret = 'canary-0123456789';
    const script = `printf 'key: '; printf '%s' "$KEY" | sed 's/./&\\n/g' | while read -r c; do printf '%s' "$c"; done; printf ' end'`;
    const id = start({ argv: [script], shell: true, secrets: [secret], env: { PATH: path, KEY: secret } });
    const got = await outcome(id);
    expect(JSON.stringify(got)).not.toContain('canary');
    expect(box.text(id, 'stdout')).toBe('key: *** end');
    expect(got.summary).toBe('key: *** end');
  });
});

describe('what cannot be started', () => {
  test('a missing working folder is named, not the program', async () => {
    const cwd = join(folder, 'nowhere');
    const got = await outcome(start({ argv: ['node'], cwds: [cwd] }));
    expect(got).toMatchObject({
      result: 'failure',
      reason: 'cwd_missing',
      detail: `the working folder ${cwd} does not exist`,
    });
    const file = join(folder, 'plain-file');
    writeFileSync(file, '');
    expect((await outcome(start({ argv: ['node'], cwds: [file] }))).detail).toBe(
      `the working folder ${file} is not a folder`,
    );
    expect(box.messages.some(({ type }) => type === 'started')).toBe(false);
  });

  test('a missing program, one without right, one without interpreter', async () => {
    expect(await outcome(start({ argv: ['no-such-program'] }))).toMatchObject({
      reason: 'spawn',
      detail: 'the program no-such-program was not found',
    });
    const locked = join(folder, 'locked');
    writeFileSync(locked, 'text', { mode: 0o644 });
    expect((await outcome(start({ argv: [locked] }))).detail).toBe(
      `the program ${locked} may not be executed`,
    );
    const orphan = join(folder, 'orphan');
    writeFileSync(orphan, '#!/no/such/interpreter\n', { mode: 0o755 });
    expect((await outcome(start({ argv: [orphan] }))).detail).toContain('interpreter');
  });

  test('S37: a program of the same name in the working folder is not run', async () => {
    writeFileSync(join(folder, 'claude'), '#!/bin/sh\necho hostile\n', { mode: 0o755 });
    const env = childEnvironment(
      { PATH: `:.:${path}:bin` },
      {},
      {
        run_id: 'r',
        automation_id: 'a',
        scheduled_for: null,
        run_key: 'k',
        attempt: 1,
      },
    );
    const got = await outcome(start({ argv: ['claude'], env: { PATH: env['PATH'] ?? '' } }));
    expect(got).toMatchObject({ reason: 'spawn', has_text: false });
  });

  test('too long, NUL, empty, unknown kind', async () => {
    expect(await outcome(start({ argv: ['echo', 'x'.repeat(200_000)] }))).toMatchObject({
      reason: 'spawn',
      detail: 'the arguments for echo are too long for this system',
    });
    expect(await outcome(start({ argv: ['echo', 'a\0b'] }))).toMatchObject({ reason: 'invalid' });
    expect(await outcome(start({ argv: [] }))).toMatchObject({ reason: 'invalid' });
    expect(await outcome(shell('true', { kind: 'agent' }))).toMatchObject({ reason: 'invalid' });
    expect(await outcome(shell('true', { cwds: [] }))).toMatchObject({ reason: 'invalid' });
    expect(await outcome(shell('true', { kind: 'toString' as 'command' }))).toMatchObject({
      reason: 'invalid',
    });
  });
});

describe('what the child is given', () => {
  const nasty =
    '# Title\n"a" \'b\' $(c) %PATH% ^ & \\| 中文 😀\r\n`id` ; rm -rf / --settings=/tmp/evil.json\n';

  test('a nasty prompt arrives byte for byte on stdin, argv stays the template', async () => {
    const id = node('echo-agent', ['-p', '--flag'], { kind: 'agent', stdin: nasty });
    await outcome(id);
    const echoed = JSON.parse(box.text(id, 'stdout'));
    expect(echoed.stdin).toBe(nasty);
    expect(echoed.argv).toEqual(['-p', '--flag']);
    expect(echoed.cwd).toBe(folder);
  });

  test('S31: nothing of argv, prompt or environment reaches a shell', async () => {
    const file = join(folder, 'injected');
    const attack = `$(touch ${file});\`touch ${file}\`; touch ${file}`;
    const id = node('echo-agent', [attack], { stdin: attack, env: { TITLE: attack } });
    await outcome(id);
    expect(JSON.parse(box.text(id, 'stdout')).argv).toEqual([attack]);
    await outcome(shell('cat; echo "$TITLE"', { stdin: attack, env: { TITLE: attack } }));
    expect(existsSync(file)).toBe(false);
  });

  test.each([1, 5])('a prompt of %i MB arrives byte for byte', async (megabytes) => {
    const prompt = '提示 prompt 😀\n'.repeat(Math.ceil((megabytes * 1_000_000) / 19)) + nasty;
    const bytes = Buffer.from(prompt);
    const id = node('digest', [], { kind: 'agent', stdin: prompt });
    await outcome(id);
    expect(box.text(id)).toBe(`${bytes.length} ${createHash('sha256').update(bytes).digest('hex')}\n`);
  });

  test('F64: a 5 MB prompt to a child that exits at once', async () => {
    const id = shell('exit 5', { stdin: 'x'.repeat(5_000_000) });
    expect(await outcome(id)).toMatchObject({ result: 'failure', reason: 'exit_code', exit_code: 5 });
  });

  test('S36: the environment is exactly the one of the request', async () => {
    const env = childEnvironment(
      { PATH: path, HOME: '/root', LC_ALL: 'C.UTF-8', OPENAI_API_KEY: 'sk', NODE_OPTIONS: '--inspect' },
      { OWN: 'yes' },
      { run_id: 'given-id', automation_id: 'auto', scheduled_for: 0, run_key: 'key', attempt: 2 },
    );
    const id = start({ argv: ['/usr/bin/env', '-0'], run_id: 'given-id', env });
    await outcome(id);
    const got = Object.fromEntries(
      box
        .text(id)
        .split('\0')
        .filter(Boolean)
        .map((entry) => entry.split(/=(.*)/s).slice(0, 2)),
    );
    expect(got).toEqual(env);
  });
});

describe('stops', () => {
  test.each([
    ['user', 'cancelled', 'cancelled'],
    ['service_stopped', 'failure', 'service_stopped'],
    ['heartbeat_expired', 'failure', 'heartbeat_expired'],
  ] as const)('cancel because of %s', async (why, result, reason) => {
    const id = shell('echo up; sleep 3600');
    await box.wrote(id, 'up');
    launcher.receive({ type: 'cancel', run_id: id, why });
    launcher.receive({ type: 'cancel', run_id: id, why: 'heartbeat_expired' });
    expect(await outcome(id)).toMatchObject({ result, reason, signal: 'SIGTERM', summary: 'up\n' });
  });

  test('a cancel before anything was started starts nothing; an unknown id is ignored', async () => {
    const id = shell(`touch ${join(folder, 'started')}`);
    launcher.receive({ type: 'cancel', run_id: id, why: 'user' });
    launcher.receive({ type: 'cancel', run_id: 'unknown', why: 'user' });
    expect(await outcome(id)).toMatchObject({ result: 'cancelled', parts: [] });
    expect(existsSync(join(folder, 'started'))).toBe(false);
  });

  test('a cancel between folders ends the run', async () => {
    const id = shell('echo up; sleep 3600', { cwds: [folder, folder] });
    await box.wrote(id, 'up');
    launcher.receive({ type: 'cancel', run_id: id, why: 'user' });
    expect((await outcome(id)).parts).toHaveLength(1);
  });

  test('F71: a time-out is open, its tree is gone', async () => {
    const id = shell('echo up; sleep 3600 & sleep 3600', { timeout_ms: 300 });
    expect(await outcome(id)).toMatchObject({
      result: 'open',
      reason: 'timed_out',
      detail: 'stopped after its time limit of 0.3 s',
    });
  });

  test('F71: silence is open; output keeps it alive', async () => {
    const id = shell('for i in 1 2 3 4 5 6; do echo $i; sleep 0.1; done; exec sleep 3600', {
      idle_timeout_ms: 400,
    });
    expect(await outcome(id)).toMatchObject({
      result: 'open',
      reason: 'idle',
      summary: '1\n2\n3\n4\n5\n6\n',
    });
  });

  test('shutdown stops all and takes no more', async () => {
    const ids = [shell('echo up; sleep 3600'), shell('echo up; sleep 3600')];
    for (const id of ids) await box.wrote(id, 'up');
    await launcher.shutdown();
    for (const id of ids)
      expect(await outcome(id)).toMatchObject({ result: 'failure', reason: 'service_stopped' });
    const late = shell('echo late');
    expect(await outcome(late)).toMatchObject({ reason: 'service_stopped', has_text: false });
  });

  test('a dead host: trees gone within 2 s, also those that ignore TERM, and no outcome is left', async () => {
    const id = node('ignore-term', ['1']);
    await box.wrote(id, 'ready');
    const before = systemClock.monotonic();
    await launcher.hostGone();
    expect(systemClock.monotonic() - before).toBeLessThan(2000);
    expect(tagged(id)).toEqual([]);
    expect(existsSync(join(folder, id, 'outcome.json'))).toBe(false);
  });
});

describe('trees', () => {
  const cancel = (id: string) => launcher.receive({ type: 'cancel', run_id: id, why: 'user' });
  const ways: [string, (id: string) => void][] = [
    ['cancel', cancel],
    ['quit', () => void launcher.shutdown()],
  ];

  describe.each(ways)('ended by %s', (_, stop) => {
    test.each([
      ['F41 sh → sleep', 'echo up; sleep N; true'],
      ['F42 background and foreground', 'sleep N & sleep N & echo up; sleep N; true'],
      ['F46 double fork', '(setsid sh -c "sleep N & exec sleep N" &) ; echo up; sleep N; true'],
      ['setsid with another environment', 'setsid env -i /bin/sleep N & echo up; sleep N; true'],
      ['job control', 'bash -mc "sleep N & echo up; wait"'],
    ])('%s', async (_name, script) => {
      const seconds = String(randomInt(100_000, 1_000_000));
      const id = shell(script.replaceAll('N', seconds));
      await box.wrote(id, 'up');
      expect(sleepers(seconds).length).toBeGreaterThan(0);
      stop(id);
      await outcome(id);
      expect(sleepers(seconds)).toEqual([]);
    });
  });

  test('F43, F44: what ignores TERM and INT is killed after its grace, also outside the group', async () => {
    const id = node('ignore-term', ['2']);
    const script = 'trap "" TERM; setsid sleep 3600 & echo ready; sleep 3600; sleep 3600';
    const late = shell(script, { timeout_ms: 1000 });
    await Promise.all([box.wrote(id, 'ready'), box.wrote(late, 'ready')]);
    const before = systemClock.monotonic();
    cancel(id);
    expect(await outcome(id)).toMatchObject({ result: 'cancelled', signal: 'SIGKILL' });
    expect(systemClock.monotonic() - before).toBeGreaterThan(4900);
    expect(systemClock.monotonic() - before).toBeLessThan(8000);
    expect(await outcome(late)).toMatchObject({ result: 'open', reason: 'timed_out', signal: 'SIGKILL' });
  });

  test.each(['group', 'setsid'])('F47: the root exits, a child (%s) keeps stdout open', async (where) => {
    const id = node('fork-sleeper', ['3', where]);
    await box.wrote(id, '\n');
    const { pid } = await box.started(id);
    await until(systemClock, 'the root ends', () => pidStartedAt(pid) === null);
    const before = systemClock.monotonic();
    expect(await outcome(id)).toMatchObject({ result: 'failure', reason: 'exit_code', exit_code: 3 });
    expect(systemClock.monotonic() - before).toBeLessThan(2000);
    const sleeper = box.text(id, 'stdout').trim();
    expect(box.text(id, 'system')).toBe(`left running and stopped: sleep (${sleeper})\n`);
  });

  test('another run with a longer id of the same beginning is not touched', async () => {
    const other = shell('echo up; sleep 3600', { run_id: 'abc-12' });
    const id = shell('echo up; sleep 3600', { run_id: 'abc-1' });
    await Promise.all([box.wrote(id, 'up'), box.wrote(other, 'up')]);
    cancel(id);
    await outcome(id);
    expect(tagged(other).length).toBeGreaterThan(0);
    cancel(other);
    await outcome(other);
  });
});

/** Live processes that were started to sleep for exactly this long; found also when they have no tag. */
function sleepers(seconds: string): number[] {
  return liveProcesses()
    .filter(({ pid }) => commandLine(pid).includes(seconds))
    .map(({ pid }) => pid);
}

function commandLine(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
}

describe('output', () => {
  test('GB18030 and an emoji that arrive in pieces', async () => {
    const chinese = shell('printf "\\304"; sleep 0.05; printf "\\343\\272"; sleep 0.05; printf "\\303"');
    await outcome(chinese);
    expect(box.text(chinese)).toBe('你好');
    const emoji = shell('printf "\\360\\237"; sleep 0.05; printf "\\230\\200"');
    expect(await outcome(emoji)).toMatchObject({ output_bytes: 4 });
    expect(box.text(emoji)).toBe('😀');
  });

  test('F61: 500 MB pass with bounded memory, the right exit code, first and last half', async () => {
    const cap = 1_000_000;
    const before = process.memoryUsage().rss;
    const id = node('flood', ['500000000', 'lines', '7'], { output_cap_bytes: cap });
    let peak = 0;
    const sampling = { on: true };
    const sample = () => {
      peak = Math.max(peak, process.memoryUsage().rss);
      if (sampling.on) systemClock.timer(20, sample);
    };
    sample();
    const got = await outcome(id);
    sampling.on = false;
    expect(got).toMatchObject({ reason: 'exit_code', exit_code: 7, output_bytes: 500_000_000 });
    expect(got.output_dropped_bytes).toBe(500_000_000 - cap);
    expect(box.text(id, 'stdout').length).toBe(cap);
    expect(box.text(id, 'system')).toBe(`\n${got.output_dropped_bytes} bytes of output were left out here\n`);
    expect(Buffer.byteLength(got.summary)).toBeLessThanOrEqual(16_384);
    expect(peak - before).toBeLessThan(100_000_000);
  });

  test('F62: one line of 100 MB', async () => {
    const id = node('flood', ['100000000', 'line'], { output_cap_bytes: 200_000 });
    const got = await outcome(id);
    expect(got).toMatchObject({ result: 'success', output_bytes: 100_000_000 });
    expect(box.text(id, 'stdout').length).toBe(200_000);
    expect(got.summary).toBe('x'.repeat(16_384));
  });

  test('numbers are without gap, also over folders', async () => {
    const id = shell('echo a; echo b >&2; echo c', { cwds: [folder, folder] });
    await outcome(id);
    const outputs = box.messages.filter((message) => message.type === 'output');
    const seqs = outputs.flatMap(({ chunks }) => chunks.map(({ seq }) => seq));
    expect(seqs).toEqual(seqs.map((_, index) => index));
    expect(seqs.length).toBeGreaterThan(2);
  });

  test('text is passed on while the run goes on', async () => {
    const id = shell('echo early; read never; sleep 3600', { stdin: '' });
    await box.wrote(id, 'early');
    expect(box.messages.some(({ type }) => type === 'outcome')).toBe(false);
    launcher.receive({ type: 'cancel', run_id: id, why: 'user' });
    await outcome(id);
  });
});

test('a host that does not read makes the flood wait, not the memory grow', async () => {
  const held: (() => void)[] = [];
  let open = false;
  let chars = 0;
  const slow = createLauncher({
    clock: systemClock,
    executors,
    send(message, sent) {
      if (message.type === 'output') for (const { text } of message.chunks) chars += text.length;
      box.hear(message);
      if (open) sent();
      else held.push(sent);
    },
    watchdog: { watch: () => {}, forget: () => {} },
  });
  const run_id = randomUUID();
  const argv = ['node', program('flood'), '20000000'];
  const given = { run_id, argv, run_folder: join(folder, run_id), output_cap_bytes: 100_000_000 };
  slow.receive({ type: 'start', request: request(given, path) });
  await box.wait(() => (chars > 1024 * 1024 ? true : undefined));
  await until(
    systemClock,
    'the flood stops',
    stands(() => chars),
  );
  expect(chars).toBeLessThan(2 * 1024 * 1024);
  open = true;
  for (const sent of held.splice(0)) sent();
  expect(await box.outcome(run_id)).toMatchObject({ result: 'success', output_bytes: 20_000_000 });
  expect(chars).toBe(20_000_000);
});

/** True when a figure was the same for 100 looks in a row. */
function stands(figure: () => number): () => boolean {
  let last = figure();
  let same = 0;
  return () => {
    same = figure() === last ? same + 1 : 0;
    last = figure();
    return same >= 100;
  };
}

describe('the record', () => {
  test('is there, private and whole, before the message', async () => {
    const run_id = randomUUID();
    const run_folder = join(folder, 'records', run_id);
    const seen: string[] = [];
    const other = createLauncher({
      clock: systemClock,
      executors,
      send(message, sent) {
        if (message.type === 'outcome') seen.push(readFileSync(join(run_folder, 'outcome.json'), 'utf8'));
        box.hear(message);
        sent();
      },
      watchdog: { watch: () => {}, forget: () => {} },
    });
    other.receive({ type: 'start', request: request({ run_id, argv: ['echo', 'hi'], run_folder }, path) });
    const got = await box.outcome(run_id);
    expect(JSON.parse(seen[0] ?? '')).toEqual(got);
    expect(statSync(run_folder).mode & 0o777).toBe(0o700);
    expect(statSync(join(run_folder, 'outcome.json')).mode & 0o777).toBe(0o600);
  });

  test('that cannot be written does not keep the outcome from the host', async () => {
    const file = join(folder, 'not-a-folder');
    writeFileSync(file, '');
    const id = start({ argv: ['echo', 'hi'], run_folder: join(file, 'run') });
    expect(await outcome(id)).toMatchObject({ result: 'success' });
  });
});
