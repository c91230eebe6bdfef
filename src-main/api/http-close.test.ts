import { Agent, request } from 'node:http';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterEach, describe, expect, it } from 'vitest';
import { fakeClock, settled } from '../testing/fake-clock.ts';
import { dial, type OpenDoor, openDoor } from './http-door.fixture.ts';

const opened: { close(): Promise<void> }[] = [];

async function open(...args: Parameters<typeof openDoor>): Promise<OpenDoor> {
  const door = await openDoor(...args);
  opened.push(door.server);
  return door;
}

afterEach(async () => {
  await Promise.all(opened.splice(0).map((server) => server.close()));
});

describe('going away', () => {
  /** A stream that never ends; tells when its reader is gone, by the signal and by cancel. */
  function endless() {
    const gone: Promise<unknown>[] = [];
    const fetch = (incoming: Request): Response => {
      const aborted = new Promise((resolve) => incoming.signal.addEventListener('abort', resolve));
      let cancelled: (value: unknown) => void = () => undefined;
      gone.push(aborted, new Promise((resolve) => (cancelled = resolve)));
      const body = new ReadableStream<Uint8Array>({
        start: (controller) => controller.enqueue(new TextEncoder().encode(': open\n\n')),
        cancel: cancelled,
      });
      return new Response(body, { headers: { 'Content-Type': 'text/event-stream' } });
    };
    return { app: { fetch }, gone };
  }

  function openStream(port: number): Promise<{ destroy(): void; ended: Promise<string> }> {
    const headers = { Authorization: 'Bearer admin-token' };
    return new Promise((resolve) => {
      const call = request(
        { port, host: '127.0.0.1', path: '/api/events', headers, agent: false },
        (answer) => {
          let got = '';
          const ended = new Promise<string>((done) =>
            answer.on('end', () => done(got)).on('error', () => done('cut')),
          );
          answer.on('data', (part) => {
            got += part.toString();
            resolve({ destroy: () => call.destroy(), ended });
          });
        },
      );
      call.end();
    });
  }

  it('a client that goes aborts the signal and cancels the stream', async () => {
    const { app, gone } = endless();
    const { port } = await open({ app });
    const stream = await openStream(port);
    stream.destroy();
    await Promise.all(gone);
    expect(gone).toHaveLength(2);
  });

  it('aborts also for an app that keeps nothing but the signal', async () => {
    let signal: AbortSignal | null = null;
    const fetch = (incoming: Request): Response => {
      signal = incoming.signal;
      const body = new ReadableStream<Uint8Array>({
        start: (controller) => controller.enqueue(new TextEncoder().encode(': open\n\n')),
      });
      return new Response(body);
    };
    const { port } = await open({ app: { fetch } });
    const stream = await openStream(port);
    setFlagsFromString('--expose-gc');
    const gc: () => void = runInNewContext('gc');
    // A collection frees what nothing held when it began, so the second one sees what the first let go.
    for (let round = 0; round < 3; round += 1) {
      await settled();
      gc();
    }
    const kept = signal as unknown as AbortSignal;
    const aborted = new Promise((resolve) => kept.addEventListener('abort', resolve));
    stream.destroy();
    await aborted;
  });

  it('closing ends streams and idle connections, lets answers finish, and resolves', async () => {
    const { app, gone } = endless();
    let finish: (response: Response) => void = () => undefined;
    const asked = new Promise<void>((started) => {
      const { fetch } = app;
      app.fetch = (incoming: Request) => {
        if (!incoming.url.endsWith('/api/slow')) return fetch(incoming);
        started();
        return new Promise<Response>((resolve) => (finish = resolve)) as unknown as Response;
      };
    });
    const { port, server, send } = await openDoor({ app }, { clock: fakeClock(0) });
    const stream = await openStream(port);
    const idle = dial(port);
    const agent = new Agent({ keepAlive: true });
    const used = new Promise((resolve) => {
      request({ port, host: '127.0.0.1', path: '/', agent }, (answer) =>
        answer.resume().on('end', resolve),
      ).end();
    });
    await Promise.all([used, idle.connected]);
    const slow = send({ path: '/api/slow' });
    await asked;
    const closed = server.close();
    expect(server.close()).toBe(closed);
    expect(await stream.ended).toBe(': open\n\n');
    await gone[1];
    finish(Response.json({ done: true }));
    expect((await slow).text).toBe('{"done":true}');
    await closed;
    await idle.closed;
    const refused = dial(port);
    expect(await refused.closed).toBe('');
    agent.destroy();
  });

  it('closing cuts after its grace what does not end', async () => {
    const clock = fakeClock(0);
    let started: () => void = () => undefined;
    const asked = new Promise<void>((resolve) => (started = resolve));
    const app = {
      fetch: () => {
        started();
        return new Promise<Response>(() => undefined);
      },
    };
    const { server, send } = await openDoor({ app }, { clock });
    const stuck = send({}).catch((error: NodeJS.ErrnoException) => error.code);
    await asked;
    const closed = server.close();
    await clock.advance(2000);
    await closed;
    expect(await stuck).toBe('ECONNRESET');
  });
});
