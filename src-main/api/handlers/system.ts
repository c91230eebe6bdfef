import type { z } from '@hono/zod-openapi';
import { ApiError } from '../../../src-shared/contract/errors.ts';
import type { healthSchema, systemRoutes } from '../../../src-shared/contract/system.ts';
import { silentMs } from '../../../src-shared/logic/doctor-machine.ts';
import { normalizeSchedule, preview } from '../../../src-shared/schedules/index.ts';
import { asApiError } from '../../engine/automation-commands.ts';
import { agentFor, scheduleContext } from '../../engine/context.ts';
import { type ApiDeps, commit, type Handlers } from '../handler.ts';

const pageTokenMs = 12 * 3_600_000;

/** Whether the engine scans; what the open route /healthz says. */
export function health(deps: ApiDeps): z.infer<typeof healthSchema> {
  const now = deps.ctx.clock.now();
  const scan = deps.engine?.scanState() ?? { last_scan_at: null, next_scan_at: null };
  const running = deps.engine?.running() ?? false;
  const silent = running && scan.last_scan_at !== null && now - scan.last_scan_at > silentMs;
  const problems = [
    ...(running ? [] : ['no engine is running']),
    ...(silent ? ['no scan for 95 seconds'] : []),
  ];
  return {
    status: problems.length === 0 ? 'ok' : 'degraded',
    version: deps.version,
    engine: running ? (deps.ctx.settings.enabled ? 'running' : 'paused') : 'stopped',
    ...scan,
    now,
    problems,
  };
}

function info(deps: ApiDeps) {
  const { ctx } = deps;
  const usual = agentFor(ctx.agents, null)?.name;
  return {
    version: deps.version,
    timezone: ctx.timezone,
    data_folder: deps.dataFolder,
    port: deps.port(),
    max_concurrent: ctx.settings.max_concurrent,
    scheduling_enabled: ctx.settings.enabled,
    agents: Object.entries(ctx.agents).map(([name, agent]) => ({
      name,
      command: agent.command,
      default: name === usual,
      profile: agent.profile ?? null,
      detected: agent.detected === true,
      path: agent.path ?? null,
      version: agent.version ?? null,
    })),
    counts: { ...ctx.store.automations.counts(), needs_review: ctx.store.runs.countNeedsReview() },
  };
}

/** Handlers of the system's own routes. */
export function systemHandlers(deps: ApiDeps): Handlers<keyof typeof systemRoutes> {
  const { ctx } = deps;
  return {
    health: () => {
      const body = health(deps);
      return { status: body.status === 'ok' ? 200 : 503, body };
    },
    info: () => ({ status: 200, body: info(deps) }),
    login: (request) => {
      if (!deps.logins.redeem(request.body.code)) {
        throw new ApiError('unauthorized', 'The code is wrong, used or expired', {
          field: 'code',
          hint: 'get a new link: nextrun open',
        });
      }
      const expires_at = ctx.clock.now() + pageTokenMs;
      return commit(deps, { ...request, body: null }, 200, () => ({
        body: { token: addToken(deps, 'admin', 'page', expires_at).token, expires_at },
      }));
    },
    createLoginCode: () => ({ status: 201, body: deps.logins.create() }),
    createToken: (request) =>
      commit(deps, request, 201, () => ({
        body: {
          ...addToken(deps, request.body.scope, request.body.label, null),
          scope: request.body.scope,
          label: request.body.label,
        },
      })),
    previewSchedule({ body }) {
      const now = ctx.clock.now();
      const context = scheduleContext(ctx, { created_at: now, last_run_at: null, timezone: null });
      try {
        const schedule = normalizeSchedule(body.schedule, context);
        return { status: 200, body: preview(schedule, body.from ?? now, body.count, context) };
      } catch (error) {
        throw asApiError(error);
      }
    },
  };
}

function addToken(deps: ApiDeps, scope: 'run' | 'read' | 'admin', label: string, expires_at: number | null) {
  const token = deps.newSecret();
  const id = deps.ctx.newId();
  deps.ctx.store.access.addToken({
    id,
    secret: token,
    scope,
    label,
    created_at: deps.ctx.clock.now(),
    expires_at,
  });
  return { id, token };
}
