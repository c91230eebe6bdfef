import { resolve } from 'node:path';
import type { Automation, AutomationPatch } from '../../../src-shared/model/automation.ts';
import type { Schedule } from '../../../src-shared/schedules/index.ts';
import type { Cli } from './cli.ts';
import { oneLine } from './escape.ts';
import { usageError } from './failure.ts';
import type { TaskOptions, WorkOptions } from './options.ts';
import { scheduleOf } from './schedule-options.ts';

const longestName = 60;

/** The prompt that --message or --prompt gives; `-` reads stdin. Undefined when neither is there. */
export async function promptOf(cli: Cli, options: WorkOptions): Promise<string | undefined> {
  if (options.message !== undefined && options.prompt !== undefined) throw usageError(cli.t.twoPrompts);
  const text = options.message ?? options.prompt;
  return text === '-' ? cli.deps.readStdin() : text;
}

/** The command: the argv after `--`, or the shell line of --command. */
export function commandOf(
  cli: Cli,
  options: WorkOptions,
  argv: string[] | null,
): string | string[] | undefined {
  if (argv !== null && options.command !== undefined) throw usageError(cli.t.twoCommands);
  return argv ?? options.command;
}

/** Folders as the host needs them: it does not run where the command was typed. */
export function foldersOf(cli: Cli, options: WorkOptions): string[] | undefined {
  return options.cwd?.map((folder) => resolve(cli.deps.cwd, folder));
}

/** A name for a task that was given none: the first line of its prompt, or its command. */
export function nameFrom(
  prompt: string | undefined,
  command: string | string[] | undefined,
): string | undefined {
  const whole = prompt?.trim() || (Array.isArray(command) ? command.join(' ') : command) || '';
  const line = oneLine(whole.trim().split('\n', 1)[0] ?? '');
  if (line === '') return undefined;
  const characters = [...line];
  return characters.length <= longestName ? line : `${characters.slice(0, longestName - 1).join('')}…`;
}

/** An empty text takes a value away. */
function orNull(text: string): string | null {
  return text === '' ? null : text;
}

function envOf(options: TaskOptions, current: Automation | null): Record<string, string> | undefined {
  if (options.env === undefined && options.unsetEnv === undefined) return undefined;
  const env = { ...current?.env, ...options.env };
  for (const name of options.unsetEnv ?? []) delete env[name];
  return env;
}

/** The schedule of the options; a time zone alone moves the schedule that is there. */
function schedulePatch(cli: Cli, options: TaskOptions, current: Automation | null): Schedule | undefined {
  const schedule = scheduleOf(options, cli.t);
  const { timezone } = options;
  if (schedule !== undefined || timezone === undefined) return schedule;
  const present = current?.schedule;
  if (present === undefined || present.kind === 'manual' || present.kind === 'every') {
    throw usageError(cli.t.zoneWithout);
  }
  return { ...present, timezone };
}

/** The fields that the options give, and no other. `current` is the automation to change; null for a new one. */
export async function fieldsOf(
  cli: Cli,
  options: TaskOptions,
  argv: string[] | null,
  current: Automation | null,
): Promise<AutomationPatch> {
  const fields: AutomationPatch = {};
  const schedule = schedulePatch(cli, options, current);
  const command = commandOf(cli, options, argv);
  const prompt = await promptOf(cli, options);
  const folders = foldersOf(cli, options);
  const env = envOf(options, current);
  if (options.name !== undefined) fields.name = options.name;
  if (options.description !== undefined) fields.description = orNull(options.description);
  if (prompt !== undefined) fields.prompt = prompt;
  if (command !== undefined) fields.command = command === '' ? null : command;
  // A command makes it kind `command`, as in POST /api/run, unless the kind is said.
  const kind = options.kind ?? (command === undefined || command === '' ? undefined : 'command');
  if (kind !== undefined) fields.kind = kind;
  if (options.agent !== undefined) fields.agent = orNull(options.agent);
  if (options.model !== undefined) fields.model_id = orNull(options.model);
  if (folders !== undefined) fields.cwds = folders;
  if (env !== undefined) fields.env = env;
  if (schedule !== undefined) fields.schedule = schedule;
  if (options.timeout !== undefined) fields.timeout_ms = Math.round(options.timeout * 1000);
  if (options.review !== undefined) fields.review_policy = options.review;
  if (options.missed !== undefined) fields.missed_policy = options.missed;
  if (options.overlap !== undefined) fields.overlap_policy = options.overlap;
  if (options.retries !== undefined) fields.max_retries = options.retries;
  return fields;
}
