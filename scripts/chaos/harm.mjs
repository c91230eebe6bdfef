import { setTimeout as sleep } from 'node:timers/promises';
import { Broken } from './invariants.mjs';
import { children, parts, signal } from './processes.mjs';
import { endedWithin } from './rig.mjs';

/** After the death of the host alone every tree is to be gone within 2 s; the rest is for a slow machine. */
const treesGoneMs = 4000;
const orderlyStopMs = 14_000;
const alreadyServed = 6;

/** Waits until no task of a dead host is alive; gives how long it took, ms. */
async function treesGone(rig) {
  const from = Date.now();
  for (;;) {
    const alive = children(rig.folder);
    if (alive.length === 0) return Date.now() - from;
    if (Date.now() - from > treesGoneMs) {
      throw new Broken('survivor', `alive after the host's death: ${JSON.stringify(alive)}`);
    }
    await sleep(25);
  }
}

async function stopInOrder(host) {
  signal(host.pid, 'SIGTERM');
  const end = await endedWithin(host, orderlyStopMs);
  if (end !== 0) throw new Broken('stop', `SIGTERM ended with ${end}: ${host.printed.slice(-400)}`);
}

async function killed(host, ...others) {
  for (const pid of [host.pid, ...others]) signal(pid, 'SIGKILL');
  await host.ended;
  return { kills: 1, dead: true };
}

async function frozen(rig, host, chance, pid) {
  signal(pid, 'SIGSTOP');
  try {
    if (pid === host.pid && chance.chance(0.3)) {
      const code = await rig.startSecond();
      if (code !== alreadyServed) throw new Broken('second-host', `ended with ${code} beside a frozen host`);
    } else await sleep(chance.between(100, 2500));
  } finally {
    signal(pid, 'SIGCONT');
  }
  return { kills: 0, dead: false };
}

function hog(rig, chance) {
  const how = chance.chance(0.5) ? 'IMMEDIATE' : 'EXCLUSIVE';
  return rig.python('hog', String(chance.between(1, 25) / 10), how).catch(() => undefined);
}

/**
 * The kinds of harm with their weights. Each does it at once and resolves to `{ kills, dead }`: how many processes
 * were ended, and whether the host is gone.
 */
export const harms = [
  [24, 'host', async ({ host }) => killed(host)],
  [
    12,
    'host, then look',
    async ({ rig, host, worst }) => {
      const { watchdog, launcher } = parts(rig.folder, host.pid);
      const end = await killed(host);
      // A launcher that is just starting has no watchdog yet, and then nobody can keep the promise of 2 s.
      if (watchdog !== null && launcher !== null) worst('trees gone, ms', await treesGone(rig));
      return end;
    },
  ],
  [
    12,
    'SIGTERM',
    async ({ host, worst }) => {
      const from = Date.now();
      await stopInOrder(host);
      worst('orderly stop, ms', Date.now() - from);
      return { kills: 1, dead: true };
    },
  ],
  [
    12,
    'launcher',
    async ({ rig, host }) => ({
      kills: Number(signal(parts(rig.folder, host.pid).launcher, 'SIGKILL')),
      dead: false,
    }),
  ],
  [
    6,
    'watchdog',
    async ({ rig, host }) => ({
      kills: Number(signal(parts(rig.folder, host.pid).watchdog, 'SIGKILL')),
      dead: false,
    }),
  ],
  [5, 'host and launcher', async ({ rig, host }) => killed(host, parts(rig.folder, host.pid).launcher)],
  [
    5,
    'launcher and watchdog',
    async ({ rig, host }) => {
      const { launcher, watchdog } = parts(rig.folder, host.pid);
      for (const pid of [watchdog, launcher]) signal(pid, 'SIGKILL');
      return { kills: 1, dead: false };
    },
  ],
  [
    5,
    'all three',
    async ({ rig, host }) => {
      const { launcher, watchdog } = parts(rig.folder, host.pid);
      return killed(host, watchdog, launcher);
    },
  ],
  [6, 'frozen host', ({ rig, host, chance }) => frozen(rig, host, chance, host.pid)],
  [
    4,
    'frozen launcher',
    ({ rig, host, chance }) => frozen(rig, host, chance, parts(rig.folder, host.pid).launcher),
  ],
  [
    4,
    'frozen host, then killed',
    async ({ host, chance }) => {
      signal(host.pid, 'SIGSTOP');
      await sleep(chance.between(50, 1500));
      return killed(host);
    },
  ],
  [
    6,
    'lock',
    async ({ rig, chance }) => {
      await hog(rig, chance);
      return { kills: 0, dead: false };
    },
  ],
  [
    6,
    'host under a lock',
    async ({ rig, host, chance }) => {
      const held = hog(rig, chance);
      await sleep(chance.between(50, 800));
      const end = await killed(host);
      if (chance.chance(0.5)) await held;
      return end;
    },
  ],
];
