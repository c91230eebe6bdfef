import { request } from 'node:http';
import { createParser } from 'eventsource-parser';
import { afterEach, describe, expect, it } from 'vitest';
import type { AppEvent } from '../../src-shared/contract/events.ts';
import { fakeClock } from '../testing/fake-clock.ts';
import { type OpenDoor, openDoor } from './http-door.fixture.ts';
import { type EventStreamOptions, eventStream, eventStreamHeaders } from './sse.ts';

type Listener = Parameters<EventStreamOptions['subscribe']>[0];

/** A source of events that knows who listens. */
function hub() {
  const listeners = new Set<Listener>();
  const asked: (number | null)[] = [];
  let whenEmpty: () => void = () => undefined;
  return {
    listeners,
    asked,
    empty: new Promise<void>((resolve) => {
      whenEmpty = resolve;
    }),
    emit(event: AppEvent, id: number | null) {
      for (const listener of listeners) listener(event, id);
    },
    subscribe(listener: Listener, since: number | null) {
      asked.push(since);
      listeners.add(listener);
      return () => {
        listeners.delete(listener);
        if (listeners.size === 0) whenEmpty();
      };
    },
  };
}

function stream(source: ReturnType<typeof hub>, more: Partial<EventStreamOptions> = {}) {
  const clock = fakeClock(0);
  const leaving = new AbortController();
  const readable = eventStream({
    subscribe: source.subscribe,
    clock,
    signal: leaving.signal,
    lastEventId: null,
    ...more,
  });
  const reader = readable.getReader();
  const text = async () => new TextDecoder().decode((await reader.read()).value);
  return { clock, leaving, reader, text };
}

const output = (text: string): AppEvent => ({
  type: 'output',
  run_id: 'r',
  chunks: [{ seq: 1, at: 0, stream: 'stdout', text }],
});

describe('an event stream', () => {
  it('writes id, event and data; output has no id; new lines stay inside the data', async () => {
    const source = hub();
    const { text } = stream(source);
    expect(await text()).toBe(': open\n\n');
    source.emit({ type: 'run', id: 'r', row: null }, 7);
    source.emit(output('a\r\n\nb'), null);
    expect(await text()).toBe('id: 7\nevent: run\ndata: {"type":"run","id":"r","row":null}\n\n');
    const parts: { id: string | undefined; event: string | undefined; data: string }[] = [];
    createParser({ onEvent: ({ id, event, data }) => parts.push({ id, event, data }) }).feed(await text());
    expect(parts).toEqual([{ id: undefined, event: 'output', data: JSON.stringify(output('a\r\n\nb')) }]);
  });

  it('encodes an event once for all its readers', async () => {
    const source = hub();
    const streams = Array.from({ length: 100 }, () => stream(source));
    let encodings = 0;
    const event = Object.assign({ type: 'queue' } as const, {
      toJSON: () => {
        encodings += 1;
        return { type: 'queue' };
      },
    });
    source.emit(event, 1);
    const chunks = await Promise.all(
      streams.map(async ({ reader }) => {
        await reader.read();
        return (await reader.read()).value;
      }),
    );
    expect(encodings).toBe(1);
    expect(new Set(chunks).size).toBe(1);
  });

  it('shows that it lives every 15 s while it has nothing to say', async () => {
    const { clock, text } = stream(hub());
    await text();
    const beat = text();
    await clock.advance(14_999);
    expect(await Promise.race([beat, Promise.resolve('nothing')])).toBe('nothing');
    await clock.advance(1);
    expect(await beat).toBe(': alive\n\n');
    await clock.advance(60_000);
    expect(await text()).toBe(': alive\n\n');
    const next = text();
    expect(await Promise.race([next, Promise.resolve('nothing')])).toBe('nothing');
  });

  it('drops the queue of a slow reader for a reset, and goes on', async () => {
    const source = hub();
    const slow = stream(source, { maxQueueBytes: 1000 });
    const fast = stream(source, { maxQueueBytes: 1000 });
    await fast.text();
    for (let id = 1; id <= 20; id += 1) {
      source.emit({ type: 'run', id: 'x'.repeat(100), row: null }, id);
      expect(await fast.text()).toContain(`id: ${id}\n`);
    }
    const reset = 'event: reset\ndata: {"type":"reset"}\n\n';
    expect(await slow.text()).toBe(reset);
    const after = await slow.text();
    expect(after).toMatch(/^id: \d+\nevent: run/);
    source.emit(output('y'.repeat(2000)), null);
    expect(await slow.text()).toBe(reset);
  });

  it('resumes after the id it is given, and resets when that is none', async () => {
    const source = hub();
    stream(source, { lastEventId: '41' });
    stream(source, { lastEventId: '' });
    const odd = stream(source, { lastEventId: '-1; drop' });
    expect(source.asked).toEqual([41, null, null]);
    await odd.text();
    expect(await odd.text()).toContain('event: reset');
  });

  it('lets go of its subscription and its timer when the reader is gone, however that is told', async () => {
    const source = hub();
    const aborted = stream(source);
    await aborted.text();
    const last = aborted.reader.read();
    aborted.leaving.abort();
    expect(await last).toEqual({ done: true, value: undefined });
    const cancelled = stream(source);
    await cancelled.text();
    const waiting = cancelled.reader.read();
    await cancelled.reader.cancel();
    expect((await waiting).done).toBe(true);
    cancelled.leaving.abort();
    const late = stream(source, { signal: AbortSignal.abort() });
    expect(source.listeners.size).toBe(0);
    expect(source.asked).toHaveLength(2);
    expect((await late.reader.read()).done).toBe(true);
    source.emit({ type: 'queue' }, 1);
    await cancelled.clock.advance(60_000);
  });
});

describe('event streams over HTTP', () => {
  let door: OpenDoor;
  afterEach(() => door.server.close());

  interface Client {
    next(count: number): Promise<string[]>;
    leave(): void;
  }

  function connectClient(port: number): Promise<Client> {
    const headers = { Authorization: 'Bearer read-token', 'Last-Event-ID': '5' };
    return new Promise((resolve, reject) => {
      const call = request(
        { port, host: '127.0.0.1', path: '/api/events', headers, agent: false },
        (answer) => {
          const types: string[] = [];
          let wake: () => void = () => undefined;
          const parser = createParser({
            onEvent: ({ event, id }) => {
              types.push(`${event} ${id}`);
              wake();
            },
          });
          answer.on('error', () => undefined);
          answer.on('data', (part) => parser.feed(part.toString()));
          answer.once('data', () => {
            resolve({
              leave: () => call.destroy(),
              async next(count) {
                while (types.length < count) await new Promise<void>((woken) => (wake = woken));
                return types.splice(0, count);
              },
            });
          });
        },
      );
      call.on('error', reject);
      call.end();
    });
  }

  it('reach several clients; one that leaves frees its subscription', async () => {
    const source = hub();
    const clock = fakeClock(0);
    const app = {
      fetch: (incoming: Request) => {
        const { signal, headers } = incoming;
        const lastEventId = headers.get('last-event-id');
        const body = eventStream({ subscribe: source.subscribe, clock, signal, lastEventId });
        return new Response(body, { headers: eventStreamHeaders });
      },
    };
    door = await openDoor({ app });
    const clients = await Promise.all(Array.from({ length: 5 }, () => connectClient(door.port)));
    expect(source.asked).toEqual([5, 5, 5, 5, 5]);
    source.emit({ type: 'settings' }, 6);
    source.emit(output('x'.repeat(300_000)), null);
    source.emit({ type: 'queue' }, 7);
    for (const client of clients) {
      expect(await client.next(3)).toEqual(['settings 6', 'output undefined', 'queue 7']);
    }
    for (const client of clients) client.leave();
    await source.empty;
    expect(source.listeners.size).toBe(0);
  });

  it('need the token like everything else', async () => {
    door = await openDoor();
    expect((await door.send({ path: '/api/events', token: null })).status).toBe(401);
    expect((await door.send({ path: '/api/events', token: 'run-token' })).status).toBe(403);
    expect((await door.send({ path: '/api/events', token: 'read-token' })).status).toBe(200);
  });
});
