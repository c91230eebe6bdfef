import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, expect, test } from 'vitest';
import { systemClock } from '../engine/clock.ts';
import { forkLauncher } from './client.ts';
import { liveProcesses } from './proc.ts';
import { pidStartedAt, tagged } from './process-tree.ts';
import type { FromLauncher, StartRequest } from './protocol.ts';
import { mailbox, program, request, until } from './test-rig.ts';

const path = `${dirname(process.execPath)}:/usr/bin:/bin`;
const entry = fileURLToPath(new URL('../hosts/launcher/main.ts', import.meta.url));
const folder = realpathSync(mkdtempSync(join(tmpdir(), 'nextrun-client-')));
const closing: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function open(options: Partial<Parameters<typeof forkLauncher>[0]> = {}) {
  const box = mailbox();
  const launcher = forkLauncher({ entry, env: { PATH: path }, clock: systemClock, ...options });
  launcher.onMessage(box.hear);
  closing.push(() => launcher.close());
  return { launcher, box };
}

function ask(argv: string[], given: Partial<StartRequest> = {}): StartRequest {
  const run_id = randomUUID();
  return request({ argv, run_id, run_folder: join(folder, run_id), cwds: [folder], ...given }, path);
}
const ignoring = () => ask(['node', program('ignore-term'), '1']);

const readyPid = (box: ReturnType<typeof mailbox>, not = 0) =>
  box.wait(() => box.messages.find((message) => message.type === 'ready' && message.pid !== not)) as Promise<
    FromLauncher & { type: 'ready' }
  >;

/** The watchdog of a launcher: its only child that does not carry a run's tag. */
function watchdogOf(pid: number): number {
  const found = liveProcesses().find(
    (entry) =>
      entry.parent === pid && readFileSync(`/proc/${entry.pid}/cmdline`, 'utf8').includes('--watchdog'),
  );
  if (found === undefined) throw new Error('there is no watchdog');
  return found.pid;
}

const gone = (pid: number) =>
  until(systemClock, `${pid} ends`, () => !liveProcesses().some((entry) => entry.pid === pid));

test('a run from start to outcome through a real process, and an end that leaves nothing', async () => {
  const { launcher, box } = open();
  const { pid } = await readyPid(box);
  const watchdog = watchdogOf(pid);
  const run = ask(['cat'], { stdin: 'x'.repeat(1_000_000) });
  launcher.start(run);
  expect(await box.outcome(run.run_id)).toMatchObject({ result: 'success', output_bytes: 1_000_000 });
  expect(box.text(run.run_id)).toBe(run.stdin);
  await launcher.close();
  expect(pidStartedAt(pid)).toBe(null);
  await gone(watchdog);
});

test('the launcher is out of the terminal’s group and ignores its signals', async () => {
  const { launcher, box } = open();
  const { pid } = await readyPid(box);
  expect(liveProcesses().find((entry) => entry.pid === pid)?.group).toBe(pid);
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.kill(pid, signal);
  const run = ask(['echo', 'still here']);
  launcher.start(run);
  expect(await box.outcome(run.run_id)).toMatchObject({ summary: 'still here\n' });
});

test('close stops what runs with service_stopped and reports it', async () => {
  const { launcher, box } = open();
  const run = ask(['sleep', '3600']);
  launcher.start(run);
  await box.started(run.run_id);
  await launcher.close();
  expect(await box.outcome(run.run_id)).toMatchObject({ result: 'failure', reason: 'service_stopped' });
  expect(tagged(run.run_id)).toEqual([]);
  launcher.start(run);
  expect(await box.lost()).toEqual([run.run_id]);
});

test('SIGKILL of the launcher: trees gone, lost reported, a new one carries on', async () => {
  const { launcher, box } = open();
  const { pid } = await readyPid(box);
  const run = ignoring();
  launcher.start(run);
  await box.wrote(run.run_id, 'ready');
  process.kill(pid, 'SIGKILL');
  expect(await box.lost()).toEqual([run.run_id]);
  expect(tagged(run.run_id)).toEqual([]);
  await readyPid(box, pid);
  const next = ask(['echo', 'again']);
  launcher.start(next);
  expect(await box.outcome(next.run_id)).toMatchObject({ result: 'success' });
});

test('a launcher that cannot be started: runs are lost, close still ends', async () => {
  const { launcher, box } = open({ execPath: join(folder, 'no-such-node') });
  const run = ask(['echo']);
  launcher.start(run);
  expect(await box.lost()).toEqual([run.run_id]);
  await launcher.close();
});

test('the watchdog is started again when something ends it', async () => {
  const { launcher, box } = open();
  const { pid } = await readyPid(box);
  const run = ignoring();
  launcher.start(run);
  await box.wrote(run.run_id, 'ready');
  const first = watchdogOf(pid);
  process.kill(first, 'SIGKILL');
  await gone(first);
  await until(systemClock, 'a second watchdog', () => {
    try {
      return watchdogOf(pid) !== first;
    } catch {
      return false;
    }
  });
});

/** A host of its own process that runs `run`; gives it, the launcher's pid, and messages as they come. */
async function hostWith(run: StartRequest): Promise<{ host: ChildProcess; launcher: number }> {
  const url = (file: string) => JSON.stringify(new URL(file, import.meta.url).href);
  const code = `
    import { forkLauncher } from ${url('client.ts')};
    import { systemClock } from ${url('../engine/clock.ts')};
    const launcher = forkLauncher({ entry: ${JSON.stringify(entry)}, env: process.env, clock: systemClock });
    launcher.onMessage((message) => console.log(JSON.stringify(message)));
    launcher.start(${JSON.stringify(run)});`;
  const host = spawn(process.execPath, ['--input-type=module', '-e', code], {
    env: { PATH: path },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  closing.push(async () => host.kill('SIGKILL'));
  let launcher = 0;
  for await (const line of createInterface({ input: host.stdout })) {
    const message = JSON.parse(line);
    if (message.type === 'ready') launcher = message.pid;
    if (message.type === 'output') return { host, launcher };
    if (message.type === 'outcome') throw new Error(line);
  }
  throw new Error('the host ended');
}

test('F14: SIGKILL of the host: its launcher ends the trees within 2 s, then itself', async () => {
  const run = ignoring();
  const { host, launcher } = await hostWith(run);
  const watchdog = watchdogOf(launcher);
  host.kill('SIGKILL');
  const before = systemClock.monotonic();
  await until(systemClock, 'the tree ends', () => tagged(run.run_id).length === 0);
  expect(systemClock.monotonic() - before).toBeLessThan(2000);
  await Promise.all([gone(launcher), gone(watchdog)]);
});

test('F14: SIGKILL of host and launcher: the watchdog ends the trees', async () => {
  const run = ask([
    'sh',
    '-c',
    `(setsid node ${program('ignore-term')} &); exec node ${program('ignore-term')} 1`,
  ]);
  const { host, launcher } = await hostWith(run);
  const watchdog = watchdogOf(launcher);
  const ended = once(host, 'exit');
  process.kill(launcher, 'SIGSTOP');
  host.kill('SIGKILL');
  process.kill(launcher, 'SIGKILL');
  await ended;
  await until(systemClock, 'the tree ends', () => tagged(run.run_id).length === 0, 2000);
  await gone(watchdog);
});

test('a host that dies of Ctrl-C takes its launcher and the trees with it', async () => {
  const run = ask(['sh', '-c', 'echo up; exec sleep 3600']);
  const { host, launcher } = await hostWith(run);
  host.kill('SIGINT');
  await once(host, 'exit');
  await Promise.all([
    gone(launcher),
    until(systemClock, 'the tree ends', () => tagged(run.run_id).length === 0),
  ]);
});
