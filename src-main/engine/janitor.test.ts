import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ScheduledTasksSettings } from '../../src-shared/model/settings.ts';
import type { RunRow } from '../storage/rows.ts';
import { type TestEngine, testEngine, testStart } from '../testing/test-engine.ts';
import { createJanitor, type Janitor, type Swept } from './janitor.ts';
import type { Writer } from './writer.ts';

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

let test: TestEngine;
let janitor: Janitor;
let automation: string;

async function begin(settings: Partial<ScheduledTasksSettings> = {}): Promise<void> {
  test = await testEngine(settings);
  janitor = createJanitor(test.ctx, test.engine.writer);
  const row = await test.change(() => test.automations.create({ name: 'task', prompt: 'hello' }, 'api'));
  automation = row.id;
}
beforeEach(() => begin());
afterEach(() => test.dispose());

/** A run that ended `age` ms ago, with output, an artifact, a verdict, and a turn with two messages in a session. */
function past(id: string, age: number, more: Partial<RunRow> = {}): string {
  const at = testStart - age;
  const session = more.session_id ?? `session-${id}`;
  const { store, db } = test;
  store.runs.insert({
    thread_id: id,
    automation_id: automation,
    status: 'ACCEPTED',
    created_at: at,
    updated_at: at,
    exclusive: 0,
    session_id: session,
    ...more,
  });
  store.output.append(id, [{ seq: 1, at, stream: 'stdout', text: 'done' }]);
  db.prepare("INSERT INTO run_artifacts (run_id, path, change) VALUES (?, '/f', 'created')").run(id);
  store.reviews.add({ run_id: id, verdict: 'ACCEPTED', note: null, door: 'api', at });
  if (store.sessions.get(session) === undefined) {
    const fields = { cwd: '/', title: 't', status: 'completed', model: null, permission_mode: null, now: at };
    store.sessions.create({ ...fields, id: session, automation_id: automation });
    db.prepare('INSERT INTO session_usage (session_id, used, size, updated_at) VALUES (?, 1, 2, 3)').run(
      session,
    );
  }
  store.sessions.addTurn({
    id: `turn-${id}`,
    session_id: session,
    run_id: id,
    started_at: at,
    finished_at: at,
    stop_reason: 'end_turn',
    usage: null,
    messages: [
      { id: `ask-${id}`, role: 'user', text: 'hello', at },
      { id: `say-${id}`, role: 'assistant', text: 'done', at },
    ],
  });
  return id;
}

async function sweep(): Promise<Swept> {
  let swept: Swept | null = null;
  const done = janitor.sweep().then((result) => {
    swept = result;
  });
  while (swept === null) await test.clock.advance(20);
  await done;
  return swept;
}
const kept = (id = automation) => test.runsOf(id).map((run) => run.thread_id);
const count = (table: string) => test.db.prepare(`SELECT count(*) FROM ${table}`).pluck().get();
const runTables = ['automation_runs', 'run_output', 'run_artifacts', 'review_events'] as const;
const talkTables = ['conversation_turns', 'sessions', 'session_usage'] as const;

describe('retention by number', () => {
  // 0 is no setting that config.toml takes; the newest run stays all the same.
  it.each([
    [0, ['r4']],
    [1, ['r4']],
    [3, ['r2', 'r3', 'r4']],
    [5, ['r0', 'r1', 'r2', 'r3', 'r4']],
    [100, ['r0', 'r1', 'r2', 'r3', 'r4']],
  ])('keeps %i of five', async (keep, expected) => {
    test.ctx.settings.log_keep_per_task = keep;
    for (let index = 0; index < 5; index += 1) past(`r${index}`, (5 - index) * hour);
    expect(await sweep()).toMatchObject({ runs: 5 - expected.length });
    expect(kept()).toEqual(expected);
    for (const table of [...runTables, ...talkTables])
      expect([table, count(table)]).toEqual([table, expected.length]);
    expect(count('messages')).toBe(2 * expected.length);
    expect(await sweep()).toEqual({ runs: 0, log_rows: 0 });
  });

  it('keeps 100 of 1000, in more than one transaction, and leaves other automations alone', async () => {
    const other = await test.change(() => test.automations.create({ name: 'other', prompt: 'p' }, 'api'));
    test.store.transaction(() => {
      for (let index = 0; index < 1000; index += 1)
        past(`r${String(index).padStart(4, '0')}`, (1001 - index) * minute);
      past('other', day, { automation_id: other.id });
    });
    let commits = 0;
    const writer: Writer = {
      write(fn) {
        commits += 1;
        return test.engine.writer.write(fn);
      },
    };
    janitor = createJanitor(test.ctx, writer);
    expect(await sweep()).toMatchObject({ runs: 900 });
    expect(commits).toBeGreaterThanOrEqual(18);
    expect(kept()).toHaveLength(100);
    expect(kept()[0]).toBe('r0900');
    expect(kept(other.id)).toEqual(['other']);
  });

  it('tells runs of the same instant apart', async () => {
    test.ctx.settings.log_keep_per_task = 2;
    for (const id of ['a', 'b', 'c', 'd']) past(id, hour);
    await sweep();
    expect(kept()).toEqual(['c', 'd']);
  });
});

describe('retention by age', () => {
  it('removes what is older than log_keep_days, but never the newest', async () => {
    for (const [index, days] of [92, 91, 89, 1].entries()) past(`r${index}`, days * day);
    expect(await sweep()).toMatchObject({ runs: 2 });
    expect(kept()).toEqual(['r2', 'r3']);
    test.ctx.settings.log_keep_days = 1;
    test.clock.jump(100 * day);
    await sweep();
    expect(kept()).toEqual(['r3']);
  });

  it('also where the automation is deleted or unknown', async () => {
    past('old', 200 * day, { automation_id: 'gone' });
    past('older', 300 * day, { automation_id: 'gone' });
    await sweep();
    expect(kept('gone')).toEqual(['old']);
  });
});

describe('what stays', () => {
  beforeEach(() => {
    test.ctx.settings.log_keep_per_task = 1;
  });

  it('is whatever waits, runs, needs review or is pinned', async () => {
    await test.engine.stop();
    const states = ['QUEUED', 'IN_PROGRESS', 'PENDING_REVIEW', 'FAILED', 'CANCELLED', 'SKIPPED', 'REJECTED'];
    for (const [index, status] of states.entries()) past(status, 200 * day - index, { status });
    past('pinned', 199 * day, { pinned: 1 });
    past('strange', 198 * day, { status: 'ARCHIVED' });
    past('newest', hour);
    await sweep();
    expect(kept()).toEqual(['QUEUED', 'IN_PROGRESS', 'PENDING_REVIEW', 'pinned', 'strange', 'newest']);
  });

  it('are the attempts that count how often an open run was interrupted', async () => {
    await test.engine.stop();
    past('first', 3 * hour, { status: 'FAILED', reason_code: 'interrupted', run_key: 'k' });
    past('stranger', 2 * hour, { run_key: 'other' });
    past('retry', hour, { status: 'QUEUED', run_key: 'k', attempt: 2 });
    past('newest', minute);
    await sweep();
    expect(kept()).toEqual(['first', 'retry', 'newest']);
    expect(test.store.runs.interruptionsOf({ automation_id: automation, run_key: 'k' })).toBe(1);
  });

  it('are the runs of today where they are counted for a limit', async () => {
    test.store.automations.update(automation, { max_runs_per_day: 50 });
    past('old', 27 * hour);
    for (const hours of [25, 3, 2]) past(`h${hours}`, hours * hour);
    await sweep();
    expect(kept()).toEqual(['h25', 'h3', 'h2']);
  });

  it('is a session with another turn, a person, or an automation bound to it; its old turns go', async () => {
    past('s1', 3 * hour, { session_id: 'shared' });
    past('taken', 3 * hour, { session_id: 'taken' });
    past('bound', 3 * hour, { session_id: 'bound' });
    past('alone', 3 * hour, { session_id: 'alone' });
    past('newest', hour, { session_id: 'shared' });
    test.db.prepare("UPDATE sessions SET control = 'HUMAN' WHERE id = 'taken'").run();
    test.store.automations.update(automation, { session_id: 'bound' });
    await sweep();
    const ids = test.db.prepare('SELECT id FROM sessions ORDER BY id').pluck().all();
    expect(ids).toEqual(['bound', 'shared', 'taken']);
    expect(test.db.prepare('SELECT id FROM conversation_turns').pluck().all()).toEqual(['turn-newest']);
    expect(test.db.prepare('SELECT id FROM messages ORDER BY id').pluck().all()).toEqual([
      'ask-newest',
      'say-newest',
    ]);
  });

  it('is the ledger: a slot forgets its run, not what became of it', async () => {
    const slot = testStart - 3 * hour;
    const row = {
      automation_id: automation,
      reason_code: null,
      fire_at: null,
      through: null,
      count: 1,
      recorded_at: slot,
    };
    test.store.slots.insert({ ...row, scheduled_for: slot, outcome: 'ran', run_id: 'old' });
    test.store.slots.insert({ ...row, scheduled_for: slot + minute, outcome: 'coalesced', run_id: 'old' });
    past('old', 3 * hour, { scheduled_for: slot, finished_at: slot + 2 * minute });
    past('newest', hour);
    await sweep();
    expect(test.store.slots.get(automation, slot)).toMatchObject({ outcome: 'ran', run_id: null });
    expect(test.store.slots.get(automation, slot + minute)).toMatchObject({
      outcome: 'coalesced',
      run_id: null,
    });
  });
});

it('cuts a large output over several transactions when they take long, and goes on where it stopped', async () => {
  test.ctx.settings.log_keep_per_task = 1;
  past('large', 2 * hour);
  past('newest', hour);
  test.store.output.append(
    'large',
    Array.from({ length: 300 }, (_, index) => ({ seq: index + 2, at: 0, stream: 'stdout', text: 'x' })),
  );
  let elapsed = 0;
  const slow = {
    ...test.ctx.clock,
    monotonic: () => {
      elapsed += 30;
      return elapsed;
    },
  };
  janitor = createJanitor({ ...test.ctx, clock: slow }, test.engine.writer);
  const sweeping = janitor.sweep();
  await test.clock.advance(0);
  expect(count('run_output')).toBeGreaterThan(200);
  expect(kept()).toEqual(['large', 'newest']);
  await test.clock.advance(1000);
  expect(await sweeping).toMatchObject({ runs: 1 });
  expect(kept()).toEqual(['newest']);
  expect(count('run_output')).toBe(1);
});

it('cuts audit log, answers, ledger and edits, each by its own age', async () => {
  const { db, store } = test;
  const audit = { actor: 'a', route: 'r', target: null, outcome: '200' };
  const before = Number(count('audit_log'));
  for (let index = 0; index < 1200; index += 1) store.access.audit({ ...audit, at: testStart - 91 * day });
  store.access.audit({ ...audit, at: testStart - 89 * day });
  const kept = { token: 't', route: 'r', body_hash: '', status: 200, response_json: '{}' };
  store.access.keepAnswer({ ...kept, key: 'over', expires_at: testStart - 1 });
  store.access.keepAnswer({ ...kept, key: 'valid', expires_at: testStart + day });
  const slot = { automation_id: automation, outcome: 'missed' as const, run_id: null, reason_code: null };
  const add = (at: number, recorded_at: number, through: number | null = null) =>
    store.slots.insert({ ...slot, scheduled_for: at, recorded_at, through, fire_at: null, count: 1 });
  add(testStart - 401 * day, testStart - 401 * day);
  add(testStart - 399 * day, testStart - 399 * day);
  add(testStart - 500 * day, testStart - 450 * day, testStart - 100 * day);
  add(testStart + day, testStart - 401 * day);
  const edit = db.prepare("INSERT INTO foreign_edits (automation_id, field, at) VALUES (?, 'name', ?)");
  edit.run('gone', testStart - 91 * day);
  edit.run(automation, testStart - day);
  const swept = await sweep();
  expect(swept).toEqual({ runs: 0, log_rows: 1200 + 1 + 1 + 1 });
  expect(count('audit_log')).toBe(before + 1);
  expect(count('idempotency')).toBe(1);
  expect(count('slots')).toBe(3);
  expect(count('foreign_edits')).toBe(1);
});

it('begins some minutes after the start of the engine and comes again every six hours', async () => {
  test.ctx.settings.log_keep_per_task = 1;
  past('a', 3 * hour);
  past('b', 2 * hour);
  await test.clock.advance(4 * minute);
  expect(kept()).toEqual(['a', 'b']);
  await test.clock.advance(2 * minute);
  expect(kept()).toEqual(['b']);
  past('c', hour);
  await test.clock.advance(5 * hour);
  expect(kept()).toEqual(['b', 'c']);
  await test.clock.advance(hour);
  expect(kept()).toEqual(['c']);
  expect(test.log.filter((line) => line.includes('old history was removed'))).toHaveLength(2);
});

it('ends after the transaction under way when it is stopped', async () => {
  test.ctx.settings.log_keep_per_task = 1;
  for (let index = 0; index < 200; index += 1)
    past(`r${String(index).padStart(3, '0')}`, (300 - index) * minute);
  const sweeping = janitor.sweep();
  await test.clock.advance(0);
  await janitor.stop();
  expect((await sweeping).runs).toBe(50);
  expect(kept()).toHaveLength(150);
});
