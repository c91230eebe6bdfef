import { closeSync, mkdirSync, openSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { sleep } from './clock.ts';
import type { EngineContext } from './context.ts';
import type { TaskHandler, TaskRequest, TaskWork } from './task-handler.ts';

const dayMs = 86_400_000;
/** After a backup that failed the next one is not tried before this, ms. */
const retryAfterMs = 3_600_000;
const kept = 7;
const finished = /^backup-(\d{4}-\d\d-\d\dT\d\d)-(\d\d)-(\d\d)-(\d{3})Z\.db$/;
/** What a host that was killed in the middle of a copy leaves. */
const unfinished = /^backup-.*\.db\.partial(-journal)?$/;

type BackupContext = Pick<EngineContext, 'store' | 'clock' | 'backupsFolder'>;

/** The one built-in type of background work. */
export const maintenanceType = 'Maintenance';
export const backupRequest: TaskRequest = {
  task_type: maintenanceType,
  entity_id: 'backup',
  entity_title: '数据库备份 / Backup of the database',
};

/** `backup-2026-11-29T08-00-00-000Z.db`: sorts by instant, and any file system takes it. */
function nameOf(at: number): string {
  return `backup-${new Date(at).toISOString().replace(/[:.]/g, '-')}.db`;
}

function instantOf(name: string): number | null {
  const [, hour, minute, second, ms] = finished.exec(name) ?? [];
  return hour === undefined ? null : Date.parse(`${hour}:${minute}:${second}.${ms}Z`);
}

/** The names in the folder; none when it is not there. */
function names(folder: string): string[] {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  return readdirSync(folder);
}

/** Removes all but the newest backups, never `made`, which a clock that was set back may have made the oldest. */
function prune(folder: string, made: string): void {
  const others = names(folder).filter((name) => name !== made && instantOf(name) !== null);
  for (const name of others.toSorted().slice(0, Math.max(0, others.length - (kept - 1))))
    rmSync(join(folder, name), { force: true });
}

/**
 * Copies the database into the folder of backups and checks the copy; gives its path and size. A file under its
 * final name is a whole, checked backup. Copy and check each block the event loop, about 4 and 3 ms for each megabyte.
 * Throws what SQLite and the file system throw, and leaves nothing then.
 */
async function backUp(ctx: BackupContext, work: TaskWork): Promise<{ file: string; bytes: number }> {
  const { store, clock, backupsFolder: folder } = ctx;
  for (const name of names(folder)) if (unfinished.test(name)) rmSync(join(folder, name), { force: true });
  const name = nameOf(clock.now());
  const file = join(folder, name);
  const partial = `${file}.partial`;
  try {
    // Made before SQLite fills it, so that it is at no moment readable by others.
    closeSync(openSync(partial, 'wx', 0o600));
    store.copyInto(partial);
    work.touch();
    // Requests and runs that came meanwhile have their turn.
    await sleep(clock, 0);
    work.signal.throwIfAborted();
    store.checkCopy(partial);
    renameSync(partial, file);
  } catch (error) {
    rmSync(partial, { force: true });
    throw error;
  }
  prune(folder, name);
  return { file, bytes: statSync(file).size };
}

/** Carries `Maintenance` out, by entity: `backup`. */
export function maintenance(ctx: BackupContext): TaskHandler {
  return async (item, work) => {
    work.signal.throwIfAborted();
    if (item.entity_id !== backupRequest.entity_id) {
      throw new Error(`${maintenanceType} knows no "${item.entity_id}"`);
    }
    return backUp(ctx, work);
  };
}

/** A backup when the newest one is older than a day or there is none; after a failure at most once an hour. */
export function dueBackup(ctx: BackupContext): TaskRequest[] {
  const now = ctx.clock.now();
  // An instant in the future is the mark of a clock that was set back; it must not put backups off for ever.
  const made = names(ctx.backupsFolder).map((name) => instantOf(name) ?? 0);
  const newest = Math.max(0, ...made.filter((at) => at <= now));
  if (now - newest < dayMs) return [];
  const tried = ctx.store.taskItems.newestOf(maintenanceType, backupRequest.entity_id)?.created_at ?? 0;
  return tried <= now && now - tried < retryAfterMs ? [] : [backupRequest];
}
