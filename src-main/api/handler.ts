import type { z } from '@hono/zod-openapi';
import type { CallOutput } from '../../src-shared/contract/client.ts';
import { ApiError } from '../../src-shared/contract/errors.ts';
import type { RouteName, Routes } from '../../src-shared/contract/index.ts';
import type { MachineFacts } from '../../src-shared/logic/doctor-input.ts';
import type { Source } from '../../src-shared/model/automation.ts';
import type { automationCommands } from '../engine/automation-commands.ts';
import type { EngineContext } from '../engine/context.ts';
import type { Engine } from '../engine/engine.ts';
import type { Claimed } from '../engine/queue.ts';
import type { runCommands } from '../engine/run-commands.ts';
import type { Writer } from '../engine/writer.ts';
import { sha256 } from '../storage/access.ts';
import type { Actor } from './actor.ts';
import type { EventHub } from './event-hub.ts';

/** What the handlers work with. `engine` is null where no engine runs: edits work, running does not. */
export interface ApiDeps {
  ctx: EngineContext;
  writer: Writer;
  engine: Engine | null;
  /** The event stream; null where no engine runs. */
  events: EventHub | null;
  automations: ReturnType<typeof automationCommands>;
  runs: ReturnType<typeof runCommands>;
  logins: Logins;
  version: string;
  dataFolder: string;
  port(): number | null;
  /** What the host knows about the machine: disk, files, lock, programs. Read anew at each call. */
  machine(): Promise<MachineFacts>;
  /** Which lines the schedule modules and `why` need to know about scheduling being on. */
  newSecret(): string;
}

/** One-time codes of the page's login. */
export interface Logins {
  create(): { code: string; url: string; expires_at: number };
  /** True once per code, before it expires. */
  redeem(code: string): boolean;
}

type Part<R, K extends string> = R extends { [key in K]: infer S }
  ? S extends z.ZodType
    ? z.infer<S>
    : never
  : undefined;
type Request<N extends RouteName> = Routes[N] extends { request: infer R } ? R : Record<never, never>;
type BodyOf<R> = R extends { body: { content: { 'application/json': { schema: infer S } } } }
  ? S extends z.ZodType
    ? z.infer<S>
    : never
  : undefined;

export interface HandlerRequest<N extends RouteName> {
  params: Part<Request<N>, 'params'>;
  query: Part<Request<N>, 'query'>;
  body: BodyOf<Request<N>>;
  actor: Actor;
  source: Source;
  route: N;
  idempotencyKey: string | null;
}

export type Answer<N extends RouteName> = { status: number; body: CallOutput<N> };
/** A handler gives the status and body of its route, or throws ApiError. */
export type Handler<N extends RouteName> = (request: HandlerRequest<N>) => Answer<N> | Promise<Answer<N>>;
export type Handlers<N extends RouteName> = { [K in N]: Handler<K> };

/** What a change leads to besides its answer: runs to start and running ones to stop, after the commit. */
export interface Effect<T> {
  body: T;
  claimed?: readonly Claimed[];
  stop?: readonly string[];
}

/** The part of a request that a commit looks at. */
interface CommitRequest {
  params?: { id: string } | undefined;
  body?: unknown;
  actor: Actor;
  route: RouteName;
  idempotencyKey: string | null;
}

/** How long a request waits for another program's lock before it answers 503, ms. */
const busyAfter = 5000;
const idempotencyForMs = 86_400_000;

/** Where a request came from, as the row records it. What a program says of itself gives it no right. */
export function sourceOf(actor: Actor, userAgent: string | undefined): Source {
  if (actor.door === 'window') return 'window';
  if (actor.door === 'process' || userAgent?.startsWith('nextrun-cli/') === true) return 'cli';
  return 'api';
}

/** The engine, or 503 with the way out. */
export function requireEngine(deps: ApiDeps): Engine {
  if (deps.engine !== null) return deps.engine;
  throw new ApiError('no_engine', 'No engine runs here, so nothing can be run', {
    hint: 'start it: nextrun serve',
  });
}

/**
 * Carries a mutating request out in one transaction together with its audit line and, with an Idempotency-Key, its
 * answer: the same key and body give the first answer again, another body is refused.
 */
export async function commit<T>(
  deps: ApiDeps,
  request: CommitRequest,
  status: number,
  change: () => Effect<T>,
): Promise<{ status: number; body: T }> {
  const { ctx, writer } = deps;
  const { access } = ctx.store;
  const hash = sha256(JSON.stringify([request.params ?? null, request.body ?? null]));
  const effect = await writer.write((): Effect<T> & { status: number } => {
    const now = ctx.clock.now();
    const key = request.idempotencyKey;
    const before = key === null ? undefined : access.answer(request.actor.token_id, key, now);
    if (before !== undefined) {
      if (before.body_hash === hash && before.route === request.route) {
        return { body: JSON.parse(before.response_json), status: before.status };
      }
      throw new ApiError('idempotency_conflict', 'This Idempotency-Key was used for another request', {
        field: 'Idempotency-Key',
        hint: 'use a new key for a new request',
      });
    }
    const result = change();
    if (key !== null) {
      access.keepAnswer({
        token: request.actor.token_id,
        key,
        route: request.route,
        body_hash: hash,
        status,
        response_json: JSON.stringify(result.body),
        expires_at: now + idempotencyForMs,
      });
    }
    access.audit({
      at: now,
      actor: `${request.actor.door}:${request.actor.token_id}`,
      route: request.route,
      target: request.params?.id ?? null,
      outcome: String(status),
    });
    return { ...result, status };
  }, busyAfter);
  if (effect.claimed !== undefined) deps.engine?.launch(effect.claimed);
  for (const id of effect.stop ?? []) deps.engine?.cancelRunning(id);
  deps.engine?.poke();
  return { status: effect.status, body: effect.body };
}
