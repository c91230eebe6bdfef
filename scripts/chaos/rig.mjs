import { execFile, spawn } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);
export const cap = 3;
const readyWithinMs = 30_000;

const config = `[scheduled_tasks]
max_concurrent = ${cap}
min_interval_seconds = 1
scan_interval_seconds = 2
supervisor_interval_seconds = 1
worker_heartbeat_interval_seconds = 2
worker_stale_seconds = 30

[agents.echo]
command = ["cat"]
default = true
`;

/** Resolves to the exit code or the signal, or to `null` after `ms`. */
export const endedWithin = (host, ms) =>
  Promise.race([host.ended, sleep(ms, null, { ref: false })]).then((end) => end ?? null);

/** A data folder, the program under test, and what reaches both. */
export function createRig(program) {
  const folder = mkdtempSync(join(tmpdir(), 'nextrun-chaos-'));
  const here = import.meta.dirname;
  mkdirSync(join(folder, 'locks'));
  writeFileSync(join(folder, 'record'), '');
  writeFileSync(join(folder, 'config.toml'), config);
  copyFileSync(join(here, 'child.sh'), join(folder, 'child.sh'));
  const database = join(folder, 'workbuddy.db');
  const env = { PATH: process.env['PATH'] ?? '', HOME: folder, LANG: 'C.UTF-8', NEXTRUN_HOME: folder };

  /** Starts a host; `ready` resolves when it serves (false when it ended before). */
  function start() {
    const child = spawn(process.execPath, [program, 'serve', '--port', '0'], {
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const host = { pid: child.pid, printed: '', url: '', startedAt: Date.now(), isReady: false };
    host.ended = new Promise((resolve) => child.on('exit', (code, signal) => resolve(signal ?? code)));
    host.ready = new Promise((resolve) => {
      const hear = (data) => {
        host.printed += data;
        if (host.isReady || !host.printed.includes('Stop     Ctrl+C')) return;
        host.isReady = true;
        host.url = JSON.parse(readFileSync(join(folder, 'server.json'), 'utf8')).url;
        host.token = readFileSync(join(folder, 'token'), 'utf8').trim();
        resolve(true);
      };
      child.stdout.on('data', hear);
      child.stderr.on('data', hear);
      host.ended.then(() => resolve(false));
      sleep(readyWithinMs, null, { ref: false }).then(() => resolve(false));
    });
    return host;
  }

  /** Starts a second host beside a living one; resolves to its exit code. */
  async function startSecond() {
    const second = start();
    return endedWithin(second, 10_000);
  }

  const python = async (...args) => {
    const all = [join(here, 'database.py'), database, ...args];
    return (await run('python3', all, { maxBuffer: 256 * 1024 * 1024 })).stdout;
  };

  return {
    folder,
    database,
    start,
    startSecond,
    python,
    look: async () => JSON.parse(await python('look')),
    /** Lines that the tasks wrote: `{ what, run, attempt, key }`. */
    record() {
      const lines = readFileSync(join(folder, 'record'), 'utf8').split('\n');
      return lines.slice(0, -1).map((text) => {
        const [what, id, attempt, key] = text.split(' ');
        return { what, run: id, attempt: Number(attempt), key };
      });
    },
  };
}

/** One request to a host; gives status and body, or throws when the connection broke. */
export async function ask(host, method, path, body, headers = {}) {
  const answer = await fetch(`${host.url}${path}`, {
    method,
    headers: {
      Authorization: `Bearer ${host.token}`,
      ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(20_000),
  });
  return { status: answer.status, body: await answer.json() };
}
