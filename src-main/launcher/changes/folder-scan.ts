import type { Dirent } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { FileChange } from '../../../src-shared/model/outcome.ts';
import { ChangesUnknown } from './changes-unknown.ts';
import { changeOf, each, type FileFacts, factsOf } from './file-facts.ts';

/** Folders that belong to tools: large, and nothing that a person would call the result of a run. */
const skipped: ReadonlySet<string> = new Set([
  'node_modules',
  '.git',
  '.hg',
  '.svn',
  '.jj',
  '.venv',
  '__pycache__',
  '.cache',
  '.gradle',
  '.tox',
  '.mypy_cache',
  '.pytest_cache',
  '.pnpm-store',
]);
const mostEntries = 20_000;
const deepest = 12;

export interface ScanOptions {
  root: string;
  /** A folder that is left out: NextRun's own data. */
  except: string;
  signal: AbortSignal;
}

/** The entries of a folder; none when it is gone or may not be read. */
async function entriesOf(folder: string): Promise<Dirent[]> {
  try {
    return await readdir(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}

/** All files and symbolic links below `root`, paths with `/`. Links are not followed. */
async function pathsBelow({ root, except, signal }: ScanOptions): Promise<string[]> {
  const files: string[] = [];
  let seen = 0;
  let level = [''];
  for (let depth = 0; depth < deepest && level.length > 0; depth += 1) {
    const next: string[] = [];
    await each(level, signal, async (at) => {
      const entries = await entriesOf(join(root, at));
      seen += entries.length;
      if (seen > mostEntries) throw new ChangesUnknown(`it has more than ${mostEntries} files`);
      for (const entry of entries) {
        const path = at === '' ? entry.name : `${at}/${entry.name}`;
        if (entry.isFile() || entry.isSymbolicLink()) files.push(path);
        else if (entry.isDirectory() && !skipped.has(entry.name) && join(root, path) !== except)
          next.push(path);
      }
    });
    level = next;
  }
  return files;
}

/** Every file below a folder with size and time, as a bounded walk finds it. Throws ChangesUnknown. */
export async function scanFolder(options: ScanOptions): Promise<Map<string, FileFacts | null>> {
  return factsOf(options.root, await pathsBelow(options), options.signal);
}

/** What differs between two walks. */
export function scanChanges(
  before: ReadonlyMap<string, FileFacts | null>,
  after: ReadonlyMap<string, FileFacts | null>,
): FileChange[] {
  const paths = new Set([...before.keys(), ...after.keys()]);
  return [...paths].flatMap(
    (path) => changeOf(path, before.get(path) ?? null, after.get(path) ?? null) ?? [],
  );
}
