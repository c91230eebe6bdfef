import { ApiError } from '../../src-shared/contract/errors.ts';
import type { QueuePlace } from '../storage/queue-order.ts';
import type { EngineContext } from './context.ts';

function waits(ctx: EngineContext, id: string, field: string, places: readonly QueuePlace[]): QueuePlace {
  const place = places.find((one) => one.thread_id === id);
  if (place !== undefined) return place;
  const run = ctx.store.runs.get(id);
  if (run === undefined) throw new ApiError('not_found', `There is no run ${id}`, { field });
  throw new ApiError(
    'state_conflict',
    run.status === 'QUEUED'
      ? 'The run is held back and has no position yet'
      : `The run is ${run.status}; it waits no more`,
    { field },
  );
}

/** The new queue_order of each run of one priority whose value has to change; `wanted` is their order, first to last. */
function renumbered(wanted: readonly QueuePlace[], at: number): Map<string, number> {
  const before = wanted[at - 1]?.queue_order;
  const after = wanted[at + 1]?.queue_order;
  const moved = wanted[at];
  const changes = new Map<string, number>();
  if (moved === undefined || (before === undefined && after === undefined)) return changes;
  const low = before ?? (after ?? 0) - 2;
  const high = after ?? (before ?? 0) + 2;
  if (high - low >= 2) return changes.set(moved.thread_id, low + Math.floor((high - low) / 2));
  // No number lies between: what stands before it gives way downwards, so that what comes later stays behind.
  let limit = high;
  for (let index = at; index >= 0; index -= 1) {
    const place = wanted[index];
    if (place === undefined) break;
    if (index < at && place.queue_order < limit) break;
    limit -= 1;
    changes.set(place.thread_id, limit);
  }
  return changes;
}

/**
 * Moves a waiting run before another one, or to the end (null). Priority stays above the order: what would put a run
 * on the wrong side of another priority is refused. Call inside a transaction. Throws ApiError.
 */
export function reorder(ctx: EngineContext, runId: string, beforeId: string | null): void {
  const { store, clock } = ctx;
  const now = clock.now();
  const places = store.queue.places(now);
  const run = waits(ctx, runId, 'run_id', places);
  if (runId === beforeId) {
    throw new ApiError('invalid', 'A run cannot stand before itself', { field: 'before_run_id' });
  }
  if (beforeId !== null) waits(ctx, beforeId, 'before_run_id', places);
  const others = places.filter((place) => place.thread_id !== runId);
  const same = others.filter((place) => place.priority === run.priority);
  // "To the end" is the end of its own priority.
  const end = others.filter((place) => place.priority >= run.priority).length;
  const index = beforeId === null ? end : others.findIndex((place) => place.thread_id === beforeId);
  const higher = others.filter((place) => place.priority > run.priority).length;
  if (index < higher || index > end) {
    throw new ApiError('state_conflict', 'Runs of a higher priority start first', {
      field: 'before_run_id',
      hint: 'change the priority of its task',
    });
  }
  const at = index - higher;
  const changes = renumbered([...same.slice(0, at), run, ...same.slice(at)], at);
  for (const [id, queue_order] of changes) {
    store.runs.touch(id, { queue_order, updated_at: now }, { from: 'QUEUED' });
  }
  store.runs.refreshPositions(now);
}
