import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { migrate } from '../storage/migrate.ts';
import { type Db, openDatabase } from '../storage/open.ts';
import { createStore, type Store } from '../storage/store.ts';

export interface TemporaryStore {
  folder: string;
  file: string;
  db: Db;
  store: Store;
  /** A second connection, as another program has one. */
  foreign(): Db;
  remove(): void;
}

/** A real database file in a folder of its own. */
export function temporaryStore(): TemporaryStore {
  const folder = mkdtempSync(join(tmpdir(), 'nextrun-test-'));
  const file = join(folder, 'workbuddy.db');
  const db = openDatabase(file);
  migrate(db, () => undefined);
  const others: Db[] = [];
  return {
    folder,
    file,
    db,
    store: createStore(db),
    foreign() {
      const other = openDatabase(file);
      others.push(other);
      return other;
    },
    remove() {
      for (const other of others) if (other.open) other.close();
      if (db.open) db.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
