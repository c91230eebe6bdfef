import { createParser } from 'eventsource-parser';
import type { AppEvent } from '../src-shared/contract/events.ts';

/** Where the event stream stands. `resumed` is false when changes may have been missed: read everything again. */
export type StreamState =
  | { kind: 'connecting' }
  | { kind: 'live'; resumed: boolean }
  | { kind: 'waiting'; ms: number }
  | { kind: 'refused' };

export interface StreamOptions {
  /** Opens the stream, after the change `lastId` when it is given. */
  open(lastId: string | undefined, signal: AbortSignal): Promise<Response>;
  onState(state: StreamState): void;
  onEvent(event: AppEvent): void;
  /** Waits `ms`, or less when there is a reason to try at once. */
  pause(ms: number): Promise<void>;
  signal: AbortSignal;
}

const shortestPause = 500;
const longestPause = 30_000;

/** How long to wait before attempt `attempt` (0 = the first after a loss), in milliseconds. */
export function backOff(attempt: number): number {
  return Math.min(longestPause, shortestPause * 2 ** Math.min(attempt, 10));
}

const types = new Set(['automation', 'run', 'queue', 'settings', 'engine', 'output', 'reset']);

/** The event in the data of one server-sent event, or undefined when it is none that this page knows. */
export function readEvent(data: string): AppEvent | undefined {
  try {
    const value: unknown = JSON.parse(data);
    const known =
      typeof value === 'object' && value !== null && 'type' in value && types.has(String(value.type));
    // The stream is our own host's; its rows have passed the same schemas before they were sent.
    return known ? (value as AppEvent) : undefined;
  } catch {
    return undefined;
  }
}

/** Follows the event stream until `signal` is aborted or the token is refused, reconnecting for ever. */
export async function followEvents(options: StreamOptions): Promise<void> {
  const { signal } = options;
  let lastId: string | undefined;
  let attempt = 0;
  while (!signal.aborted) {
    options.onState({ kind: 'connecting' });
    try {
      const reply = await options.open(lastId, signal);
      if (reply.status === 401) return options.onState({ kind: 'refused' });
      if (reply.ok && reply.body !== null) {
        options.onState({ kind: 'live', resumed: lastId !== undefined });
        const parser = createParser({
          onEvent({ id, data }) {
            if (id !== undefined && id !== '') lastId = id;
            const event = readEvent(data);
            if (event !== undefined) options.onEvent(event);
          },
        });
        const reader = reply.body.pipeThrough(new TextDecoderStream()).getReader();
        for (let part = await reader.read(); !part.done; part = await reader.read()) {
          attempt = 0;
          parser.feed(part.value);
        }
      }
    } catch {
      // A lost connection is no error here: it is shown as such and tried again below.
    }
    if (signal.aborted) return;
    const ms = backOff(attempt++);
    options.onState({ kind: 'waiting', ms });
    await options.pause(ms);
  }
}
