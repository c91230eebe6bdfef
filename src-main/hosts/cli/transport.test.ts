import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import type { Clock } from '../../../src-shared/clock.ts';
import { UnreachableError } from './failure.ts';
import { connectHttp, eventsOf, readEvent } from './transport.ts';

const clock: Clock = { now: () => 0, monotonic: () => 0, timer: () => () => {} };
let server: Server | undefined;
afterEach(async () => {
  server?.closeAllConnections();
  server?.close();
  server = undefined;
});

async function serve(listener: RequestListener): Promise<string> {
  server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const connect = (baseUrl: string, with_: Clock = clock) =>
  connectHttp({ baseUrl, token: 'secret', version: '1.2.3', clock: with_ });

describe('over HTTP', () => {
  it('sends the token and gives the answer', async () => {
    const requests: IncomingMessage[] = [];
    const baseUrl = await serve((request, reply) => {
      requests.push(request);
      reply.end(JSON.stringify({ code: 'c', url: 'u', expires_at: 1 }));
    });
    expect(await connect(baseUrl).client.call('createLoginCode', {})).toMatchObject({ url: 'u' });
    expect(requests[0]?.headers).toMatchObject({
      authorization: 'Bearer secret',
      'user-agent': 'nextrun-cli/1.2.3',
    });
    expect(requests[0]?.headers.origin).toBeUndefined();
  });

  it('does not follow a redirection with the token', async () => {
    const paths: string[] = [];
    const baseUrl = await serve((request, reply) => {
      paths.push(request.url ?? '');
      reply.writeHead(307, { Location: '/elsewhere' }).end();
    });
    await expect(connect(baseUrl).client.call('info', {})).rejects.toThrow(UnreachableError);
    expect(paths).toEqual(['/api/info']);
  });

  it('tells a host that is gone, and one that does not answer', async () => {
    const baseUrl = await serve(() => {});
    const late: Clock = {
      ...clock,
      timer: (_ms, fn) => {
        server?.once('request', fn);
        return () => {};
      },
    };
    await expect(connect(baseUrl, late).client.call('info', {})).rejects.toThrow(UnreachableError);
    server?.closeAllConnections();
    server?.close();
    await once(server as Server, 'close');
    await expect(connect(baseUrl).client.call('info', {})).rejects.toThrow(UnreachableError);
    await expect(connect(baseUrl).openEvents(new AbortController().signal)).rejects.toThrow(UnreachableError);
  });

  it('reads the event stream until it breaks', async () => {
    const baseUrl = await serve((request, reply) => {
      expect(request.url).toBe('/api/events');
      reply.writeHead(200, { 'Content-Type': 'text/event-stream' });
      reply.write(': hello\n\nid: 1\ndata: {"type":"queue"}\n\ndata: {"type":"unknown"}\n\ndata: {\n\n');
      reply.write('data: {"type":"reset"}\n\n', () => reply.destroy());
    });
    const seen: string[] = [];
    for await (const { type } of await connect(baseUrl).openEvents(new AbortController().signal))
      seen.push(type);
    expect(seen).toEqual(['queue', 'reset']);
  });

  it('stops reading when it is told to, in the middle of silence', async () => {
    const baseUrl = await serve((_request, reply) => {
      reply.writeHead(200, { 'Content-Type': 'text/event-stream' });
      reply.write('data: {"type":"queue"}\n\n');
    });
    const stop = new AbortController();
    const seen: string[] = [];
    for await (const { type } of await connect(baseUrl).openEvents(stop.signal)) {
      seen.push(type);
      stop.abort();
    }
    expect(seen).toEqual(['queue']);
  });
});

describe('eventsOf', () => {
  it('joins characters that were cut in two', async () => {
    const bytes = new TextEncoder().encode('data: {"type":"queue","text":"中"}\n\n');
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        for (const byte of bytes) controller.enqueue(Uint8Array.of(byte));
        controller.close();
      },
    });
    const seen: unknown[] = [];
    for await (const event of eventsOf(body)) seen.push(event);
    expect(seen).toEqual([{ type: 'queue', text: '中' }]);
  });
});

describe('readEvent', () => {
  it.each(['', 'null', '[]', '{"type":"other"}', '{"type":1}'])('%j is none', (data) => {
    expect(readEvent(data)).toBeUndefined();
  });
});
