import Database from 'better-sqlite3';
import { DatabaseRefusedError } from './errors.ts';

export type Db = Database.Database;

/** "NxRn": marks a file as ours in its header. */
export const applicationId = 0x4e78526e;

export interface OpenOptions {
  /** Path of a better-sqlite3 addon built for another runtime; undefined = the one shipped in the package. */
  nativeBinding?: string | undefined;
  readonly?: boolean;
  /** Longest wait for another program's lock inside one statement, ms. Above it callers retry without blocking. */
  busyTimeoutMs?: number;
  /** Journal of the file: WAL for data; a lock file keeps SQLite's default. */
  journal?: 'wal' | 'delete';
}

/**
 * Opens the database the only way it may be opened: WAL, synchronous FULL (read back, because better-sqlite3
 * opens WAL files at NORMAL, which loses acknowledged commits in a power cut), foreign keys on, no mmap, and
 * a schema that is not trusted to call functions. Throws DatabaseRefusedError for a file of another program.
 */
export function openDatabase(file: string, options: OpenOptions = {}): Db {
  const db = new Database(file, {
    readonly: options.readonly ?? false,
    ...(options.nativeBinding === undefined ? {} : { nativeBinding: options.nativeBinding }),
    timeout: options.busyTimeoutMs ?? 100,
  });
  try {
    const id = db.pragma('application_id', { simple: true });
    const tables = db.prepare("SELECT count(*) FROM sqlite_schema WHERE type = 'table'").pluck().get();
    if (id !== applicationId && tables !== 0) {
      throw new DatabaseRefusedError(
        'foreign',
        `${file} belongs to another program; point NEXTRUN_HOME elsewhere`,
      );
    }
    if (!db.readonly && options.journal !== 'delete') db.pragma('journal_mode = WAL');
    db.pragma('synchronous = FULL');
    if (db.pragma('synchronous', { simple: true }) !== 2) throw new Error('synchronous = FULL was not taken');
    db.pragma('foreign_keys = ON');
    db.pragma('mmap_size = 0');
    db.pragma('trusted_schema = OFF');
    return db;
  } catch (error) {
    db.close();
    if (error instanceof Database.SqliteError && error.code === 'SQLITE_NOTADB') {
      throw new DatabaseRefusedError(
        'damaged',
        `${file} is not a database; restore a file of the folder backups/`,
      );
    }
    throw error;
  }
}

/** SQLite's own check of the file's structure; gives the complaints, none when the file is sound. */
export function quickCheck(db: Db): string[] {
  const rows = db.pragma('quick_check(10)') as { quick_check: string }[];
  return rows.map((row) => row.quick_check).filter((line) => line !== 'ok');
}
