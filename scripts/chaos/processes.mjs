import { readdirSync, readFileSync } from 'node:fs';

/**
 * Every live process whose environment holds `mark`, with its parent, its start (ticks) and the run it belongs to.
 * A process that ends while it is read is left out, and so are zombies.
 */
export function marked(mark) {
  const found = [];
  for (const entry of readdirSync('/proc')) {
    if (!/^\d+$/.test(entry) || entry === String(process.pid)) continue;
    try {
      const environment = readFileSync(`/proc/${entry}/environ`, 'utf8');
      if (!environment.includes(mark)) continue;
      const stat = readFileSync(`/proc/${entry}/stat`, 'utf8');
      const [state, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      if (state === 'Z' || state === 'X') continue;
      const command = readFileSync(`/proc/${entry}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
      const run = /(?:^|\0)NEXTRUN_RUN_ID=([^\0]*)/.exec(environment)?.[1] ?? null;
      found.push({ pid: Number(entry), parent: Number(parent), command, run });
    } catch {
      // It ended while it was looked at.
    }
  }
  return found;
}

/** Host, launcher and watchdog among the processes of one data folder; null where one is not there. */
export function parts(folder, hostPid) {
  const own = marked(`NEXTRUN_HOME=${folder}`).filter((found) => found.run === null);
  const watchdog = own.find((found) => found.command.endsWith('--watchdog'));
  const launcher = own.find((found) => found.parent === hostPid && found.command.includes('launcher'));
  return { host: hostPid, launcher: launcher?.pid ?? null, watchdog: watchdog?.pid ?? null };
}

/** Processes of runs, by the mark that every task of the chaos run carries. */
export const children = (folder) => marked(`CHAOS_FOLDER=${folder}`).filter((found) => found.run !== null);

/** Sends a signal; false when there is nobody to take it. */
export function signal(pid, name) {
  if (pid === null) return false;
  try {
    process.kill(pid, name);
    return true;
  } catch {
    return false;
  }
}
