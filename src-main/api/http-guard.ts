import type { Clock } from '../../src-shared/clock.ts';
import { ApiError } from '../../src-shared/contract/errors.ts';
import type { Actor } from './actor.ts';
import { checkJson, maxBodyBytes, readBody } from './json-body.ts';
import { createRateLimiter, type RateLimiter } from './rate-limit.ts';
import { allows, neededScope } from './scope.ts';
import { errorAnswer, secured } from './security-headers.ts';

export interface HttpDoorDeps {
  /** The one Hono app. */
  app: { fetch(request: Request, env: { actor: Actor }): Response | Promise<Response> };
  /** Who a bearer token belongs to; null when nobody. Compares in constant time. */
  authenticate(token: string): Actor | null;
  /** The port that is listened on: part of every accepted Host and Origin. */
  port(): number;
  clock: Clock;
  /**
   * The setting "accept programs on this machine without a token". They get the scope `run` (submit a task, start an
   * automation, follow runs) and no more: what reads everything or edits settings still needs a token.
   */
  allowWithoutToken(): boolean;
  /** The static file or page route of a pathname, or null. */
  page(path: string): Response | null;
  /** Hears of errors that were answered with 500. */
  onError?(error: unknown): void;
}

const methods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']);
/** Paths of the app; everything else that is read is a file or a route of the page. */
const appPath = /^\/(?:api|healthz|openapi\.json|docs|scheduled-tasks)(?:\/|$)/;
/** A body that came without a token is a login code and no more, bytes. */
const maxLoginBytes = 16 * 1024;
const tokenHint =
  'Send "Authorization: Bearer <token>". The token: the file `token` in the data folder, or `nextrun token`; ' +
  'in a browser: `nextrun open`. A token in the address is never accepted.';

/** Who called an open route, or any route under the setting that needs no token. */
const anonymous: Actor = { door: 'http', token_id: 'anonymous', scope: 'run', anonymous: true };

/** What the guard knows of a request before it looks at its token. */
interface Call {
  request: Request;
  url: URL;
  isRead: boolean;
  /** The page: static files and page routes, open to everybody who passes the guard. */
  isPage: boolean;
  isLogin: boolean;
  /** Asks for a WebSocket. Other upgrades (h2c) may be ignored, and some clients ask for them always. */
  isUpgrade: boolean;
}

/** Whether the header Upgrade asks for a WebSocket. */
export function asksForWebSocket(upgrade: string | null | undefined): boolean {
  return /\bwebsocket\b/i.test(upgrade ?? '');
}

function names(port: number): string[] {
  return [`127.0.0.1:${port}`, `localhost:${port}`, `[::1]:${port}`];
}

function describe(request: Request): Call {
  const url = new URL(request.url);
  const isRead = request.method === 'GET' || request.method === 'HEAD';
  const isUpgrade = asksForWebSocket(request.headers.get('upgrade'));
  return {
    request,
    url,
    isRead,
    isPage: isRead && !isUpgrade && !appPath.test(url.pathname),
    isLogin: request.method === 'POST' && url.pathname === '/api/login',
    isUpgrade,
  };
}

/** Host, Origin, Sec-Fetch-Site, method: nothing of a foreign web page gets past here. Throws ApiError. */
function checkOrigin({ request, url, isPage }: Call, port: number): void {
  const { headers } = request;
  const known = names(port);
  const host = headers.get('host')?.toLowerCase();
  // The address of the request line counts too: it wins over Host in `GET http://elsewhere/ HTTP/1.1`.
  if (host === undefined || !known.includes(host) || !known.includes(url.host)) {
    throw new ApiError('wrong_host', 'This address is not NextRun’s', {
      hint: `use http://127.0.0.1:${port}`,
    });
  }
  const origin = headers.get('origin');
  if (origin !== null && !known.some((name) => origin === `http://${name}`)) {
    throw new ApiError('forbidden_origin', 'Other web pages may not call NextRun');
  }
  const site = headers.get('sec-fetch-site');
  const navigates =
    headers.get('sec-fetch-mode') === 'navigate' && headers.get('sec-fetch-dest') === 'document';
  // A link elsewhere may open the page: it shows nothing before it has a token.
  const opensPage = isPage && navigates;
  if (site !== null && site !== 'none' && site !== 'same-origin' && !opensPage) {
    throw new ApiError('forbidden_site', 'Other web pages may not call NextRun');
  }
  if (request.method === 'OPTIONS') {
    throw new ApiError('forbidden_origin', 'NextRun answers no preflight: other web pages may not call it');
  }
  if (!methods.has(request.method)) throw new ApiError('method_not_allowed', 'There is no such method here');
}

function isJson(headers: Headers): boolean {
  const type = headers.get('content-type') ?? '';
  const plain = (headers.get('content-encoding') ?? 'identity') === 'identity';
  return plain && /^application\/json\s*(?:;\s*charset\s*=\s*"?utf-8"?\s*)?$/i.test(type);
}

function requireJson(headers: Headers): void {
  if (isJson(headers)) return;
  throw new ApiError('unsupported_media_type', 'The body must be plain JSON', {
    hint: 'send the header Content-Type: application/json',
  });
}

/** A body that the headers announce must be JSON before a byte of it is read. */
function checkMediaType(headers: Headers): void {
  const announced = headers.has('transfer-encoding') || Number(headers.get('content-length') ?? 0) > 0;
  if (announced) requireJson(headers);
}

function bearer(headers: Headers): string | null {
  return /^Bearer +([^\s,]+)$/i.exec(headers.get('authorization') ?? '')?.[1] ?? null;
}

function tooMany(seconds: number): ApiError {
  return new ApiError('too_many_attempts', 'Too many wrong tokens', { hint: `try again in ${seconds} s` });
}

/** Who calls, and whether they may. Throws ApiError 401, 403 or 429. */
function admit({ request, url, isRead, isLogin }: Call, deps: HttpDoorDeps, limiter: RateLimiter): Actor {
  if (isLogin || (isRead && url.pathname === '/healthz')) return anonymous;
  const token = bearer(request.headers);
  const actor = token === null ? null : deps.authenticate(token);
  if (actor !== null) {
    if (allows(actor.scope, request.method, url.pathname)) return actor;
    const needed = neededScope(request.method, url.pathname);
    throw new ApiError(
      'forbidden_scope',
      `A token of scope ${actor.scope} may not do this; it needs ${needed}`,
    );
  }
  const shown = request.headers.has('authorization');
  if (!shown && deps.allowWithoutToken() && allows(anonymous.scope, request.method, url.pathname))
    return anonymous;
  if (shown) {
    const seconds = limiter.blockedSeconds();
    if (seconds > 0) throw tooMany(seconds);
    limiter.count();
  }
  const message = shown ? 'This token is not known' : 'A token is needed';
  throw new ApiError('unauthorized', message, { hint: tokenHint });
}

/** Requests whose signal may outlive them, by the signal of the connection that theirs follows. */
const followers = new WeakMap<AbortSignal, Request>();

/** The request as the app gets it: the checked text as its body, and no token that could end up in a log. */
function passOn({ request, url }: Call, body: string): Request {
  const headers = new Headers();
  request.headers.forEach((value, name) => {
    if (name !== 'authorization' && name !== 'content-length' && name !== 'transfer-encoding')
      headers.set(name, value);
  });
  const { method, signal } = request;
  const fresh = new Request(url.href, { method, headers, signal, ...(body === '' ? {} : { body }) });
  // A Request's signal stops following once the Request is collected; an event stream keeps only the signal.
  followers.set(signal, fresh);
  return fresh;
}

async function checkedBody({ request, isRead, isLogin }: Call): Promise<string> {
  if (isRead) return '';
  const text = await readBody(request, isLogin ? maxLoginBytes : maxBodyBytes);
  if (text === '') return '';
  requireJson(request.headers);
  checkJson(text);
  return text;
}

function servePage(call: Call, deps: HttpDoorDeps): Response {
  const found = deps.page(call.url.pathname);
  if (found === null)
    throw new ApiError('not_found', `There is nothing at ${call.url.pathname.slice(0, 200)}`);
  return call.request.method === 'HEAD'
    ? new Response(null, { status: found.status, headers: found.headers })
    : found;
}

async function answer(request: Request, deps: HttpDoorDeps, limiter: RateLimiter): Promise<Response> {
  const call = describe(request);
  checkOrigin(call, deps.port());
  checkMediaType(request.headers);
  const actor = call.isPage ? anonymous : admit(call, deps, limiter);
  if (call.isUpgrade) return upgradeRefused();
  if (call.isPage) return servePage(call, deps);
  const blocked = call.isLogin ? limiter.blockedSeconds() : 0;
  if (blocked > 0) throw tooMany(blocked);
  const fresh = passOn(call, await checkedBody(call));
  if (!call.isLogin) return deps.app.fetch(fresh, { actor });
  // Counted before the code is tried, so that many at once cannot slip through together.
  const forgive = limiter.count();
  const response = await deps.app.fetch(fresh, { actor });
  if (response.status !== 401) forgive();
  return response;
}

function upgradeRefused(): Response {
  const body = {
    code: 'invalid',
    message: 'There is no WebSocket here',
    hint: 'events: GET /api/events, server-sent',
  };
  return Response.json(body, { status: 426, headers: { Upgrade: 'HTTP/1.1' } });
}

/**
 * The door that the port leads to. Every request passes the guard (Host, Origin, Sec-Fetch-Site, method, media type,
 * token and scope, rate limit, size, depth, JSON) before the app sees it; what is refused gets `{code, message, hint?,
 * field?}`. Never rejects: an error of the app is 500 without its words. Open without a token: /healthz, the page,
 * POST /api/login.
 */
export function createHttpDoor(deps: HttpDoorDeps): (request: Request) => Promise<Response> {
  const limiter = createRateLimiter(deps.clock);
  return async (request) => {
    try {
      return secured(await answer(request, deps, limiter));
    } catch (error) {
      if (!(error instanceof ApiError)) deps.onError?.(error);
      const known =
        error instanceof ApiError ? error : new ApiError('internal', 'Something went wrong inside NextRun');
      return errorAnswer(known, limiter.blockedSeconds());
    }
  };
}
