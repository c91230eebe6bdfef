import type { Db } from './open.ts';

export interface Change {
  id: number;
  table_name: string;
  row_id: string;
  op: string;
}

/** The log that triggers fill: what changed, by whomever. */
export function changeLog(db: Db) {
  const after = db.prepare<[number, number], Change>(
    'SELECT id, table_name, row_id, op FROM change_log WHERE id > ? ORDER BY id LIMIT ?',
  );
  const newest = db.prepare<[], number>('SELECT coalesce(max(id), 0) FROM change_log').pluck();
  const oldest = db.prepare<[], number>('SELECT coalesce(min(id), 0) FROM change_log').pluck();
  const prune = db.prepare<[number]>('DELETE FROM change_log WHERE id <= ?');
  return {
    after: (id: number, limit: number): Change[] => after.all(id, limit),
    newest: (): number => newest.get() ?? 0,
    oldest: (): number => oldest.get() ?? 0,
    /** Forgets changes up to `id`; readers that stand before it get a reset. */
    prune: (id: number): void => void prune.run(id),
    /** Changes whenever another connection commits; the cheapest question SQLite answers. */
    dataVersion: (): number => Number(db.pragma('data_version', { simple: true })),
  };
}
export type ChangeLog = ReturnType<typeof changeLog>;
