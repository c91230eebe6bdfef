import type { Clock } from '../../src-shared/clock.ts';
import type { AppEvent } from '../../src-shared/contract/events.ts';

/** How often an idle stream says that it lives, ms. */
const heartbeatMs = 15_000;
/** What may wait for a slow reader, bytes. */
const queueBytes = 4 * 1024 * 1024;

const encoder = new TextEncoder();
const opened = encoder.encode(': open\n\n');
const heartbeat = encoder.encode(': alive\n\n');
const reset = encode({ type: 'reset' }, null);
/** Each event is encoded once, however many readers it goes to: the key is the event object they all receive. */
const encoded = new WeakMap<AppEvent, Uint8Array>();

function encode(event: AppEvent, id: number | null): Uint8Array {
  const head = id === null ? '' : `id: ${id}\n`;
  return encoder.encode(`${head}event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
}

function shared(event: AppEvent, id: number | null): Uint8Array {
  let bytes = encoded.get(event);
  if (bytes === undefined) {
    bytes = encode(event, id);
    encoded.set(event, bytes);
  }
  return bytes;
}

/** Headers of the answer that carries an event stream. */
export const eventStreamHeaders = {
  'Content-Type': 'text/event-stream; charset=utf-8',
  'Cache-Control': 'no-store',
};

export interface EventStreamOptions {
  /**
   * Calls the listener with each event until the function given back is called; with `since` it first replays what
   * changed after that id, or sends `reset`. The same event object must go to all listeners.
   */
  subscribe(listener: (event: AppEvent, id: number | null) => void, since: number | null): () => void;
  clock: Clock;
  /** Aborted when the reader is gone. */
  signal: AbortSignal;
  /** The header Last-Event-ID as it came; one that is no number of ours is answered with `reset`. */
  lastEventId: string | null;
  /** Bytes that may wait for this reader; then they are dropped for a `reset`. */
  maxQueueBytes?: number;
}

/**
 * The events as server-sent events. A slow reader slows nobody: its queue is bounded, and when that is full it is
 * dropped and the reader is told to read everything again. Ends when the signal is aborted or the stream cancelled.
 */
export function eventStream(options: EventStreamOptions): ReadableStream<Uint8Array> {
  const { clock, signal, maxQueueBytes = queueBytes } = options;
  let queue: Uint8Array[] = [opened];
  let bytes = opened.byteLength;
  let wanted: ((chunk: Uint8Array | null) => void) | null = null;
  let ended = false;
  let unsubscribe: (() => void) | null = null;
  let cancelHeartbeat = () => {};

  function push(chunk: Uint8Array): void {
    if (ended) return;
    if (wanted !== null) wanted(chunk);
    else if (bytes + chunk.byteLength > maxQueueBytes) {
      queue = [reset];
      bytes = reset.byteLength;
    } else {
      queue.push(chunk);
      bytes += chunk.byteLength;
    }
  }

  function beat(): void {
    // With something in the queue the reader is busy; it needs no sign of life.
    if (queue.length === 0) push(heartbeat);
    cancelHeartbeat = clock.timer(heartbeatMs, beat);
  }

  function stop(): void {
    if (ended) return;
    ended = true;
    queue = [];
    cancelHeartbeat();
    signal.removeEventListener('abort', stop);
    unsubscribe?.();
    wanted?.(null);
  }

  function begin(): void {
    if (signal.aborted) {
      stop();
      return;
    }
    signal.addEventListener('abort', stop);
    const since = parseId(options.lastEventId);
    if (Number.isNaN(since)) push(reset);
    unsubscribe = options.subscribe(
      (event, id) => push(shared(event, id)),
      Number.isNaN(since) ? null : since,
    );
    cancelHeartbeat = clock.timer(heartbeatMs, beat);
  }

  begin();
  // No byte stream (`type: 'bytes'`): that would detach the buffer, which all readers share.
  return new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        const next = queue.shift();
        if (next !== undefined) {
          bytes -= next.byteLength;
          controller.enqueue(next);
          return undefined;
        }
        if (ended) return controller.close();
        return new Promise((resolve) => {
          wanted = (chunk) => {
            wanted = null;
            if (chunk === null) controller.close();
            else controller.enqueue(chunk);
            resolve();
          };
        });
      },
      cancel() {
        // The stream is closed already; the read that waits needs no answer any more.
        wanted = null;
        stop();
      },
    },
    { highWaterMark: 0 },
  );
}

/** The id to resume after; null = none was given, NaN = it is no id of ours. */
function parseId(text: string | null): number | null {
  if (text === null || text === '') return null;
  return /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
}
