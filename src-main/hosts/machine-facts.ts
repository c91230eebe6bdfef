import { constants, existsSync } from 'node:fs';
import { access, stat, statfs } from 'node:fs/promises';
import { delimiter, isAbsolute, join } from 'node:path';
import type { MachineFacts } from '../../src-shared/logic/doctor-input.ts';
import type { Config } from '../../src-shared/model/settings.ts';
import { isOwnerLockHeld } from '../storage/owner-lock.ts';
import { findTrustedHost, readPrivate } from './cli/connect.ts';
import type { DataFolder } from './data-folder.ts';

export interface MachineFactsOptions {
  folder: DataFolder;
  config: Config;
  /** What children inherit: its PATH decides which programs are found. */
  environment: Record<string, string | undefined>;
  /** Whether this process holds the owner lock. */
  owner: boolean;
  nativeBinding?: string | undefined;
}

/** Size of a file in bytes by its name alone: the database must not be opened by anything but SQLite. */
async function sizeOf(file: string): Promise<number | null> {
  try {
    return (await stat(file)).size;
  } catch (error) {
    if (error instanceof Error && 'code' in error) return null;
    throw error;
  }
}

async function diskOf(folder: string): Promise<MachineFacts['disk']> {
  try {
    const disk = await statfs(folder);
    return { free_bytes: disk.bavail * disk.bsize, total_bytes: disk.blocks * disk.bsize };
  } catch (error) {
    // Some network and user-space file systems do not tell.
    if (error instanceof Error && 'code' in error) return null;
    throw error;
  }
}

async function isProgram(file: string): Promise<boolean> {
  try {
    await access(file, constants.X_OK);
    return (await stat(file)).isFile();
  } catch (error) {
    if (error instanceof Error && 'code' in error) return false;
    throw error;
  }
}

/** Whether a child would find `program`: by its path, or in a folder of PATH. */
export async function findsProgram(
  program: string,
  environment: Record<string, string | undefined>,
): Promise<boolean> {
  if (isAbsolute(program)) return isProgram(program);
  // Relative to the folder of each run, so it cannot be looked for here.
  if (/[/\\]/.test(program)) return true;
  const folders = (environment['PATH'] ?? environment['Path'] ?? '').split(delimiter);
  const endings = process.platform === 'win32' ? (environment['PATHEXT'] ?? '.EXE;.CMD').split(';') : [];
  for (const folder of folders) {
    if (folder === '') continue;
    for (const ending of ['', ...endings]) if (await isProgram(join(folder, program + ending))) return true;
  }
  return false;
}

async function serverOf(file: string): Promise<MachineFacts['server']> {
  const read = await readPrivate(file);
  if (typeof read === 'string') return { state: read };
  const found = await findTrustedHost(file);
  if (found === null) return { state: 'stale' };
  return {
    state: 'alive',
    pid: found.pid,
    port: Number(new URL(found.baseUrl).port),
    self: found.pid === process.pid,
  };
}

function ownerOf({ owner, folder, nativeBinding }: MachineFactsOptions): MachineFacts['owner'] {
  if (owner) return 'self';
  return isOwnerLockHeld(folder.lock, nativeBinding) ? 'other' : 'nobody';
}

/** Looks at disk, files, lock, server.json and the programs of the agents. Changes nothing. */
export async function machineFacts(options: MachineFactsOptions): Promise<MachineFacts> {
  const { folder, config, environment } = options;
  const agents = Object.entries(config.agents).map(async ([name, { command, default: byDefault }]) => {
    const program = command[0] ?? '';
    return { name, program, default: byDefault, found: await findsProgram(program, environment) };
  });
  return {
    owner: ownerOf(options),
    lock_file: existsSync(folder.lock),
    database_bytes: await sizeOf(folder.database),
    wal_bytes: await sizeOf(`${folder.database}-wal`),
    disk: await diskOf(folder.path),
    server: await serverOf(folder.server),
    configured_port: config.http.port,
    agents: await Promise.all(agents),
  };
}
