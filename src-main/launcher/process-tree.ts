import { execFile } from 'node:child_process';
import type { Clock } from '../../src-shared/clock.ts';
import { hasInEnvironment, liveProcesses, type ProcessEntry, processEntry } from './proc.ts';

/** The variable that marks every process of a run, however far it wanders from its group. */
export const runTag = 'NEXTRUN_RUN_ID';

const graceDefaultMs = 5000;
/** After KILL only the kernel can delay an end; what is still there after this is reported as a survivor. */
const killWaitMs = 5000;

/** Nobody waits for the answer of a run whose host is dead, but its program may still put things in order. */
const formerGraceMs = 1000;

/** The tree of one run. */
export interface TreeOf {
  /** The root, which leads its own group and session; null when it is not known (then the tag alone is used). */
  pid: number | null;
  runId: string;
  /** Kernel start time of the root; guards against a pid that was given to another program since. */
  startedAt?: number | null;
}

export interface KillOptions extends TreeOf {
  clock: Clock;
  /** Milliseconds between TERM and KILL; 5,000 unless told, 0 kills at once. */
  graceMs?: number;
  /** Ends the grace at once when aborted. */
  hurry?: AbortSignal;
}

/** Start time of a process in ticks since boot (field 22 of its stat); null where unknown or gone. */
export function pidStartedAt(pid: number): number | null {
  return processEntry(pid)?.started_at ?? null;
}

/** Pids of all live processes that carry the tag of a run. Linux only; elsewhere the list is empty. */
export function tagged(runId: string): number[] {
  return liveProcesses()
    .filter(({ pid }) => hasInEnvironment(pid, runTag, runId))
    .map(({ pid }) => pid);
}

const nameOf = (entry: ProcessEntry) => `${entry.name} (${entry.pid})`;

/** False when the pid of the root belongs to another program by now; then its group is not ours either. */
function groupIsOurs({ pid, startedAt }: TreeOf): boolean {
  if (pid === null) return false;
  const now = pidStartedAt(pid);
  return now === null || startedAt === undefined || startedAt === null || now === startedAt;
}

/**
 * The live processes of a run: group, session, tag, and all their descendants. Nothing that is older than the
 * root can belong to it, which also spares reading the environment of nearly everything on the machine.
 */
export function treeMembers(tree: TreeOf): ProcessEntry[] {
  const ours = groupIsOurs(tree);
  const oldest = tree.startedAt ?? 0;
  const candidates = liveProcesses().filter((entry) => entry.started_at >= oldest);
  const members = new Map<number, ProcessEntry>();
  for (const entry of candidates) {
    const inGroup = ours && (entry.group === tree.pid || entry.session === tree.pid);
    if (inGroup || hasInEnvironment(entry.pid, runTag, tree.runId)) members.set(entry.pid, entry);
  }
  for (let before = -1; before !== members.size; ) {
    before = members.size;
    for (const entry of candidates) if (members.has(entry.parent)) members.set(entry.pid, entry);
  }
  return [...members.values()];
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // It ended meanwhile, or it is another user's: the check afterwards tells.
  }
}

function groupExists(pid: number): boolean {
  try {
    process.kill(-pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** Names of what is alive of a tree. Without /proc only the group as a whole can be seen. */
function alive(tree: TreeOf): ProcessEntry[] {
  if (process.platform === 'linux') return treeMembers(tree);
  if (tree.pid === null || !groupExists(tree.pid)) return [];
  const pid = tree.pid;
  return [{ pid, name: 'process group', state: '', parent: 0, group: pid, session: pid, started_at: 0 }];
}

function signalAll(tree: TreeOf, members: ProcessEntry[], name: NodeJS.Signals): void {
  // The group as one: the kernel then signals all of it at once, and nothing can fork its way out of a list.
  if (tree.pid !== null && members.some(({ group }) => group === tree.pid)) signal(-tree.pid, name);
  for (const { pid, group } of members) if (group !== tree.pid) signal(pid, name);
}

/** Resolves after `ms` or when `hurry` is aborted. */
function pause(clock: Clock, ms: number, hurry?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      cancel();
      hurry?.removeEventListener('abort', done);
      resolve();
    };
    const cancel = clock.timer(ms, done);
    hurry?.addEventListener('abort', done);
  });
}

interface Round {
  name: 'SIGTERM' | 'SIGKILL';
  /** Monotonic ms. */
  until: number;
  hurry?: AbortSignal;
}

/** Signals what is alive, at growing distances, until nothing is or the time is over. Gives what is still alive. */
async function signalUntilGone(options: KillOptions, { name, until, hurry }: Round): Promise<ProcessEntry[]> {
  const told = new Set<number>();
  let members = alive(options);
  for (let step = 5; members.length > 0 && !hurry?.aborted; step = Math.min(100, step * 2)) {
    // TERM once each, also to what was forked since: a second one makes some programs give up their clean-up.
    const fresh = name === 'SIGKILL' ? members : members.filter(({ pid }) => !told.has(pid));
    signalAll(options, fresh, name);
    for (const { pid } of fresh) told.add(pid);
    const left = until - options.clock.monotonic();
    if (left <= 0) break;
    await pause(options.clock, Math.min(step, left), hurry);
    members = alive(options);
  }
  return members;
}

function killOnWindows(pid: number | null): Promise<string[]> {
  if (pid === null) return Promise.resolve([]);
  return new Promise((resolve) => {
    execFile('taskkill', ['/pid', String(pid), '/T', '/F'], { windowsHide: true }, () => resolve([]));
  });
}

/**
 * Ends a whole tree: TERM, a grace, KILL, again and again until nothing of it is alive, also what left the group
 * by setsid or a double fork. Resolves when that is verified; gives the names of what could not be ended within
 * 5 s of KILL (a process in the kernel, another user's). On Windows `taskkill /T /F`, without grace.
 */
export async function killTree(options: KillOptions): Promise<string[]> {
  const { pid, clock, graceMs = graceDefaultMs, hurry } = options;
  if (process.platform === 'win32') return killOnWindows(pid);
  if (graceMs > 0) {
    const until = clock.monotonic() + graceMs;
    await signalUntilGone(options, { name: 'SIGTERM', until, ...(hurry === undefined ? {} : { hurry }) });
  }
  const until = clock.monotonic() + killWaitMs;
  const survivors = await signalUntilGone(options, { name: 'SIGKILL', until });
  return survivors.map(nameOf);
}

/** Names of the live processes of a run whose root has ended. */
export function leftovers(tree: TreeOf): string[] {
  return process.platform === 'win32' ? [] : alive(tree).map(nameOf);
}

/**
 * Ends what a dead host left of a run. The pid is believed only when its start time is the recorded one; after a
 * reboot or a reused pid nothing but processes with the run's tag is touched. Resolves when nothing is left.
 */
export async function endFormer({ pid, startedAt, runId, clock }: KillOptions): Promise<void> {
  const known = pid !== null && typeof startedAt === 'number' && pidStartedAt(pid) === startedAt;
  const tree = known ? { pid, startedAt } : { pid: null };
  await killTree({ ...tree, runId, clock, graceMs: formerGraceMs });
}
