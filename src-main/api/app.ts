import { OpenAPIHono, type z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { HTTPException } from 'hono/http-exception';
import { ApiError } from '../../src-shared/contract/errors.ts';
import { type RouteName, routes } from '../../src-shared/contract/index.ts';
import { DatabaseBusyError } from '../engine/writer.ts';
import { storageFault } from '../storage/errors.ts';
import { CursorError } from '../storage/paging.ts';
import type { Actor } from './actor.ts';
import { eventHandler } from './event-handler.ts';
import { type ApiDeps, type Handler, type Handlers, sourceOf } from './handler.ts';
import { automationHandlers } from './handlers/automations.ts';
import { compatHandlers } from './handlers/compat.ts';
import { doctorHandlers } from './handlers/doctor.ts';
import { queueHandlers } from './handlers/queue.ts';
import { runHandlers } from './handlers/runs.ts';
import { systemHandlers } from './handlers/system.ts';
import { taskItemHandlers } from './handlers/task-items.ts';

type Env = { Bindings: { actor: Actor } };
export type App = OpenAPIHono<Env>;

/** What a Zod complaint means for the caller: the field at fault and what it should be. */
export function invalidField(issues: readonly z.core.$ZodIssue[]): ApiError {
  const issue = issues[0];
  if (issue === undefined) return new ApiError('invalid', 'The request is not valid');
  const unknown = issue.code === 'unrecognized_keys' ? issue.keys[0] : undefined;
  const path = [...issue.path, ...(unknown === undefined ? [] : [unknown])].join('.');
  const message = unknown === undefined ? issue.message : `There is no field "${unknown}"`;
  return new ApiError('invalid', path === '' ? message : `${path}: ${message}`, {
    ...(path === '' ? {} : { field: path }),
    hint: 'GET /openapi.json lists every field',
  });
}

/** Any error as one that can be answered; what is not expected is logged and says nothing about the inside. */
function answerable(deps: ApiDeps, error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  if (error instanceof HTTPException && error.status === 400) {
    return new ApiError('invalid_json', 'The body is not valid JSON');
  }
  if (error instanceof CursorError) return new ApiError('invalid', error.message, { field: 'cursor' });
  const fault = storageFault(error);
  if (error instanceof DatabaseBusyError || fault === 'busy') {
    return new ApiError('database_busy', 'Another program keeps the database locked', {
      hint: 'try again in a few seconds',
    });
  }
  if (fault === 'full')
    return new ApiError('storage_full', 'The disk is full', { hint: 'free some space; nothing was lost' });
  deps.ctx.log.error({ error: error instanceof Error ? error.stack : String(error) }, 'a request failed');
  return new ApiError('internal', 'Something went wrong inside NextRun', { hint: 'the log file tells what' });
}

function register(app: App, name: RouteName, handler: Handler<RouteName>): void {
  const route = routes[name];
  const optional =
    'request' in route && 'body' in route.request && route.request.body.required === false
      ? route.request.body.content['application/json'].schema
      : null;
  app.openapi(route, (async (c: Context<Env>) => {
    const valid = (target: 'param' | 'query' | 'json'): unknown => c.req.valid(target as never);
    const given = valid('json');
    const result = await handler({
      params: valid('param'),
      query: valid('query'),
      // A body that may be left out still has its defaults.
      body: optional === null ? given : optional.parse(given ?? {}),
      actor: c.env.actor,
      source: sourceOf(c.env.actor, c.req.header('User-Agent')),
      route: name,
      idempotencyKey: c.req.header('Idempotency-Key')?.slice(0, 200) ?? null,
    } as Parameters<typeof handler>[0]);
    return c.json(result.body, result.status as 200);
  }) as never);
}

/**
 * The one app behind every door: the port, the window's scheme, the command line and the tests. The caller has
 * proved who it is: `app.fetch(request, { actor })`. A handler missing for a route of the table is a compile error.
 */
export function createApp(deps: ApiDeps): App {
  const handlers: Handlers<RouteName> = {
    ...automationHandlers(deps),
    ...runHandlers(deps),
    ...systemHandlers(deps),
    ...queueHandlers(deps),
    ...compatHandlers(deps),
    ...taskItemHandlers(deps),
    ...doctorHandlers(deps),
  };
  const app: App = new OpenAPIHono<Env>({
    defaultHook: (result) => {
      if (!result.success) throw invalidField(result.error.issues);
    },
  });
  app.onError((error, c) => {
    const failure = answerable(deps, error);
    if (failure.code === 'database_busy') c.header('Retry-After', '5');
    return c.json(failure.toBody(), failure.status as 400);
  });
  app.notFound((c) => {
    const failure = new ApiError('not_found', `There is nothing at ${c.req.path}`, {
      hint: 'GET /openapi.json lists every route',
    });
    return c.json(failure.toBody(), 404);
  });
  for (const name of Object.keys(routes) as RouteName[])
    register(app, name, handlers[name] as Handler<RouteName>);
  app.get('/api/events', eventHandler(deps));
  app.doc31('/openapi.json', {
    openapi: '3.1.0',
    info: {
      title: 'NextRun',
      version: deps.version,
      description: 'Automations that run unattended on this machine',
    },
  });
  return app;
}
