import { DatabaseRefusedError } from './errors.ts';
import foundation from './migrations/0010-foundation.sql?raw';
import { applicationId, type Db } from './open.ts';

interface Migration {
  version: number;
  sql: string;
}

/** Every migration, in order. A released one is never edited: a change of the schema is a new file. */
export const migrations: readonly Migration[] = [{ version: 10, sql: foundation }];

export const newestVersion = Math.max(...migrations.map((migration) => migration.version));

/** The version of the schema in the file; 0 for an empty one. */
export function schemaVersion(db: Db): number {
  return Number(db.pragma('user_version', { simple: true }));
}

/**
 * Brings the file to the newest schema, each migration in one transaction. `backup` is called first when the
 * file already holds data. Throws DatabaseRefusedError, and changes nothing, when the file is from a newer
 * NextRun.
 */
export function migrate(db: Db, backup: (fromVersion: number) => void): void {
  const current = schemaVersion(db);
  if (current > newestVersion) {
    throw new DatabaseRefusedError(
      'from_the_future',
      `The database has version ${current}, this NextRun knows up to ${newestVersion}: install the newer NextRun`,
    );
  }
  const missing = migrations.filter((migration) => migration.version > current);
  if (missing.length > 0 && current > 0) backup(current);
  for (const migration of missing) {
    db.transaction(() => {
      db.exec(migration.sql);
      db.pragma(`user_version = ${migration.version}`);
      db.pragma(`application_id = ${applicationId}`);
    }).immediate();
  }
}

/** Copies the whole file, WAL included, through SQLite itself. The target must not exist. */
export function backupInto(db: Db, target: string): void {
  db.prepare('VACUUM INTO ?').run(target);
}
