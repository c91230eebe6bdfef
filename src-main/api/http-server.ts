import {
  createServer,
  type IncomingMessage,
  type Server,
  type ServerResponse,
  STATUS_CODES,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { getRequestListener } from '@hono/node-server';
import type { Clock } from '../../src-shared/clock.ts';
import { ApiError } from '../../src-shared/contract/errors.ts';
import { asksForWebSocket } from './http-guard.ts';
import { errorAnswer } from './security-headers.ts';

/** How long a client may take, ms, and how many connections may be open (an event stream keeps one). */
export interface ServerLimits {
  headersTimeoutMs: number;
  requestTimeoutMs: number;
  /** How often the two above are looked at; Node's own default of 30 s makes them act far too late. */
  checkEveryMs: number;
  keepAliveTimeoutMs: number;
  maxConnections: number;
}

const defaultLimits: ServerLimits = {
  headersTimeoutMs: 5000,
  requestTimeoutMs: 15_000,
  checkEveryMs: 1000,
  keepAliveTimeoutMs: 5000,
  maxConnections: 256,
};
/** How long answers that are on their way may take when the server closes, ms. */
const closeGraceMs = 2000;
const loopbacks = new Map([
  ['127.0.0.1', '127.0.0.1'],
  ['localhost', '127.0.0.1'],
  ['::1', '::1'],
]);

export type ServerEvent =
  | { type: 'port_taken'; port: number; code: string }
  | { type: 'listening'; port: number; url: string };

export interface ListenOptions {
  door(request: Request): Promise<Response>;
  /** 127.0.0.1, localhost or ::1; nothing else is ever listened on. */
  host: string;
  /** The port to begin with; 0 = any free one. */
  port: number;
  /** How many further ports are tried when it is taken. */
  tries?: number;
  clock: Clock;
  limits?: Partial<ServerLimits>;
  /** Hears the real port before the first request can come in. */
  onListening?(port: number): void;
  onEvent?(event: ServerEvent): void;
  /** Binds the server; tests put a refusing one here. */
  bind?(server: Server, port: number, host: string): Promise<void>;
}

export interface HttpServer {
  port: number;
  url: string;
  /** Stops listening, ends event streams and idle connections, gives running answers 2 s, then resolves. */
  close(): Promise<void>;
}

function loopback(host: string): string {
  const address = loopbacks.get(host);
  if (address !== undefined) return address;
  throw new ApiError('invalid', `http.host: NextRun listens on this machine only, never on ${host}`, {
    field: 'http.host',
    hint: 'use 127.0.0.1',
  });
}

function bindOnce(server: Server, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ port, host, exclusive: true }, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

/** The code of an error that means "not this port": somebody has it, or the system reserves it. */
function takenCode(error: unknown): string | null {
  if (!(error instanceof Error) || !('code' in error)) return null;
  return error.code === 'EADDRINUSE' || error.code === 'EACCES' ? error.code : null;
}

async function bindFirstFree(server: Server, host: string, options: ListenOptions): Promise<void> {
  const { port, tries = 20, bind = bindOnce } = options;
  const last = port === 0 ? 0 : Math.min(port + tries, 65_535);
  for (let candidate = port; candidate <= last; candidate += 1) {
    try {
      return await bind(server, candidate, host);
    } catch (error) {
      const code = takenCode(error);
      if (code === null) throw error;
      options.onEvent?.({ type: 'port_taken', port: candidate, code });
    }
  }
  throw new ApiError('state_conflict', `http.port: no port from ${port} to ${last} is free`, {
    field: 'http.port',
    hint: 'set another one: NEXTRUN_PORT, or port in the section [http] of config.toml',
  });
}

/** The exchange that a connection is at. */
interface Exchange {
  incoming: IncomingMessage;
  outgoing: ServerResponse;
}

function isUnderway({ incoming, outgoing }: Exchange): boolean {
  return outgoing.headersSent && !(incoming.complete && outgoing.writableFinished);
}

/** Answers what is no HTTP, or comes too slowly, as Node does, but with our headers and words; then cuts it. */
function refuse(error: NodeJS.ErrnoException, socket: Duplex, exchange: Exchange | undefined): void {
  if (!socket.writable || error.code === 'ECONNRESET' || (exchange !== undefined && isUnderway(exchange))) {
    socket.destroy();
    return;
  }
  const slow = error.code === 'ERR_HTTP_REQUEST_TIMEOUT';
  const status = slow ? 408 : error.code === 'HPE_HEADER_OVERFLOW' ? 431 : 400;
  const message = slow ? 'The request came too slowly' : 'This is no HTTP request that can be answered';
  const { headers } = errorAnswer(new ApiError('invalid', message));
  const body = JSON.stringify({ code: 'invalid', message });
  const lines = [`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, 'connection: close'];
  headers.forEach((value, name) => {
    lines.push(`${name}: ${value}`);
  });
  lines.push(`content-length: ${Buffer.byteLength(body)}`, '', body);
  socket.write(lines.join('\r\n'));
  socket.destroy();
}

interface Serving {
  server: Server;
  sockets: Set<Duplex>;
  open: Set<Exchange>;
  /** Answers that end only when somebody ends them. */
  streams: WeakSet<object>;
}

/** A server whose connections and exchanges are known, so that it can be closed. */
function createServing(options: ListenOptions): Serving {
  const limits = { ...defaultLimits, ...options.limits };
  const open = new Set<Exchange>();
  const sockets = new Set<Duplex>();
  const latest = new WeakMap<Duplex, Exchange>();
  const streams = new WeakSet<object>();
  const fetch = async (request: Request, { outgoing }: { outgoing: object }): Promise<Response> => {
    const response = await options.door(request);
    if (response.headers.get('content-type')?.startsWith('text/event-stream') === true) streams.add(outgoing);
    return response;
  };
  const toDoor = getRequestListener(fetch, {
    // Without a Host (HTTP/1.0) the guard still decides; this name is none of ours.
    hostname: 'missing-host.invalid',
    // The globals belong to the whole process, which is Electron's in the desktop app.
    overrideGlobalObjects: false,
    errorHandler: () =>
      errorAnswer(new ApiError('invalid', 'The address or the Host of this request is malformed')),
  });
  const onRequest = (incoming: IncomingMessage, outgoing: ServerResponse): void => {
    const exchange = { incoming, outgoing };
    open.add(exchange);
    latest.set(incoming.socket, exchange);
    outgoing.once('close', () => open.delete(exchange));
    if (!server.listening || asksForWebSocket(incoming.headers.upgrade)) outgoing.shouldKeepAlive = false;
    void toDoor(incoming, outgoing);
  };
  const server = createServer(
    {
      headersTimeout: limits.headersTimeoutMs,
      requestTimeout: limits.requestTimeoutMs,
      connectionsCheckingInterval: limits.checkEveryMs,
      keepAliveTimeout: limits.keepAliveTimeoutMs,
      requireHostHeader: false,
    },
    onRequest,
  );
  server.maxConnections = limits.maxConnections;
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  // Without this Node answers a strange Expect by itself, past the guard.
  server.on('checkExpectation', onRequest);
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Duplex) => {
    refuse(error, socket, latest.get(socket));
  });
  return { server, sockets, open, streams };
}

function closer({ server, sockets, open, streams }: Serving, clock: Clock): () => Promise<void> {
  let closed: Promise<void> | null = null;
  return () => {
    closed ??= new Promise((resolve) => {
      const cancel = clock.timer(closeGraceMs, () => server.closeAllConnections());
      server.close(() => {
        cancel();
        resolve();
      });
      const busy = new Set<Duplex>();
      for (const { incoming, outgoing } of open) {
        busy.add(incoming.socket);
        if (!outgoing.headersSent) outgoing.shouldKeepAlive = false;
        else if (streams.has(outgoing)) outgoing.end(() => incoming.socket.destroySoon());
      }
      // Node takes a connection that has not asked anything yet for a busy one.
      for (const socket of sockets) if (!busy.has(socket)) socket.destroy();
    });
    return closed;
  };
}

/**
 * Listens on loopback with the door behind it. When the port is taken (also EACCES) the next free one up to `tries`
 * further is used. Throws ApiError `invalid` (field http.host) for any other host and `state_conflict` (http.port)
 * when no port is free. A client that goes away aborts the signal of its request.
 */
export async function listen(options: ListenOptions): Promise<HttpServer> {
  const host = loopback(options.host);
  const serving = createServing(options);
  const { server } = serving;
  await bindFirstFree(server, host, options);
  const { port } = server.address() as AddressInfo;
  const url = `http://${host === '::1' ? '[::1]' : host}:${port}`;
  options.onListening?.(port);
  options.onEvent?.({ type: 'listening', port, url });
  return { port, url, close: closer(serving, options.clock) };
}
