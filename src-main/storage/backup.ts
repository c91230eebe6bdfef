import { backupInto } from './migrate.ts';
import type { Db } from './open.ts';

/** A copy of the database that SQLite's own check found wanting. */
export class DamagedCopyError extends Error {
  constructor(complaints: readonly string[]) {
    super(`The copy of the database is damaged: ${complaints.slice(0, 3).join('; ')}`);
    this.name = 'DamagedCopyError';
  }
}

/**
 * Copies the database, WAL included, into `target`, which must not exist or be empty. Both go through SQLite, which
 * holds the locks of the live file: nothing opens that file but SQLite. Not inside a transaction.
 */
export function copyDatabase(db: Db, target: string): void {
  backupInto(db, target);
}

/** Runs SQLite's whole check over a copy. Throws DamagedCopyError. Not inside a transaction. */
export function checkCopy(db: Db, file: string): void {
  // Attached, not opened: a second connection would need the path of the addon once more.
  db.prepare('ATTACH ? AS checked_copy').run(file);
  try {
    const rows = db.pragma('checked_copy.integrity_check(10)') as { integrity_check: string }[];
    const complaints = rows.map((row) => row.integrity_check).filter((line) => line !== 'ok');
    if (complaints.length > 0) throw new DamagedCopyError(complaints);
  } finally {
    db.exec('DETACH checked_copy');
  }
}
