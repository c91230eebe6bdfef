import type { Clock } from '../../../src-shared/clock.ts';
import type { ApiClient, Send } from '../../../src-shared/contract/client.ts';
import type { AppEvent } from '../../../src-shared/contract/events.ts';

/** A way to the API: over HTTP to the running host, or in-process on the data folder itself. */
export interface Connection {
  client: ApiClient;
  /** The transport under `client`, for answers that are no plain success or ApiError (healthz). */
  send: Send;
  /** True when a host answers, so that something can run. */
  live: boolean;
  baseUrl: string | null;
  /**
   * Opens the event stream; resolves when the host has subscribed this reader, so that a state read after it
   * misses nothing. The iteration ends when the connection does. Rejects with UnreachableError.
   */
  openEvents(signal: AbortSignal): Promise<AsyncIterable<AppEvent>>;
  close(): Promise<void>;
}

/** Everything the command line touches besides its arguments. Real in main.ts, fake in tests. */
export interface Deps {
  /** The running host of the data folder, or null when there is none that can be trusted. */
  findHost(): Promise<Connection | null>;
  /** The API without an engine, on the data folder itself. */
  openOffline(): Promise<Connection>;
  /** The text of the file `token`, or null when there is none. */
  readAdminToken(): Promise<string | null>;
  readStdin(): Promise<string>;
  /** Runs the host until it ends; gives the exit code. */
  serve(options: { port?: number }): Promise<number>;
  out(text: string): void;
  err(text: string): void;
  env: Readonly<Record<string, string | undefined>>;
  /** True when stdout is a terminal. */
  terminal: boolean;
  /** Columns of that terminal. */
  columns: number | undefined;
  /** IANA zone in which times are shown. */
  timezone: string;
  /** Folder in which the command was typed; relative folders are relative to it. */
  cwd: string;
  clock: Clock;
  version: string;
  /** Calls `fn` at Ctrl-C instead of ending; gives a function that puts the usual behaviour back. */
  onInterrupt(fn: () => void): () => void;
}
