import { readdirSync, readFileSync } from 'node:fs';
import { type Bench, median, wait, withFolder } from './measure.ts';
import { startBare, startHost } from './spawned-host.ts';

function field(file: string, name: string): number {
  const line = readFileSync(file, 'utf8')
    .split('\n')
    .find((text) => text.startsWith(`${name}:`));
  return Number(line?.replace(/\D+/g, '') ?? Number.NaN) / 1024;
}

/** Resident memory of a process, MB. */
export const resident = (pid: number): number => field(`/proc/${pid}/status`, 'VmRSS');

/** Proportional memory of a process and everything below it, MB. */
function proportional(root: number): number {
  const all = new Set([root]);
  for (let grown = true; grown; ) {
    grown = false;
    for (const name of readdirSync('/proc')) {
      if (!/^\d+$/.test(name) || all.has(Number(name))) continue;
      try {
        const stat = readFileSync(`/proc/${name}/stat`, 'utf8');
        if (!all.has(Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]))) continue;
        all.add(Number(name));
        grown = true;
      } catch {
        // It ended meanwhile.
      }
    }
  }
  return [...all].reduce((sum, pid) => sum + field(`/proc/${pid}/smaps_rollup`, 'Pss'), 0);
}

/** Figure 10, the part without a window: memory of the idle host against a bare Node that opened a database. */
export async function memory(bench: Bench): Promise<void> {
  const found: { host: number; bare: number; all: number }[] = [];
  for (let round = 0; round < 3; round += 1) {
    await withFolder(async (folder) => {
      const [host, bare] = [await startHost(folder), await startBare(folder)];
      await wait(2000);
      found.push({ host: resident(host.pid), bare: resident(bare.pid), all: proportional(host.pid) });
      await Promise.all([host.stop(), bare.stop()]);
    });
  }
  bench.say({
    figure: 10,
    what: 'memory of the idle headless host',
    ours: median(found.map(({ host }) => host)),
    unit: 'MB',
    against: 'bare Node with database',
    reference: median(found.map(({ bare }) => bare)),
    goal: { most: 1.8 },
    more: { 'host, launcher and watchdog (PSS)': median(found.map(({ all }) => all)) },
  });
}
