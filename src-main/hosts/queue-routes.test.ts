import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runFake } from './cli/fixture.ts';
import { connectOffline } from './cli/transport.ts';
import { type Offline, openOffline } from './offline.ts';

/** The routes of the queue as programs call them, and the command line on the data folder itself. */

let folder: string;
let offline: Offline;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'nextrun-queue-'));
  offline = await openOffline(folder);
});
afterEach(async () => {
  await offline.close();
  rmSync(folder, { recursive: true, force: true });
});

/** What the tests look at in any answer. */
interface Answered {
  id?: string;
  paused?: boolean;
  paused_until?: number | null;
  clauses?: { clause: string }[];
  checks?: { code: string; status: string }[];
}

async function call(method: string, path: string, body?: unknown) {
  const reply = await offline.fetch(path, {
    method,
    ...(body === undefined
      ? {}
      : { headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) }),
  });
  return { status: reply.status, body: (await reply.json()) as Answered };
}

describe('the routes of the queue', () => {
  it('pause, show it, explain it and resume', async () => {
    expect((await call('GET', '/api/queue')).body).toMatchObject({ paused: false, paused_until: null });
    const before = Date.now();
    const paused = await call('POST', '/api/queue/pause', { minutes: 30 });
    expect(paused).toMatchObject({ status: 200, body: { paused: true } });
    expect(paused.body.paused_until).toBeGreaterThanOrEqual(before + 30 * 60_000);
    expect((await call('GET', '/api/queue')).body).toEqual(paused.body);
    const made = await call('POST', '/api/automations', { name: 't', command: ['true'] });
    const why = await call('GET', `/api/automations/${made.body.id}/why`);
    expect(why.body.clauses?.find((one) => one.clause === 'not_held')).toMatchObject({
      holds: false,
      repair: { action: 'resume_all' },
    });
    const doctor = await call('GET', '/api/doctor');
    expect(doctor.body.checks?.find((one) => one.code === 'scheduling')?.status).toBe('warn');
    expect((await call('POST', '/api/queue/pause')).body).toMatchObject({ paused: true, paused_until: null });
    expect((await call('POST', '/api/queue/resume')).body).toMatchObject({
      paused: false,
      paused_until: null,
    });
  });

  it('refuse what is wrong, and change nothing', async () => {
    for (const body of [
      { minutes: 0 },
      { minutes: 1.5 },
      { minutes: '5' },
      { minutes: 600_000 },
      { hours: 1 },
    ]) {
      const field = Object.keys(body)[0];
      expect(await call('POST', '/api/queue/pause', body)).toMatchObject({ status: 400, body: { field } });
    }
    expect(await call('POST', '/api/queue/reorder', { run_id: 'r' })).toMatchObject({
      status: 400,
      body: { field: 'before_run_id' },
    });
    expect(await call('POST', '/api/queue/reorder', { run_id: 'r', before_run_id: null })).toMatchObject({
      status: 404,
      body: { code: 'not_found', field: 'run_id' },
    });
    expect((await call('GET', '/api/queue')).body.paused).toBe(false);
  });
});

describe('nextrun pause and resume', () => {
  const nextrun = (...args: string[]) =>
    runFake(args, {
      live: false,
      deps: { openOffline: async () => connectOffline(await openOffline(folder)) },
    });

  it('work without a host, and outlive the call', async () => {
    expect(await nextrun('pause')).toMatchObject({
      code: 0,
      out: '',
      err: 'Everything is paused. Resume with: nextrun resume\n',
    });
    expect((await nextrun('pause', '--minutes', '5')).err).toMatch(/^Everything is paused until \d{4}-/);
    expect((await call('GET', '/api/queue')).body.paused).toBe(true);
    expect(JSON.parse((await nextrun('resume', '--json')).out)).toMatchObject({ paused: false });
    expect((await nextrun('resume')).err).toContain('Everything goes on.');
    expect((await nextrun('pause', '--minutes', '0')).code).toBe(2);
  });

  it('status shows the pause of a host', async () => {
    const health = {
      status: 'ok' as const,
      version: '1',
      engine: 'running' as const,
      last_scan_at: null,
      next_scan_at: null,
      now: 0,
      problems: [],
    };
    const counts = { automations: 1, attention: 0, needs_review: 0 };
    const info = {
      version: '1',
      timezone: 'UTC',
      data_folder: '/d',
      port: 1,
      max_concurrent: 3,
      scheduling_enabled: true,
      agents: [],
      counts,
    };
    const queue = {
      cap: 3,
      paused: true,
      paused_until: Date.UTC(2026, 4, 6),
      running: [],
      waiting: [],
      deferred: [],
    };
    const answers = { health: () => health, info: () => info, getQueue: () => queue };
    expect((await runFake(['status'], { answers })).out).toMatch(
      /^Paused +until 2026-05-06 08:00:00 \+08:00$/m,
    );
  });
});
