import { execFileSync } from 'node:child_process';
import { expect, reaches, test } from '../fixtures/host.ts';

const insert = `
import json, sqlite3, sys, time
db = sqlite3.connect(sys.argv[1])
now = int(time.time() * 1000)
for row in json.loads(sys.argv[2]):
    row = {'id': 'x', 'name': 'from outside', 'prompt': 'hello', 'status': 'ACTIVE', 'created_at': now, 'updated_at': now, **row}
    row = {k: (now + int(v[4:]) if isinstance(v, str) and v.startswith('now+') else v) for k, v in row.items()}
    db.execute('INSERT INTO automations (%s) VALUES (%s)' % (', '.join(row), ', '.join('?' * len(row))), list(row.values()))
db.commit()
print(now)
`;

test('rows that Python writes are seen within a second and run at their time', async ({ rig }) => {
  const host = await rig.start();
  const now = Number(
    rig.python(
      insert,
      JSON.stringify([
        {
          id: 'a',
          schedule_type: 'once',
          rrule: '',
          scheduled_at: new Date().toISOString(),
          next_run_at: 'now+1500',
          cwds: '["/tmp"]',
          permission_mode: 'fullAccess',
          owner_user_id: 'u',
          owner_status: 'confirmed',
          owner_source: 'created',
          skills_json: '[]',
          connector_ids_json: '[]',
        },
        { id: 'b', next_run_at: 'now+1500' },
        { id: 'e', schedule_type: 'once', scheduled_at: new Date(Date.now() + 10_000).toISOString() },
        { id: 'f', schedule_type: 'once', scheduled_at: '2020-01-01T00:00:00Z' },
      ]),
    ),
  );
  for (const id of ['a', 'b', 'e']) {
    const done = await reaches(host, id, 'ACCEPTED');
    expect(done).toMatchObject({ summary: 'hello', result_success: 1 });
    if (id !== 'e') expect(done.startedAt! - (now + 1500)).toBeLessThan(1100);
  }
  expect(await reaches(host, 'f', 'NEEDS_ATTENTION')).toMatchObject({ reason: 'past_without_next_run' });
  const why = rig.cli(['why', 'f']);
  expect(why.out).toContain('past_without_next_run');
  expect(rig.cli(['run', 'f', '--wait']).code).toBe(0);
});

test('five rows due in the same second: three run, two are queued at 1 and 2, all end accepted', async ({
  rig,
}) => {
  const host = await rig.start();
  rig.python(
    insert,
    JSON.stringify(
      [1, 2, 3, 4, 5].map((n) => ({
        id: `r${n}`,
        kind: 'command',
        command_json: JSON.stringify('sleep 2'),
        next_run_at: 'now+500',
      })),
    ),
  );
  await expect
    .poll(
      () =>
        rig
          .python(`
import json, sqlite3, sys
rows = sqlite3.connect(sys.argv[1]).execute("SELECT status, json_extract(metadata_json, '$.queuedPosition') FROM automation_runs ORDER BY status, 2").fetchall()
print(json.dumps(rows))`)
          .trim(),
      { intervals: [50] },
    )
    .toBe(
      '[["IN_PROGRESS", null], ["IN_PROGRESS", null], ["IN_PROGRESS", null], ["QUEUED", 1], ["QUEUED", 2]]',
    );
  for (let n = 1; n <= 5; n += 1) await reaches(host, `r${n}`, 'ACCEPTED');
});

test('the troubleshooting script of section six prints what it explains', async ({ rig }) => {
  const host = await rig.start();
  rig.python(insert, JSON.stringify([{ id: 's', next_run_at: 'now+100' }]));
  await reaches(host, 's', 'ACCEPTED');
  const printed = rig.python(`
import sqlite3, sys
db = sqlite3.connect(sys.argv[1]); db.row_factory = sqlite3.Row
for r in db.execute("SELECT id,name,scheduled_at,next_run_at,last_run_at,status FROM automations WHERE deleted_at IS NULL ORDER BY created_at DESC LIMIT 10"):
  print(dict(r))
print('---runs---')
for r in db.execute("SELECT automation_id,status,metadata_json FROM automation_runs ORDER BY created_at DESC LIMIT 10"):
  print(dict(r))
print([dict(r) for r in db.execute("SELECT id,title,status,created_at FROM sessions WHERE is_background_automation=1")])
`);
  expect(printed).toMatch(/'id': 's'.*'next_run_at': None, 'last_run_at': \d{13}, 'status': 'DONE'/);
  expect(printed).toMatch(/'automation_id': 's', 'status': 'ACCEPTED'.*"resultState":"delivered"/);
  expect(printed).toContain("'title': 'from outside', 'status': 'completed'");
});

test('the sqlite3 shell is a writer too, and a lock it holds loses nothing', async ({ rig }) => {
  const host = await rig.start();
  const now = Date.now();
  execFileSync('sqlite3', [
    '-cmd',
    '.timeout 5000',
    host.database,
    `INSERT INTO automations (id, name, prompt, status, created_at, updated_at, next_run_at) VALUES ('l', 'locked', 'p', 'ACTIVE', ${now}, ${now}, ${now + 1000})`,
  ]);
  const holder = rig.python.bind(
    null,
    `
import sqlite3, sys, time
db = sqlite3.connect(sys.argv[1], isolation_level=None)
db.execute('BEGIN EXCLUSIVE'); time.sleep(3); db.execute('COMMIT')
`,
  );
  holder();
  expect((await fetch(`${host.url}/healthz`)).status).toBe(200);
  const done = await reaches(host, 'l', 'ACCEPTED');
  const runs = await host.client.call('listAutomationRuns', { params: { id: 'l' } });
  expect(runs.items).toHaveLength(1);
  expect(done.startedAt!).toBeGreaterThan(now);
});
