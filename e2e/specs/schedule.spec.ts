import { expect, test } from '../fixtures/host.ts';

test('a one-shot and an interval start at their instants, not at the next scan', async ({ rig }) => {
  const host = await rig.start();
  const { client } = host;
  const at = Date.now() + 2000;
  const once = await client.call('createAutomation', {
    body: { name: 'once', command: ['true'], schedule: { kind: 'at', at: new Date(at).toISOString() } },
  });
  const every = await client.call('createAutomation', {
    body: {
      name: 'every',
      command: ['true'],
      schedule: { kind: 'every', interval_ms: 60_000, anchor_at: at + 500 },
    },
  });
  for (const [id, due] of [
    [once.id, at],
    [every.id, at + 500],
  ] as const) {
    await expect
      .poll(async () =>
        (await client.call('listAutomationRuns', { params: { id } })).items.map((run) => run.status),
      )
      .toEqual(['ACCEPTED']);
    const [run] = (await client.call('listAutomationRuns', { params: { id } })).items;
    expect(run).toMatchObject({ scheduled_for: due, trigger: 'schedule' });
    expect(run!.started_at!).toBeGreaterThanOrEqual(due);
  }
  expect(await client.call('getAutomation', { params: { id: once.id } })).toMatchObject({
    status: 'DONE',
    next_run_at: null,
  });
  expect(await client.call('getAutomation', { params: { id: every.id } })).toMatchObject({
    status: 'ACTIVE',
    next_run_at: at + 60_500,
  });
});

test('what fell due while nothing ran gets one run, named missed', async ({ rig }) => {
  const first = await rig.start();
  const made = await first.client.call('createAutomation', {
    body: { name: 'hourly', command: ['true'], schedule: { kind: 'every', interval_ms: 60_000 } },
  });
  first.signal('SIGTERM');
  await first.ended;
  const hours = 5 * 3_600_000;
  rig.python(
    'import sqlite3, sys; db = sqlite3.connect(sys.argv[1]); db.execute("UPDATE automations SET next_run_at = next_run_at - ?, own_writes = own_writes + 1, next_slot_at = next_slot_at - ?, anchor_at = anchor_at - ?", [int(sys.argv[2])] * 3); db.commit()',
    String(hours),
  );
  const second = await rig.start();
  await expect
    .poll(async () =>
      (await second.client.call('listAutomationRuns', { params: { id: made.id } })).items.map((run) => [
        run.trigger,
        run.status,
      ]),
    )
    .toEqual([['missed', 'ACCEPTED']]);
  const slots = (await second.client.call('listSlots', { params: { id: made.id } })).items;
  expect(slots.map((slot) => slot.outcome)).toEqual(['ran', 'missed']);
  expect(slots[1]!.count).toBeGreaterThan(290);
});
