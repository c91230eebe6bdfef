import { newestVersion, schemaVersion } from './migrate.ts';
import { type Db, quickCheck } from './open.ts';
import type { AutomationRow } from './rows.ts';

/** How many rows match, and the names of the first few. */
export interface CountedNames {
  count: number;
  names: string[];
}

const firstFew = 5;
const enabled = "status = 'ACTIVE' AND deleted_at IS NULL";

/** Questions about the health of the file and its rows. Nothing here writes. */
export function diagnosis(db: Db) {
  const named = (where: string) => {
    const statement = db.prepare<[Record<string, unknown>], { name: string; count: number }>(
      `SELECT name, count(*) OVER () AS count FROM automations WHERE ${where} ORDER BY name, id LIMIT ${firstFew}`,
    );
    return (values: Record<string, unknown>): CountedNames => {
      const rows = statement.all(values);
      return { count: rows[0]?.count ?? 0, names: rows.map((row) => String(row.name)) };
    };
  };
  const overdue = named(
    `${enabled} AND unchecked = 0 AND next_run_at IS NOT NULL AND next_run_at < @before
     AND NOT (missed_policy = 'all' AND EXISTS (SELECT 1 FROM automation_runs INDEXED BY nextrun_runs_open
       WHERE automation_id = automations.id AND status IN ('QUEUED', 'IN_PROGRESS')))`,
  );
  const failing = named(`${enabled} AND failure_count > 0 AND last_status = 'FAILED'`);
  const planned = db
    .prepare<[], number>(`SELECT count(*) FROM automations WHERE ${enabled} AND next_run_at IS NOT NULL`)
    .pluck();
  const recurring = db.prepare<[number], AutomationRow>(
    `SELECT * FROM automations WHERE ${enabled} AND unchecked = 0 AND attention_code IS NULL
       AND schedule_kind IN ('cron', 'every', 'rrule') AND anchor_mode = 'fixed' AND next_slot_at IS NOT NULL
       AND next_run_at IS NOT NULL
     ORDER BY next_run_at LIMIT ?`,
  );
  const covered = db
    .prepare<[{ id: string; slot: number }], number>(
      `SELECT 1 FROM (SELECT scheduled_for, through FROM slots
         WHERE automation_id = @id AND scheduled_for <= @slot ORDER BY scheduled_for DESC LIMIT 20)
       WHERE coalesce(through, scheduled_for) >= @slot LIMIT 1`,
    )
    .pluck();
  const agents = db.prepare<[], { agent: string | null; count: number }>(
    `SELECT agent, count(*) AS count FROM automations WHERE ${enabled} AND kind = 'agent' GROUP BY agent`,
  );
  const attention = db.prepare<[], { code: string; count: number }>(
    `SELECT attention_code AS code, count(*) AS count FROM automations
     WHERE deleted_at IS NULL AND attention_code IS NOT NULL GROUP BY attention_code ORDER BY count DESC, code`,
  );
  const unchecked = db
    .prepare<[number], number>(
      `SELECT count(*) FROM automations LEFT JOIN
         (SELECT row_id, max(at) AS at FROM change_log WHERE table_name = 'automations' GROUP BY row_id) AS changed
         ON changed.row_id = automations.id
       WHERE unchecked = 1 AND coalesce(changed.at, 0) < ?`,
    )
    .pluck();
  const anyUnchecked = db
    .prepare<[], number>('SELECT 1 FROM automations WHERE unchecked = 1 LIMIT 1')
    .pluck();
  return {
    /** What SQLite's quick check complains about. Reads the whole file. */
    complaints: (): string[] => quickCheck(db),
    versions: () => ({ schema_version: schemaVersion(db), newest_version: newestVersion }),
    /** Enabled automations whose time passed before an instant; one that waits for its own run is none. */
    overdue: (before: number): CountedNames => overdue({ before }),
    /** Enabled automations that failed the last time. */
    failing: (): CountedNames => failing({}),
    /** How many automations something is planned for. */
    planned: (): number => planned.get() ?? 0,
    /** Recurring automations as they are planned, the nearest first. */
    recurring: (limit: number): AutomationRow[] => recurring.all(limit),
    /** Whether the ledger accounts for an instant, by a row of its own or within a gap. */
    isAccountedFor: (id: string, slot: number): boolean => covered.get({ id, slot }) !== undefined,
    agentsUsed: (): { agent: string | null; count: number }[] => agents.all(),
    attention: (): { code: string; count: number }[] => attention.all(),
    /** Rows of other programs that changed before an instant and were not looked at since. */
    uncheckedSince: (before: number): number =>
      anyUnchecked.get() === undefined ? 0 : (unchecked.get(before) ?? 0),
  };
}
export type Diagnosis = ReturnType<typeof diagnosis>;
