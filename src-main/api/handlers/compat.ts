import type { compatRoutes, RunStatusAnswer, Submit } from '../../../src-shared/contract/compat.ts';
import { ApiError } from '../../../src-shared/contract/errors.ts';
import type { AutomationCreate } from '../../../src-shared/model/automation.ts';
import { agentFor } from '../../engine/context.ts';
import { metadataOf, stringList } from '../../storage/codec.ts';
import type { AutomationRow, RunRow } from '../../storage/rows.ts';
import { type ApiDeps, commit, type Handlers } from '../handler.ts';

const labels: Record<string, { zh: string; en: string }> = {
  SCHEDULED: { zh: '等待开始', en: 'Scheduled' },
  QUEUED: { zh: '排队', en: 'Queued' },
  IN_PROGRESS: { zh: '运行中', en: 'Running' },
  PENDING_REVIEW: { zh: '待确认', en: 'Needs review' },
  ACCEPTED: { zh: '已通过', en: 'Accepted' },
  REJECTED: { zh: '已退回', en: 'Sent back' },
  FAILED: { zh: '失败', en: 'Failed' },
  CANCELLED: { zh: '已取消', en: 'Cancelled' },
  SKIPPED: { zh: '已跳过', en: 'Skipped' },
  MISSED: { zh: '已错过', en: 'Missed' },
  NEEDS_ATTENTION: { zh: '需要处理', en: 'Needs attention' },
};

function titleOf(body: Submit): string {
  const line = (body.prompt ?? '')
    .split('\n')
    .find((text) => text.trim() !== '')
    ?.trim();
  const command = Array.isArray(body.command) ? body.command.join(' ') : body.command;
  return (body.name ?? line ?? command ?? 'Task').slice(0, 80).toWellFormed();
}

function skillsOf(body: Submit): string[] {
  if (body.skills !== undefined) return body.skills;
  if (typeof body.skills_json === 'string') {
    const list = stringList(body.skills_json);
    if (list.length === 0 && body.skills_json.trim() !== '[]') {
      throw new ApiError('invalid', 'skills_json is not a JSON array of names', {
        field: 'skills_json',
        hint: '["skill-name"]',
      });
    }
    return list;
  }
  return body.skills_json ?? [];
}

function reviewOf(body: Submit): AutomationCreate['review_policy'] {
  if (body.review === undefined) return 'auto';
  return typeof body.review === 'string' ? body.review : body.review ? 'always' : 'auto';
}

function toAutomation(deps: ApiDeps, body: Submit, startsAt: number): AutomationCreate {
  const kind = body.kind ?? (body.command === undefined ? 'agent' : 'command');
  if (kind === 'agent' && body.command !== undefined) {
    throw new ApiError('invalid', 'kind agent takes no command', {
      field: 'command',
      hint: 'leave kind out, or send kind "command"',
    });
  }
  if (kind === 'agent' && agentFor(deps.ctx.agents, body.agent ?? null) === null) {
    throw new ApiError(
      'nothing_to_run',
      body.agent === undefined
        ? 'No agent is configured that could take a prompt'
        : `No agent "${body.agent}" is configured`,
      {
        field: 'agent',
        hint: 'add [agents.<name>] command = ["program"] to config.toml, or send a "command"',
      },
    );
  }
  return {
    name: titleOf(body),
    prompt: body.prompt ?? '',
    kind,
    agent: body.agent ?? null,
    command: body.command ?? null,
    model_id: body.model ?? null,
    cwds: body.cwds ?? (body.cwd === undefined ? [] : [body.cwd]),
    skills: skillsOf(body),
    env: body.env ?? {},
    permission_mode: body.permission_mode ?? null,
    review_policy: reviewOf(body),
    timeout_ms: Math.round((body.timeout_seconds ?? deps.ctx.settings.default_timeout_seconds) * 1000),
    priority: body.priority ?? 0,
    schedule: { kind: 'at', at: new Date(startsAt).toISOString() },
  };
}

function beforeRun(row: AutomationRow): string {
  if (row.attention_code === 'missed') return 'MISSED';
  if (row.next_run_at !== null) return 'SCHEDULED';
  return row.attention_code === null ? row.status : 'NEEDS_ATTENTION';
}

function statusOf(
  deps: ApiDeps,
  row: AutomationRow | undefined,
  run: RunRow | undefined,
  id: string,
): RunStatusAnswer {
  const { store, clock } = deps.ctx;
  const metadata = run === undefined ? {} : metadataOf(run);
  const status = run?.status ?? (row === undefined ? 'UNKNOWN' : beforeRun(row));
  const failed = status === 'FAILED' || status === 'CANCELLED' || status === 'PENDING_REVIEW';
  return {
    id,
    status,
    label: labels[status] ?? { zh: status, en: status },
    next_run_at: typeof row?.next_run_at === 'number' ? row.next_run_at : null,
    queuedPosition: run?.status === 'QUEUED' ? store.runs.positionOf(run.thread_id, clock.now()) : null,
    runId: run?.thread_id ?? null,
    sessionId: run?.session_id ?? null,
    resultState: metadata.resultState ?? null,
    resultEvidence: metadata.resultEvidence ?? null,
    result_success: run?.result_success ?? null,
    summary: run?.summary ?? null,
    error: failed ? (run?.reason_detail ?? run?.reason_code ?? null) : (row?.attention_detail ?? null),
    reason: run?.reason_code ?? row?.attention_code ?? null,
    startedAt: run?.started_at ?? null,
    finishedAt: run?.finished_at ?? null,
    usage: run?.turn_id == null ? null : (store.sessions.usageOf(run.turn_id) ?? null),
  };
}

/** Handlers of seed 001's endpoints, on the same commands as everything else. */
export function compatHandlers(deps: ApiDeps): Handlers<keyof typeof compatRoutes> {
  const { ctx, automations } = deps;
  return {
    submitRun: (request) =>
      commit(deps, request, 202, () => {
        const startsAt = ctx.clock.now() + Math.round(request.body.delay_seconds * 1000);
        const input = toAutomation(deps, request.body, startsAt);
        const row = automations.create(input, request.source, { exact_next_run_at: startsAt });
        return { body: { id: row.id, next_run_at: startsAt, status: 'SCHEDULED' } };
      }),
    submittedRunStatus({ query }) {
      const row = ctx.store.automations.get(query.id);
      const run = row === undefined ? ctx.store.runs.get(query.id) : undefined;
      const newest = run ?? ctx.store.runs.newestOf(query.id);
      if (row === undefined && newest === undefined) {
        throw new ApiError('not_found', `There is no task ${query.id}`, {
          field: 'id',
          hint: 'give the id that POST /api/run answered',
        });
      }
      const owner =
        row ?? (newest === undefined ? undefined : ctx.store.automations.get(newest.automation_id));
      return { status: 200, body: statusOf(deps, owner, newest, query.id) };
    },
  };
}
