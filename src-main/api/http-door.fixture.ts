import { type IncomingHttpHeaders, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { systemClock } from '../engine/clock.ts';
import { type FakeClock, fakeClock } from '../testing/fake-clock.ts';
import type { Actor, Scope } from './actor.ts';
import { createHttpDoor, type HttpDoorDeps } from './http-guard.ts';
import { type HttpServer, type ListenOptions, listen } from './http-server.ts';

/** For tests: a real server on a free port, with the guard and an app that remembers what reached it. */

export interface Reached {
  method: string;
  path: string;
  body: string;
  actor: Actor;
  authorization: string | null;
}

export interface Reply {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
  body: { code?: string; message?: string; hint?: string; field?: string };
}

export interface Sent {
  method?: string;
  path?: string;
  headers?: Record<string, string>;
  body?: string | Buffer;
  /** One of the tokens `admin-token`, `run-token`, `read-token`; null = none. The admin's by default. */
  token?: string | null;
}

export interface OpenDoor {
  server: HttpServer;
  port: number;
  clock: FakeClock;
  /** Requests that came through the guard. */
  reached: Reached[];
  send(sent: Sent): Promise<Reply>;
  /** Writes bytes on a socket of its own; gives all that came back when the server has closed it. */
  raw(text: string): Promise<string>;
}

const scopes: Record<string, Scope> = { 'admin-token': 'admin', 'run-token': 'run', 'read-token': 'read' };

function authenticate(token: string): Actor | null {
  const scope = scopes[token];
  return scope === undefined ? null : { door: 'http', token_id: token, scope, anonymous: false };
}

export async function openDoor(
  deps: Partial<HttpDoorDeps> = {},
  options: Partial<ListenOptions> = {},
): Promise<OpenDoor> {
  const clock = fakeClock(1_700_000_000_000);
  const reached: Reached[] = [];
  let port = 0;
  const door = createHttpDoor({
    app: {
      async fetch(incoming, { actor }) {
        const path = new URL(incoming.url).pathname;
        const { method, headers } = incoming;
        const authorization = headers.get('authorization');
        reached.push({ method, path, body: await incoming.text(), actor, authorization });
        return Response.json({ ok: true });
      },
    },
    authenticate,
    port: () => port,
    clock,
    allowWithoutToken: () => false,
    page: (path) => (path === '/' ? new Response('<p>', { headers: { 'Content-Type': 'text/html' } }) : null),
    ...deps,
  });
  const server = await listen({
    door,
    host: '127.0.0.1',
    port: 0,
    clock: systemClock,
    onListening: (taken) => {
      port = taken;
    },
    ...options,
  });
  return {
    server,
    port,
    clock,
    reached,
    send: (sent) => send(port, sent),
    raw: (text) => raw(port, text),
  };
}

function send(port: number, sent: Sent): Promise<Reply> {
  const { method = 'GET', path = '/api/automations', body, token = 'admin-token' } = sent;
  const headers: Record<string, string> = {
    Host: `127.0.0.1:${port}`,
    ...(token === null ? {} : { Authorization: `Bearer ${token}` }),
    ...(body === undefined
      ? {}
      : { 'Content-Type': 'application/json', 'Content-Length': String(Buffer.byteLength(body)) }),
    ...sent.headers,
  };
  return new Promise((resolve, reject) => {
    const call = request(
      { port, host: '127.0.0.1', method, path, headers, setHost: false, agent: false },
      (answer) => {
        const parts: Buffer[] = [];
        answer.on('data', (part: Buffer) => parts.push(part));
        answer.on('error', reject);
        answer.on('end', () => {
          const text = Buffer.concat(parts).toString();
          const isJson =
            answer.headers['content-type']?.startsWith('application/json') === true && text !== '';
          resolve({
            status: answer.statusCode ?? 0,
            headers: answer.headers,
            text,
            body: isJson ? JSON.parse(text) : {},
          });
        });
      },
    );
    call.on('error', reject);
    call.end(body);
  });
}

/** A connection whose end can be waited for. */
export function dial(
  port: number,
  host = '127.0.0.1',
): { socket: Socket; closed: Promise<string>; connected: Promise<void> } {
  const socket = connect(port, host);
  let got = '';
  socket.on('data', (part) => {
    got += part.toString();
  });
  // A reset is an end as well; what was said before it counts.
  socket.on('error', () => undefined);
  return {
    socket,
    closed: new Promise((resolve) => socket.on('close', () => resolve(got))),
    connected: new Promise((resolve) => socket.on('connect', () => resolve())),
  };
}

function raw(port: number, text: string): Promise<string> {
  const { socket, closed } = dial(port);
  socket.write(text);
  return closed;
}
