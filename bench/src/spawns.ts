import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { systemClock } from '../../src-main/engine/clock.ts';
import { forkLauncher } from '../../src-main/launcher/client.ts';
import type { Launcher } from '../../src-main/launcher/protocol.ts';
import { type EngineRig, engineRig, settledRuns, submit } from './engine-rig.ts';
import { type Bench, interleaved, median, quantile } from './measure.ts';
import { resident } from './memory.ts';
import { built } from './spawned-host.ts';

const runs = 60;
const atOnce = 3;
const flood = 500_000_000;
const printing = `head -c ${flood} /dev/zero | tr '\\0' x`;

/** The real launcher process; notes how long each request to start holds its caller, ms. */
function timedLauncher(blocked: number[]): Launcher {
  const launcher = forkLauncher({ entry: join(built, 'launcher.js'), env: process.env, clock: systemClock });
  return {
    ...launcher,
    start(request) {
      const from = performance.now();
      launcher.start(request);
      blocked.push(performance.now() - from);
    },
  };
}

async function throughEngine(rig: EngineRig, count: number, command: string[]): Promise<number> {
  const all = settledRuns(rig, count);
  const from = performance.now();
  await submit(rig, count, Date.now(), command);
  await all;
  return (count / (performance.now() - from)) * 1000;
}

function bareSpawns(count: number): Promise<number> {
  const from = performance.now();
  let left = count;
  let ended = 0;
  return new Promise((resolve) => {
    const one = () => {
      if (left === 0) return;
      left -= 1;
      spawn('/bin/true', [], { stdio: ['pipe', 'pipe', 'pipe'] }).on('close', () => {
        ended += 1;
        if (ended === count) resolve((count / (performance.now() - from)) * 1000);
        one();
      });
    };
    for (let index = 0; index < atOnce; index += 1) one();
  });
}

function sayBlocked(bench: Bench, what: string, blocked: number[]): void {
  for (const [name, q, limit] of [
    ['p50', 0.5, 1],
    ['p99', 0.99, 5],
  ] as const) {
    bench.say({
      figure: 7,
      what: `${what}, ${name}`,
      ours: quantile(blocked, q),
      unit: 'ms',
      against: `${limit} ms`,
      reference: limit,
      goal: { most: 1 },
    });
  }
}

/** Figure 7: runs of /bin/true through engine and launcher against bare spawns, and what a start blocks. */
export async function spawns(bench: Bench): Promise<void> {
  const blocked: number[] = [];
  const launcher = timedLauncher(blocked);
  const rig = await engineRig(launcher);
  await throughEngine(rig, 6, ['/bin/true']);
  blocked.length = 0;
  const found = await interleaved(5, {
    ours: () => throughEngine(rig, runs, ['/bin/true']),
    bare: () => bareSpawns(runs),
  });
  bench.say({
    figure: 7,
    what: 'runs of /bin/true, 3 at a time',
    ours: found.ours,
    unit: 'runs/s',
    against: 'bare spawn',
    reference: found.bare,
    goal: { least: 0.8 },
  });
  sayBlocked(bench, 'a start blocks its host', [...blocked]);
  blocked.length = 0;
  const ballast = Buffer.alloc(1_000_000_000, 1);
  await throughEngine(rig, runs, ['/bin/true']);
  sayBlocked(bench, `the same with ${ballast.length / 1e9} GB more`, blocked);
  await rig.dispose();
  await launcher.close();
}

function throughPipe(): Promise<number> {
  const from = performance.now();
  return new Promise((resolve) => {
    spawn('/bin/sh', ['-c', `${printing} | cat >/dev/null`]).on('exit', () =>
      resolve(performance.now() - from),
    );
  });
}

/** Figure 8: a run that prints 500 MB. */
export async function output(bench: Bench): Promise<void> {
  const launcher = timedLauncher([]);
  const rig = await engineRig(launcher);
  await throughEngine(rig, 3, ['/bin/true']);
  const bare = median([await throughPipe(), await throughPipe(), await throughPipe()]);
  const before = resident(process.pid);
  let most = before;
  const watch = setInterval(() => {
    most = Math.max(most, resident(process.pid));
  }, 100);
  const delay = monitorEventLoopDelay({ resolution: 5 });
  delay.enable();
  const from = performance.now();
  await throughEngine(rig, 1, ['/bin/sh', '-c', printing]);
  const ours = performance.now() - from;
  delay.disable();
  clearInterval(watch);
  await rig.dispose();
  await launcher.close();
  const line = { figure: 8, goal: { most: 1 } };
  const lag = delay.percentile(99) / 1e6 - 5;
  bench.say({
    ...line,
    what: 'event loop delay under 500 MB of output, p99',
    ours: lag,
    unit: 'ms',
    against: '20 ms',
    reference: 20,
  });
  bench.say({
    ...line,
    what: 'memory it adds to the host',
    ours: most - before,
    unit: 'MB',
    against: '50 MB',
    reference: 50,
  });
  bench.say({
    figure: 8,
    what: 'speed of 500 MB of output',
    ours: flood / ours / 1000,
    unit: 'MB/s',
    against: 'cat through a pipe',
    reference: flood / bare / 1000,
    goal: { least: 0.5 },
  });
}
