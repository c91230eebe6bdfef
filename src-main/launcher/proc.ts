import { readdirSync, readFileSync } from 'node:fs';

/** One line of the process table. `started_at` is in ticks since boot. */
export interface ProcessEntry {
  pid: number;
  name: string;
  state: string;
  parent: number;
  group: number;
  session: number;
  started_at: number;
}

/**
 * Reads `/proc/<pid>/stat`; null when there is no such process or no /proc. The name may contain spaces and
 * parentheses, so the fields are counted from the last `)`.
 */
export function readStat(text: string): ProcessEntry | null {
  const open = text.indexOf('(');
  const close = text.lastIndexOf(')');
  if (open === -1 || close < open) return null;
  const fields = text.slice(close + 2).split(' ');
  const number = (index: number) => Number(fields[index]);
  const entry = {
    pid: Number(text.slice(0, open).trim()),
    name: text.slice(open + 1, close),
    state: fields[0] ?? '',
    parent: number(1),
    group: number(2),
    session: number(3),
    started_at: number(19),
  };
  return Number.isInteger(entry.pid) && Number.isFinite(entry.started_at) ? entry : null;
}

/** The process table entry of `pid`, null where there is none. */
export function processEntry(pid: number): ProcessEntry | null {
  try {
    return readStat(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return null;
  }
}

/** All live processes but this one. Zombies are left out: they run nothing and only wait for their parent. */
export function liveProcesses(): ProcessEntry[] {
  let names: string[];
  try {
    names = readdirSync('/proc');
  } catch {
    return [];
  }
  const found: ProcessEntry[] = [];
  for (const name of names) {
    if (!/^\d+$/.test(name) || name === String(process.pid)) continue;
    const entry = processEntry(Number(name));
    if (entry !== null && entry.state !== 'Z' && entry.state !== 'X') found.push(entry);
  }
  return found;
}

/** True when the process was started with `variable=value` in its environment, as far as this user may read it. */
export function hasInEnvironment(pid: number, variable: string, value: string): boolean {
  try {
    const environment = readFileSync(`/proc/${pid}/environ`);
    const wanted = Buffer.from(`${variable}=${value}\0`);
    const at = environment.indexOf(wanted);
    if (at === 0) return true;
    return environment.includes(Buffer.concat([Buffer.from('\0'), wanted]));
  } catch {
    return false;
  }
}
