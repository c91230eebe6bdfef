import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { z } from 'zod';
import { processEntry } from '../../launcher/proc.ts';

const serverFileSchema = z.object({
  pid: z.number().int().positive(),
  /** Kernel start time in ticks since boot. */
  pid_started_at: z.number().nullable().default(null),
  host: z.enum(['127.0.0.1', 'localhost', '::1']),
  port: z.number().int().min(1).max(65_535),
});

/** Longest server.json or token that is read, bytes. */
const longest = 65_536;

/** Where a trusted host listens. */
export interface FoundHost {
  pid: number;
  baseUrl: string;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: it lives, but belongs to somebody else.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

/** True when the process that wrote `startedAt` about itself still runs; a reused pid is not it. */
function isSameProcess(pid: number, startedAt: number | null): boolean {
  if (!isAlive(pid)) return false;
  // Without a process table (no Linux) a live pid is all that can be known.
  if (processEntry(process.pid) === null) return true;
  const entry = processEntry(pid);
  return entry !== null && entry.state !== 'Z' && entry.state !== 'X' && entry.started_at === startedAt;
}

/** What reading a private file gave: its text, or why it was not read. */
export type PrivateRead = { text: string } | 'missing' | 'unsafe';

/** Reads a file only when it is a regular file of ours that nobody else may read or write (mode 0600). */
export async function readPrivate(file: string): Promise<PrivateRead> {
  let handle: FileHandle;
  try {
    // The flag is not known on Windows, where links need a privilege anyway.
    handle = await open(file, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    return code === 'ENOENT' || code === 'ENOTDIR' ? 'missing' : 'unsafe';
  }
  try {
    // Asked of the opened file, not of its name, which could mean another file by now.
    const stat = await handle.stat();
    if (!stat.isFile() || stat.size > longest) return 'unsafe';
    const posix = process.getuid !== undefined;
    if (posix && (stat.uid !== process.getuid?.() || (stat.mode & 0o077) !== 0)) return 'unsafe';
    return { text: await handle.readFile('utf8') };
  } finally {
    await handle.close();
  }
}

function parseServerFile(text: string): z.infer<typeof serverFileSchema> | null {
  try {
    return serverFileSchema.safeParse(JSON.parse(text)).data ?? null;
  } catch {
    // Not JSON: a host that is starting, or not a host's file. Either way there is nobody to talk to.
    return null;
  }
}

/**
 * The host that `file` (server.json) names, if it can be trusted with the token: the file is ours and
 * private, its address is this computer, and its process is alive with the same start time. Else null.
 */
export async function findTrustedHost(file: string): Promise<FoundHost | null> {
  const read = await readPrivate(file);
  if (typeof read === 'string') return null;
  const server = parseServerFile(read.text);
  if (server === null || !isSameProcess(server.pid, server.pid_started_at)) return null;
  const host = server.host === '::1' ? '[::1]' : server.host;
  return { pid: server.pid, baseUrl: `http://${host}:${server.port}` };
}
