import type { Db } from '../../src-main/storage/open.ts';

const numbers = 'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < @count)';
const day = 86_400_000;

/** The log of so many rows would be copied into the file by the first commit that is measured. */
function settle(db: Db): void {
  db.exec('DELETE FROM change_log');
  db.pragma('wal_checkpoint(TRUNCATE)');
}

/** Puts `count` automations there that are due from tomorrow on. */
export function addAutomations(db: Db, count: number, now = Date.now()): void {
  db.prepare(
    `${numbers} INSERT INTO automations (id, name, prompt, status, schedule_type, kind, command_json, schedule_kind,
       interval_ms, next_run_at, next_slot_at, created_at, updated_at, source, unchecked)
     SELECT 'fill-' || i, 'filler ' || i, '', 'ACTIVE', 'recurring', 'command', '["/bin/true"]', 'every', @day,
       @now + @day + i, @now + @day + i, @now, @now, 'api', 0 FROM n`,
  ).run({ count, now, day });
  settle(db);
}

/** Puts `count` runs there that have ended, a second apart. */
export function addRuns(db: Db, count: number, now = Date.now()): void {
  db.prepare(
    `${numbers} INSERT INTO automation_runs (thread_id, automation_id, status, thread_title, source_cwd, runs_json,
       metadata_json, result_success, created_at, updated_at, scheduled_for, trigger, run_key, queued_at, started_at,
       finished_at, duration_ms, kind, summary)
     SELECT 'old-' || i, 'fill-' || (i % 1000), 'ACCEPTED', 'filler', '/tmp', '[]', '{"runKind":"scheduled"}', 1,
       @now - i * 1000, @now - i * 1000, @now - i * 1000, 'schedule', 'k' || i, @now - i * 1000, @now - i * 1000,
       @now - i * 1000 + 20, 20, 'command', 'done' FROM n`,
  ).run({ count, now });
  settle(db);
}
