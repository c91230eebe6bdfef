import type { Trigger } from '../../src-shared/model/run.ts';
import { automationOf, metadataOf, stringList } from '../storage/codec.ts';
import type { AutomationRow, RunMetadata, RunRow } from '../storage/rows.ts';
import { agentFor, type EngineContext, permissionFor } from './context.ts';
import { schedulingHeld } from './queue-pause.ts';

export interface NewRun {
  trigger: Trigger;
  scheduled_for: number | null;
  exclusive: boolean;
  attempt?: number;
  retry_of?: string;
  run_key?: string;
  not_before?: number;
  detail?: string | null;
  prompt?: string;
  source?: string;
}

const runKinds: Partial<Record<Trigger, string>> = {
  schedule: 'scheduled',
  missed: 'missed',
  retry: 'scheduled',
};

/** Appends a QUEUED run of an automation. Call inside a transaction, and refresh positions in the same one. */
export function enqueue(ctx: EngineContext, automation: AutomationRow, run: NewRun): string {
  const id = `run-${ctx.newId()}`;
  const now = ctx.clock.now();
  const folders = stringList(automation.cwds);
  const metadata: RunMetadata = {
    runKind: runKinds[run.trigger] ?? 'manual',
    totalCount: Math.max(1, folders.length),
    ...(run.trigger === 'missed' && run.scheduled_for !== null
      ? { missedScheduledAt: run.scheduled_for }
      : {}),
  };
  const label =
    automation.kind === 'command'
      ? 'command'
      : (agentFor(ctx.agents, automation.agent)?.name ?? automation.agent);
  ctx.store.runs.insert({
    thread_id: id,
    automation_id: automation.id,
    status: 'QUEUED',
    thread_title: automation.name,
    source_cwd: folders[0] ?? ctx.workspaceFolder,
    runs_json: '[]',
    metadata_json: JSON.stringify(metadata),
    created_at: now,
    updated_at: now,
    scheduled_for: run.scheduled_for,
    trigger: run.trigger,
    attempt: run.attempt ?? 1,
    retry_of: run.retry_of ?? null,
    run_key: run.run_key ?? (run.scheduled_for === null ? id : `${automation.id}@${run.scheduled_for}`),
    exclusive: run.exclusive ? 1 : 0,
    priority: automation.priority,
    queue_order: now,
    not_before: run.not_before ?? 0,
    queued_at: now,
    kind: automation.kind,
    executor_label: label,
    prompt_snapshot: run.prompt ?? automation.prompt,
    requested_permission_mode: automation.permission_mode,
    reason_detail: run.detail ?? null,
    source: run.source ?? null,
  });
  return id;
}

export interface Claimed {
  run: RunRow;
  automation: AutomationRow;
}

function openSession(ctx: EngineContext, automation: AutomationRow, run: RunRow, now: number): string {
  const bound = automation.target_mode === 'bound' && automation.session_id !== null;
  const existing =
    bound && automation.session_id !== null ? ctx.store.sessions.get(automation.session_id) : undefined;
  if (existing !== undefined) {
    ctx.store.sessions.setStatus(existing.id, 'working', now);
    return existing.id;
  }
  const id = bound && automation.session_id !== null ? automation.session_id : ctx.newId();
  ctx.store.sessions.create({
    id,
    cwd: run.source_cwd ?? ctx.workspaceFolder,
    title: automation.name,
    status: 'working',
    model: automation.model_id,
    permission_mode: automation.permission_mode,
    automation_id: automation.id,
    now,
  });
  return id;
}

function effectivePermission(ctx: EngineContext, row: AutomationRow): string | null {
  const { kind, agent, permission_mode } = automationOf(row);
  return kind === 'agent' ? permissionFor(agentFor(ctx.agents, agent)?.config, permission_mode) : null;
}

function claimOne(
  ctx: EngineContext,
  candidate: RunRow,
  automation: AutomationRow,
  now: number,
): RunRow | null {
  const { store, settings } = ctx;
  const session = openSession(ctx, automation, candidate, now);
  const { queuedPosition: _, ...kept } = metadataOf(candidate);
  const moved = store.runs.move(
    candidate.thread_id,
    'IN_PROGRESS',
    {
      started_at: now,
      heartbeat_at: now,
      updated_at: now,
      holder: ctx.holder,
      lease_token: ctx.newId(),
      lease_expires_at: now + settings.worker_stale_seconds * 1000,
      session_id: session,
      effective_permission_mode: effectivePermission(ctx, automation),
      metadata_json: JSON.stringify({ ...kept, conversationId: session, sessionId: session }),
    },
    { from: 'QUEUED' },
  );
  if (!moved) return null;
  store.automations.update(automation.id, { last_run_at: now, run_count: automation.run_count + 1 });
  store.engine.runStarted(automation.id, session, now);
  return store.runs.get(candidate.thread_id) ?? null;
}

/**
 * Claims waiting runs in their order while the cap has room, and refreshes the positions of those that wait on.
 * While scheduling is held only what was asked for is claimed. The cap counts rows of the database, never memory. Call inside a transaction; start what it gives after the
 * commit. An automation that another program deleted meanwhile ends its waiting run.
 */
export function claim(ctx: EngineContext): Claimed[] {
  const { store, settings } = ctx;
  const now = ctx.clock.now();
  const claimed: Claimed[] = [];
  const startedFor = new Set<string>();
  let room = settings.max_concurrent - store.runs.countInProgress();
  for (const candidate of room > 0 ? store.runs.candidates(now, room * 2 + 8, schedulingHeld(ctx)) : []) {
    if (room <= 0) break;
    if (candidate.exclusive === 1 && startedFor.has(candidate.automation_id)) continue;
    const automation = store.automations.get(candidate.automation_id);
    if (automation === undefined) {
      const patch = { finished_at: now, updated_at: now, reason_code: 'automation_deleted' };
      store.runs.move(candidate.thread_id, 'CANCELLED', patch, { from: 'QUEUED' });
      continue;
    }
    const run = claimOne(ctx, candidate, automation, now);
    if (run === null) continue;
    startedFor.add(automation.id);
    claimed.push({ run, automation });
    room -= 1;
  }
  store.runs.refreshPositions(now);
  return claimed;
}
