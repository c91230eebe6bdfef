import { cap } from './rig.mjs';

const legal = new Set([
  'QUEUED',
  'IN_PROGRESS',
  'PENDING_REVIEW',
  'ACCEPTED',
  'REJECTED',
  'FAILED',
  'CANCELLED',
  'SKIPPED',
]);
const open = new Set(['QUEUED', 'IN_PROGRESS']);
const restarted = new Set(['interrupted', 'service_stopped', 'heartbeat_expired']);
/** A claimable run gets its position with the next commit that touches the queue; ms. */
const positionWithinMs = 3000;
const mostInterruptions = 4;

/** Something that must never be. `rule` is its name, for `--known`. */
export class Broken extends Error {
  constructor(rule, message) {
    super(`${rule}: ${message}`);
    this.rule = rule;
  }
}

const groupBy = (list, key) => Map.groupBy(list, key);

function* rowsAreSound(seen, load) {
  if (seen.integrity !== 'ok') yield new Broken('integrity', seen.integrity);
  const known = new Set(seen.automations.map(({ id }) => id));
  for (const [id, task] of load.acknowledged) {
    if (!known.has(id)) yield new Broken('lost', `${id} (${task.name}, ${task.door}) was acknowledged`);
  }
  for (const [name, same] of groupBy(seen.automations, (row) => row.name)) {
    if (same.length > 1) yield new Broken('submitted-twice', `${name}: ${same.map(({ id }) => id)}`);
  }
  for (const row of seen.automations) {
    if (row.attention_code !== null && row.attention_code !== 'failed_once') {
      yield new Broken('attention', `${row.id} ${row.attention_code}`);
    }
  }
  for (const run of seen.runs) {
    if (!legal.has(run.status)) yield new Broken('state', `${run.id} is ${run.status}`);
  }
}

function* claimsAreUnique(seen) {
  const running = seen.runs.filter((run) => run.status === 'IN_PROGRESS');
  if (running.length > cap) yield new Broken('cap', `${running.length} runs are IN_PROGRESS`);
  const slots = groupBy(
    seen.runs.filter((run) => run.scheduled_for !== null),
    (run) => `${run.automation_id}@${run.scheduled_for}#${run.attempt}`,
  );
  for (const [slot, runs] of slots) if (runs.length > 1) yield new Broken('slot-twice', slot);
  for (const [key, runs] of groupBy(seen.runs, (run) => run.run_key)) {
    const attempts = runs.map((run) => run.attempt).sort((a, b) => a - b);
    const inOrder = attempts.every((attempt, index) => attempt === index + 1);
    if (!inOrder) yield new Broken('attempts', `${key} has attempts ${attempts}`);
    const accepted = runs.filter((run) => run.status === 'ACCEPTED').length;
    if (accepted > 1) yield new Broken('accepted-twice', key);
  }
  for (const run of running) if (run.lease_token === null) yield new Broken('lease', `${run.id} has none`);
}

function* positionsAreRight(seen) {
  const waiting = seen.runs.filter((run) => run.status === 'QUEUED');
  const placed = waiting.filter((run) => run.position !== null).map((run) => run.position);
  if (!placed.every((position, index) => position === index + 1)) {
    yield new Broken('positions', `${placed} of ${waiting.length} that wait`);
  }
  const late = waiting.find((run) => run.position === null && run.not_before < seen.now - positionWithinMs);
  if (late !== undefined && placed.length < 100) yield new Broken('positions', `${late.id} has none`);
  const left = seen.runs.find((run) => run.status !== 'QUEUED' && run.position !== null);
  if (left !== undefined)
    yield new Broken('position-left', `${left.id} is ${left.status} at ${left.position}`);
}

function* slotsHaveNoGap(seen) {
  const runs = new Map(seen.runs.map((run) => [run.id, run]));
  const byAutomation = groupBy(seen.slots, (slot) => slot.automation_id);
  for (const row of seen.automations.filter(({ schedule_kind }) => schedule_kind === 'every')) {
    let last = null;
    for (const slot of byAutomation.get(row.id) ?? []) {
      const gap = last === null ? row.interval_ms : slot.scheduled_for - last;
      if (gap !== row.interval_ms) yield new Broken('slot-gap', `${row.name}: ${gap} ms after ${last}`);
      last = slot.through ?? slot.scheduled_for;
    }
  }
  for (const slot of seen.slots.filter(({ outcome }) => outcome === 'ran')) {
    const run = runs.get(slot.run_id);
    if (run?.scheduled_for !== slot.scheduled_for) {
      yield new Broken('ledger', `${slot.automation_id}@${slot.scheduled_for} ran as ${slot.run_id}`);
    }
  }
}

/** Against what the same database said before: what ended stays ended, and no row goes away. */
function* historyIsKept(seen, before) {
  const now = new Map(seen.runs.map((run) => [run.id, run]));
  for (const old of before?.runs ?? []) {
    const run = now.get(old.id);
    if (run === undefined) yield new Broken('run-gone', `${old.id} was ${old.status}`);
    else if (!open.has(old.status) && run.status !== old.status) {
      yield new Broken('move', `${old.id} went from ${old.status} to ${run.status}`);
    }
  }
}

/** What the tasks wrote themselves, against the rows. `record` must have been read before `seen`. */
function* executionsMatch(seen, record) {
  const runs = new Map(seen.runs.map((run) => [run.id, run]));
  const begun = groupBy(
    record.filter(({ what }) => what === 'begin'),
    (line) => line.run,
  );
  for (const [id, lines] of begun) {
    const run = runs.get(id);
    if (lines.length > 1) yield new Broken('executed-twice', `${id} began ${lines.length} times`);
    if (run === undefined) yield new Broken('executed-unknown', `${id} has no row`);
    else if (run.attempt !== lines[0].attempt) yield new Broken('attempt', `${id} was told another one`);
    else if (run.status === 'QUEUED') yield new Broken('queued-again', `${id} began and is QUEUED`);
  }
  const overlap = record.find(({ what }) => what === 'overlap');
  if (overlap !== undefined) yield new Broken('overlap', `${overlap.run} began beside a former execution`);
}

/** What must hold at every moment. `record` is older than `seen`. */
export function* always({ seen, before, record, load }) {
  yield* rowsAreSound(seen, load);
  yield* claimsAreUnique(seen);
  yield* positionsAreRight(seen);
  yield* slotsHaveNoGap(seen);
  yield* historyIsKept(seen, before);
  yield* executionsMatch(seen, record);
}

function* endOf(id, task, runs) {
  const last = runs.at(-1);
  if (last === undefined) return yield new Broken('never-ran', `${id} (${task.name}, ${task.door})`);
  const interruptions = runs.filter((run) => restarted.has(run.reason_code)).length;
  const gaveUp = restarted.has(last.reason_code) && interruptions >= mostInterruptions;
  const asMeant = task.work === 'fails' ? last.exit_code === 3 : last.status === 'ACCEPTED';
  if (!asMeant && !gaveUp && last.status !== 'CANCELLED') {
    yield new Broken('end', `${id} (${task.work}) is ${last.status} ${last.reason_code} #${last.attempt}`);
  }
  for (const run of runs.slice(0, -1)) {
    if (!restarted.has(run.reason_code)) {
      yield new Broken('repeated', `${run.id} was ${run.status} ${run.reason_code} and was run again`);
    }
  }
}

/** What must hold in addition when all work has ended. */
export function* atTheEnd({ seen, record, load }) {
  const byAutomation = groupBy(seen.runs, (run) => run.automation_id);
  const ended = new Set(record.filter(({ what }) => what === 'end').map((line) => line.run));
  for (const [id, task] of load.acknowledged) {
    if (task.work === 'recurring') continue;
    const runs = (byAutomation.get(id) ?? []).toSorted((a, b) => a.attempt - b.attempt);
    yield* endOf(id, task, runs);
    for (const run of runs) {
      if (run.status === 'ACCEPTED' && task.work !== 'agent' && !ended.has(run.id)) {
        yield new Broken('accepted-unfinished', `${run.id} (${task.work}) never came to its end`);
      }
    }
  }
  for (const [id, said] of load.cancelled) {
    const again = seen.runs.find((run) => run.retry_of === id);
    if (again !== undefined) yield new Broken('cancel-lost', `${id} was ${said} and runs again: ${again.id}`);
    const run = seen.runs.find((row) => row.id === id);
    if (said === 'CANCELLED' && run?.status !== 'CANCELLED') {
      yield new Broken('cancel-lost', `${id} is ${run?.status}`);
    }
  }
}
