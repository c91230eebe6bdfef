import { spawn } from 'node:child_process';
import { dirname } from 'node:path';

/** git is not there, refuses the folder, or failed. */
export class GitFailed extends Error {}

export interface GitPlace {
  /** The folder that is asked about, as a real path. */
  folder: string;
  /** The folder that holds `.git`. */
  root: string;
  env: Record<string, string>;
  signal: AbortSignal;
}

const mostBytes = 16 * 1024 * 1024;

/**
 * A repository may be hostile: whatever its configuration would have git start is switched off here. Filters have
 * names of their own and are switched off one by one (`filtersOff`).
 */
const harmless = [
  'core.fsmonitor=false',
  'core.hooksPath=/dev/null',
  'core.pager=cat',
  'protocol.allow=never',
  'safe.bareRepository=explicit',
  'status.submoduleSummary=false',
  'diff.relative=false',
].flatMap((setting) => ['-c', setting]);

/**
 * The environment of git: where to find it and the person's own configuration, nothing else. It carries the run's
 * id, so that whatever ends the trees of a run ends a git that hangs, too.
 */
export function gitEnvironment(
  child: Readonly<Record<string, string>>,
  runId: string,
): Record<string, string> {
  const env: Record<string, string> = {};
  for (const name of ['PATH', 'HOME', 'USERPROFILE', 'SystemRoot', 'SYSTEMROOT', 'APPDATA']) {
    const value = child[name];
    if (value !== undefined) env[name] = value;
  }
  return {
    ...env,
    LC_ALL: 'C',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_TERMINAL_PROMPT: '0',
    GIT_ALLOW_PROTOCOL: '',
    GIT_NO_LAZY_FETCH: '1',
    NEXTRUN_RUN_ID: runId,
  };
}

/**
 * What git prints for the arguments. Throws GitFailed, or the signal's reason when it is aborted, which kills git.
 * `nothing` is an exit code that only means that there is nothing to print.
 */
export function git(place: GitPlace, args: readonly string[], nothing = 0): Promise<Buffer> {
  const { folder, root, env, signal } = place;
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason);
    // -C and not the cwd of the process: some systems look for the program there first.
    const options = ['-C', folder, '--no-pager', `--work-tree=${root}`, ...harmless];
    const child = spawn('git', [...options, ...args], {
      // A `.git` that is none must not make git take the one of a folder further up.
      env: { ...env, GIT_CEILING_DIRECTORIES: dirname(root) },
      stdio: ['ignore', 'pipe', 'ignore'],
      windowsHide: true,
    });
    const chunks: Buffer[] = [];
    let size = 0;
    const stop = (error: unknown) => {
      child.kill('SIGKILL');
      child.stdout.destroy();
      reject(error);
    };
    const abort = () => stop(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
    child.stdout.on('data', (bytes: Buffer) => {
      chunks.push(bytes);
      size += bytes.length;
      if (size > mostBytes) stop(new GitFailed('git lists too much'));
    });
    child.on('error', (error) => reject(new GitFailed(error.message)));
    child.on('close', (code) => {
      signal.removeEventListener('abort', abort);
      if (code === 0 || code === nothing) resolve(Buffer.concat(chunks));
      else reject(new GitFailed(`git ended with ${code}`));
    });
  });
}

const filterKeys = ['clean', 'smudge', 'process'];

/** Arguments that make every filter of the configuration do nothing: `git status` would run them on changed files. */
export async function filtersOff(place: GitPlace): Promise<string[]> {
  const pattern = `^filter\\..*\\.(${[...filterKeys, 'required'].join('|')})$`;
  const listed = await git(place, ['config', '--name-only', '-z', '--get-regexp', pattern], 1);
  const names = new Set(
    listed
      .toString()
      .split('\0')
      .filter((key) => key !== '')
      .map((key) => key.slice(0, key.lastIndexOf('.'))),
  );
  // `-c` ends a key at its first "=": such a filter could not be switched off.
  if ([...names].some((name) => name.includes('='))) throw new GitFailed('a filter has an odd name');
  return [...names].flatMap((name) => [
    ...filterKeys.flatMap((key) => ['-c', `${name}.${key}=`]),
    '-c',
    `${name}.required=false`,
  ]);
}
