import { type Command, InvalidArgumentError, Option } from 'commander';
import { automationKindSchema } from '../../../src-shared/model/automation.ts';
import {
  missedPolicySchema,
  overlapPolicySchema,
  reviewPolicySchema,
} from '../../../src-shared/model/policies.ts';
import type { RunStatus } from '../../../src-shared/model/run.ts';
import type { Cli } from './cli.ts';
import { type ScheduleOptions, scheduleTypes } from './schedule-options.ts';

export interface JsonOption {
  json?: boolean;
}

/** Adds `--json`, which every command has. */
export function withJson(command: Command, cli: Cli): Command {
  return command.option('--json', cli.help.json);
}

/** A parser of numbers from `min` to `max`; `whole` refuses fractions. */
export function numberIn(cli: Cli, min: number, max: number, whole = true): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (text.trim() === '' || !(value >= min && value <= max) || (whole && !Number.isInteger(value))) {
      throw new InvalidArgumentError(cli.t.badNumber(min, max));
    }
    return value;
  };
}

function append(text: string, before: string[] | undefined): string[] {
  return [...(before ?? []), text];
}

function appendEnv(cli: Cli) {
  return (text: string, before: Record<string, string> | undefined): Record<string, string> => {
    const split = text.indexOf('=');
    if (split < 1) throw new InvalidArgumentError(cli.t.badEnv(text));
    return { ...before, [text.slice(0, split)]: text.slice(split + 1) };
  };
}

/** A parser of a state as people write it: any case, and the words of the seeds. */
export function stateIn<S extends string>(cli: Cli, known: Readonly<Record<string, S>>): (text: string) => S {
  return (text) => {
    const name = text.toLowerCase().replaceAll('-', '_');
    const state = Object.hasOwn(known, name) ? known[name] : undefined;
    if (state === undefined) throw new InvalidArgumentError(cli.t.badStatus(Object.keys(known).join(', ')));
    return state;
  };
}

export const automationStates = {
  active: 'ACTIVE',
  paused: 'PAUSED',
  done: 'DONE',
  expired: 'EXPIRED',
  deleted: 'DELETED',
} as const;

export const runStates: Record<string, RunStatus> = {
  queued: 'QUEUED',
  running: 'IN_PROGRESS',
  in_progress: 'IN_PROGRESS',
  accepted: 'ACCEPTED',
  review: 'PENDING_REVIEW',
  pending_review: 'PENDING_REVIEW',
  failed: 'FAILED',
  cancelled: 'CANCELLED',
  skipped: 'SKIPPED',
  rejected: 'REJECTED',
};

/** What carries a task out, and how; the options that add, edit and run share. */
export interface WorkOptions {
  name?: string;
  message?: string;
  prompt?: string;
  kind?: 'agent' | 'command';
  agent?: string;
  model?: string;
  command?: string;
  cwd?: string[];
  env?: Record<string, string>;
  timeout?: number;
  review?: 'auto' | 'always' | 'on_changes';
}

/** Adds the options of WorkOptions. */
export function withWork(command: Command, cli: Cli): Command {
  const h = cli.help;
  return command
    .option('-n, --name <text>', h.name)
    .option('-m, --message <text>', h.message)
    .option('--prompt <text>', h.prompt)
    .addOption(new Option('--kind <kind>', h.kind).choices(automationKindSchema.options))
    .option('--agent <name>', h.agent)
    .option('--model <name>', h.model)
    .option('--command <line>', h.command)
    .option<string[]>('--cwd <folder>', h.cwd, append)
    .option<Record<string, string>>('--env <NAME=value>', h.env, appendEnv(cli))
    .option('--timeout <seconds>', h.timeout, numberIn(cli, 1, 604_800, false))
    .addOption(new Option('--review <when>', h.review).choices(reviewPolicySchema.options));
}

/** What add and edit have besides. */
export interface TaskOptions extends WorkOptions, ScheduleOptions {
  description?: string;
  missed?: 'latest' | 'skip' | 'all' | 'ask';
  overlap?: 'skip' | 'queue' | 'cancel_previous' | 'allow';
  retries?: number;
  unsetEnv?: string[];
}

/** Adds the options of TaskOptions. */
export function withTask(command: Command, cli: Cli): Command {
  const h = cli.help;
  return withWork(command, cli)
    .option('--description <text>', h.description)
    .addOption(new Option('--type <type>', h.type).choices(scheduleTypes))
    .option('--schedule <text>', h.schedule)
    .option('--scheduled-at <time>', h.scheduledAt)
    .option('--every <duration>', h.every)
    .option('--timezone <zone>', h.timezone)
    .addOption(new Option('--missed <policy>', h.missed).choices(missedPolicySchema.options))
    .addOption(new Option('--overlap <policy>', h.overlap).choices(overlapPolicySchema.options))
    .option('--retries <n>', h.retries, numberIn(cli, 0, 100));
}

/** Adds `--unset-env`, which only makes sense where something is there already. */
export function withUnset(command: Command, cli: Cli): Command {
  return command.option<string[]>('--unset-env <NAME>', cli.help.unsetEnv, append);
}
