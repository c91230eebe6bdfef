import { z } from 'zod';
import {
  type AgentProfileName,
  agentProfileNames,
  agentProfiles,
  isAgentProfileName,
} from '../executors/agent-profiles.ts';
import { type PermissionMode, permissionModeSchema } from './policies.ts';

/** Section [scheduled_tasks] of config.toml (seed 002 and spec/interfaces.md, Configuration). */
export const scheduledTasksSchema = z
  .object({
    enabled: z.boolean().default(true),
    scan_interval_seconds: z.number().min(1).max(3600).default(30),
    active_scan_seconds: z.number().min(1).max(3600).default(5),
    max_concurrent: z.number().int().min(1).max(32).default(3),
    dispatcher_idle_seconds: z.number().min(0.1).max(60).default(1),
    supervisor_interval_seconds: z.number().min(1).max(3600).default(5),
    worker_stale_seconds: z.number().min(5).max(86_400).default(900),
    worker_heartbeat_interval_seconds: z.number().min(1).max(3600).default(60),
    defer_retry_seconds: z.number().int().min(1).max(86_400).default(300),
    max_list_records: z.number().int().min(1).max(1000).default(100),
    missed_window_hours: z.number().min(0).max(8760).default(24),
    default_timeout_seconds: z.number().min(1).max(604_800).default(5400),
    log_keep_per_task: z.number().int().min(1).default(100),
    log_keep_days: z.number().int().min(1).default(90),
    queue_limit: z.number().int().min(1).max(100_000).default(1000),
    output_cap_bytes: z.number().int().min(65_536).max(1_073_741_824).default(8_388_608),
    min_interval_seconds: z.number().min(1).max(86_400).default(60),
  })
  .strict();
export type ScheduledTasksSettings = z.infer<typeof scheduledTasksSchema>;

/**
 * A section [agents.<name>] of config.toml: a known agent by its profile (or by the section's own name when there is
 * no command), or a command that takes the prompt on stdin and writes text. With both, the command starts that agent.
 */
export const agentSectionSchema = z
  .object({
    profile: z.enum(agentProfileNames).optional(),
    command: z.array(z.string()).min(1).optional(),
    default: z.boolean().default(false),
    /** Where an automation names none. */
    model: z.string().min(1).optional(),
    permission_mode: permissionModeSchema.optional(),
  })
  .strict();

/** An agent that can be used: configured, or found on this machine. */
export interface AgentConfig {
  command: string[];
  default: boolean;
  /** The known agent it is; left out = any program that takes text and writes text. */
  profile?: AgentProfileName | undefined;
  model?: string | undefined;
  permission_mode?: PermissionMode | undefined;
  /** Not in config.toml: found on this machine. */
  detected?: boolean;
  /** Where its program is, once it was looked for and found. */
  path?: string;
  /** What it says to --version. */
  version?: string;
}

/** Gives each section its command and profile; one that has neither is refused. */
function toAgents(
  sections: Record<string, z.infer<typeof agentSectionSchema>>,
  context: z.core.$RefinementCtx,
): Record<string, AgentConfig> {
  const agents: Record<string, AgentConfig> = {};
  for (const [name, section] of Object.entries(sections)) {
    const own = section.command === undefined && isAgentProfileName(name) ? name : undefined;
    const profile = section.profile ?? own;
    const command = section.command ?? (profile === undefined ? undefined : [agentProfiles[profile].program]);
    if (command !== undefined) agents[name] = { ...section, profile, command };
    else {
      const message = `give profile (${agentProfileNames.join(', ')}) or command`;
      context.addIssue({ code: 'custom', path: [name], message });
    }
  }
  return agents;
}

export const configSchema = z
  .object({
    scheduled_tasks: scheduledTasksSchema.prefault({}),
    http: z
      .object({
        host: z.string().default('127.0.0.1'),
        port: z.number().int().min(0).max(65_535).default(8899),
        allow_local_without_token: z.boolean().default(false),
      })
      .strict()
      .prefault({}),
    agents: z.record(z.string(), agentSectionSchema).default({}).transform(toAgents),
  })
  .strict();
export type Config = z.infer<typeof configSchema>;
