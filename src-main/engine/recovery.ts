import type { RunRow } from '../storage/rows.ts';
import { isCancelWished } from './cancel-wish.ts';
import type { EngineContext } from './context.ts';
import { forgetRecord, recordedOutcome, wasTaken } from './recorded-outcome.ts';
import { outcomeWithout, settleRun } from './settler.ts';
import type { Writer } from './writer.ts';

/** What recovery needs to know about processes of a former host; the launcher's code answers it. */
export interface FormerProcesses {
  /** Ends whatever is left of a run's process tree; resolves when nothing is. */
  end(pid: number | null, pidStartedAt: number | null, runId: string): Promise<void>;
}

/**
 * Settles every run that a dead host left IN_PROGRESS (ruling 4): adopts a recorded outcome; a run that never
 * spawned goes back to QUEUED without spending an attempt; the rest is interrupted. Safe to be killed and run again:
 * each run is settled in its own commit, guarded by its state. Call while holding the owner lock, before the
 * first claim. Gives how many runs it settled.
 */
export async function recover(
  ctx: EngineContext,
  writer: Writer,
  processes: FormerProcesses,
): Promise<number> {
  const left = ctx.store.runs.inProgress();
  for (const run of left) {
    await processes.end(run.pid, run.pid_started_at, run.thread_id);
    const recorded = recordedOutcome(ctx, run.thread_id);
    await writer.write(() => {
      if (recorded !== null) settleRun(ctx, run.thread_id, recorded);
      else if (run.pid === null && !wasTaken(ctx, run.thread_id) && !isCancelWished(run))
        backToQueue(ctx, run);
      else
        settleRun(
          ctx,
          run.thread_id,
          outcomeWithout(ctx.clock.now(), 'interrupted', 'the host ended while this run was active'),
        );
    });
    forgetRecord(ctx, run.thread_id);
    ctx.log.info(
      { run: run.thread_id, adopted: recorded !== null, spawned: run.pid !== null },
      'run recovered',
    );
  }
  await writer.write(() => ctx.store.runs.refreshPositions(ctx.clock.now()));
  return left.length;
}

function backToQueue(ctx: EngineContext, run: RunRow): void {
  const waiting = ctx.store.runs.activeOf(run.automation_id).some((other) => other.status === 'QUEUED');
  if (run.exclusive === 1 && waiting) {
    // One waiting run per automation: the one that waits already stands for this one.
    settleRun(
      ctx,
      run.thread_id,
      outcomeWithout(ctx.clock.now(), 'interrupted', 'replaced by a waiting run'),
    );
    return;
  }
  ctx.store.runs.move(
    run.thread_id,
    'QUEUED',
    {
      started_at: null,
      heartbeat_at: null,
      holder: null,
      lease_token: null,
      lease_expires_at: null,
      updated_at: ctx.clock.now(),
    },
    { from: 'IN_PROGRESS', lease_token: run.lease_token },
  );
  ctx.store.engine.runEnded(run.automation_id, null);
}
