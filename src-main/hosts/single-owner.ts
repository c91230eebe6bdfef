import { chmodSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseRefusedError } from '../storage/errors.ts';
import { backupInto, migrate } from '../storage/migrate.ts';
import { type Db, openDatabase, quickCheck } from '../storage/open.ts';
import { type OwnerLock, takeOwnerLock } from '../storage/owner-lock.ts';
import type { DataFolder } from './data-folder.ts';

/** Another process is the engine of this data folder. */
export class AlreadyServedError extends Error {
  constructor(folder: string) {
    super(`Another NextRun already serves ${folder}`);
    this.name = 'AlreadyServedError';
  }
}

export interface OwnedDatabase {
  db: Db;
  lock: OwnerLock;
}

/**
 * Becomes the owner of a data folder: lock first, then the database, checked and migrated with a copy aside. Throws
 * AlreadyServedError or DatabaseRefusedError, and then nothing is held.
 */
export function openOwned(
  folder: DataFolder,
  stamp: number,
  nativeBinding: string | undefined,
): OwnedDatabase {
  const lock = takeOwnerLock(folder.lock, nativeBinding);
  if (lock === null) throw new AlreadyServedError(folder.path);
  let db: Db | undefined;
  try {
    const known = existsSync(folder.database);
    db = openDatabase(folder.database, { nativeBinding });
    if (process.platform !== 'win32') chmodSync(folder.database, 0o600);
    const complaints = known ? quickCheck(db) : [];
    if (complaints.length > 0) {
      throw new DatabaseRefusedError(
        'damaged',
        `${folder.database} is damaged (${complaints[0]}); restore a file of ${folder.backups}`,
      );
    }
    const open = db;
    migrate(open, (from) => backupInto(open, join(folder.backups, `before-migration-${from}-${stamp}.db`)));
    return { db, lock };
  } catch (error) {
    db?.close();
    lock.release();
    throw error;
  }
}
