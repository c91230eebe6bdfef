import { execFileSync } from 'node:child_process';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { automationOf } from '../storage/codec.ts';
import { type TestEngine, testEngine, testStart } from '../testing/test-engine.ts';

const minute = 60_000;
const noticed = 1100;

let test: TestEngine;
beforeEach(async () => {
  test = await testEngine({}, 'Asia/Shanghai');
});
afterEach(() => test.dispose());

const python = `
import json, sqlite3, sys
db = sqlite3.connect(sys.argv[1])
for row in json.loads(sys.argv[2]):
    names = ', '.join(row)
    db.execute('INSERT INTO automations (' + names + ') VALUES (' + ', '.join('?' * len(row)) + ')', list(row.values()))
db.commit()
`;

/** Inserts as another program does: a process of its own with Python's sqlite3. */
function insert(...rows: Record<string, string | number | null>[]): void {
  const required = {
    id: 'row',
    name: 'row',
    prompt: 'hello',
    status: 'ACTIVE',
    created_at: testStart,
    updated_at: testStart,
  };
  execFileSync('python3', [
    '-c',
    python,
    test.file,
    JSON.stringify(rows.map((row) => ({ ...required, ...row }))),
  ]);
}
const row = (id = 'row') => automationOf(test.automations.read(id));
const finish = async (id = 'row') => {
  for (const run of test.runsOf(id)) if (run.status === 'IN_PROGRESS') test.launcher.ends(run.thread_id);
  await test.clock.advance(0);
};
const iso = (ms: number) => new Date(ms).toISOString();

describe('a row of another program', () => {
  it('a: the full template of bridges becomes one run and DONE', async () => {
    insert({
      schedule_type: 'once',
      rrule: '',
      scheduled_at: iso(testStart),
      next_run_at: testStart + 5000,
      cwds: '["/tmp"]',
      valid_until: iso(testStart + 120 * minute),
      permission_mode: 'fullAccess',
      owner_user_id: 'u',
      owner_status: 'confirmed',
      owner_source: 'created',
      skills_json: '[]',
      connector_ids_json: '[]',
    });
    await test.clock.advance(5000 + noticed);
    expect(test.launcher.started).toMatchObject([{ cwds: ['/tmp'], stdin: 'hello', argv: ['cat'] }]);
    await finish();
    await test.clock.advance(60 * minute);
    expect(test.runsOf('row')).toMatchObject([{ status: 'ACCEPTED', scheduled_for: testStart + 5000 }]);
    expect(row()).toMatchObject({
      status: 'DONE',
      next_run_at: null,
      permission_mode: 'fullAccess',
      owner_user_id: 'u',
      source: 'external',
    });
  });

  it.each([
    ['b: only the required columns and next_run_at', testStart + 5000],
    ['c: seconds', Math.floor(testStart / 1000) + 5],
    ['d: text digits', String(testStart + 5000)],
    ['d: text digits in seconds', String(testStart / 1000 + 5)],
    ['an ISO text', iso(testStart + 5000)],
    ['a float', testStart + 5000.25],
  ])('%s becomes one run', async (_, next_run_at) => {
    insert({ next_run_at });
    await test.clock.advance(noticed);
    expect(test.launcher.started).toHaveLength(0);
    await test.clock.advance(5000);
    expect(test.launcher.started).toHaveLength(1);
    await finish();
    await test.clock.advance(10 * minute);
    expect(test.runsOf('row')).toMatchObject([{ status: 'ACCEPTED', scheduled_for: testStart + 5000 }]);
    expect(row().status).toBe('DONE');
  });

  it('e: a future scheduled_at without next_run_at is computed, and the healing is noted', async () => {
    insert({ schedule_type: 'once', scheduled_at: iso(testStart + minute) });
    await test.clock.advance(noticed);
    expect(row()).toMatchObject({ next_run_at: testStart + minute });
    expect(row().healed.map((note) => note.field)).toContain('next_run_at');
    await test.clock.advance(minute);
    expect(test.runsOf('row')).toHaveLength(1);
  });

  it('f: a past scheduled_at without next_run_at asks for attention and can be run', async () => {
    insert({ schedule_type: 'once', scheduled_at: iso(testStart - minute) });
    await test.clock.advance(10 * minute);
    expect(test.runsOf('row')).toHaveLength(0);
    expect(row()).toMatchObject({ attention_code: 'past_without_next_run', status: 'ACTIVE' });
    const claimed = await test.change(() => {
      test.runs.runNow('row', 'manual', 'api', false);
      return test.engine.claimInside();
    });
    test.engine.launch(claimed);
    await finish();
    expect(row()).toMatchObject({ attention_code: null, status: 'DONE' });
  });

  it('g: cwds that is no JSON is read as one folder; an empty list is the default folder', async () => {
    insert(
      { id: 'g1', cwds: 'C:\\not json', next_run_at: testStart + 1000 },
      { id: 'g2', cwds: '[]', next_run_at: testStart + 1000 },
    );
    await test.clock.advance(1000 + noticed);
    expect(row('g1').cwds).toEqual(['C:\\not json']);
    expect(test.launcher.started.map((request) => request.cwds)).toEqual([
      ['C:\\not json'],
      [test.ctx.workspaceFolder],
    ]);
  });

  it('g: a folder that does not exist asks for attention until a run succeeds', async () => {
    insert({
      schedule_type: 'recurring',
      rrule: 'FREQ=HOURLY',
      next_run_at: testStart + 1000,
      cwds: '["/gone"]',
    });
    await test.clock.advance(1000 + noticed);
    const failed = {
      result: 'failure',
      reason: 'cwd_missing',
      detail: 'the working folder /gone does not exist',
    } as const;
    test.launcher.ends(test.runsOf('row')[0]!.thread_id, failed);
    await test.clock.advance(0);
    expect(row()).toMatchObject({
      attention_code: 'cwd_missing',
      attention_detail: failed.detail,
      status: 'ACTIVE',
    });
    expect(row().next_run_at).not.toBeNull();
    await test.clock.advance(60 * minute);
    await finish();
    expect(row().attention_code).toBeNull();
  });

  it('h, j: lower case status runs; a row without owner is adopted', async () => {
    insert({ status: 'active', next_run_at: testStart + 1000 });
    await test.clock.advance(1000 + noticed);
    expect(test.runsOf('row')).toHaveLength(1);
    expect(test.automations.read('row').owner_status).toBe('confirmed');
  });

  it('i: deleted rows do nothing, whatever their status', async () => {
    insert(
      { deleted_at: testStart - 1, next_run_at: testStart + 1000 },
      { id: 'other', status: 'DELETED', next_run_at: testStart + 1000 },
    );
    await test.clock.advance(minute);
    expect(test.launcher.started).toHaveLength(0);
  });

  it('k: past valid_until is EXPIRED without a run', async () => {
    insert({ next_run_at: testStart - 1000, valid_until: '2026-11-28' });
    await test.clock.advance(noticed);
    expect(test.runsOf('row')).toHaveLength(0);
    expect(row()).toMatchObject({ status: 'EXPIRED', next_run_at: null });
  });

  it('l: a rule that cannot be read runs its due slot once, then says so', async () => {
    insert({ schedule_type: 'recurring', rrule: 'every now and then', next_run_at: testStart });
    await test.clock.advance(noticed);
    await finish();
    await test.clock.advance(10 * minute);
    expect(test.runsOf('row')).toHaveLength(1);
    expect(row()).toMatchObject({ attention_code: 'schedule_invalid', next_run_at: null });
  });

  it('m: deleted while its run is in progress, the run ends and its history stays', async () => {
    insert({ next_run_at: testStart + 1000 });
    await test.clock.advance(1000 + noticed);
    const other = test.foreign();
    other.prepare("DELETE FROM automations WHERE id = 'row'").run();
    await test.clock.advance(noticed);
    await finish();
    expect(test.runsOf('row')).toMatchObject([{ status: 'ACCEPTED' }]);
  });

  it('n: next_run_at set during a run is kept and fires', async () => {
    insert({ next_run_at: testStart + 1000 });
    await test.clock.advance(1000 + noticed);
    test
      .foreign()
      .prepare("UPDATE automations SET next_run_at = ? WHERE id = 'row'")
      .run(testStart + 10 * minute);
    await test.clock.advance(noticed);
    await finish();
    expect(row()).toMatchObject({ status: 'ACTIVE', next_run_at: testStart + 10 * minute, rev: 2 });
    await test.clock.advance(10 * minute);
    await finish();
    expect(test.runsOf('row').map((run) => run.scheduled_for)).toEqual([
      testStart + 1000,
      testStart + 10 * minute,
    ]);
    expect(row().status).toBe('DONE');
  });

  it('o: recurring rows with a rule run at the given time and go on by the rule in the zone of the machine', async () => {
    const noon = Date.UTC(2026, 10, 30, 4);
    insert({ schedule_type: 'recurring', rrule: 'FREQ=DAILY;BYHOUR=12;BYMINUTE=0', next_run_at: noon });
    await test.clock.advance(noticed);
    expect(row()).toMatchObject({
      next_run_at: noon,
      schedule: { kind: 'rrule', timezone: 'Asia/Shanghai' },
    });
    test.clock.jump(noon - test.clock.now());
    await test.clock.advance(noticed);
    expect(test.runsOf('row')).toHaveLength(1);
    expect(row().next_run_at).toBe(noon + 24 * 60 * minute);
  });

  it('p: an unknown column of another tool is no obstacle', async () => {
    test.foreign().exec('ALTER TABLE automations ADD COLUMN mood TEXT');
    insert({ next_run_at: testStart + 1000, mood: 'good' });
    await test.clock.advance(1000 + noticed);
    expect(test.runsOf('row')).toHaveLength(1);
  });

  it('q: a lock held by another program delays work and loses none', async () => {
    insert({ next_run_at: testStart + 5000 });
    await test.clock.advance(noticed);
    const other = test.foreign();
    other.exec('BEGIN IMMEDIATE');
    await test.clock.advance(10_000);
    expect(test.launcher.started).toHaveLength(0);
    other.exec('COMMIT');
    await test.clock.advance(noticed);
    expect(test.runsOf('row')).toMatchObject([{ status: 'IN_PROGRESS', scheduled_for: testStart + 5000 }]);
  });

  it('r: of five due in the same second three run and two wait at 1 and 2', async () => {
    insert(...[1, 2, 3, 4, 5].map((n) => ({ id: `r${n}`, next_run_at: testStart + 5000 })));
    await test.clock.advance(5000 + noticed);
    const metadata = test.db
      .prepare(
        "SELECT json_extract(metadata_json, '$.queuedPosition') FROM automation_runs WHERE status = 'QUEUED' ORDER BY rowid",
      )
      .pluck()
      .all();
    expect(metadata).toEqual([1, 2]);
    for (let n = 1; n <= 5; n += 1) await finish(`r${n}`);
    for (let n = 1; n <= 5; n += 1) await finish(`r${n}`);
    expect(test.store.runs.list({ status: 'ACCEPTED' }, 10).items).toHaveLength(5);
  });

  it('with a blob in any compatible column harms no other row and no list', async () => {
    const other = test.foreign();
    const columns = (other.pragma('table_info(automations)') as { name: string }[])
      .slice(1, 30)
      .map((column) => column.name);
    for (const [index, column] of columns.entries()) {
      const values = {
        name: 'odd',
        prompt: 'p',
        status: 'ACTIVE',
        created_at: testStart,
        updated_at: testStart,
        next_run_at: testStart + 1000,
        [column]: Buffer.from([0xff, 0x00, 0x31]),
      };
      const names = ['id', ...Object.keys(values)];
      other
        .prepare(`INSERT INTO automations (${names.join(', ')}) VALUES (${names.map(() => '?').join(', ')})`)
        .run(`odd-${index}`, ...Object.values(values));
    }
    insert({ next_run_at: testStart + 1000 });
    await test.clock.advance(1000 + noticed);
    for (let round = 0; round < 20; round += 1)
      for (const run of test.store.runs.inProgress()) await finish(run.automation_id);
    expect(test.runsOf('row')).toMatchObject([{ status: 'ACCEPTED' }]);
    expect(test.store.automations.list({}, 100).items.map(automationOf)).toHaveLength(columns.length + 1);
    expect(test.store.automations.unchecked(100)).toEqual([]);
  });

  it('whose id is no text gets another and is not looked at for ever', async () => {
    test
      .foreign()
      .prepare(
        "INSERT INTO automations (id, name, prompt, status, created_at, updated_at, next_run_at) VALUES (x'ff', 'n', 'p', 'ACTIVE', 1, 1, ?)",
      )
      .run(testStart + 1000);
    await test.clock.advance(1000 + noticed);
    expect(test.store.runs.inProgress().map((run) => run.automation_id)).toEqual(['automation-row-1']);
  });

  it('c: more rows in seconds than one batch heals all keep their time', async () => {
    const seconds = Math.floor(testStart / 1000) + 3;
    insert(...Array.from({ length: 120 }, (_, n) => ({ id: `s${n}`, next_run_at: seconds })));
    await test.clock.advance(noticed);
    const planned = test.db.prepare('SELECT DISTINCT next_run_at, unchecked, status FROM automations').all();
    expect(planned).toEqual([{ next_run_at: seconds * 1000, unchecked: 0, status: 'ACTIVE' }]);
    await test.clock.advance(3000);
    const outcomes = test.db.prepare('SELECT outcome, count(*) AS n FROM slots GROUP BY outcome').all();
    expect(outcomes).toEqual([{ outcome: 'ran', n: 120 }]);
  });

  it('a waiting run whose metadata is no JSON stops nobody', async () => {
    test.db
      .prepare(
        "INSERT INTO automation_runs (thread_id, automation_id, status, metadata_json, created_at, updated_at) VALUES ('odd', 'row', 'QUEUED', 'not json', 1, 1)",
      )
      .run();
    insert({ next_run_at: testStart + 1000 }, { id: 'other', next_run_at: testStart + 1000 });
    await test.clock.advance(1000 + noticed);
    expect(test.runsOf('other')).toMatchObject([{ status: 'IN_PROGRESS' }]);
  });

  it('set back to an instant that already ran is not run again', async () => {
    insert({ next_run_at: testStart + 1000 });
    await test.clock.advance(1000 + noticed);
    await finish();
    test
      .foreign()
      .prepare("UPDATE automations SET status = 'ACTIVE', next_run_at = ? WHERE id = 'row'")
      .run(testStart + 1000);
    await test.clock.advance(minute);
    expect(test.runsOf('row')).toHaveLength(1);
  });

  it.each([
    ['blob', Buffer.from('x')],
    ['infinity', Number.POSITIVE_INFINITY],
    ['negative', -5],
    ['words', 'tomorrow'],
    ['huge', 9e18],
  ])('with %s in next_run_at harms no other row', async (_, value) => {
    test
      .foreign()
      .prepare(
        'INSERT INTO automations (id, name, prompt, status, next_run_at, created_at, updated_at) VALUES (?, ?, ?, ?, ?, ?, ?)',
      )
      .run('odd', 'odd', 'p', 'ACTIVE', value, testStart, testStart);
    insert({ next_run_at: testStart + 1000 });
    await test.clock.advance(1000 + noticed);
    expect(test.runsOf('row')).toHaveLength(1);
    expect(test.runsOf('odd')).toHaveLength(0);
    expect(row('odd').attention_code).not.toBeNull();
  });
});
