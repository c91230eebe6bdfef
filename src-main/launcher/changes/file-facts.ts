import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import type { FileChange } from '../../../src-shared/model/outcome.ts';

/** A file or a symbolic link (itself, not what it points at). `bytes` is null for a folder that counts as one. */
export interface FileFacts {
  bytes: number | null;
  /** ms since 1970, with fractions. */
  mtime: number;
}

const atOnce = 32;

/** Calls `work` for each item, at most 32 at a time; ends early, with the signal's reason, when it is aborted. */
export async function each<T>(
  items: readonly T[],
  signal: AbortSignal,
  work: (item: T) => Promise<void>,
): Promise<void> {
  let next = 0;
  async function worker(): Promise<void> {
    while (next < items.length) {
      signal.throwIfAborted();
      const item = items[next] as T;
      next += 1;
      await work(item);
    }
  }
  await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, worker));
}

/** What is at a path; null when there is nothing that can be seen. */
export async function factsAt(path: string): Promise<FileFacts | null> {
  try {
    const stats = await lstat(path);
    // The time of a folder changes with its entries, which are looked at themselves.
    return stats.isDirectory() ? { bytes: null, mtime: 0 } : { bytes: stats.size, mtime: stats.mtimeMs };
  } catch {
    return null;
  }
}

/** The facts of all paths below `folder`, null for those that are not there. */
export async function factsOf(
  folder: string,
  paths: readonly string[],
  signal: AbortSignal,
): Promise<Map<string, FileFacts | null>> {
  const found = new Map<string, FileFacts | null>();
  await each(paths, signal, async (path) => void found.set(path, await factsAt(join(folder, path))));
  return found;
}

/** One file before and after: `null` = it was not there, `undefined` = it was there and nothing else is known. */
export function changeOf(
  path: string,
  before: FileFacts | null | undefined,
  after: FileFacts | null,
): FileChange | null {
  const sizes = {
    ...(typeof before?.bytes === 'number' ? { bytes_before: before.bytes } : {}),
    ...(typeof after?.bytes === 'number' ? { bytes_after: after.bytes } : {}),
  };
  if (before === null) return after === null ? null : { path, change: 'created', ...sizes };
  if (after === null) return { path, change: 'deleted', ...sizes };
  const same = before !== undefined && before.bytes === after.bytes && before.mtime === after.mtime;
  return same ? null : { path, change: 'changed', ...sizes };
}
