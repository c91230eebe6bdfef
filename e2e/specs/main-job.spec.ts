import { writeFileSync } from 'node:fs';
import { expect, reaches, statusOf, submit, test } from '../fixtures/host.ts';

test('a submitted task is scheduled, queued, run and accepted, and every row says so', async ({ rig }) => {
  const host = await rig.start();
  const created = await host.client.call('submitRun', {
    body: { prompt: 'hello 中文 😀', command: ['cat'], delay_seconds: 1 },
  });
  expect(await statusOf(host, created.id)).toMatchObject({
    status: 'SCHEDULED',
    next_run_at: created.next_run_at,
  });
  const done = await reaches(host, created.id, 'ACCEPTED');
  expect(done).toMatchObject({
    resultState: 'delivered',
    resultEvidence: 'assistant_output',
    result_success: 1,
    summary: 'hello 中文 😀',
  });
  expect(done.startedAt! - created.next_run_at).toBeLessThan(1000);
  const rows = rig.python(`
import json, sqlite3, sys
db = sqlite3.connect(sys.argv[1]); db.row_factory = sqlite3.Row
run = db.execute('SELECT * FROM automation_runs').fetchone()
session = db.execute('SELECT * FROM sessions WHERE is_background_automation=1').fetchone()
automation = db.execute('SELECT * FROM automations').fetchone()
slot = db.execute('SELECT * FROM slots').fetchone()
print(json.dumps([run['status'], json.loads(run['metadata_json']), run['result_success'], json.loads(run['runs_json'])[0]['output'], session['status'], session['id'], automation['status'], automation['next_run_at'], slot['outcome']]))
`);
  const [status, metadata, success, output, session, sessionId, automation, next, slot] = JSON.parse(rows);
  expect([status, success, output, session, automation, next, slot]).toEqual([
    'ACCEPTED',
    1,
    'hello 中文 😀',
    'completed',
    'DONE',
    null,
    'ran',
  ]);
  expect(metadata).toMatchObject({
    runKind: 'scheduled',
    conversationId: sessionId,
    sessionId,
    resultState: 'delivered',
    resultEvidence: 'assistant_output',
  });
});

test('the prompt reaches an agent byte for byte and its output comes back', async ({ rig }) => {
  const host = await rig.start();
  const prompt = '# Title\n"a" \'b\' $(c) %PATH% ^ & | 中文 😀\n--help\n'.repeat(200);
  const id = await submit(host, { prompt });
  const done = await reaches(host, id, 'ACCEPTED');
  const output = await host.client.call('getRunOutput', { params: { id: done.runId! } });
  expect(output.items.map((chunk) => chunk.text).join('')).toBe(prompt);
  expect(output.ended).toBe(true);
});

test('the same Idempotency-Key gives the same task, in parallel too; another body is refused', async ({
  rig,
}) => {
  const host = await rig.start();
  const once = (prompt: string) => host.client.call('submitRun', { body: { prompt }, idempotencyKey: 'k1' });
  const answers = await Promise.all([once('p'), once('p'), once('p')]);
  expect(new Set(answers.map((answer) => answer.id)).size).toBe(1);
  await expect(once('q')).rejects.toMatchObject({ code: 'idempotency_conflict' });
});

for (const cap of [1, 3, 5]) {
  test(`five due at once with cap ${cap}: ${cap} run, the others wait in order`, async ({ rig }) => {
    const host = await rig.start({ SCHEDULE_MAX_CONCURRENT: String(cap) });
    const gate = `${host.folder}/gate`;
    const script = `while [ ! -e "${gate}" ]; do sleep 0.05; done; echo done`;
    const ids: string[] = [];
    for (let index = 0; index < 5; index += 1)
      ids.push(await submit(host, { name: `t${index}`, command: script }));
    await expect.poll(async () => (await host.client.call('getQueue', {})).running.length).toBe(cap);
    const queue = await host.client.call('getQueue', {});
    expect(queue.waiting.map((run) => run.queued_position)).toEqual(
      Array.from({ length: 5 - cap }, (_, index) => index + 1),
    );
    expect(queue.waiting.map((run) => run.title)).toEqual(
      ids.slice(cap).map((_, index) => `t${index + cap}`),
    );
    if (cap < 5) expect((await statusOf(host, ids[4]!)).queuedPosition).toBe(5 - cap);
    writeFileSync(gate, '');
    for (const id of ids) await reaches(host, id, 'ACCEPTED');
    const started = await Promise.all(ids.map(async (id) => (await statusOf(host, id)).startedAt!));
    expect([...started].sort((one, other) => one - other)).toEqual(started);
  });
}

test('a failing command is FAILED with its exit code; a silent success is a side effect', async ({ rig }) => {
  const host = await rig.start();
  const failed = await reaches(
    host,
    await submit(host, { command: ['sh', '-c', 'echo partly; exit 7'] }),
    'FAILED',
  );
  expect(failed).toMatchObject({ reason: 'exit_code', resultState: 'partial_delivered', result_success: 0 });
  expect(await host.client.call('getRun', { params: { id: failed.runId! } })).toMatchObject({ exit_code: 7 });
  expect(await reaches(host, await submit(host, { command: ['true'] }), 'ACCEPTED')).toMatchObject({
    resultState: 'side_effect_only',
    resultEvidence: 'none',
  });
  const missing = await reaches(host, await submit(host, { command: ['no-such-program'] }), 'FAILED');
  expect(missing.reason).toBe('spawn');
  const nowhere = await reaches(
    host,
    await submit(host, { command: ['pwd'], cwd: '/no/such/folder' }),
    'FAILED',
  );
  expect(nowhere.error).toContain('/no/such/folder');
});

test('a time-out leaves the run to a person, and nothing of its tree', async ({ rig }) => {
  const host = await rig.start();
  const id = await submit(host, {
    command: 'trap "" TERM; echo begun; sleep 600 & sleep 600',
    timeout_seconds: 1,
  });
  const open = await reaches(host, id, 'PENDING_REVIEW');
  expect(open).toMatchObject({ reason: 'timed_out', label: { zh: '待确认', en: 'Needs review' } });
  const accepted = await host.client.call('acceptRun', { params: { id: open.runId! }, body: {} });
  expect(accepted.status).toBe('ACCEPTED');
});

test('a running run is cancelled with its whole tree', async ({ rig }) => {
  const host = await rig.start();
  const id = await submit(host, { command: 'sleep 600 & setsid sleep 600 & sleep 600' });
  const running = await reaches(host, id, 'IN_PROGRESS');
  await host.client.call('cancelRun', { params: { id: running.runId! } });
  expect(await reaches(host, id, 'CANCELLED')).toMatchObject({
    error: expect.stringContaining('任务被取消'),
  });
});

test('one child knows its run: key, attempt, slot; the environment is an allow-list', async ({ rig }) => {
  const host = await rig.start({ SECRET_OF_HOST: 'no' });
  const id = await submit(host, { command: ['env'], env: { MINE: 'yes' } });
  const done = await reaches(host, id, 'ACCEPTED');
  expect(done.summary).toContain('MINE=yes');
  expect(done.summary).toContain(`NEXTRUN_RUN_ID=${done.runId}`);
  expect(done.summary).toContain('NEXTRUN_ATTEMPT=1');
  expect(done.summary).not.toContain('SECRET_OF_HOST');
});
