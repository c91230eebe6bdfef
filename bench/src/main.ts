import { events } from './events.ts';
import { serveFloor } from './floors.ts';
import { accepted } from './http.ts';
import { latency } from './latency.ts';
import { type Bench, type Line, meets } from './measure.ts';
import { memory } from './memory.ts';
import { reads } from './reads.ts';
import { output, spawns } from './spawns.ts';
import { throughput } from './throughput.ts';

/** Each runs in a process of its own, so that none inherits the heap and the caches of another. */
const figures: Record<string, (bench: Bench) => Promise<void>> = {
  latency,
  throughput,
  accepted,
  reads,
  spawns,
  output,
  memory,
  events,
};

const [name = '', argument = ''] = process.argv.slice(2);
if (name === 'floor-server') serveFloor(argument);
else {
  const lines: Line[] = [];
  const say: Bench['say'] = (line) => {
    const ratio = line.ratio ?? line.ours / line.reference;
    lines.push({ ...line, ratio, met: meets(ratio, line.goal) });
  };
  await figures[name]?.({ full: argument === 'full', say });
  process.stdout.write(`${JSON.stringify(lines)}\n`, () => process.exit(0));
}
