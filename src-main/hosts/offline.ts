import { existsSync } from 'node:fs';
import { systemClock } from '../engine/clock.ts';
import { newestVersion, schemaVersion } from '../storage/migrate.ts';
import { openDatabase } from '../storage/open.ts';
import { createBackend } from './backend.ts';
import { readConfig } from './config.ts';
import { type DataFolder, dataFolderPaths, prepareDataFolder } from './data-folder.ts';
import { findAgents } from './find-agents.ts';
import { createLog } from './log.ts';
import { openOwned } from './single-owner.ts';
import { version } from './version.ts';

export interface Offline {
  fetch(path: string, init: RequestInit): Promise<Response>;
  close(): Promise<void>;
}

/** A migrated database; only its owner migrates, so the lock is taken for that long and given back. */
function openMigrated(folder: DataFolder, nativeBinding: string | undefined) {
  if (existsSync(folder.database)) {
    const db = openDatabase(folder.database, { nativeBinding });
    if (schemaVersion(db) === newestVersion) return db;
    db.close();
  }
  const { db, lock } = openOwned(folder, systemClock.now(), nativeBinding);
  lock.release();
  return db;
}

/**
 * The same app over the data folder itself, for a command line that finds no host: it reads and edits, and runs
 * nothing. Throws like `openOwned` when the file must be migrated while another process owns it.
 */
export async function openOffline(dataFolder: string): Promise<Offline> {
  const folder = dataFolderPaths(dataFolder);
  prepareDataFolder(folder);
  const env = process.env;
  const config = readConfig(folder.config, env);
  const backend = createBackend({
    folder,
    db: openMigrated(folder, env['NEXTRUN_SQLITE_BINDING']),
    clock: systemClock,
    config: { ...config, agents: findAgents(config.agents, env).agents },
    log: createLog(2, env['NEXTRUN_LOG'] ?? 'error'),
    version,
    hostEnvironment: env,
    nativeBinding: env['NEXTRUN_SQLITE_BINDING'],
  });
  return {
    fetch: async (path, init) =>
      backend.app.fetch(new Request(`http://127.0.0.1${path}`, init), {
        actor: { door: 'process', token_id: 'process', scope: 'admin', anonymous: false },
      }),
    close: () => backend.stop(),
  };
}
