import { rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { ensureBuild } from './build.mjs';
import { dice } from './chaos/dice.mjs';
import { harms } from './chaos/harm.mjs';
import { always, atTheEnd, Broken } from './chaos/invariants.mjs';
import { Load } from './chaos/load.mjs';
import { children, marked, signal } from './chaos/processes.mjs';
import { ask, createRig, endedWithin } from './chaos/rig.mjs';
import { isProgram, requireNode, root } from './run-node.mjs';

/**
 * `npm run chaos -- --kills 200 --seed 7`: kills real hosts at random moments while tasks come in, and checks after
 * each restart what must never break. Exits 1 at the first broken invariant and prints its seed. The seed repeats
 * what is done, not how the machine schedules it. `--known rule,rule` counts those and goes on; `--program` tests
 * another build; `--keep` leaves the data folder.
 */
const options = {
  kills: { type: 'string', default: '200' },
  seed: { type: 'string' },
  known: { type: 'string', default: '' },
  program: { type: 'string' },
  keep: { type: 'boolean', default: false },
};
const calmWithinMs = 120_000;
const backlog = 40;

class Chaos {
  done = { rounds: 0, kills: 0, starts: 0, checks: 0 };
  harmed = new Map();
  found = new Map();
  worst = new Map();
  host = null;
  before = null;

  constructor(program, seed, known) {
    this.chance = dice(seed);
    this.known = known;
    this.rig = createRig(program);
    this.load = new Load(this.rig, this.chance);
  }

  /** Remembers the largest number of its kind. */
  note(what, value) {
    this.worst.set(what, Math.max(value, this.worst.get(what) ?? 0));
  }

  #judge(complaints) {
    for (const broken of complaints) {
      if (!this.known.has(broken.rule)) throw broken;
      const text = this.found.get(broken.rule) ?? new Set();
      this.found.set(broken.rule, text.add(broken.message));
    }
  }

  /** Starts hosts until one serves; some are killed while they start. */
  async up() {
    let killsAtStart = this.chance.weighted([
      [80, 0],
      [14, 1],
      [6, 3],
    ]);
    for (;;) {
      this.host = this.rig.start();
      this.done.starts += 1;
      if (killsAtStart > 0) {
        killsAtStart -= 1;
        await sleep(this.chance.between(0, 900));
        signal(this.host.pid, 'SIGKILL');
        await this.host.ended;
        this.done.kills += 1;
        this.harmed.set('host at its start', (this.harmed.get('host at its start') ?? 0) + 1);
      } else {
        if (!(await this.host.ready)) throw new Broken('start', `no host: ${this.host.printed.slice(-600)}`);
        this.note('start, ms', Date.now() - this.host.startedAt);
        return;
      }
    }
  }

  /** Everything that must hold while a host serves. */
  async check() {
    this.done.checks += 1;
    const aliveBefore = new Map(children(this.rig.folder).map((child) => [child.pid, child]));
    const record = this.rig.record();
    const seen = await this.rig.look();
    const alive = children(this.rig.folder).filter(({ pid }) => aliveBefore.has(pid));
    const state = new Map(seen.runs.map((run) => [run.id, run.status]));
    const stray = alive.find(({ run }) => state.get(run) !== 'IN_PROGRESS');
    const complaints = [...always({ seen, before: this.before, record, load: this.load })];
    if (stray !== undefined) {
      complaints.push(new Broken('stray', `${JSON.stringify(stray)} of a run ${state.get(stray.run)}`));
    }
    this.before = seen;
    this.#judge(complaints);
    return seen;
  }

  async round() {
    this.done.rounds += 1;
    const waiting = this.before?.runs.filter((run) => run.status === 'QUEUED').length ?? 0;
    const load = waiting < backlog ? this.load.during(this.host, this.chance.between(100, 1800)) : [];
    await sleep(this.chance.between(0, 1500));
    const [name, harm] = this.chance.weighted(harms.map(([weight, ...rest]) => [weight, rest]));
    this.harmed.set(name, (this.harmed.get(name) ?? 0) + 1);
    const { rig, host, chance } = this;
    const end = await harm({ rig, host, chance, worst: (what, value) => this.note(what, value) });
    this.done.kills += end.kills;
    await Promise.all(await load);
    if (end.dead) await this.up();
    else if ((await endedWithin(this.host, 1)) !== null) {
      throw new Broken('host-died', `after harm to: ${name}; ${this.host.printed.slice(-600)}`);
    }
    await this.load.again(this.host);
    await this.check();
  }

  /** Lets all work end, checks the whole history, stops the host and looks for what it left. */
  async finish() {
    for (const [id, task] of this.load.acknowledged) {
      if (task.work === 'recurring') await ask(this.host, 'POST', `/api/automations/${id}/pause`);
    }
    const until = Date.now() + calmWithinMs;
    let seen = await this.check();
    const isOpen = ({ status }) => status === 'QUEUED' || status === 'IN_PROGRESS';
    const isDue = (row) => row.next_run_at !== null && row.status === 'ACTIVE';
    while (seen.runs.some(isOpen) || seen.automations.some(isDue)) {
      if (Date.now() > until) {
        const left = [...seen.runs.filter(isOpen), ...seen.automations.filter(isDue)].slice(0, 5);
        throw new Broken('stuck', JSON.stringify(left));
      }
      await sleep(500);
      seen = await this.check();
    }
    this.#judge(atTheEnd({ seen, record: this.rig.record(), load: this.load }));
    signal(this.host.pid, 'SIGTERM');
    const code = await endedWithin(this.host, 14_000);
    if (code !== 0) throw new Broken('stop', `the last host ended with ${code}`);
    await sleep(1500);
    const left = marked(this.rig.folder);
    if (left.length > 0) throw new Broken('left-over', JSON.stringify(left));
    return seen;
  }

  async run(kills) {
    await this.up();
    await this.load.recurring(this.host);
    while (this.done.kills < kills) {
      await this.round();
      if (this.done.rounds % 25 === 0) console.log(`… ${this.done.kills} of ${kills} kills`);
    }
    return this.finish();
  }

  dispose(keep) {
    for (const { pid } of marked(this.rig.folder)) signal(pid, 'SIGKILL');
    if (!keep) rmSync(this.rig.folder, { recursive: true, force: true, maxRetries: 5 });
    else console.log(`kept ${this.rig.folder}`);
  }
}

function summary(chaos, seen) {
  const { done, load, harmed, worst, found } = chaos;
  const list = (map) => [...map].map(([name, value]) => `${name} ${value}`).join(', ');
  console.log(`${done.kills} kills in ${done.rounds} rounds, ${done.starts} starts, ${done.checks} checks`);
  console.log(`harm: ${list(harmed)}`);
  console.log(`load: ${list(Object.entries(load.counts))}; acknowledged ${load.acknowledged.size}`);
  if (seen !== null) {
    const states = Map.groupBy(seen.runs, (run) => `${run.status} ${run.reason_code ?? ''}`.trim());
    console.log(`runs: ${list([...states].map(([name, runs]) => [name, runs.length]))}`);
  }
  console.log(`worst: ${list(worst)}`);
  for (const [rule, messages] of found) console.log(`known ${rule}: ${messages.size}; ${[...messages][0]}`);
}

async function main() {
  const { values } = parseArgs({ options });
  const seed = Number(values.seed ?? Date.now() % 1_000_000);
  if (values.program === undefined) await ensureBuild();
  const program = resolve(values.program ?? join(root, 'out/main/nextrun.js'));
  const chaos = new Chaos(program, seed, new Set(values.known.split(',')));
  console.log(`seed ${seed}`);
  let seen = null;
  let keep = values.keep;
  try {
    seen = await chaos.run(Number(values.kills));
    console.log('every invariant held');
  } catch (error) {
    keep ||= error instanceof Broken;
    console.log(error instanceof Broken ? `BROKEN ${error.message}` : error);
    console.log(`seed ${seed}; round ${chaos.done.rounds}, ${chaos.done.kills} kills`);
    process.exitCode = 1;
  } finally {
    summary(chaos, seen);
    chaos.dispose(keep);
  }
}

if (isProgram(import.meta.url)) {
  await requireNode();
  await main();
}
