import { lstat } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import type { FileChange } from '../../../src-shared/model/outcome.ts';
import { ChangesUnknown } from './changes-unknown.ts';
import { changeOf, type FileFacts, factsOf } from './file-facts.ts';
import { filtersOff, type GitPlace, git } from './git-program.ts';

const mostEntries = 20_000;
const objectId = /^[0-9a-f]{40,64}$/;

/** What git said of a work tree below a folder. Paths are relative to that folder. */
export interface GitState {
  /** The commit; null before the first one. */
  head: string | null;
  /** The files that differ from the commit, with what they were on the disk; whether the commit has them. */
  files: Map<string, { facts: FileFacts | null; inHead: boolean }>;
}

/** The folder that holds the `.git` of a folder (a real path), null when there is none. */
export async function workTreeOf(folder: string): Promise<string | null> {
  for (let at = folder; ; at = dirname(at)) {
    const found = await lstat(join(at, '.git')).catch(() => null);
    if (found !== null) return at;
    if (dirname(at) === at) return null;
  }
}

function prefixOf({ folder, root }: GitPlace): string {
  const path = relative(root, folder).split(sep).join('/');
  return path === '' ? '' : `${path}/`;
}

interface Listed {
  head: string | null;
  paths: Map<string, boolean>;
  /** The folder itself is ignored: git tells nothing about it. */
  ignored: boolean;
}

/** Reads `git status --porcelain=v2 --branch -z`. */
export function readStatus(text: string, prefix: string): Listed {
  const listed: Listed = { head: null, paths: new Map(), ignored: false };
  const add = (path: string, inHead: boolean) => {
    if (path.startsWith(prefix)) listed.paths.set(path.slice(prefix.length), inHead);
  };
  const records = text.split('\0');
  for (let index = 0; index < records.length; index += 1) {
    const record = records[index] ?? '';
    const fields = record.split(' ');
    const rest = (skip: number) => fields.slice(skip).join(' ');
    if (record.startsWith('# branch.oid ')) listed.head = objectId.test(rest(2)) ? rest(2) : null;
    else if (fields[0] === '1') add(rest(8), fields[3] !== '000000');
    else if (fields[0] === 'u') add(rest(10), true);
    else if (fields[0] === '?') add(rest(1), false);
    else if (fields[0] === '!') listed.ignored ||= prefix.startsWith(rest(1));
    else if (fields[0] === '2') {
      add(rest(9), false);
      index += 1;
      add(records[index] ?? '', true);
    }
  }
  return listed;
}

/** What the work tree is like; null when the folder is ignored in it. Throws GitFailed or ChangesUnknown. */
export async function gitState(place: GitPlace): Promise<GitState | null> {
  const off = await filtersOff(place);
  const status = await git(place, [
    ...off,
    'status',
    '--porcelain=v2',
    '--branch',
    '-z',
    '--no-ahead-behind',
    '--no-renames',
    '--untracked-files=all',
    '--ignored=matching',
    '--ignore-submodules=all',
    '--',
    '.',
  ]);
  const { head, paths, ignored } = readStatus(status.toString(), prefixOf(place));
  if (ignored) return null;
  if (paths.size > mostEntries) throw new ChangesUnknown(`git lists more than ${mostEntries} files`);
  const facts = await factsOf(place.folder, [...paths.keys()], place.signal);
  const files: GitState['files'] = new Map();
  for (const [path, inHead] of paths) files.set(path, { facts: facts.get(path) ?? null, inHead });
  return { head, files };
}

/** The files that two commits have differently, with whether the older one has them. */
async function between(place: GitPlace, older: string | null, newer: string): Promise<Map<string, boolean>> {
  const found = new Map<string, boolean>();
  const prefix = prefixOf(place);
  const add = (path: string, inOlder: boolean) => {
    if (path.startsWith(prefix)) found.set(path.slice(prefix.length), inOlder);
  };
  if (older === null) {
    const listed = await git(place, ['ls-tree', '-r', '-z', '--name-only', '--full-tree', newer]);
    for (const path of listed.toString().split('\0')) if (path !== '') add(path, false);
    return found;
  }
  const diff = ['diff-tree', '-r', '-z', '--raw', '--no-renames', '--no-ext-diff', '--ignore-submodules=all'];
  const records = (await git(place, [...diff, older, newer])).toString().split('\0');
  for (let index = 0; index + 1 < records.length; index += 2) {
    const mode = /^:(\d+) /.exec(records[index] ?? '')?.[1];
    add(records[index + 1] ?? '', mode !== '000000');
  }
  return found;
}

/** What differs on the disk between two states, commits made in between included. Throws as `gitState` does. */
export async function gitChanges(place: GitPlace, before: GitState, after: GitState): Promise<FileChange[]> {
  const moved = after.head !== null && after.head !== before.head;
  const committed = moved ? await between(place, before.head, after.head ?? '') : new Map<string, boolean>();
  const paths = new Set([...before.files.keys(), ...after.files.keys(), ...committed.keys()]);
  if (paths.size > mostEntries) throw new ChangesUnknown(`git lists more than ${mostEntries} files`);
  const unlisted = [...paths].filter((path) => !after.files.has(path));
  const facts = await factsOf(place.folder, unlisted, place.signal);
  const changes: FileChange[] = [];
  for (const path of paths) {
    const now = after.files.get(path);
    const was = before.files.get(path);
    // What git did not list before was as in the commit of that time.
    const known = was === undefined && !(committed.get(path) ?? now?.inHead ?? true) ? null : was?.facts;
    const change = changeOf(path, known, (now === undefined ? facts.get(path) : now.facts) ?? null);
    if (change !== null) changes.push(change);
  }
  return changes;
}
