import { request } from 'node:http';
import { expect, type Host, reaches, submit, test } from '../fixtures/host.ts';

interface Reply {
  status: number;
  headers: Record<string, unknown>;
  body: { code?: string; field?: string; hint?: string };
}

/** A raw request: fetch would not let a test set Host and Origin. */
function raw(
  host: Host,
  path: string,
  options: { method?: string; headers?: Record<string, string>; body?: string } = {},
): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const call = request(
      `${host.url}${path}`,
      { method: options.method ?? 'GET', headers: options.headers ?? {} },
      (response) => {
        let text = '';
        response.on('data', (data) => {
          text += data;
        });
        response.on('end', () =>
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            body: text.startsWith('{') ? JSON.parse(text) : {},
          }),
        );
      },
    );
    call.on('error', reject);
    call.end(options.body);
  });
}

const json = { 'Content-Type': 'application/json' };

test('every wrong request is refused as specified and changes nothing', async ({ rig }) => {
  const host = await rig.start();
  const auth = { Authorization: `Bearer ${host.token}` };
  const post = (headers: Record<string, string>, body: string) =>
    raw(host, '/api/run', { method: 'POST', headers: { ...auth, ...headers }, body });
  const good = '{"command":["true"]}';
  expect(await post({ ...json, Host: 'evil.test:8899' }, good)).toMatchObject({
    status: 421,
    body: { code: 'wrong_host' },
  });
  expect(await post({ ...json, Origin: 'https://evil.test' }, good)).toMatchObject({
    status: 403,
    body: { code: 'forbidden_origin' },
  });
  expect(await post({ ...json, 'Sec-Fetch-Site': 'cross-site' }, good)).toMatchObject({ status: 403 });
  expect(await post({ 'Content-Type': 'text/plain' }, good)).toMatchObject({ status: 415 });
  expect(await raw(host, '/api/run', { method: 'POST', headers: json, body: good })).toMatchObject({
    status: 401,
    body: { code: 'unauthorized', hint: expect.stringContaining('token') },
  });
  expect(await raw(host, '/api/runs')).toMatchObject({ status: 401 });
  expect(await raw(host, `/api/runs?token=${host.token}`)).toMatchObject({ status: 401 });
  expect(await post(json, `{"prompt":"${'x'.repeat(6_000_000)}"}`)).toMatchObject({ status: 413 });
  expect(await post(json, '['.repeat(100_000))).toMatchObject({ status: 400 });
  expect(await post(json, '{"command":["true"],"colour":"red"}')).toMatchObject({
    status: 400,
    body: { code: 'invalid', field: 'colour' },
  });
  expect(await post(json, '{"command":["true"],"timeout_seconds":"long"}')).toMatchObject({
    status: 400,
    body: { field: 'timeout_seconds' },
  });
  expect(await post(json, '{"command":["true"],"__proto__":{"a":1}}')).toMatchObject({ status: 400 });
  expect(await post(json, '{"prompt":"hi","agent":"nobody"}')).toMatchObject({
    status: 422,
    body: { field: 'agent' },
  });
  expect(await raw(host, '/api/nothing', { headers: auth })).toMatchObject({
    status: 404,
    body: { code: 'not_found' },
  });
  expect((await host.client.call('listAutomations', {})).items).toEqual([]);
});

test('a schedule that cannot be computed is refused with the field and what to write', async ({ rig }) => {
  const host = await rig.start();
  const create = (
    schedule:
      | { kind: 'cron'; expression: string; timezone?: string }
      | { kind: 'at'; at: string }
      | { kind: 'every'; interval_ms: number },
  ) => host.client.call('createAutomation', { body: { name: 't', command: ['true'], schedule } });
  await expect(create({ kind: 'cron', expression: '0 0 30 2 *' })).rejects.toMatchObject({ status: 422 });
  await expect(create({ kind: 'cron', expression: '0 9 * * *', timezone: 'CST' })).rejects.toMatchObject({
    code: 'timezone_invalid',
    field: 'schedule.timezone',
  });
  await expect(create({ kind: 'at', at: '2020-01-01T00:00:00Z' })).rejects.toMatchObject({
    code: 'schedule_past',
  });
  await expect(create({ kind: 'every', interval_ms: 30_000 })).rejects.toMatchObject({
    status: 422,
    field: 'schedule.interval_ms',
  });
  const preview = await host.client.call('previewSchedule', {
    body: { schedule: { kind: 'cron', expression: '0 9 * * 1-5', timezone: 'Asia/Shanghai' }, count: 5 },
  });
  expect(preview.occurrences).toHaveLength(5);
  expect(preview.words.zh).toContain('周一');
});

test('automations are created, edited under rev, paused, resumed, run and deleted; history stays', async ({
  rig,
}) => {
  const host = await rig.start();
  const { client } = host;
  const made = await client.call('createAutomation', {
    body: { name: 'daily', command: ['echo', 'hi'], schedule: { kind: 'cron', expression: '0 9 * * *' } },
  });
  expect(made).toMatchObject({ status: 'ACTIVE', kind: 'command', source: 'api', rev: 1 });
  expect(made.next_run_at).toBeGreaterThan(Date.now());
  const renamed = await client.call('updateAutomation', {
    params: { id: made.id },
    body: { name: 'every morning', rev: 1 },
  });
  expect(renamed).toMatchObject({ name: 'every morning', next_run_at: made.next_run_at, rev: 2 });
  await expect(
    client.call('updateAutomation', { params: { id: made.id }, body: { name: 'x', rev: 1 } }),
  ).rejects.toMatchObject({ code: 'rev_conflict' });
  expect(await client.call('pauseAutomation', { params: { id: made.id }, body: {} })).toMatchObject({
    status: 'PAUSED',
    next_run_at: null,
  });
  const asked = await client.call('runAutomation', { params: { id: made.id }, body: {} });
  await reaches(host, asked.run.id, 'ACCEPTED');
  expect(await client.call('toggleAutomation', { params: { id: made.id } })).toMatchObject({
    status: 'ACTIVE',
  });
  await client.call('deleteAutomation', { params: { id: made.id } });
  expect((await client.call('listAutomations', {})).items).toEqual([]);
  expect((await client.call('listAutomationRuns', { params: { id: made.id } })).items).toHaveLength(1);
  expect(await client.call('restoreAutomation', { params: { id: made.id } })).toMatchObject({
    status: 'PAUSED',
    deleted_at: null,
  });
});

test('the event stream tells of every step of a run with its row', async ({ rig }) => {
  const host = await rig.start();
  const stop = new AbortController();
  const stream = await fetch(`${host.url}/api/events`, {
    headers: { Authorization: `Bearer ${host.token}` },
    signal: stop.signal,
  });
  const id = await submit(host, { command: ['echo', 'seen'] });
  let text = '';
  const decoder = new TextDecoder();
  for await (const chunk of stream.body!) {
    text += decoder.decode(chunk, { stream: true });
    if (text.includes('"status":"ACCEPTED"')) break;
  }
  stop.abort();
  expect(text).toContain(`"id":"${id}"`);
  expect(text).toContain('"status":"IN_PROGRESS"');
  expect(text).toMatch(/event: output\ndata: .*seen/);
});

test('openapi.json lists every route without a secret', async ({ rig }) => {
  const host = await rig.start();
  const answer = await fetch(`${host.url}/openapi.json`, {
    headers: { Authorization: `Bearer ${host.token}` },
  });
  const document = (await answer.json()) as { paths: Record<string, unknown> };
  expect(Object.keys(document.paths)).toEqual(
    expect.arrayContaining(['/api/run', '/api/run/status', '/api/automations/{id}/why', '/healthz']),
  );
});

test('a token of scope run submits and follows, and no more', async ({ rig }) => {
  const host = await rig.start();
  const { token } = await host.client.call('createToken', { body: { scope: 'run', label: 'script' } });
  const as = (path: string, init: RequestInit = {}) =>
    fetch(`${host.url}${path}`, { ...init, headers: { Authorization: `Bearer ${token}`, ...json } });
  expect((await as('/api/run', { method: 'POST', body: '{"command":["true"]}' })).status).toBe(202);
  expect((await as('/api/tokens', { method: 'POST', body: '{"scope":"admin","label":"x"}' })).status).toBe(
    403,
  );
  expect((await as('/api/automations', { method: 'POST', body: '{"name":"x"}' })).status).toBe(403);
});
