import { type EngineRig, engineRig, noOpLauncher, settledRuns, submit } from './engine-rig.ts';
import { atRest, type Bench, median, quantile, wait, withFolder } from './measure.ts';
import { boringQueue, floorQueue, type PeerQueue, plainjobQueue } from './queues.ts';
import { addAutomations, addRuns } from './rows.ts';

const perRound = 20;
/** Jobs fall due this long after they were written, so that whoever polls or arms a timer is at rest. */
const delays = [23, 31, 44];
/** Milliseconds since 1970 with fractions. */
const preciseNow = () => performance.timeOrigin + performance.now();

async function ofPeer(queue: PeerQueue, found: number[]): Promise<void> {
  let due = 0;
  let heard: () => void = () => undefined;
  queue.start(() => {
    found.push(preciseNow() - due);
    heard();
  });
  for (let index = 0; index < perRound; index += 1) {
    const delay = delays[index % delays.length] ?? 50;
    const done = new Promise<void>((resolve) => {
      heard = resolve;
    });
    due = Date.now() + delay;
    await queue.add(1, delay);
    await done;
    await wait(5);
  }
  await queue.stop();
}

interface Latency {
  rig: EngineRig;
  called: () => void;
}

async function latencyRig(rows: number): Promise<Latency> {
  const latency: { called: () => void } = { called: () => undefined };
  const launcher = noOpLauncher(() => latency.called());
  const rig = await engineRig(launcher, ({ db }) => {
    if (rows === 0) return;
    addAutomations(db, rows);
    addRuns(db, rows);
  });
  return Object.assign(latency, { rig });
}

async function ofEngine(latency: Latency, found: number[]): Promise<void> {
  for (let index = 0; index < perRound; index += 1) {
    const delay = delays[index % delays.length] ?? 50;
    const due = Date.now() + delay;
    latency.called = () => void found.push(preciseNow() - due);
    const settled = settledRuns(latency.rig, 1);
    await submit(latency.rig, 1, due);
    await settled;
    await wait(5);
  }
}

/** Figures 1 and 2: from the due instant to the call of the executor, idle, without and with many rows. */
export async function latency(bench: Bench): Promise<void> {
  await withFolder(async (folder) => {
    const sizes = bench.full ? [0, 100_000, 1_000_000] : [0, 100_000];
    const rigs = await Promise.all(sizes.map(latencyRig));
    // What a host does in the background after its start is told, but is not the latency of an idle one.
    const held = await atRest();
    const peers: Record<string, PeerQueue> = {
      floor: floorQueue(folder),
      plainjob: plainjobQueue(folder),
      '@boringnode/queue': await boringQueue(folder),
    };
    const found = new Map<string, number[]>();
    const of = (name: string) => found.get(name) ?? found.set(name, []).get(name) ?? [];
    for (let round = 0; round < 4; round += 1) {
      for (const [index, rig] of rigs.entries()) await ofEngine(rig, of(`ours ${sizes[index]}`));
      for (const [name, peer] of Object.entries(peers)) await ofPeer(peer, of(name));
    }
    for (const { rig } of rigs) await rig.dispose();
    report(bench, found, sizes, held);
  });
}

function report(bench: Bench, found: Map<string, number[]>, sizes: number[], held: number): void {
  const at = (name: string, q: number) => quantile(found.get(name) ?? [], q);
  const more = Object.fromEntries(
    [...found].flatMap(([name, values]) => [
      [`${name} p50`, median(values)],
      [`${name} p99`, quantile(values, 0.99)],
    ]),
  );
  const unit = 'ms';
  bench.say({
    figure: 1,
    what: 'due → executor called, p50',
    ours: at('ours 0', 0.5),
    unit,
    against: 'floor',
    reference: at('floor', 0.5),
    goal: { most: 2 },
    more,
  });
  const best = ['plainjob', '@boringnode/queue'].sort((a, b) => at(a, 0.99) - at(b, 0.99))[0] ?? '';
  bench.say({
    figure: 1,
    what: 'due → executor called, p99',
    ours: at('ours 0', 0.99),
    unit,
    against: `best: ${best}`,
    reference: at(best, 0.99),
    goal: { most: 1 },
  });
  for (const size of sizes.slice(1)) {
    for (const [name, q] of [
      ['p50', 0.5],
      ['p99', 0.99],
    ] as const) {
      bench.say({
        figure: 2,
        what: `the same with ${size} pending, ${size} runs, ${name}`,
        ours: at(`ours ${size}`, q),
        unit,
        against: 'figure 1',
        reference: at('ours 0', q),
        goal: { most: 1.3 },
        more: { 'event loop held after the start, ms': held },
      });
    }
  }
}
