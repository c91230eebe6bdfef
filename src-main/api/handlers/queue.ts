import type { queueRoutes } from '../../../src-shared/contract/system.ts';
import { reorder } from '../../engine/queue-order.ts';
import { isOfSchedule, pauseAll, pauseState, resumeAll, schedulingHeld } from '../../engine/queue-pause.ts';
import { runOf } from '../../storage/codec.ts';
import { type ApiDeps, commit, type Handlers } from '../handler.ts';

/** The queue as it stands; starts are estimated from how long runs of each automation took before. */
function queue(deps: ApiDeps) {
  const { ctx } = deps;
  const now = ctx.clock.now();
  const held = schedulingHeld(ctx);
  const waiting = ctx.store.runs.waiting(now, 1000);
  const running = ctx.store.runs.inProgress();
  const free = new Array<number>(Math.max(0, ctx.settings.max_concurrent - running.length)).fill(now);
  const ends = running.map((run) => expectedEnd(deps, run.automation_id, run.started_at ?? now, now));
  const slots = [...free, ...ends].sort((one, other) => one - other);
  return {
    cap: ctx.settings.max_concurrent,
    paused: held,
    paused_until: pauseState(ctx).until,
    running: running.map((row) => runOf(row, null)),
    waiting: waiting.map((row, index) => {
      // It takes no slot while everything is paused.
      if (held && isOfSchedule(row)) return { ...runOf(row, index + 1), estimated_start_at: null };
      const start = slots.shift() ?? now;
      const estimate = expectedEnd(deps, row.automation_id, start, start);
      slots.push(estimate);
      slots.sort((one, other) => one - other);
      return { ...runOf(row, index + 1), estimated_start_at: Number.isFinite(start) ? start : null };
    }),
    deferred: ctx.store.runs.deferred(now).map((row) => runOf(row, null)),
  };
}

function expectedEnd(deps: ApiDeps, automationId: string, startedAt: number, now: number): number {
  const usual = deps.ctx.store.runs.usualDuration(automationId);
  return usual === null ? Number.POSITIVE_INFINITY : Math.max(now, startedAt + usual);
}

/** Handlers of the queue. They need no engine: what they write is on disk when the next one starts. */
export function queueHandlers(deps: ApiDeps): Handlers<keyof typeof queueRoutes> {
  const { ctx } = deps;
  return {
    getQueue: () => ({ status: 200, body: queue(deps) }),
    pauseQueue: (request) =>
      commit(deps, request, 200, () => {
        pauseAll(ctx, request.body.minutes ?? null);
        return { body: queue(deps) };
      }),
    resumeQueue: (request) =>
      commit(deps, request, 200, () => {
        resumeAll(ctx);
        return { body: queue(deps) };
      }),
    reorderQueue: (request) =>
      commit(deps, request, 200, () => {
        reorder(ctx, request.body.run_id, request.body.before_run_id);
        return { body: queue(deps) };
      }),
  };
}
