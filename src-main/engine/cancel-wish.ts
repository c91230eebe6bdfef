import type { RunRow } from '../storage/rows.ts';
import type { EngineContext } from './context.ts';

/** Stands as the reason of a run in progress that somebody asked to stop. */
export const cancelRequested = 'cancel_requested';

/**
 * Writes on a run in progress that it is to stop. Call in the commit that answers the request: when launcher or host
 * die before the tree has ended, the run is then settled as cancelled instead of being started again.
 */
export function wishCancel(ctx: EngineContext, runId: string): void {
  ctx.store.runs.touch(runId, { reason_code: cancelRequested }, { from: 'IN_PROGRESS' });
}

/** Whether somebody asked this run to stop. */
export function isCancelWished(run: Pick<RunRow, 'reason_code'>): boolean {
  return run.reason_code === cancelRequested;
}
