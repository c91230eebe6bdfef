import { SqliteError } from 'better-sqlite3';

/** The database file is of a newer NextRun, of another program, or damaged. Nothing was changed. */
export class DatabaseRefusedError extends Error {
  readonly kind: 'from_the_future' | 'foreign' | 'damaged';

  constructor(kind: 'from_the_future' | 'foreign' | 'damaged', message: string) {
    super(message);
    this.name = 'DatabaseRefusedError';
    this.kind = kind;
  }
}

/** What a failed statement means for the caller: wait and try again, tell the person, or a bug. */
export type StorageFault = 'busy' | 'full' | 'io' | 'constraint' | 'other';

/** Sorts an error by SQLite's result code, never by its text. */
export function storageFault(error: unknown): StorageFault {
  if (!(error instanceof SqliteError)) return 'other';
  if (error.code.startsWith('SQLITE_BUSY') || error.code.startsWith('SQLITE_LOCKED')) return 'busy';
  if (error.code === 'SQLITE_FULL') return 'full';
  if (error.code.startsWith('SQLITE_IOERR') || error.code === 'SQLITE_CANTOPEN') return 'io';
  if (error.code.startsWith('SQLITE_CONSTRAINT')) return 'constraint';
  return 'other';
}
