import { ApiError } from '../../src-shared/contract/errors.ts';
import type { Source } from '../../src-shared/model/automation.ts';
import { runStatusSchema, type Trigger } from '../../src-shared/model/run.ts';
import type { AutomationRow, RunRow } from '../storage/rows.ts';
import type { Store } from '../storage/store.ts';
import { wishCancel } from './cancel-wish.ts';
import type { EngineContext } from './context.ts';
import { enqueue } from './queue.ts';

/** Attention codes whose repair is to run once now. */
const answeredByRun: ReadonlySet<string> = new Set([
  'past_without_next_run',
  'missed',
  'missed_ask',
  'queue_full',
  'runs_per_day',
  'tokens_per_day',
  'cost_per_day',
]);

/** What a request on a run leads to; `stop` names a running one whose tree the runner must end. */
export interface RunRequest {
  run: RunRow;
  existing: boolean;
  stop: string[];
}

/** Requests on runs, each one step inside the caller's transaction. All throw ApiError, and then nothing is written. */
class RunCommands {
  readonly #ctx: EngineContext;
  readonly #store: Store;

  constructor(ctx: EngineContext) {
    this.#ctx = ctx;
    this.#store = ctx.store;
  }

  read(id: string): RunRow {
    const row = this.#store.runs.get(id);
    if (row === undefined) throw new ApiError('not_found', `There is no run ${id}`, { field: 'id' });
    return row;
  }

  /**
   * A run at once, tied to no slot. When one is active and must not overlap, that one is given back as existing.
   * On a waiting `at` it takes the place of its run, unless `keep`.
   */
  runNow(automationId: string, trigger: Trigger, source: Source, keep: boolean): RunRequest {
    const automation = this.#store.automations.get(automationId);
    if (automation === undefined || automation.deleted_at !== null) {
      throw new ApiError('not_found', `There is no automation ${automationId}`, { field: 'id' });
    }
    const active = this.#store.runs.activeOf(automationId);
    const existing = blockingRun(automation, active);
    if (existing !== undefined) return { run: existing, existing: true, stop: [] };
    const stop = automation.overlap_policy === 'cancel_previous' ? this.#cancelPrevious(active) : [];
    const slot = keep ? null : this.#waitingSlot(automation);
    const id = enqueue(this.#ctx, automation, {
      trigger,
      scheduled_for: slot,
      exclusive: automation.overlap_policy !== 'allow',
      source,
    });
    if (slot !== null) this.#consumeSlot(automationId, slot, id);
    if (answeredByRun.has(automation.attention_code ?? '')) {
      this.#store.automations.update(automationId, { attention_code: null, attention_detail: null });
    }
    return { run: this.read(id), existing: false, stop };
  }

  /** Ends a waiting run at once; for a running one gives its id to stop, its outcome settles it. */
  cancel(id: string): RunRequest {
    const row = this.read(id);
    if (row.status === 'IN_PROGRESS') {
      wishCancel(this.#ctx, id);
      return { run: this.read(id), existing: true, stop: [id] };
    }
    const now = this.#ctx.clock.now();
    const patch = {
      finished_at: now,
      updated_at: now,
      reason_code: 'cancelled_by_user',
      reason_detail: '任务被取消 / Cancelled',
    };
    if (!this.#store.runs.move(id, 'CANCELLED', patch, { from: 'QUEUED' })) {
      throw new ApiError('state_conflict', `The run is ${row.status}; it has ended already`);
    }
    this.#store.runs.refreshPositions(now);
    this.#finishOnce(row.automation_id);
    return { run: this.read(id), existing: false, stop: [] };
  }

  accept(id: string, note: string | null, door: Source): RunRow {
    return this.#verdict(id, 'ACCEPTED', note, door);
  }

  /** Sends a run back; with `rerun` a new run follows whose input is the original prompt plus the note (ruling 7). */
  reject(id: string, note: string, rerun: boolean, door: Source): RunRow {
    const rejected = this.#verdict(id, 'REJECTED', note, door);
    if (!rerun) return rejected;
    const automation = this.#store.automations.get(rejected.automation_id);
    if (automation === undefined) throw new ApiError('state_conflict', 'Its automation no longer exists');
    if (
      rejected.exclusive === 1 &&
      this.#store.runs.activeOf(automation.id).some((run) => run.status === 'QUEUED')
    ) {
      throw new ApiError('state_conflict', 'A run of this automation is waiting already');
    }
    const prompt = rejected.prompt_snapshot ?? automation.prompt;
    enqueue(this.#ctx, automation, {
      trigger: 'review',
      scheduled_for: null,
      exclusive: rejected.exclusive === 1,
      retry_of: id,
      prompt: automation.kind === 'command' ? prompt : `${prompt}\n\n${note}`,
      source: door,
    });
    return rejected;
  }

  markRead(id: string): RunRow {
    const row = this.read(id);
    const now = this.#ctx.clock.now();
    if (row.read_at === null)
      this.#store.runs.touch(id, { read_at: now }, { from: runStatusSchema.parse(row.status) });
    return this.read(id);
  }

  #verdict(id: string, to: 'ACCEPTED' | 'REJECTED', note: string | null, door: Source): RunRow {
    const row = this.read(id);
    const now = this.#ctx.clock.now();
    const patch = { reviewed_at: now, review_note: note, read_at: row.read_at ?? now, updated_at: now };
    if (!this.#store.runs.move(id, to, patch, { from: 'PENDING_REVIEW' })) {
      throw new ApiError(
        'state_conflict',
        `The run is ${row.status}; only one that needs review takes a verdict`,
      );
    }
    this.#store.reviews.add({ run_id: id, verdict: to, note, door, at: now });
    return this.read(id);
  }

  /** The slot of a waiting `at` whose place a run takes; null when there is none or it is in the ledger already. */
  #waitingSlot(automation: AutomationRow): number | null {
    const slot = automation.next_slot_at;
    if (automation.schedule_kind !== 'at' || typeof slot !== 'number') return null;
    return this.#store.slots.get(automation.id, slot) === undefined ? slot : null;
  }

  #consumeSlot(automationId: string, slot: number, runId: string): void {
    this.#store.slots.insert({
      automation_id: automationId,
      scheduled_for: slot,
      outcome: 'ran',
      run_id: runId,
      reason_code: 'run_now',
      fire_at: this.#ctx.clock.now(),
      through: null,
      count: 1,
      recorded_at: this.#ctx.clock.now(),
    });
    this.#store.automations.update(automationId, { next_run_at: null, next_slot_at: null });
  }

  #cancelPrevious(active: RunRow[]): string[] {
    const now = this.#ctx.clock.now();
    const stop: string[] = [];
    for (const run of active) {
      const ended = { finished_at: now, updated_at: now, reason_code: 'cancelled_by_next' };
      const waited = this.#store.runs.move(run.thread_id, 'CANCELLED', ended, { from: 'QUEUED' });
      if (waited) continue;
      wishCancel(this.#ctx, run.thread_id);
      stop.push(run.thread_id);
    }
    return stop;
  }

  /** A one-shot whose only run was cancelled while it waited is over. */
  #finishOnce(automationId: string): void {
    const automation = this.#store.automations.get(automationId);
    if (
      automation?.status !== 'ACTIVE' ||
      automation.schedule_kind !== 'at' ||
      automation.next_run_at !== null
    )
      return;
    if (this.#store.runs.openOf(automationId).length > 0) return;
    this.#store.automations.update(automationId, { status: 'DONE', status_reason: 'cancelled_by_user' });
  }
}

/** The requests on runs over one context. */
export function runCommands(ctx: EngineContext): RunCommands {
  return new RunCommands(ctx);
}

/** The active run that another one must not overlap, as the automation's policy has it. */
function blockingRun(automation: AutomationRow, active: readonly RunRow[]): RunRow | undefined {
  const waiting = active.find((run) => run.status === 'QUEUED');
  if (automation.overlap_policy === 'queue') return waiting;
  if (automation.overlap_policy === 'skip') {
    return active.find((run) => run.status === 'IN_PROGRESS') ?? waiting;
  }
  return undefined;
}
