import type { EngineContext } from './context.ts';
import type { Runner } from './runner.ts';
import { outcomeWithout, settleRun } from './settler.ts';
import type { Writer } from './writer.ts';

/**
 * Takes back runs that went silent: lease expired while we believe they are live → the tree is stopped and its
 * outcome settles it; IN_PROGRESS without a live owner → settled at once. Call every supervisor interval.
 */
export async function supervise(ctx: EngineContext, writer: Writer, runner: Runner): Promise<void> {
  await runner.heartbeat();
  const now = ctx.clock.now();
  const live = new Set(runner.live());
  for (const run of ctx.store.runs.inProgress()) {
    const id = run.thread_id;
    if (live.has(id)) {
      if (run.lease_expires_at !== null && run.lease_expires_at < now) runner.cancel(id, 'heartbeat_expired');
      continue;
    }
    // Claimed moments ago and not yet handed to the runner: its lease is fresh.
    if (run.lease_expires_at !== null && run.lease_expires_at >= now) continue;
    const detail = 'no heartbeat, and nothing of it is alive here';
    await writer.write(() => settleRun(ctx, id, outcomeWithout(now, 'heartbeat_expired', detail)));
    ctx.log.warn({ run: id }, 'a silent run was taken back');
  }
}
