import type { z } from '@hono/zod-openapi';
import { ApiError, type ErrorCode, errorCodes } from './errors.ts';
import { type RouteName, type Routes, routes } from './index.ts';

type Infer<S> = S extends z.ZodType ? z.infer<S> : never;
type Input<S> = S extends z.ZodType ? z.input<S> : never;
type Request<N extends RouteName> = Routes[N] extends { request: infer R } ? R : Record<never, never>;
type Params<R> = R extends { params: infer P } ? { params: Input<P> } : { params?: never };
type Query<R> = R extends { query: infer Q } ? { query?: Partial<Input<Q>> } : { query?: never };
type Body<R> = R extends { body: { required: true; content: { 'application/json': { schema: infer S } } } }
  ? { body: Input<S> }
  : R extends { body: { content: { 'application/json': { schema: infer S } } } }
    ? { body?: Input<S> }
    : { body?: never };

/** What a call of route `N` takes: path parameters, query and JSON body, as far as the route has them. */
export type CallInput<N extends RouteName> = Params<Request<N>> &
  Query<Request<N>> &
  Body<Request<N>> & { idempotencyKey?: string };

type Json<R> = R extends { content: { 'application/json': { schema: infer S } } } ? Infer<S> : never;
type Responses<N extends RouteName> = Routes[N]['responses'];

/** What a call of route `N` gives when it succeeds. */
export type CallOutput<N extends RouteName> = {
  [S in keyof Responses<N>]: S extends 200 | 201 | 202 ? Json<Responses<N>[S]> : never;
}[keyof Responses<N>];

/** The part of fetch's answer that the client needs; Response of the platform fits. */
interface Reply {
  ok: boolean;
  status: number;
  text(): Promise<string>;
}
export type Send = (
  path: string,
  init: { method: string; headers: Record<string, string>; body?: string },
) => Promise<Reply>;

export interface ApiClient {
  /**
   * Calls a route by its name. Throws ApiError with the code of the answer; an answer that is no JSON of ours
   * is `internal`.
   */
  call<N extends RouteName>(name: N, input: CallInput<N>): Promise<CallOutput<N>>;
}

function isErrorCode(code: unknown): code is ErrorCode {
  return (errorCodes as readonly unknown[]).includes(code);
}

function toError(status: number, text: string): ApiError {
  try {
    const body: unknown = JSON.parse(text);
    if (typeof body === 'object' && body !== null && 'code' in body && isErrorCode(body.code)) {
      const { message, hint, field } = body as { message?: unknown; hint?: unknown; field?: unknown };
      return new ApiError(body.code, typeof message === 'string' ? message : body.code, {
        ...(typeof hint === 'string' ? { hint } : {}),
        ...(typeof field === 'string' ? { field } : {}),
      });
    }
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  return new ApiError('internal', `The answer (HTTP ${status}) is not one of NextRun`);
}

/** The typed client of the table of routes, over any transport: HTTP, the window's scheme, or in-process. */
export function createClient(send: Send, headers: () => Record<string, string> = () => ({})): ApiClient {
  return {
    async call(name, input) {
      const route = routes[name];
      const given: { params?: Record<string, string>; query?: Record<string, unknown>; body?: unknown } & {
        idempotencyKey?: string;
      } = input;
      let path: string = route.path;
      for (const [key, value] of Object.entries(given.params ?? {})) {
        path = path.replace(`{${key}}`, encodeURIComponent(value));
      }
      const query = Object.entries(given.query ?? {})
        .filter(([, value]) => value !== undefined)
        .map(([key, value]) => `${encodeURIComponent(key)}=${encodeURIComponent(String(value))}`);
      if (query.length > 0) path += `?${query.join('&')}`;
      const reply = await send(path, {
        method: route.method.toUpperCase(),
        headers: {
          ...headers(),
          ...(given.body === undefined ? {} : { 'Content-Type': 'application/json' }),
          ...(given.idempotencyKey === undefined ? {} : { 'Idempotency-Key': given.idempotencyKey }),
        },
        ...(given.body === undefined ? {} : { body: JSON.stringify(given.body) }),
      });
      const text = await reply.text();
      if (!reply.ok) throw toError(reply.status, text);
      return JSON.parse(text);
    },
  };
}
