import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';

/** Where everything of one person's NextRun lives. */
export interface DataFolder {
  path: string;
  database: string;
  lock: string;
  config: string;
  token: string;
  server: string;
  runs: string;
  workspace: string;
  backups: string;
  logs: string;
}

/** A data folder that must not be used, and what to do. */
export class DataFolderError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'DataFolderError';
  }
}

/** `NEXTRUN_HOME`, else `~/.nextrun`; the paths inside it. Touches nothing. */
export function dataFolderPaths(home: string | undefined): DataFolder {
  const path = home === undefined || home === '' ? join(homedir(), '.nextrun') : resolve(home);
  return {
    path,
    database: join(path, 'workbuddy.db'),
    lock: join(path, 'nextrun.lock'),
    config: join(path, 'config.toml'),
    token: join(path, 'token'),
    server: join(path, 'server.json'),
    runs: join(path, 'runs'),
    workspace: join(path, 'workspace'),
    backups: join(path, 'backups'),
    logs: join(path, 'logs'),
  };
}

/**
 * Makes the folder (0700) and its fixed parts. A folder that others may write is tightened when it is ours and
 * refused when it is not: whoever can write the database runs commands as us. Gives what was tightened.
 */
export function prepareDataFolder(folder: DataFolder): string[] {
  const notes: string[] = [];
  mkdirSync(folder.path, { recursive: true, mode: 0o700 });
  const stat = statSync(folder.path);
  if (process.platform !== 'win32' && (stat.mode & 0o1000) !== 0) {
    throw new DataFolderError(
      `${folder.path} is shared by all users; point NEXTRUN_HOME to a folder of its own`,
    );
  }
  if (process.platform !== 'win32' && (stat.mode & 0o077) !== 0) {
    if (stat.uid !== process.getuid?.()) {
      throw new DataFolderError(
        `${folder.path} belongs to another user and is open to others; choose another NEXTRUN_HOME`,
      );
    }
    chmodSync(folder.path, 0o700);
    notes.push(`${folder.path} was open to other users; it is 0700 now`);
  }
  for (const inner of [folder.runs, folder.backups, folder.logs])
    mkdirSync(inner, { recursive: true, mode: 0o700 });
  if (
    existsSync(folder.token) &&
    process.platform !== 'win32' &&
    (statSync(folder.token).mode & 0o077) !== 0
  ) {
    chmodSync(folder.token, 0o600);
    notes.push(`${folder.token} was readable by other users; make a new one: delete it and start again`);
  }
  return notes;
}

/** Writes a small private file so that a reader sees the old or the new one, never half of it. */
export function writePrivateFile(file: string, text: string): void {
  const draft = `${file}.${process.pid}.tmp`;
  try {
    writeFileSync(draft, text, { mode: 0o600 });
    renameSync(draft, file);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
}

/** The admin token of the file `token`; made when there is none. 32 random bytes, base64url. */
export function adminToken(folder: DataFolder): string {
  if (existsSync(folder.token)) {
    const token = readFileSync(folder.token, 'utf8').trim();
    if (token.length >= 32) return token;
  }
  const token = randomBytes(32).toString('base64url');
  writePrivateFile(folder.token, `${token}\n`);
  return token;
}

/** Where a running host can be found; other programs read it. */
export interface ServerFile {
  pid: number;
  /** Kernel start time of the pid (ticks since boot on Linux); null where unknown. */
  pid_started_at: number | null;
  /** Milliseconds since 1970 UTC. */
  started_at: number;
  host: string;
  port: number;
  url: string;
  version: string;
}

/** Writes `server.json` (0600). */
export function writeServerFile(folder: DataFolder, server: ServerFile): void {
  writePrivateFile(folder.server, `${JSON.stringify(server, null, 2)}\n`);
}

/** Removes `server.json` when it is still the one of this process. */
export function removeServerFile(folder: DataFolder, pid: number): void {
  if (!existsSync(folder.server)) return;
  const server = JSON.parse(readFileSync(folder.server, 'utf8')) as Partial<ServerFile>;
  if (server.pid === pid) rmSync(folder.server, { force: true });
}
