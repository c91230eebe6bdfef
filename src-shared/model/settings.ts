import { z } from 'zod';

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

/** An agent of config.toml: any program that takes the prompt on stdin and writes text. */
export const agentConfigSchema = z
  .object({
    command: z.array(z.string()).min(1),
    default: z.boolean().default(false),
  })
  .strict();
export type AgentConfig = z.infer<typeof agentConfigSchema>;

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
    agents: z.record(z.string(), agentConfigSchema).default({}),
  })
  .strict();
export type Config = z.infer<typeof configSchema>;
