import { ApiError } from '../../src-shared/contract/errors.ts';
import type { Source } from '../../src-shared/model/automation.ts';
import { runStatusSchema, type Trigger } from '../../src-shared/model/run.ts';
import type { RunRow } from '../storage/rows.ts';
import type { EngineContext } from './context.ts';
import { enqueue } from './queue.ts';

/** What a request on a run leads to; `stop` names a running one whose tree the runner must end. */
export interface RunRequest {
  run: RunRow;
  existing: boolean;
  stop: string[];
}

/** Requests on runs, each one step inside the caller's transaction. All throw ApiError, and then nothing is written. */
export function runCommands(ctx: EngineContext) {
  const { store } = ctx;

  function read(id: string): RunRow {
    const row = store.runs.get(id);
    if (row === undefined) throw new ApiError('not_found', `There is no run ${id}`, { field: 'id' });
    return row;
  }

  function verdict(id: string, to: 'ACCEPTED' | 'REJECTED', note: string | null, door: Source): RunRow {
    const row = read(id);
    const now = ctx.clock.now();
    const patch = { reviewed_at: now, review_note: note, read_at: row.read_at ?? now, updated_at: now };
    if (!store.runs.move(id, to, patch, { from: 'PENDING_REVIEW' })) {
      throw new ApiError(
        'state_conflict',
        `The run is ${row.status}; only one that needs review takes a verdict`,
      );
    }
    store.reviews.add({ run_id: id, verdict: to, note, door, at: now });
    return read(id);
  }

  return {
    read,
    /**
     * A run at once, tied to no slot. When one is active and must not overlap, that one is given back as existing.
     * On a waiting `at` it takes the place of its run, unless `keep`.
     */
    runNow(automationId: string, trigger: Trigger, source: Source, keep: boolean): RunRequest {
      const automation = store.automations.get(automationId);
      if (automation === undefined || automation.deleted_at !== null) {
        throw new ApiError('not_found', `There is no automation ${automationId}`, { field: 'id' });
      }
      const active = store.runs.activeOf(automationId);
      const waiting = active.find((run) => run.status === 'QUEUED');
      const first = active.find((run) => run.status === 'IN_PROGRESS') ?? waiting;
      const stop: string[] = [];
      if (automation.overlap_policy === 'cancel_previous') stop.push(...cancelPrevious(active));
      else if (automation.overlap_policy === 'queue' && waiting !== undefined) {
        return { run: waiting, existing: true, stop };
      } else if (automation.overlap_policy === 'skip' && first !== undefined) {
        return { run: first, existing: true, stop };
      }
      const consumes =
        !keep && automation.schedule_kind === 'at' && typeof automation.next_slot_at === 'number';
      const slot = consumes ? automation.next_slot_at : null;
      const free = slot !== null && store.slots.get(automationId, slot) === undefined ? slot : null;
      const id = enqueue(ctx, automation, {
        trigger,
        scheduled_for: free,
        exclusive: automation.overlap_policy !== 'allow',
        source,
      });
      if (free !== null) {
        store.slots.insert({
          automation_id: automationId,
          scheduled_for: free,
          outcome: 'ran',
          run_id: id,
          reason_code: 'run_now',
          fire_at: ctx.clock.now(),
          through: null,
          count: 1,
          recorded_at: ctx.clock.now(),
        });
        store.automations.update(automationId, { next_run_at: null, next_slot_at: null });
      }
      if (automation.attention_code === 'past_without_next_run' || automation.attention_code === 'missed') {
        store.automations.update(automationId, { attention_code: null, attention_detail: null });
      }
      return { run: read(id), existing: false, stop };
    },
    /** Ends a waiting run at once; for a running one gives its id to stop, its outcome settles it. */
    cancel(id: string): RunRequest {
      const row = read(id);
      if (row.status === 'IN_PROGRESS') return { run: row, existing: true, stop: [id] };
      const now = ctx.clock.now();
      const patch = {
        finished_at: now,
        updated_at: now,
        reason_code: 'cancelled_by_user',
        reason_detail: '任务被取消 / Cancelled',
      };
      if (!store.runs.move(id, 'CANCELLED', patch, { from: 'QUEUED' })) {
        throw new ApiError('state_conflict', `The run is ${row.status}; it has ended already`);
      }
      store.runs.refreshPositions(now);
      finishOnce(row.automation_id);
      return { run: read(id), existing: false, stop: [] };
    },
    accept: (id: string, note: string | null, door: Source): RunRow => verdict(id, 'ACCEPTED', note, door),
    /** Sends a run back; with `rerun` a new run follows whose input is the original prompt plus the note (ruling 7). */
    reject(id: string, note: string, rerun: boolean, door: Source): RunRow {
      const rejected = verdict(id, 'REJECTED', note, door);
      if (!rerun) return rejected;
      const automation = store.automations.get(rejected.automation_id);
      if (automation === undefined) throw new ApiError('state_conflict', 'Its automation no longer exists');
      if (
        rejected.exclusive === 1 &&
        store.runs.activeOf(automation.id).some((run) => run.status === 'QUEUED')
      ) {
        throw new ApiError('state_conflict', 'A run of this automation is waiting already');
      }
      const prompt = rejected.prompt_snapshot ?? automation.prompt;
      enqueue(ctx, automation, {
        trigger: 'review',
        scheduled_for: null,
        exclusive: rejected.exclusive === 1,
        retry_of: id,
        prompt: automation.kind === 'command' ? prompt : `${prompt}\n\n${note}`,
        source: door,
      });
      return rejected;
    },
    markRead(id: string): RunRow {
      const row = read(id);
      const now = ctx.clock.now();
      if (row.read_at === null)
        store.runs.touch(id, { read_at: now }, { from: runStatusSchema.parse(row.status) });
      return read(id);
    },
  };

  function cancelPrevious(active: RunRow[]): string[] {
    const now = ctx.clock.now();
    const stop: string[] = [];
    for (const run of active) {
      const ended = { finished_at: now, updated_at: now, reason_code: 'cancelled_by_next' };
      if (!store.runs.move(run.thread_id, 'CANCELLED', ended, { from: 'QUEUED' })) stop.push(run.thread_id);
    }
    return stop;
  }

  /** A one-shot whose only run was cancelled while it waited is over. */
  function finishOnce(automationId: string): void {
    const automation = store.automations.get(automationId);
    if (
      automation?.status !== 'ACTIVE' ||
      automation.schedule_kind !== 'at' ||
      automation.next_run_at !== null
    )
      return;
    if (store.runs.openOf(automationId).length > 0) return;
    store.automations.update(automationId, { status: 'DONE', status_reason: 'cancelled_by_user' });
  }
}
