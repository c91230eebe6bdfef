import type { runRoutes } from '../../../src-shared/contract/runs.ts';
import { hasEnded } from '../../../src-shared/logic/run-state.ts';
import { runStatusSchema } from '../../../src-shared/model/run.ts';
import { type ApiDeps, commit, type Handlers } from '../handler.ts';
import { showRun } from './show.ts';

/** Handlers of the routes of runs. */
export function runHandlers(deps: ApiDeps): Handlers<keyof typeof runRoutes> {
  const { ctx, runs } = deps;
  const { store } = ctx;
  return {
    listRuns({ query }) {
      const { cursor, limit, ...filter } = query;
      const page = store.runs.list(filter, limit, cursor);
      return {
        status: 200,
        body: { items: page.items.map((row) => showRun(ctx, row)), next_cursor: page.next_cursor },
      };
    },
    getRun({ params }) {
      const row = runs.read(params.id);
      return { status: 200, body: { ...showRun(ctx, row), prompt: row.prompt_snapshot } };
    },
    getRunOutput({ params, query }) {
      const row = runs.read(params.id);
      const items = store.output.from(row.thread_id, query.from, query.limit);
      const last = items.at(-1);
      const ended = hasEnded(runStatusSchema.parse(row.status)) && items.length < query.limit;
      return {
        status: 200,
        body: {
          items,
          next: last === undefined ? query.from : last.seq + 1,
          ended,
          output_bytes: row.output_bytes,
          output_dropped_bytes: row.output_dropped_bytes,
        },
      };
    },
    getRunChanges({ params }) {
      const row = runs.read(params.id);
      return { status: 200, body: { items: store.artifacts.of(row.thread_id), total: row.change_count } };
    },
    cancelRun: (request) =>
      commit(deps, request, 202, () => {
        const asked = runs.cancel(request.params.id);
        return { body: showRun(ctx, asked.run), stop: asked.stop };
      }),
    acceptRun: (request) =>
      commit(deps, request, 200, () => ({
        body: showRun(ctx, runs.accept(request.params.id, request.body.note ?? null, request.source)),
      })),
    rejectRun: (request) =>
      commit(deps, request, 200, () => ({
        body: showRun(
          ctx,
          runs.reject(request.params.id, request.body.note, request.body.rerun, request.source),
        ),
      })),
    readRun: (request) =>
      commit(deps, request, 200, () => ({ body: showRun(ctx, runs.markRead(request.params.id)) })),
  };
}
