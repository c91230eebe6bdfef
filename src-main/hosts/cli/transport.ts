import { createParser } from 'eventsource-parser';
import type { Clock } from '../../../src-shared/clock.ts';
import { createClient, type Send } from '../../../src-shared/contract/client.ts';
import type { AppEvent } from '../../../src-shared/contract/events.ts';
import type { Connection } from './deps.ts';
import { UnreachableError } from './failure.ts';

/** A host on this computer answers within this time, milliseconds, or it is not well. */
const longestAnswer = 30_000;

export interface HttpOptions {
  baseUrl: string;
  token: string;
  version: string;
  clock: Clock;
  /** The platform's fetch; tests give another one. */
  fetch?: typeof fetch;
}

const types: ReadonlySet<string> = new Set([
  'automation',
  'run',
  'queue',
  'settings',
  'engine',
  'output',
  'reset',
]);

/** The event in the data of one server-sent event, or undefined when it is none that is known here. */
export function readEvent(data: string): AppEvent | undefined {
  try {
    const value: unknown = JSON.parse(data);
    const known =
      typeof value === 'object' && value !== null && 'type' in value && types.has(String(value.type));
    // The stream is our own host's; its rows have passed the same schemas before they were sent.
    return known ? (value as AppEvent) : undefined;
  } catch {
    // One event that cannot be read must not end the stream; what it said is read with the next state.
    return undefined;
  }
}

/** The events in a stream of server-sent bytes; ends with it, also when it breaks. */
export async function* eventsOf(body: ReadableStream<Uint8Array>): AsyncGenerator<AppEvent> {
  const ready: AppEvent[] = [];
  const decoder = new TextDecoder();
  const parser = createParser({
    onEvent({ data }) {
      const event = readEvent(data);
      if (event !== undefined) ready.push(event);
    },
  });
  const reader = body.getReader();
  try {
    for (;;) {
      // A broken connection is the end of the stream: the reader connects again and reads the state.
      const part = await reader.read().catch(() => ({ done: true as const, value: undefined }));
      if (part.done) return;
      parser.feed(decoder.decode(part.value, { stream: true }));
      yield* ready.splice(0);
    }
  } finally {
    // Already broken streams refuse this; there is nothing left to close then.
    await reader.cancel().catch(() => undefined);
  }
}

/** The API over HTTP at a trusted `baseUrl`. */
export function connectHttp(options: HttpOptions): Connection {
  const { baseUrl, token, version, clock } = options;
  const doFetch = options.fetch ?? fetch;
  const own = { Authorization: `Bearer ${token}`, 'User-Agent': `nextrun-cli/${version}` };

  const send: Send = async (path, init) => {
    const late = new AbortController();
    const cancel = clock.timer(longestAnswer, () => late.abort());
    try {
      const reply = await doFetch(baseUrl + path, {
        ...init,
        headers: { ...init.headers, ...own },
        // A redirection would carry the token somewhere else.
        redirect: 'error',
        signal: late.signal,
      });
      const text = await reply.text();
      return { ok: reply.ok, status: reply.status, text: async () => text };
    } catch (error) {
      throw new UnreachableError(baseUrl, error);
    } finally {
      cancel();
    }
  };

  return {
    client: createClient(send),
    send,
    live: true,
    baseUrl,
    async openEvents(signal) {
      let reply: Response;
      try {
        const headers = { ...own, Accept: 'text/event-stream' };
        reply = await doFetch(`${baseUrl}/api/events`, { headers, redirect: 'error', signal });
      } catch (error) {
        throw new UnreachableError(baseUrl, error);
      }
      if (!reply.ok || reply.body === null) {
        await reply.body?.cancel();
        throw new UnreachableError(baseUrl, `HTTP ${reply.status}`);
      }
      return eventsOf(reply.body);
    },
    async close() {},
  };
}

/** A backend without engine, in this process. */
export interface OfflineBackend {
  fetch(path: string, init?: RequestInit): Promise<Response>;
  close(): Promise<void>;
}
/** Opens the data folder itself. Throws ApiError `database_busy` or the like when that cannot be done. */
export type OpenOffline = (dataFolder: string) => Promise<OfflineBackend>;

/** The same typed client over an in-process backend. */
export function connectOffline(backend: OfflineBackend): Connection {
  const send: Send = (path, init) => backend.fetch(path, init);
  return {
    client: createClient(send),
    send,
    live: false,
    baseUrl: null,
    openEvents: () => Promise.reject(new UnreachableError('the data folder')),
    close: () => backend.close(),
  };
}
