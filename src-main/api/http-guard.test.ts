import { afterEach, describe, expect, it } from 'vitest';
import { type OpenDoor, openDoor } from './http-door.fixture.ts';
import type { HttpDoorDeps } from './http-guard.ts';

let door: OpenDoor;

async function opened(deps: Partial<HttpDoorDeps> = {}): Promise<OpenDoor> {
  door = await openDoor(deps);
  return door;
}

afterEach(() => door.server.close());

describe('whose address it is', () => {
  it('S01 refuses a rebound Host on a GET before anything reaches a handler', async () => {
    const { send, port, reached } = await opened();
    for (const host of [
      `evil.test:${port}`,
      '127.0.0.1',
      `127.0.0.1:${port + 1}`,
      `127.0.0.1.evil.test:${port}`,
    ]) {
      const reply = await send({ headers: { Host: host } });
      expect([host, reply.status, reply.body.code]).toEqual([host, 421, 'wrong_host']);
    }
    expect(reached).toEqual([]);
  });

  it('S02 refuses a rebound Host on a POST with JSON and a valid token', async () => {
    const { send, reached } = await opened();
    const reply = await send({
      method: 'POST',
      path: '/api/run',
      body: '{}',
      headers: { Host: 'evil.test:8899' },
    });
    expect(reply.status).toBe(421);
    expect(reached).toEqual([]);
  });

  it('knows its three names in any case, and no address in the request line but its own', async () => {
    const { send, raw, port } = await opened();
    for (const host of ['127.0.0.1', 'LOCALHOST', '[::1]']) {
      expect((await send({ headers: { Host: `${host}:${port}` } })).status).toBe(200);
    }
    const end = `Host: 127.0.0.1:${port}\r\nAuthorization: Bearer admin-token\r\nConnection: close\r\n\r\n`;
    expect(await raw(`GET http://evil.test/api/automations HTTP/1.1\r\n${end}`)).toMatch(/^HTTP\/1.1 421/);
    expect(await raw('GET /api/automations HTTP/1.0\r\n\r\n')).toMatch(/^HTTP\/1.1 421/);
    expect(await raw(`GET / HTTP/1.1\r\nHost: evil.test\r\n${end}`)).toMatch(/^HTTP\/1.1 421/);
  });
});

describe('who may not call', () => {
  it('S04 refuses forms: a foreign or null Origin, and bodies that are not JSON', async () => {
    const { send, port, reached } = await opened();
    for (const origin of [
      'http://evil.test',
      'null',
      `https://127.0.0.1:${port}`,
      `http://127.0.0.1:${port + 1}`,
    ]) {
      const reply = await send({ method: 'POST', path: '/api/run', body: '{}', headers: { Origin: origin } });
      expect([origin, reply.status, reply.body.code]).toEqual([origin, 403, 'forbidden_origin']);
    }
    const types = [
      'text/plain',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      'application/jsonx',
    ];
    for (const type of types) {
      const reply = await send({
        method: 'POST',
        path: '/api/run',
        body: '{}',
        headers: { 'Content-Type': type },
      });
      expect([type, reply.status, reply.body.code]).toEqual([type, 415, 'unsupported_media_type']);
    }
    expect(reached).toEqual([]);
  });

  it('takes JSON with its charset named, and a POST without a body', async () => {
    const { send, reached } = await opened();
    const headers = { 'Content-Type': 'application/json; charset=UTF-8' };
    expect((await send({ method: 'POST', path: '/api/run', body: '{"a":1}', headers })).status).toBe(200);
    expect(
      (await send({ method: 'POST', path: '/api/automations/1/pause', headers: { 'Content-Length': '0' } }))
        .status,
    ).toBe(200);
    expect((await send({ method: 'DELETE', path: '/api/automations/1' })).status).toBe(200);
    expect(reached.map((one) => one.body)).toEqual(['{"a":1}', '', '']);
    expect(reached[0]?.authorization).toBeNull();
  });

  it('refuses a compressed body, and an undeclared body that is not JSON', async () => {
    const { send, reached } = await opened();
    const zipped = await send({ method: 'POST', body: '{}', headers: { 'Content-Encoding': 'gzip' } });
    expect(zipped.status).toBe(415);
    const headers = { 'Content-Type': 'text/plain', 'Transfer-Encoding': 'chunked' };
    expect((await send({ method: 'POST', headers })).status).toBe(415);
    expect(reached).toEqual([]);
  });

  it('S05 S07 refuses what a browser says comes from another site, also from another port of this host', async () => {
    const { send, reached } = await opened();
    for (const site of ['cross-site', 'same-site', 'nonsense']) {
      for (const sent of [
        { method: 'POST', path: '/api/run', body: '{}' },
        { path: '/api/automations' },
        { path: '/healthz' },
        { path: '/' },
      ]) {
        const reply = await send({ ...sent, headers: { 'Sec-Fetch-Site': site, 'Sec-Fetch-Dest': 'image' } });
        expect([reply.status, reply.body.code]).toEqual([403, 'forbidden_site']);
      }
    }
    for (const site of ['none', 'same-origin']) {
      expect((await send({ headers: { 'Sec-Fetch-Site': site } })).status).toBe(200);
    }
    expect(reached).toHaveLength(2);
  });

  it('S07 lets a link elsewhere open the page, but neither the API nor a frame', async () => {
    const { send } = await opened();
    const link = {
      'Sec-Fetch-Site': 'cross-site',
      'Sec-Fetch-Mode': 'navigate',
      'Sec-Fetch-Dest': 'document',
    };
    expect((await send({ path: '/', headers: link, token: null })).status).toBe(200);
    expect((await send({ path: '/api/automations', headers: link })).status).toBe(403);
    expect((await send({ path: '/healthz', headers: link })).status).toBe(403);
    expect((await send({ path: '/', headers: { ...link, 'Sec-Fetch-Dest': 'iframe' } })).status).toBe(403);
    expect((await send({ path: '/', method: 'POST', headers: link })).status).toBe(403);
  });

  it('S08 answers no preflight, and never with a CORS header', async () => {
    const app = { fetch: () => new Response('{}', { headers: { 'Access-Control-Allow-Origin': '*' } }) };
    const { send, port } = await opened({ app });
    for (const origin of ['http://evil.test', `http://127.0.0.1:${port}`]) {
      const headers = { Origin: origin, 'Access-Control-Request-Method': 'POST' };
      expect((await send({ method: 'OPTIONS', path: '/api/run', headers })).status).toBe(403);
    }
    const replies = [await send({}), await send({ path: '/' }), await send({ method: 'OPTIONS' })];
    const names = replies.flatMap((reply) => Object.keys(reply.headers));
    expect(names.filter((name) => name.startsWith('access-control-'))).toEqual([]);
  });

  it('knows only its methods', async () => {
    const { send } = await opened();
    expect((await send({ method: 'TRACE' })).status).toBe(405);
    expect((await send({ method: 'PROPFIND' })).body.code).toBe('method_not_allowed');
  });
});

describe('tokens', () => {
  it('S12 wants a bearer token in the header and says how to get one', async () => {
    const { send, reached } = await opened();
    const basic = { Authorization: `Basic ${Buffer.from('a:admin-token').toString('base64')}` };
    for (const sent of [
      { token: null },
      { token: 'wrong' },
      { token: null, path: '/api/automations?token=admin-token' },
      { token: null, headers: basic },
      { token: 'admin-token, Bearer admin-token' },
    ]) {
      const reply = await send(sent);
      expect([reply.status, reply.body.code]).toEqual([401, 'unauthorized']);
      expect(reply.headers['www-authenticate']).toMatch(/^Bearer/);
      expect(reply.body.hint).toMatch(/`token` in the data folder.*`nextrun token`.*`nextrun open`/);
      expect(reply.text).not.toContain('admin-token');
    }
    expect(reached).toEqual([]);
    expect((await send({ token: null, headers: { Authorization: 'bearer admin-token' } })).status).toBe(200);
  });

  it('is open without a token for /healthz, the page and the login only', async () => {
    const { send, reached } = await opened();
    expect((await send({ token: null, path: '/healthz' })).status).toBe(200);
    expect((await send({ token: null, path: '/' })).status).toBe(200);
    expect((await send({ token: null, path: '/', method: 'HEAD' })).status).toBe(200);
    expect(
      (await send({ token: null, path: '/api/login', method: 'POST', body: '{"code":"x"}' })).status,
    ).toBe(200);
    const closed = ['/api/events', '/openapi.json', '/docs', '/scheduled-tasks', '/api/login', '/healthz/x'];
    for (const path of closed)
      expect([path, (await send({ token: null, path })).status]).toEqual([path, 401]);
    for (const path of ['/%61pi/automations', '//api/automations', '/API/automations', '/healthz2']) {
      expect([path, (await send({ token: null, path })).status]).toEqual([path, 404]);
    }
    expect((await send({ token: null, path: '/', method: 'POST', body: '{}' })).status).toBe(401);
    expect(reached.map((one) => one.path)).toEqual(['/healthz', '/api/login']);
    expect(reached.every((one) => one.actor.anonymous && one.actor.scope === 'run')).toBe(true);
  });

  it('S23 keeps a token inside its scope', async () => {
    const { send, reached } = await opened();
    const put = { method: 'PUT', path: '/api/settings', body: '{}' };
    const reply = await send({ ...put, token: 'run-token' });
    expect([reply.status, reply.body.code]).toEqual([403, 'forbidden_scope']);
    expect((await send({ ...put, token: 'read-token' })).status).toBe(403);
    expect(reached).toEqual([]);
    expect((await send({ ...put, token: 'admin-token' })).status).toBe(200);
    expect((await send({ path: '/api/run', method: 'POST', body: '{}', token: 'run-token' })).status).toBe(
      200,
    );
    expect((await send({ path: '/api/run', method: 'POST', body: '{}', token: 'read-token' })).status).toBe(
      403,
    );
  });

  it('accepts programs without a token when the setting says so: to run, not to read all or to edit', async () => {
    const { send, port, reached } = await opened({ allowWithoutToken: () => true });
    const run = { token: null, method: 'POST', path: '/api/run', body: '{}' };
    expect((await send(run)).status).toBe(200);
    expect(reached[0]?.actor).toEqual({ door: 'http', token_id: 'anonymous', scope: 'run', anonymous: true });
    expect((await send({ token: null, path: '/api/run/status?id=1' })).status).toBe(200);
    expect((await send({ token: null, path: '/api/automations' })).status).toBe(401);
    expect((await send({ ...run, path: '/api/tokens' })).status).toBe(401);
    expect((await send({ ...run, token: 'wrong' })).status).toBe(401);
    expect((await send({ ...run, headers: { Origin: 'http://evil.test' } })).status).toBe(403);
    expect((await send({ ...run, headers: { Host: `evil.test:${port}` } })).status).toBe(421);
    expect((await send({ ...run, headers: { 'Sec-Fetch-Site': 'same-site' } })).status).toBe(403);
    expect((await send({ ...run, headers: { 'Content-Type': 'text/plain' } })).status).toBe(415);
  });

  it('S13 stops listening to wrong tokens after 30 in 10 s; right ones still work', async () => {
    const { send, clock } = await opened();
    for (let i = 0; i < 30; i += 1) expect((await send({ token: `wrong-${i}` })).status).toBe(401);
    const reply = await send({ token: 'wrong' });
    expect([reply.status, reply.body.code, reply.headers['retry-after']]).toEqual([
      429,
      'too_many_attempts',
      '10',
    ]);
    expect((await send({ path: '/api/run', token: 'wrong' })).status).toBe(429);
    expect((await send({})).status).toBe(200);
    expect((await send({ token: null })).status).toBe(401);
    await clock.advance(9500);
    expect((await send({ token: 'wrong' })).headers['retry-after']).toBe('1');
    await clock.advance(500);
    expect((await send({ token: 'wrong' })).status).toBe(401);
  });

  it('S13 counts wrong login codes with them, also many at once, and right ones not', async () => {
    let status = 200;
    const { send, clock } = await opened({ app: { fetch: () => Response.json({}, { status }) } });
    const login = { token: null, method: 'POST', path: '/api/login', body: '{"code":"x"}' };
    for (let i = 0; i < 40; i += 1) expect((await send(login)).status).toBe(200);
    status = 401;
    const all = await Promise.all(Array.from({ length: 40 }, () => send(login)));
    expect(all.filter((reply) => reply.status === 401)).toHaveLength(30);
    expect(all.filter((reply) => reply.status === 429)).toHaveLength(10);
    expect((await send({ token: 'wrong' })).status).toBe(429);
    await clock.advance(10_000);
    status = 200;
    expect((await send(login)).status).toBe(200);
    expect((await send({ ...login, headers: { Origin: 'http://evil.test' } })).status).toBe(403);
    expect((await send({ ...login, body: JSON.stringify({ code: 'x'.repeat(20_000) }) })).status).toBe(413);
  });
});
