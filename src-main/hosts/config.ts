import { existsSync, readFileSync } from 'node:fs';
import { parse, TomlError } from 'smol-toml';
import type { z } from 'zod';
import {
  agentSectionSchema,
  type Config,
  configSchema,
  scheduledTasksSchema,
} from '../../src-shared/model/settings.ts';

/** A config.toml or environment that cannot be taken: which file, which line, and the nearest right key. */
export class ConfigError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'ConfigError';
  }
}

function distance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let i = 1; i <= one.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= other.length; j += 1) {
      const change = (row[j - 1] ?? 0) + (one[i - 1] === other[j - 1] ? 0 : 1);
      next.push(Math.min(change, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[other.length] ?? 0;
}

function nearest(key: string, known: readonly string[]): string | undefined {
  const ranked = known.map((name) => ({ name, far: distance(key, name) })).sort((a, b) => a.far - b.far);
  const best = ranked[0];
  return best !== undefined && best.far <= Math.max(3, key.length / 2) ? best.name : undefined;
}

function knownKeys(path: readonly PropertyKey[]): string[] {
  if (path.length === 0) return Object.keys(configSchema.shape);
  if (path[0] === 'scheduled_tasks') return Object.keys(scheduledTasksSchema.shape);
  if (path[0] === 'http') return ['host', 'port', 'allow_local_without_token'];
  return Object.keys(agentSectionSchema.shape);
}

function lineOf(text: string, key: string): number | null {
  const index = text
    .split('\n')
    .findIndex(
      (line) => line.trimStart().startsWith(key) || line.includes(`[${key}`) || line.includes(`.${key}]`),
    );
  return index === -1 ? null : index + 1;
}

function complaint(file: string, text: string, issue: z.core.$ZodIssue): ConfigError {
  const unknown = issue.code === 'unrecognized_keys' ? issue.keys[0] : undefined;
  const path = [...issue.path, ...(unknown === undefined ? [] : [unknown])];
  const key = String(path.at(-1) ?? '');
  const line = lineOf(text, key);
  const where = `${file}${line === null ? '' : `:${line}`}`;
  if (unknown === undefined) return new ConfigError(`${where}: ${path.join('.')}: ${issue.message}`);
  const meant = nearest(unknown, knownKeys(issue.path));
  const hint = meant === undefined ? '' : `; did you mean "${meant}"?`;
  return new ConfigError(`${where}: there is no setting "${path.join('.')}"${hint}`);
}

function parseToml(file: string, text: string): Record<string, unknown> {
  try {
    return parse(text);
  } catch (error) {
    if (error instanceof TomlError)
      throw new ConfigError(`${file}:${error.line}: ${error.message.split('\n')[0] ?? ''}`);
    throw error;
  }
}

function wholeNumber(env: Record<string, string | undefined>, name: string): number | undefined {
  const text = env[name];
  if (text === undefined || text === '') return undefined;
  const value = Number(text);
  if (!Number.isInteger(value)) throw new ConfigError(`${name}=${text}: give a whole number`);
  return value;
}

function overrides(env: Record<string, string | undefined>): {
  scheduled: Record<string, unknown>;
  port: number | undefined;
} {
  const enabled = env['SCHEDULE_ENABLED']?.toLowerCase();
  if (enabled !== undefined && enabled !== '' && enabled !== 'true' && enabled !== 'false') {
    throw new ConfigError(`SCHEDULE_ENABLED=${enabled}: give true or false`);
  }
  const scheduled: Record<string, unknown> = {
    enabled: enabled === undefined || enabled === '' ? undefined : enabled === 'true',
    scan_interval_seconds: wholeNumber(env, 'SCHEDULE_SCAN_INTERVAL'),
    max_concurrent: wholeNumber(env, 'SCHEDULE_MAX_CONCURRENT'),
  };
  for (const key of Object.keys(scheduled)) if (scheduled[key] === undefined) delete scheduled[key];
  return { scheduled, port: wholeNumber(env, 'NEXTRUN_PORT') };
}

/**
 * The settings of `config.toml` with the environment on top (SCHEDULE_*, NEXTRUN_PORT). Throws ConfigError naming
 * file, line and the nearest right key; a host beyond loopback is refused.
 */
export function readConfig(file: string, env: Record<string, string | undefined>): Config {
  const text = existsSync(file) ? readFileSync(file, 'utf8') : '';
  const given = parseToml(file, text);
  const over = overrides(env);
  const section = (name: string): object =>
    typeof given[name] === 'object' && given[name] !== null ? given[name] : {};
  const merged = {
    ...given,
    scheduled_tasks: { ...section('scheduled_tasks'), ...over.scheduled },
    http: { ...section('http'), ...(over.port === undefined ? {} : { port: over.port }) },
  };
  const parsed = configSchema.safeParse(merged);
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    if (issue === undefined) throw new ConfigError(`${file} cannot be read`);
    throw complaint(file, text, issue);
  }
  if (!['127.0.0.1', 'localhost', '::1'].includes(parsed.data.http.host)) {
    throw new ConfigError(
      `${file}: http.host = "${parsed.data.http.host}": NextRun listens on 127.0.0.1 only`,
    );
  }
  return parsed.data;
}
