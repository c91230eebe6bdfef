import { temporaryStore } from '../../src-main/testing/temporary-store.ts';
import { type Bench, microseconds } from './measure.ts';
import { previewOf } from './previews.ts';
import { addAutomations, addRuns } from './rows.ts';

/** Figure 5: what is due, when nothing is. */
function dueScan(bench: Bench, rows: number): void {
  const { db, store, remove } = temporaryStore();
  addAutomations(db, rows);
  const probe = db.prepare('SELECT * FROM automations WHERE id = ?');
  const now = Date.now();
  // The probe finds nothing either: both pay for the way down one index and for the call.
  const { ours, reference } = microseconds({
    ours: () => store.automations.due(now, 50, 0),
    reference: () => probe.get('nobody'),
  });
  bench.say({
    figure: 5,
    what: `due scan over ${rows} automations`,
    ours,
    unit: 'µs',
    against: 'primary-key probe',
    reference,
    goal: { most: 2 },
  });
  remove();
}

/** Figure 6: one page of runs, the newest and one from the middle. */
function runPages(bench: Bench, rows: number): void {
  const small = temporaryStore();
  addRuns(small.db, 1000);
  const large = temporaryStore();
  addRuns(large.db, rows);
  const middle = large.store.runs.list({}, Math.min(1000, rows / 2)).next_cursor ?? undefined;
  const { ours, reference, deep } = microseconds({
    ours: () => large.store.runs.list({}, 50),
    reference: () => small.store.runs.list({}, 50),
    deep: () => large.store.runs.list({}, 50, middle),
  });
  const line = { figure: 6, unit: 'µs', ours, more: { 'by cursor': deep } };
  const what = `page of 50 out of ${rows} runs`;
  bench.say({ ...line, what, against: '1000 runs', reference, goal: { most: 1.2 } });
  bench.say({ ...line, what, against: '3 ms', reference: 3000, goal: { most: 1 } });
  small.remove();
  large.remove();
}

/** Figures 5, 6 and 14: reading. */
export async function reads(bench: Bench): Promise<void> {
  for (const rows of bench.full ? [1000, 100_000, 1_000_000] : [1000, 100_000]) {
    dueScan(bench, rows);
    if (rows > 1000) runPages(bench, rows);
  }
  previewOf(bench);
}
