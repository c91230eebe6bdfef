import { retryAfter } from '../../src-shared/logic/retry.ts';
import { type Settlement, settle } from '../../src-shared/logic/settle.ts';
import type { Outcome } from '../../src-shared/model/outcome.ts';
import { automationOf } from '../storage/codec.ts';
import type { AutomationRow, RunRow } from '../storage/rows.ts';
import { isCancelWished } from './cancel-wish.ts';
import type { EngineContext } from './context.ts';
import { dropSlot } from './drop-slot.ts';
import { enqueue } from './queue.ts';

/** The message of a run that the host's orderly stop ended (seed 000). */
export const serviceStopped = '服务停止，任务已重新排队 / The service stopped; the task was queued again';
const cancelled = '任务被取消 / Cancelled';

/** Reasons a person can mend outside; they stay with the automation until a run succeeds. */
const mendable: ReadonlySet<string> = new Set(['cwd_missing', 'agent_missing']);
/** What a person was told about and a successful run answers. */
const settledBySuccess: ReadonlySet<string> = new Set([...mendable, 'failed_once', 'missed', 'missed_ask']);

/** Ends that say nothing of the run itself. */
const cutOffReasons: ReadonlySet<string> = new Set(['interrupted', 'service_stopped', 'heartbeat_expired']);

/** An outcome made by the engine itself, for runs whose executor cannot tell any more. */
export function outcomeWithout(
  now: number,
  reason: Outcome['reason'],
  detail: string,
  result: Outcome['result'] = 'failure',
): Outcome {
  return {
    result,
    reason,
    detail,
    exit_code: null,
    signal: null,
    has_text: false,
    external_action: false,
    summary: '',
    parts: [],
    output_bytes: 0,
    output_dropped_bytes: 0,
    changes: [],
    usage: null,
    external_session_id: null,
    question: null,
    started_at: now,
    finished_at: now,
  };
}

function addTurn(ctx: EngineContext, run: RunRow, outcome: Outcome, settlement: Settlement): string | null {
  if (run.session_id === null) return null;
  const id = ctx.newId();
  const at = run.started_at ?? outcome.started_at;
  const text = outcome.parts.map((part) => part.output).join('\n') || outcome.summary;
  const prompt = { id: ctx.newId(), role: 'user' as const, text: run.prompt_snapshot ?? '', at };
  const reply = { id: ctx.newId(), role: 'assistant' as const, text, at: outcome.finished_at };
  ctx.store.sessions.addTurn({
    id,
    session_id: run.session_id,
    run_id: run.thread_id,
    started_at: at,
    finished_at: outcome.finished_at,
    stop_reason: settlement.reason_code ?? 'end_turn',
    usage: outcome.usage,
    messages: text === '' ? [prompt] : [prompt, reply],
  });
  const status = {
    ACCEPTED: 'completed',
    PENDING_REVIEW: 'completed',
    FAILED: 'error',
    CANCELLED: 'completed',
  };
  const word = outcome.reason === 'needs_input' ? 'awaiting_input' : status[settlement.status];
  ctx.store.sessions.setStatus(run.session_id, word, ctx.clock.now(), outcome.external_session_id);
  return id;
}

function detailOf(outcome: Outcome): string | null {
  if (outcome.reason === 'service_stopped') return serviceStopped;
  if (outcome.result === 'cancelled') return cancelled;
  if (outcome.detail !== null) return outcome.detail;
  if (outcome.signal !== null) return `ended by ${outcome.signal}`;
  return outcome.exit_code !== null && outcome.exit_code !== 0 ? `exit code ${outcome.exit_code}` : null;
}

function writeRun(ctx: EngineContext, run: RunRow, outcome: Outcome, done: Settlement): boolean {
  const now = ctx.clock.now();
  const { store } = ctx;
  const parts = outcome.parts.map((part) => ({
    conversationId: run.session_id,
    cwd: part.cwd,
    output: part.output,
    startedAt: run.started_at,
  }));
  const turn = addTurn(ctx, run, outcome, done);
  return store.runs.move(
    run.thread_id,
    done.status,
    {
      updated_at: now,
      finished_at: Math.max(now, run.started_at ?? now),
      duration_ms: Math.max(0, outcome.finished_at - outcome.started_at),
      result_success: done.result_success,
      reason_code: done.reason_code,
      failure_code: done.status === 'FAILED' ? done.reason_code : null,
      reason_detail: detailOf(outcome),
      exit_code: outcome.exit_code,
      signal: outcome.signal,
      summary: outcome.summary,
      question: outcome.question,
      output_bytes: outcome.output_bytes,
      output_dropped_bytes: outcome.output_dropped_bytes,
      change_count: outcome.changes_total ?? outcome.changes.length,
      turn_id: turn,
      runs_json: JSON.stringify(parts),
      metadata_json: store.runs.mergeMetadata(run, {
        resultState: done.result_state,
        resultEvidence: done.result_evidence,
        ...(outcome.reason === 'interrupted' || outcome.reason === 'service_stopped'
          ? { interrupted: true }
          : {}),
      }),
      holder: null,
      lease_token: null,
      lease_expires_at: null,
      pid: null,
      pid_started_at: null,
    },
    { from: 'IN_PROGRESS', lease_token: run.lease_token },
  );
}

/** Queues the next attempt of a failed run when its policies ask for one; tells whether. */
function retry(ctx: EngineContext, automation: AutomationRow, run: RunRow, reason: string): boolean {
  const view = automationOf(automation);
  if (view.deleted_at !== null) return false;
  const delay = retryAfter({
    reason,
    attempt: run.attempt,
    run_key: run.run_key ?? run.thread_id,
    max_retries: view.max_retries,
    retry_delay_ms: view.retry_delay_ms,
    on_interrupt: view.on_interrupt,
    interruptions: ctx.store.runs.interruptionsOf(run),
  });
  if (delay === null) return false;
  // Another run of it already waits: one is enough (ruling 2).
  if (
    run.exclusive === 1 &&
    ctx.store.runs.activeOf(run.automation_id).some((other) => other.status === 'QUEUED')
  ) {
    return false;
  }
  const id = enqueue(ctx, automation, {
    trigger: 'retry',
    scheduled_for: run.scheduled_for,
    exclusive: run.exclusive === 1,
    attempt: run.attempt + 1,
    retry_of: run.thread_id,
    run_key: run.run_key ?? run.thread_id,
    not_before: delay === 0 ? 0 : ctx.clock.now() + delay,
    detail: reason === 'service_stopped' ? serviceStopped : null,
    prompt: run.prompt_snapshot ?? automation.prompt,
  });
  if (run.scheduled_for !== null) ctx.store.slots.setRun(run.automation_id, run.scheduled_for, id);
  ctx.store.automations.update(automation.id, { retry_count: automation.retry_count + 1 });
  return true;
}

/** Failures that say something about the automation; a stop of the host or a manual run does not (ruling 9). */
function countsAsFailure(run: RunRow, done: Settlement): boolean {
  const scheduled = run.trigger === 'schedule' || run.trigger === 'missed' || run.trigger === 'retry';
  return done.status === 'FAILED' && scheduled && done.reason_code !== 'service_stopped';
}

function updateAutomation(
  ctx: EngineContext,
  automation: AutomationRow,
  run: RunRow,
  outcome: Outcome,
  done: Settlement,
  retried: boolean,
): void {
  const patch: Partial<AutomationRow> = {
    last_status: done.status,
    last_error: done.status === 'FAILED' ? (detailOf(outcome) ?? done.reason_code) : null,
  };
  const view = automationOf(automation);
  if (done.result_success === 1) {
    Object.assign(patch, { failure_count: 0, retry_count: 0 });
    if (settledBySuccess.has(view.attention_code ?? ''))
      Object.assign(patch, { attention_code: null, attention_detail: null });
  }
  if (mendable.has(done.reason_code ?? '')) {
    Object.assign(patch, { attention_code: done.reason_code, attention_detail: detailOf(outcome) });
  }
  if (countsAsFailure(run, done)) {
    patch.failure_count = automation.failure_count + 1;
    if (
      view.pause_after_failures > 0 &&
      patch.failure_count >= view.pause_after_failures &&
      !retried &&
      view.status === 'ACTIVE'
    ) {
      patch.status = 'PAUSED';
      patch.status_reason = 'paused_after_failures';
      patch.attention_code = 'paused_after_failures';
      patch.attention_detail = `${patch.failure_count} failures in a row; the last: ${patch.last_error ?? ''}`;
      dropSlot(ctx, automation, 'paused_after_failures');
      Object.assign(patch, { next_run_at: null, next_slot_at: null });
    }
  }
  const over = view.next_run_at === null && view.status === 'ACTIVE' && view.schedule.kind !== 'manual';
  if (
    over &&
    (view.attention_code === null || settledBySuccess.has(view.attention_code)) &&
    ctx.store.runs.openOf(automation.id).length === 0
  ) {
    patch.status = 'DONE';
    patch.status_reason = 'schedule_ended';
    if (done.status === 'FAILED' && view.schedule.kind === 'at' && patch.attention_code === undefined) {
      patch.attention_code = 'failed_once';
      patch.attention_detail = patch.last_error ?? null;
    }
  }
  ctx.store.automations.update(automation.id, patch);
}

/** A run that was to stop and whose host or launcher died over it has stopped: it must not start again. */
function asWished(run: RunRow, outcome: Outcome): Outcome {
  const cutOff = outcome.result === 'failure' && cutOffReasons.has(outcome.reason ?? '');
  return cutOff && isCancelWished(run) ? { ...outcome, result: 'cancelled', reason: 'cancelled' } : outcome;
}

/**
 * Ends a run that is IN_PROGRESS under its lease: run, turn, usage, changed files, ledger, next attempt, automation and live state
 * in the caller's transaction. Gives the state it took, or null when somebody else settled it before.
 */
export function settleRun(ctx: EngineContext, runId: string, told: Outcome): Settlement['status'] | null {
  const run = ctx.store.runs.get(runId);
  if (run === undefined || run.status !== 'IN_PROGRESS') return null;
  const outcome = asWished(run, told);
  const automation = ctx.store.automations.get(run.automation_id);
  const policy = automation === undefined ? null : automationOf(automation);
  const done = settle(outcome, {
    review_policy: policy?.review_policy ?? 'auto',
    on_interrupt: policy?.on_interrupt ?? 'fail',
  });
  if (!writeRun(ctx, run, outcome, done)) return null;
  ctx.store.artifacts.add(runId, outcome.changes);
  ctx.store.engine.runEnded(
    run.automation_id,
    done.status === 'FAILED' ? (detailOf(outcome) ?? done.reason_code) : null,
  );
  if (automation !== undefined) {
    const retried = done.status === 'FAILED' && retry(ctx, automation, run, done.reason_code ?? '');
    const fresh = ctx.store.automations.get(automation.id);
    if (fresh !== undefined) updateAutomation(ctx, fresh, run, outcome, done, retried);
  }
  return done.status;
}
