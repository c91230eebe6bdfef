import { engineRig, noOpLauncher, settledRuns, submit } from './engine-rig.ts';
import { atRest, type Bench, interleaved, withFolder } from './measure.ts';
import { boringQueue, floorQueue, type PeerQueue, plainjobQueue } from './queues.ts';
import { addAutomations, addRuns } from './rows.ts';

/** Jobs per second of a queue that works off `count` jobs. */
async function ofPeer(queue: PeerQueue, count: number): Promise<number> {
  await queue.add(count, 0);
  let left = count;
  let done: () => void = () => undefined;
  const all = new Promise<void>((resolve) => {
    done = resolve;
  });
  const from = performance.now();
  queue.start(() => {
    left -= 1;
    if (left === 0) done();
  });
  await all;
  await queue.stop();
  return (count / (performance.now() - from)) * 1000;
}

async function ofEngine(rows: number, count: number): Promise<number> {
  const rig = await engineRig(noOpLauncher(), ({ db }) => {
    if (rows === 0) return;
    addAutomations(db, rows);
    addRuns(db, rows);
  });
  await atRest();
  // Written before, like the jobs of the others; half a second is enough for the commit.
  const due = Date.now() + 500;
  const all = settledRuns(rig, count);
  await submit(rig, count, due);
  const from = performance.now() + (due - Date.now());
  await all;
  const each = (count / (performance.now() - from)) * 1000;
  await rig.dispose();
  return each;
}

/** Figure 3: runs of no work per second through the whole engine, three at a time, every commit synced. */
export async function throughput(bench: Bench): Promise<void> {
  await withFolder(async (folder) => {
    const boring = await boringQueue(folder);
    const queues = {
      floor: floorQueue(folder),
      plainjob: plainjobQueue(folder, 10),
    };
    const found = await interleaved(bench.full ? 5 : 3, {
      ours: () => ofEngine(0, 600),
      floor: () => ofPeer(queues.floor, 600),
      plainjob: () => ofPeer(queues.plainjob, 600),
      boring: () => ofPeer(boring, 150),
      ours100000: () => ofEngine(100_000, 600),
    });
    const line = { figure: 3, unit: 'runs/s', goal: { least: 1.5 } };
    const against = { against: 'plainjob', reference: found.plainjob };
    bench.say({ ...line, ...against, what: 'no-op runs through the engine', ours: found.ours, more: found });
    const ours = found.ours100000;
    bench.say({ ...line, ...against, what: 'the same over 100000 rows', ours });
    if (!bench.full) return;
    const million = await ofEngine(1_000_000, 600);
    bench.say({ ...line, ...against, what: 'the same over 1000000 rows', ours: million });
  });
}
