import { argvOf } from '../../src-shared/executors/agent-profiles.ts';
import type { Automation } from '../../src-shared/model/automation.ts';
import type { StartRequest } from '../launcher/protocol.ts';
import type { RunRow } from '../storage/rows.ts';
import { agentFor, type EngineContext, permissionFor } from './context.ts';

const lookBack = 50;

/**
 * The agent's own id of the session that a run goes on with. Only when the same agent had the turn before: no agent
 * knows the sessions of another. With several folders none, for agents keep sessions by folder.
 */
function resumeId(ctx: EngineContext, automation: Automation, run: RunRow, agent: string): string | null {
  if (run.session_id === null || automation.cwds.length > 1) return null;
  const id = ctx.store.sessions.get(run.session_id)?.external_session_id ?? null;
  if (id === null) return null;
  const earlier = ctx.store.runs.list({ automation_id: automation.id }, lookBack).items;
  const before = earlier.find((one) => one.thread_id !== run.thread_id && one.session_id === run.session_id);
  return before === undefined || before.executor_label === agent ? id : null;
}

/** How the agent of a run is started, or in words why it cannot be. */
export function agentCommand(
  ctx: EngineContext,
  automation: Automation,
  run: RunRow,
):
  | Pick<StartRequest, 'argv' | 'shell' | 'profile'>
  | { reason: 'invalid' | 'agent_missing'; detail: string } {
  const agent = agentFor(ctx.agents, automation.agent);
  if (agent === null) {
    const detail =
      automation.agent === null
        ? 'no agent is chosen: name one in the task, or mark one with default = true in config.toml'
        : `the agent "${automation.agent}" is neither configured in config.toml nor found on this computer`;
    return { reason: 'agent_missing', detail };
  }
  const { command, profile, model } = agent.config;
  if (profile === undefined) return { argv: command, shell: false, profile: null };
  const args = argvOf(profile, {
    model: automation.model_id ?? model ?? null,
    permission_mode: permissionFor(agent.config, automation.permission_mode),
    resume: resumeId(ctx, automation, run, agent.name),
  });
  if ('refused' in args) return { reason: 'invalid', detail: args.refused };
  return { argv: [...command, ...args], shell: false, profile };
}
