import type { Clock } from '../../src-shared/clock.ts';
import type { PermissionMode } from '../../src-shared/model/policies.ts';
import type { AgentConfig, ScheduledTasksSettings } from '../../src-shared/model/settings.ts';
import type { ScheduleContext } from '../../src-shared/schedules/index.ts';
import type { Store } from '../storage/store.ts';

/** Structured log lines; the host decides where they go. */
export interface Log {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** What a child is told about the run it belongs to. `scheduled_for` in ms since 1970, null for a manual run. */
export interface ChildIdentity {
  run_id: string;
  automation_id: string;
  scheduled_for: number | null;
  run_key: string;
  attempt: number;
}

/** What everything in the engine works with. Built once, by hosts/backend. */
export interface EngineContext {
  store: Store;
  clock: Clock;
  log: Log;
  settings: ScheduledTasksSettings;
  agents: Record<string, AgentConfig>;
  /** IANA zone of this machine; taken where a row names none. */
  timezone: string;
  /** Folder of `runs/<id>/outcome.json`, and the working folder of automations that name none. */
  runsFolder: string;
  workspaceFolder: string;
  backupsFolder: string;
  /** The whole environment of a child: what the launcher's allow-list lets it inherit, its own, who it is. */
  childEnvironment(own: Record<string, string>, run: ChildIdentity): Record<string, string>;
  newId(): string;
  /** Who this engine is, written to lease and runs. */
  holder: string;
}

/** The schedule context of an automation row. */
export function scheduleContext(
  ctx: Pick<EngineContext, 'settings' | 'timezone'>,
  row: { created_at: number; last_run_at: number | null; timezone: string | null },
): ScheduleContext {
  return {
    timezone: row.timezone ?? ctx.timezone,
    anchorAt: row.created_at,
    minIntervalMs: ctx.settings.min_interval_seconds * 1000,
    lastRunAt: row.last_run_at,
  };
}

/**
 * The agent an automation uses: the one it names, else the default one, else the only one that is configured, else
 * the only one that was found.
 */
export function agentFor(
  agents: Record<string, AgentConfig>,
  name: string | null,
): { name: string; config: AgentConfig } | null {
  if (name !== null) {
    const config = agents[name];
    return config === undefined ? null : { name, config };
  }
  const all = Object.entries(agents);
  const configured = all.filter(([, config]) => config.detected !== true);
  const candidates = configured.length > 0 ? configured : all;
  const only = candidates.length === 1 ? candidates[0] : undefined;
  const chosen = all.find(([, config]) => config.default) ?? only;
  return chosen === undefined ? null : { name: chosen[0], config: chosen[1] };
}

/** The permission a run of an agent gets: asked for by the row, else by config.toml; null = the agent's own default. */
export function permissionFor(
  config: AgentConfig | undefined,
  requested: PermissionMode | null,
): PermissionMode | null {
  // What a program of the person's own makes of a mode is unknown: none is passed on.
  if (config?.profile === undefined) return null;
  return requested ?? config.permission_mode ?? null;
}
