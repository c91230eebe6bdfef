import { existsSync } from 'node:fs';
import { storageFault } from './errors.ts';
import { type Db, openDatabase } from './open.ts';

/** Held for the life of the engine; the kernel frees it when the process dies, however it dies. */
export interface OwnerLock {
  release(): void;
}

/**
 * Takes the lock that decides who is the engine of a database: `nextrun.lock`, a SQLite file held in
 * BEGIN EXCLUSIVE. Gives null when another process holds it. It is kept by a frozen process and freed by a
 * killed one, which neither a pid file nor a lease row can promise.
 */
export function takeOwnerLock(file: string, nativeBinding?: string): OwnerLock | null {
  let db: Db | undefined;
  try {
    db = openLock(file, nativeBinding);
    db.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    db?.close();
    if (storageFault(error) === 'busy') return null;
    throw error;
  }
  const held = db;
  return {
    release() {
      if (!held.open) return;
      held.exec('ROLLBACK');
      held.close();
    },
  };
}

/**
 * Whether some process holds the lock, without taking it. For a process that does not hold it itself. A file that is
 * not there is held by nobody.
 */
export function isOwnerLockHeld(file: string, nativeBinding?: string): boolean {
  if (!existsSync(file)) return false;
  try {
    // Opening reads the file, which an exclusive lock refuses; a shared lock is held for no longer than that.
    openDatabase(file, { nativeBinding, readonly: true, busyTimeoutMs: 0, journal: 'delete' }).close();
    return false;
  } catch (error) {
    if (storageFault(error) === 'busy') return true;
    throw error;
  }
}

function openLock(file: string, nativeBinding: string | undefined): Db {
  return openDatabase(file, { nativeBinding, busyTimeoutMs: 0, journal: 'delete' });
}
