import type { Run } from '../../../src-shared/model/run.ts';
import type { EngineContext } from '../../engine/context.ts';
import { runOf } from '../../storage/codec.ts';
import type { RunRow } from '../../storage/rows.ts';

/** A run with its position computed, as every door shows it. */
export function showRun(ctx: EngineContext, row: RunRow): Run {
  const position = row.status === 'QUEUED' ? ctx.store.runs.positionOf(row.thread_id, ctx.clock.now()) : null;
  return runOf(row, position);
}
