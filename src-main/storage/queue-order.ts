import type { Db } from './open.ts';
import type { RunRow } from './rows.ts';

export type QueuePlace = Pick<RunRow, 'thread_id' | 'priority' | 'queue_order'>;

/** The order of the waiting runs, without the runs themselves. */
export function queueOrderTable(db: Db) {
  const places = db.prepare<[number], QueuePlace>(
    `SELECT thread_id, priority, queue_order FROM automation_runs INDEXED BY nextrun_runs_queue
     WHERE status = 'QUEUED' AND not_before <= ? ORDER BY priority DESC, queue_order, queued_at, rowid`,
  );
  return {
    /** Every claimable run in the order in which they start. */
    places: (now: number): QueuePlace[] => places.all(now),
  };
}
export type QueueOrderTable = ReturnType<typeof queueOrderTable>;
