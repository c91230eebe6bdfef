import type { Slot } from '../../src-shared/model/run.ts';
import type { Db } from './open.ts';
import { decodeCursor, encodeCursor, type Page } from './paging.ts';

export type SlotRow = Slot & { fire_at: number | null };

/** The ledger of planned occurrences. Its primary key is what makes a double fire impossible. */
export function slotTable(db: Db) {
  const insert = db.prepare<[SlotRow]>(
    `INSERT INTO slots (automation_id, scheduled_for, outcome, run_id, reason_code, fire_at, through, count, recorded_at)
     VALUES (@automation_id, @scheduled_for, @outcome, @run_id, @reason_code, @fire_at, @through, @count, @recorded_at)`,
  );
  const byKey = db.prepare<[string, number], SlotRow>(
    'SELECT * FROM slots WHERE automation_id = ? AND scheduled_for = ?',
  );
  const setRun = db.prepare<[string, string, number]>(
    'UPDATE slots SET run_id = ? WHERE automation_id = ? AND scheduled_for = ?',
  );
  const list = db.prepare<[{ id: string; before: number; limit: number }], SlotRow>(
    `SELECT * FROM slots WHERE automation_id = @id AND scheduled_for < @before
     ORDER BY scheduled_for DESC LIMIT @limit`,
  );
  return {
    get: (automationId: string, slot: number): SlotRow | undefined => byKey.get(automationId, slot),
    insert: (row: SlotRow): void => void insert.run(row),
    /** Points the slot at its newest attempt. */
    setRun: (automationId: string, slot: number, runId: string): void =>
      void setRun.run(runId, automationId, slot),
    /** Newest slot first. */
    list(automationId: string, limit: number, cursor?: string): Page<SlotRow> {
      const before = cursor === undefined ? Number.MAX_SAFE_INTEGER : decodeCursor(cursor)[0];
      const rows = list.all({ id: automationId, before, limit: limit + 1 });
      const last = rows.length > limit ? rows[limit - 1] : undefined;
      return {
        items: rows.slice(0, limit),
        next_cursor: last === undefined ? null : encodeCursor(last.scheduled_for, automationId),
      };
    },
  };
}
export type SlotTable = ReturnType<typeof slotTable>;
