import type { Db } from './open.ts';
import type { RunRow } from './rows.ts';

/** A place in the history of one automation, which is ordered by (created_at, thread_id). */
export interface HistoryPoint {
  created_at: number;
  thread_id: string;
}

export type OldRun = Pick<
  RunRow,
  'thread_id' | 'automation_id' | 'status' | 'created_at' | 'scheduled_for' | 'updated_at' | 'finished_at'
> &
  Pick<RunRow, 'run_key' | 'pinned'>;

const history = 'automation_runs INDEXED BY nextrun_runs_page_automation';

/** Reads where the history of automations may be cut. */
function cutting(db: Db) {
  const nextAutomation = db
    .prepare<[string], string | null>(
      `SELECT min(automation_id) FROM automation_runs INDEXED BY nextrun_runs_page_automation
       WHERE automation_id > ?`,
    )
    .pluck();
  const nth = db.prepare<[string, number], HistoryPoint>(
    `SELECT created_at, thread_id FROM ${history} WHERE automation_id = ?
     ORDER BY created_at DESC, thread_id DESC LIMIT 1 OFFSET ?`,
  );
  const between = db.prepare<[Record<string, unknown>], OldRun>(
    `SELECT thread_id, automation_id, status, created_at, scheduled_for, updated_at, finished_at, run_key, pinned
     FROM ${history} WHERE automation_id = @id AND (created_at, thread_id) > (@from_at, @from_id)
       AND (created_at, thread_id) < (@to_at, @to_id)
     ORDER BY created_at, thread_id LIMIT @limit`,
  );
  return {
    /** The first automation id after another that has runs, deleted and unknown automations included. */
    nextAutomation: (after: string): string | null => nextAutomation.get(after) ?? null,
    /** The nth newest run of an automation, 0 = the newest. */
    nthNewest: (id: string, n: number): HistoryPoint | undefined => nth.get(id, n),
    /** Runs strictly between two points, oldest first. */
    between: (id: string, from: HistoryPoint, to: HistoryPoint, limit: number): OldRun[] =>
      between.all({
        id,
        from_at: from.created_at,
        from_id: from.thread_id,
        to_at: to.created_at,
        to_id: to.thread_id,
        limit,
      }),
  };
}

/** Removes one run, children first. */
function removal(db: Db) {
  const someOutput = db.prepare<[{ id: string; limit: number }]>(
    `DELETE FROM run_output WHERE run_id = @id AND seq IN
       (SELECT seq FROM run_output WHERE run_id = @id ORDER BY seq LIMIT @limit)`,
  );
  const turns = db.prepare<[string], { id: string; session_id: string }>(
    'SELECT id, session_id FROM conversation_turns WHERE run_id = ?',
  );
  const dropMessages = db.prepare<[{ id: string; session_id: string }]>(
    'DELETE FROM messages WHERE session_id = @session_id AND turn_id = @id',
  );
  const dropTurn = db.prepare<[string]>('DELETE FROM conversation_turns WHERE id = ?');
  // Every run that ended left a turn in its session, so the turns tell whether somebody still needs it.
  const dropSession = db.prepare<[{ id: string }]>(
    `DELETE FROM sessions WHERE id = @id AND is_background_automation = 1 AND control = 'AGENT'
       AND NOT EXISTS (SELECT 1 FROM conversation_turns WHERE session_id = @id)
       AND NOT EXISTS (SELECT 1 FROM messages WHERE session_id = @id)
       AND NOT EXISTS (SELECT 1 FROM automations WHERE session_id = @id)
       AND NOT EXISTS (SELECT 1 FROM automation_runs INDEXED BY nextrun_runs_active
         WHERE status = 'IN_PROGRESS' AND session_id = @id)
       AND NOT EXISTS (SELECT 1 FROM automation_runs INDEXED BY nextrun_runs_queue
         WHERE status = 'QUEUED' AND session_id = @id)`,
  );
  const dropUsage = db.prepare<[string]>('DELETE FROM session_usage WHERE session_id = ?');
  // A slot that coalesced with the run lies between its own slot and its end.
  const forgetInLedger = db.prepare<[Record<string, unknown>]>(
    `UPDATE slots SET run_id = NULL WHERE automation_id = @automation_id AND run_id = @id
       AND scheduled_for BETWEEN @from AND @to`,
  );
  const children = ['run_artifacts', 'review_events'].map((table) =>
    db.prepare<[string]>(`DELETE FROM ${table} WHERE run_id = ?`),
  );
  const dropRun = db.prepare<[string, string]>(
    'DELETE FROM automation_runs WHERE thread_id = ? AND status = ? AND pinned = 0',
  );
  return {
    /** Removes at most `limit` chunks of a run's output; gives how many. */
    someOutput: (id: string, limit: number): number => someOutput.run({ id, limit }).changes,
    /** Removes a run, whose output is gone already, with everything that belongs to it alone. */
    run(run: OldRun): void {
      const sessions = new Set<string>();
      for (const turn of turns.all(run.thread_id)) {
        dropMessages.run(turn);
        dropTurn.run(turn.id);
        sessions.add(turn.session_id);
      }
      for (const id of sessions) if (dropSession.run({ id }).changes === 1) dropUsage.run(id);
      for (const statement of children) statement.run(run.thread_id);
      forgetInLedger.run({
        id: run.thread_id,
        automation_id: run.automation_id,
        from: Math.min(run.scheduled_for ?? run.created_at, run.created_at),
        to: Math.max(run.scheduled_for ?? 0, run.finished_at ?? run.updated_at),
      });
      dropRun.run(run.thread_id, run.status);
    },
  };
}

/** Cuts the logs; each call removes at most `limit` rows and gives how many. Instants in ms since 1970 UTC. */
function logs(db: Db) {
  const cut = (sql: string) => {
    const statement = db.prepare<[{ before: number; limit: number }]>(sql);
    return (before: number, limit: number): number => statement.run({ before, limit }).changes;
  };
  return {
    // Ids grow with time: only the oldest rows are looked at, so a long log is not read through.
    audit: cut(
      `DELETE FROM audit_log WHERE id IN (SELECT id FROM
         (SELECT id, at FROM audit_log ORDER BY id LIMIT @limit) WHERE at < @before)`,
    ),
    /** Edits that a check has not taken up yet stay. */
    foreignEdits: cut(
      `DELETE FROM foreign_edits WHERE id IN (SELECT id FROM
         (SELECT id, at, automation_id FROM foreign_edits ORDER BY id LIMIT @limit) AS edit
         WHERE at < @before AND NOT EXISTS
           (SELECT 1 FROM automations WHERE automations.id = edit.automation_id AND unchecked = 1))`,
    ),
    idempotency: cut(
      `DELETE FROM idempotency WHERE (token, key) IN
         (SELECT token, key FROM idempotency WHERE expires_at <= @before LIMIT @limit)`,
    ),
    slots: cut(
      `DELETE FROM slots WHERE (automation_id, scheduled_for) IN
         (SELECT automation_id, scheduled_for FROM slots INDEXED BY nextrun_slots_recorded
          WHERE recorded_at < @before AND coalesce(through, scheduled_for) < @before LIMIT @limit)`,
    ),
  };
}

/** What the janitor removes. Nothing here knows how much is kept. */
export function retention(db: Db) {
  return { ...cutting(db), remove: removal(db), logs: logs(db) };
}
export type Retention = ReturnType<typeof retention>;
