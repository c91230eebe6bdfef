import type { automationRoutes } from '../../../src-shared/contract/automations.ts';
import { ApiError } from '../../../src-shared/contract/errors.ts';
import { why } from '../../../src-shared/logic/why.ts';
import { agentFor } from '../../engine/context.ts';
import { pauseState } from '../../engine/queue-pause.ts';
import { automationOf } from '../../storage/codec.ts';
import type { AutomationRow } from '../../storage/rows.ts';
import { type ApiDeps, commit, type Handlers, requireEngine } from '../handler.ts';
import { showRun } from './show.ts';

type Names = keyof typeof automationRoutes;
type EditName = Exclude<
  Names,
  'listAutomations' | 'runAutomation' | 'listAutomationRuns' | 'listSlots' | 'whyAutomation'
>;

function explain(deps: ApiDeps, row: AutomationRow) {
  const { ctx, engine } = deps;
  const automation = automationOf(row);
  const now = ctx.clock.now();
  const active = ctx.store.runs.activeOf(row.id)[0];
  return why({
    automation,
    now,
    unchecked: row.unchecked === 1,
    scheduling_enabled: ctx.settings.enabled,
    paused: pauseState(ctx).paused,
    engine_running: engine?.running() ?? false,
    cap: ctx.settings.max_concurrent,
    running: ctx.store.runs.countInProgress(),
    queue_position: active === undefined ? null : ctx.store.runs.positionOf(active.thread_id, now),
    active_run: active === undefined ? null : { id: active.thread_id, status: active.status },
    agent_found: agentFor(ctx.agents, automation.agent) !== null,
  });
}

/** The edits: each is one command inside one commit, and answers with the automation as it now is. */
function edits(deps: ApiDeps): Handlers<EditName> {
  const { automations } = deps;
  const edit = (request: Parameters<typeof commit>[1], change: () => AutomationRow, status = 200) =>
    commit(deps, request, status, () => ({ body: automationOf(change()) }));
  return {
    createAutomation: (request) => edit(request, () => automations.create(request.body, request.source), 201),
    getAutomation: (request) => ({ status: 200, body: automationOf(automations.read(request.params.id)) }),
    updateAutomation: (request) => edit(request, () => automations.update(request.params.id, request.body)),
    deleteAutomation: (request) => edit(request, () => automations.remove(request.params.id)),
    restoreAutomation: (request) => edit(request, () => automations.restore(request.params.id)),
    pauseAutomation: (request) =>
      edit(request, () => automations.pause(request.params.id, request.body.drop_waiting)),
    resumeAutomation: (request) => edit(request, () => automations.resume(request.params.id)),
    toggleAutomation: (request) =>
      edit(request, () => {
        const row = automations.read(request.params.id);
        return row.status === 'ACTIVE' ? automations.pause(row.id, false) : automations.resume(row.id);
      }),
  };
}

/** Handlers of the routes of automations. */
export function automationHandlers(deps: ApiDeps): Handlers<Names> {
  const { ctx, automations } = deps;
  const { store } = ctx;
  return {
    ...edits(deps),
    listAutomations({ query }) {
      const { cursor, limit, attention, ...filter } = query;
      const page = store.automations.list(
        { ...filter, attention: attention === undefined ? undefined : attention === 'true' },
        limit,
        cursor,
      );
      return { status: 200, body: { items: page.items.map(automationOf), next_cursor: page.next_cursor } };
    },
    runAutomation(request) {
      const engine = requireEngine(deps);
      const { source } = request;
      return commit(deps, request, 202, () => {
        const asked = deps.runs.runNow(
          request.params.id,
          source === 'cli' ? 'cli' : 'manual',
          source,
          request.body.keep,
        );
        const claimed = engine.claimInside();
        return {
          body: { run: showRun(ctx, deps.runs.read(asked.run.thread_id)), existing: asked.existing },
          claimed,
          stop: asked.stop,
        };
      });
    },
    listAutomationRuns({ params, query }) {
      const page = store.runs.list({ automation_id: params.id }, query.limit, query.cursor);
      // History outlives its automation: only an id that never had either is not found.
      if (page.items.length === 0 && query.cursor === undefined) automations.read(params.id);
      return {
        status: 200,
        body: { items: page.items.map((row) => showRun(ctx, row)), next_cursor: page.next_cursor },
      };
    },
    listSlots({ params, query }) {
      const page = store.slots.list(params.id, query.limit, query.cursor);
      if (page.items.length === 0 && query.cursor === undefined) automations.read(params.id);
      const items = page.items.map(({ fire_at: _, ...slot }) => slot);
      return { status: 200, body: { items, next_cursor: page.next_cursor } };
    },
    whyAutomation({ params }) {
      const row = store.automations.get(params.id);
      if (row === undefined)
        throw new ApiError('not_found', `There is no automation ${params.id}`, { field: 'id' });
      return { status: 200, body: explain(deps, row) };
    },
  };
}
