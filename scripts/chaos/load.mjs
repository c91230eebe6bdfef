import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ask } from './rig.mjs';

const works = [
  [30, 'quick'],
  [30, 'slow'],
  [8, 'stubborn'],
  [8, 'forks'],
  [6, 'leaves'],
  [6, 'flood'],
  [6, 'fails'],
  [6, 'agent'],
];

/** The commands of the tasks, each with a name of its own. */
function taskMaker(folder, chance) {
  let number = 0;
  return () => {
    number += 1;
    const work = chance.weighted(works);
    const seconds = (chance.between(1, 15) / 10).toFixed(1);
    return { name: `t${number}`, work, command: ['/bin/sh', join(folder, 'child.sh'), work, seconds] };
  };
}

/** Submits tasks by both doors and remembers what was acknowledged; lost answers are asked for again. */
export class Load {
  /** What the program promised: id → { name, work, door }. */
  acknowledged = new Map();
  /** Runs whose cancellation was acknowledged, with the state it answered. */
  cancelled = new Map();
  counts = { http: 0, python: 0, again: 0, refused: 0, cancels: 0, reads: 0 };
  #unanswered = new Map();

  constructor(rig, chance) {
    this.rig = rig;
    this.chance = chance;
    this.task = taskMaker(rig.folder, chance);
  }

  async #send(host, key, { task, body }) {
    const answer = await ask(host, 'POST', '/api/run', body, { 'Idempotency-Key': key });
    if (answer.status === 202) {
      this.acknowledged.set(answer.body.id, { ...task, door: 'http' });
      this.#unanswered.delete(key);
      this.counts.http += 1;
      return;
    }
    this.counts.refused += 1;
    if (answer.status !== 503) throw new Error(`POST /api/run answered ${answer.status}`);
  }

  async #submit(host) {
    const task = this.task();
    const what = task.work === 'agent' ? { prompt: 'hello' } : { command: task.command };
    const delay_seconds = this.chance.chance(0.3) ? this.chance.between(1, 20) / 10 : 0;
    const body = { name: task.name, delay_seconds, env: { CHAOS_FOLDER: this.rig.folder }, ...what };
    const key = `key-${task.name}`;
    // Written down before it is sent: a request whose answer is lost is sent again with the same key.
    this.#unanswered.set(key, { task, body });
    await this.#send(host, key, { task, body });
  }

  async #insert() {
    const tasks = Array.from({ length: this.chance.between(1, 3) }, this.task);
    const made = tasks.filter(({ work }) => work !== 'agent');
    const rows = made.map((one) => ({
      id: `py-${one.name}`,
      name: one.name,
      kind: 'command',
      command_json: JSON.stringify(one.command),
      env_json: JSON.stringify({ CHAOS_FOLDER: this.rig.folder }),
      next_run_at: this.chance.between(0, 1500),
    }));
    try {
      await this.rig.python('insert', JSON.stringify(rows));
    } catch {
      // It did not say that it had committed: nothing is promised.
      this.counts.refused += 1;
      return;
    }
    for (const one of made) this.acknowledged.set(`py-${one.name}`, { ...one, door: 'python' });
    this.counts.python += made.length;
  }

  async #cancel(host) {
    const queue = await ask(host, 'GET', '/api/queue');
    const all = [...queue.body.running, ...queue.body.waiting];
    if (all.length === 0) return;
    const { id } = all[this.chance.between(0, all.length - 1)];
    const answer = await ask(host, 'POST', `/api/runs/${id}/cancel`);
    if (answer.status !== 202) return;
    this.cancelled.set(id, answer.body.status);
    this.counts.cancels += 1;
  }

  async #read(host) {
    await ask(host, 'GET', '/api/runs?limit=50');
    this.counts.reads += 1;
  }

  /** Requests at random moments for `ms`; gives their promises, none of which rejects: the host may die. */
  async during(host, ms) {
    const until = Date.now() + ms;
    const pending = [];
    while (Date.now() < until) {
      const door = this.chance.weighted([
        [10, () => this.#submit(host)],
        [4, () => this.#insert()],
        [2, () => this.#cancel(host)],
        [2, () => this.#read(host)],
      ]);
      pending.push(door().catch(() => undefined));
      await sleep(this.chance.between(10, 250));
    }
    return pending;
  }

  /** Sends what was never answered once more. */
  async again(host) {
    for (const [key, entry] of [...this.#unanswered]) {
      this.counts.again += 1;
      await this.#send(host, key, entry).catch(() => undefined);
    }
  }

  /** Two recurring automations, so that slots are planned throughout. */
  async recurring(host) {
    for (const interval_ms of [1000, 3000]) {
      const body = {
        name: `every ${interval_ms}`,
        kind: 'command',
        command: ['/bin/sh', join(this.rig.folder, 'child.sh'), 'slow', '0.2'],
        env: { CHAOS_FOLDER: this.rig.folder },
        schedule: { kind: 'every', interval_ms },
        pause_after_failures: 0,
      };
      const answer = await ask(host, 'POST', '/api/automations', body);
      if (answer.status !== 201) throw new Error(`POST /api/automations: ${JSON.stringify(answer)}`);
      this.acknowledged.set(answer.body.id, { name: body.name, work: 'recurring', door: 'http' });
    }
  }
}
