import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { secretValues } from '../../src-shared/logic/secrets.ts';
import type { StartRequest } from '../launcher/protocol.ts';
import { automationOf } from '../storage/codec.ts';
import type { RunRow } from '../storage/rows.ts';
import { agentCommand } from './agent-command.ts';
import type { EngineContext } from './context.ts';
import type { Claimed } from './queue.ts';

/** A run that cannot even be asked for: what is missing, in words. */
export interface CannotStart {
  reason: 'invalid' | 'agent_missing';
  detail: string;
}

function program(
  ctx: EngineContext,
  claimed: Claimed,
): Pick<StartRequest, 'argv' | 'shell' | 'profile'> | CannotStart {
  const automation = automationOf(claimed.automation);
  if (automation.kind === 'command') {
    if (automation.command === null)
      return { reason: 'invalid', detail: 'kind is command, but command is empty' };
    return typeof automation.command === 'string'
      ? { argv: [automation.command], shell: true }
      : { argv: automation.command, shell: false };
  }
  return agentCommand(ctx, automation, claimed.run);
}

/** The folder in which the launcher leaves the outcome of a run. */
export function runFolder(ctx: Pick<EngineContext, 'runsFolder'>, runId: string): string {
  return join(ctx.runsFolder, encodeURIComponent(runId));
}

/** What the launcher needs to carry out a claimed run. The default working folder is made when it is missing. */
export function startRequest(ctx: EngineContext, claimed: Claimed): StartRequest | CannotStart {
  const what = program(ctx, claimed);
  if ('detail' in what) return what;
  const automation = automationOf(claimed.automation);
  const run: RunRow = claimed.run;
  if (automation.cwds.length === 0) mkdirSync(ctx.workspaceFolder, { recursive: true, mode: 0o700 });
  return {
    run_id: run.thread_id,
    kind: automation.kind,
    ...what,
    stdin: run.prompt_snapshot ?? '',
    cwds: automation.cwds.length === 0 ? [ctx.workspaceFolder] : automation.cwds,
    env: ctx.childEnvironment(automation.env, {
      run_id: run.thread_id,
      automation_id: run.automation_id,
      scheduled_for: run.scheduled_for,
      run_key: run.run_key ?? run.thread_id,
      attempt: run.attempt,
    }),
    secrets: secretValues(automation.env),
    timeout_ms: automation.timeout_ms,
    idle_timeout_ms: automation.idle_timeout_ms,
    output_cap_bytes: ctx.settings.output_cap_bytes,
    run_folder: runFolder(ctx, run.thread_id),
  };
}
