import { Cron } from 'croner';
import { upcoming } from '../../src-shared/schedules/index.ts';
import { type Bench, median } from './measure.ts';

const expression = '30 9 * * 1-5';
const timezone = 'Europe/Berlin';
const previews = 1000;
const instants = 10;

function seconds(work: () => void): number {
  const from = performance.now();
  for (let index = 0; index < previews; index += 1) work();
  return (performance.now() - from) / 1000;
}

/** Figure 14: previews of ten instants of a cron expression with a zone, per second, against bare croner. */
export function previewOf(bench: Bench): void {
  const now = Date.UTC(2026, 2, 20);
  const ctx = { timezone, anchorAt: now, minIntervalMs: 60_000, lastRunAt: null };
  const ours: number[] = [];
  const bare: number[] = [];
  for (let round = 0; round < 5; round += 1) {
    ours.push(seconds(() => void upcoming({ kind: 'cron', expression, timezone }, now, instants, ctx)));
    bare.push(seconds(() => void new Cron(expression, { timezone }).nextRuns(instants, new Date(now))));
  }
  bench.say({
    figure: 14,
    what: `${previews} previews of ${instants} instants`,
    ours: previews / median(ours),
    unit: '1/s',
    against: 'croner',
    reference: previews / median(bare),
    goal: { least: 0.9 },
  });
}
