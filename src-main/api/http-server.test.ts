import { networkInterfaces } from 'node:os';
import { afterEach, describe, expect, it } from 'vitest';
import { ApiError } from '../../src-shared/contract/errors.ts';
import { systemClock } from '../engine/clock.ts';
import { dial, type OpenDoor, openDoor } from './http-door.fixture.ts';
import { listen, type ServerEvent } from './http-server.ts';

const opened: { close(): Promise<void> }[] = [];

async function open(...args: Parameters<typeof openDoor>): Promise<OpenDoor> {
  const door = await openDoor(...args);
  opened.push(door.server);
  return door;
}

afterEach(async () => {
  await Promise.all(opened.splice(0).map((server) => server.close()));
});

const plain = { door: async () => new Response('x'), host: '127.0.0.1', clock: systemClock };

describe('where it listens', () => {
  it('takes the next free port when one is taken, and says which', async () => {
    const first = await open();
    const events: ServerEvent[] = [];
    const heard: number[] = [];
    const second = await listen({
      ...plain,
      port: first.port,
      onEvent: (event) => events.push(event),
      onListening: (port) => heard.push(port),
    });
    opened.push(second);
    expect(second.port).toBeGreaterThan(first.port);
    expect(second.port).toBeLessThanOrEqual(first.port + 20);
    expect(second.url).toBe(`http://127.0.0.1:${second.port}`);
    expect(heard).toEqual([second.port]);
    expect(events[0]).toEqual({ type: 'port_taken', port: first.port, code: 'EADDRINUSE' });
    expect(events.at(-1)).toEqual({ type: 'listening', port: second.port, url: second.url });
  });

  it('takes a reserved port (EACCES) for a taken one, and gives up after the last', async () => {
    const tried: number[] = [];
    const bind = (_: unknown, port: number) => {
      tried.push(port);
      return Promise.reject(Object.assign(new Error('no'), { code: 'EACCES' }));
    };
    const error = await listen({ ...plain, port: 8899, bind }).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({ code: 'state_conflict', field: 'http.port' });
    expect(tried).toEqual(Array.from({ length: 21 }, (_, i) => 8899 + i));
    tried.length = 0;
    await listen({ ...plain, port: 65_530, bind }).catch(() => undefined);
    expect(tried.at(-1)).toBe(65_535);
  });

  it('does not take another failure for a taken port', async () => {
    const bind = () => Promise.reject(Object.assign(new Error('no'), { code: 'EMFILE' }));
    await expect(listen({ ...plain, port: 8899, bind })).rejects.toMatchObject({ code: 'EMFILE' });
  });

  it.each(['0.0.0.0', '::', '', '192.168.1.2', 'example.org', '127.0.0.2'])(
    'S17 refuses the host %j',
    async (host) => {
      await expect(listen({ ...plain, host, port: 0 })).rejects.toMatchObject({
        code: 'invalid',
        field: 'http.host',
      });
    },
  );

  it('S17 is not reached on any other address of this machine', async () => {
    const { port } = await open();
    const others = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
    for (const { address } of others.filter((one) => !one.internal && one.family === 'IPv4')) {
      const { closed, connected } = dial(port, address);
      const outcome = await Promise.race([closed.then(() => 'refused'), connected.then(() => 'connected')]);
      expect([address, outcome]).toEqual([address, 'refused']);
    }
  });
});

describe('S18 slow and broken clients', () => {
  const limits = { headersTimeoutMs: 60, requestTimeoutMs: 120, checkEveryMs: 20 };

  /** Sends `head`, then one byte every few ms for ever: no idle timer would ever catch it. */
  async function drip(port: number, head: string): Promise<string> {
    const { socket, closed } = dial(port);
    socket.write(head);
    let over = false;
    const next = (): void => {
      if (!over && socket.writable) socket.write('a');
      if (!over) systemClock.timer(5, next);
    };
    next();
    const got = await closed;
    over = true;
    return got;
  }

  it('cuts a client that drips its headers, with 408', async () => {
    const { port, reached } = await open({}, { limits });
    const answer = await drip(port, 'GET / HTTP/1.1\r\nX: ');
    expect(answer).toMatch(/^HTTP\/1.1 408 /);
    expect(answer).toMatch(/x-frame-options: DENY/i);
    expect(reached).toEqual([]);
  });

  it('cuts a client that drips its body, with 408', async () => {
    const { port, reached } = await open({}, { limits });
    const head = `POST /api/run HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAuthorization: Bearer admin-token\r\n`;
    const answer = await drip(
      port,
      `${head}Content-Type: application/json\r\nContent-Length: 100000\r\n\r\n`,
    );
    expect(answer).toMatch(/^HTTP\/1.1 408 /);
    expect(reached).toEqual([]);
  });

  it('cuts a client that goes on dripping after it was refused', async () => {
    const { port } = await open({}, { limits });
    const answer = await drip(
      port,
      'POST /api/run HTTP/1.1\r\nHost: evil.test\r\nContent-Length: 100000\r\n\r\n',
    );
    expect(answer).toMatch(/^HTTP\/1.1 421 /);
    expect(answer.match(/HTTP\/1.1/g)).toHaveLength(1);
  });

  it('answers what is no HTTP with 400 and the same headers', async () => {
    const { port, raw } = await open();
    const bearer = 'Authorization: Bearer admin-token\r\nConnection: close\r\n\r\n';
    for (const text of [
      'hello\r\n\r\n',
      `GET /a\\b HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n${bearer}`,
      `GET / HTTP/1.1\r\nHost: a@b/c\r\n${bearer}`,
    ]) {
      const answer = await raw(text);
      expect(answer).toMatch(/^HTTP\/1.1 4(?:00|04|21) /);
      expect(answer).toMatch(/x-content-type-options: nosniff/i);
      expect(answer).toMatch(/"code":/);
    }
  });

  it('asks the guard before it meets a strange Expect', async () => {
    const { raw } = await open();
    const answer = await raw(
      'GET / HTTP/1.1\r\nHost: evil.test\r\nExpect: magic\r\nConnection: close\r\n\r\n',
    );
    expect(answer).toMatch(/^HTTP\/1.1 421 /);
  });

  it('leaves the globals of the process alone', async () => {
    const before = [globalThis.Request, globalThis.Response];
    const { send } = await open();
    await send({});
    expect([globalThis.Request, globalThis.Response]).toEqual(before);
  });

  it('drops connections beyond the most', async () => {
    const { port } = await open({}, { limits: { maxConnections: 2 } });
    const kept = [dial(port), dial(port)];
    await Promise.all(kept.map((one) => one.connected));
    expect(await dial(port).closed).toBe('');
    for (const { socket } of kept) socket.destroy();
  });
});

describe('S09 WebSockets', () => {
  const upgrade =
    'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: eA==\r\n';

  it('get the guard’s answer and a closed socket', async () => {
    const { port, raw, reached } = await open();
    const ours = `Host: 127.0.0.1:${port}\r\n${upgrade}`;
    const token = 'Authorization: Bearer admin-token\r\n';
    const answers = [
      await raw(`GET /api/events HTTP/1.1\r\n${ours}${token}Origin: http://evil.test\r\n\r\n`),
      await raw(`GET /api/events HTTP/1.1\r\nHost: evil.test\r\n${upgrade}${token}\r\n`),
      await raw(`GET /api/events HTTP/1.1\r\n${ours}\r\n`),
      await raw(`GET / HTTP/1.1\r\n${ours}\r\n`),
      await raw(`GET /api/events HTTP/1.1\r\n${ours}${token}\r\n`),
    ];
    expect(answers.map((answer) => answer.slice(9, 12))).toEqual(['403', '421', '401', '401', '426']);
    expect(reached).toEqual([]);
  });

  it('are not confused with the h2c that some clients always offer', async () => {
    const { send } = await open();
    expect((await send({ headers: { Connection: 'Upgrade', Upgrade: 'h2c' } })).status).toBe(200);
  });
});
