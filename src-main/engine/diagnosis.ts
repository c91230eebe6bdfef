import type { NamedRows, RowFacts } from '../../src-shared/logic/doctor-input.ts';
import { validFrom } from '../../src-shared/logic/validity.ts';
import {
  nextOccurrence,
  normalizeSchedule,
  previousOccurrence,
  ScheduleError,
} from '../../src-shared/schedules/index.ts';
import { scheduleOf } from '../storage/codec.ts';
import type { AutomationRow } from '../storage/rows.ts';
import { agentFor, type EngineContext, scheduleContext } from './context.ts';

const uncheckedAfterMs = 60_000;
/** The ledger keeps 400 days; what lies further back is not asked for. */
const ledgerMs = 300 * 86_400_000;
const mostCompared = 200;
const firstFew = 5;

function grace(ctx: EngineContext): number {
  return 2 * ctx.settings.scan_interval_seconds * 1000;
}

/** Whether the last slot that must have been planned by now has no record, although it fell due since the last edit. */
function passedWithoutRecord(ctx: EngineContext, row: AutomationRow): boolean {
  const now = ctx.clock.now();
  const schedule = scheduleOf(row);
  if (schedule === null || typeof row.next_slot_at !== 'number') return false;
  const context = scheduleContext(ctx, row);
  try {
    const normal = normalizeSchedule(schedule, context);
    // Where another program postponed the next run, the times in between were never planned.
    if (nextOccurrence(normal, now, context) !== row.next_slot_at) return false;
    const before = previousOccurrence(normal, now - grace(ctx), context);
    if (before === null || before < now - ledgerMs) return false;
    if (before <= Math.max(row.created_at, row.updated_at)) return false;
    const opens = validFrom(row.valid_from, context.timezone);
    if (opens !== null && before < opens) return false;
    return !ctx.store.diagnosis.isAccountedFor(row.id, before);
  } catch (error) {
    if (error instanceof ScheduleError) return false;
    throw error;
  }
}

function named(names: string[]): NamedRows {
  return { count: names.length, names: names.slice(0, firstFew) };
}

function agentsUsed(ctx: EngineContext): RowFacts['agents_used'] {
  return ctx.store.diagnosis.agentsUsed().map(({ agent, count }) => {
    const resolved = agentFor(ctx.agents, agent);
    return { agent: resolved?.name ?? agent, found: resolved !== null, count };
  });
}

/** What the rows say about the health of the installation. `held`: nothing is planned now, so nothing is overdue. */
export function rowFacts(ctx: EngineContext, held: boolean): RowFacts {
  const { store, clock, settings } = ctx;
  const now = clock.now();
  const { diagnosis, changes } = store;
  const silentBefore = now - 2 * settings.supervisor_interval_seconds * 1000;
  const stuck = store.runs.inProgress().filter((run) => (run.lease_expires_at ?? 0) < silentBefore);
  const lease = store.engine.lease();
  const newest = changes.newest();
  return {
    lease:
      lease === undefined ? null : { holder: lease.holder, pid: lease.pid, expires_at: lease.expires_at },
    active: diagnosis.planned(),
    agents_used: agentsUsed(ctx),
    overdue: held ? named([]) : diagnosis.overdue(now - grace(ctx)),
    unaccounted: named(
      diagnosis
        .recurring(mostCompared)
        .filter((row) => passedWithoutRecord(ctx, row))
        .map((row) => row.name),
    ),
    stuck_runs: named(stuck.map((run) => run.thread_title ?? run.thread_id)),
    unchecked: diagnosis.uncheckedSince(now - uncheckedAfterMs),
    attention: diagnosis.attention(),
    change_log: newest === 0 ? 0 : newest - changes.oldest() + 1,
    failing: diagnosis.failing(),
  };
}
