import { ApiError } from '../../src-shared/contract/errors.ts';
import { validUntil } from '../../src-shared/logic/validity.ts';
import { type AutomationFields, automationDefaults } from '../../src-shared/model/automation.ts';
import type { AutomationRow } from '../storage/rows.ts';
import type { EngineContext } from './context.ts';

/** Columns of the fields that are stored as they are. */
const plain = [
  'name',
  'description',
  'prompt',
  'kind',
  'agent',
  'model_id',
  'jitter_ms',
  'valid_from',
  'valid_until',
  'target_mode',
  'session_id',
  'permission_mode',
  'conflict_policy',
  'defer_seconds',
  'overlap_policy',
  'missed_policy',
  'missed_window_ms',
  'review_policy',
  'on_interrupt',
  'timeout_ms',
  'idle_timeout_ms',
  'max_retries',
  'retry_delay_ms',
  'pause_after_failures',
  'max_runs',
  'max_runs_per_day',
  'max_tokens_per_day',
  'max_cost_per_day_micros',
  'priority',
] as const satisfies readonly (keyof AutomationFields & keyof AutomationRow)[];

/** The defaults with lists of their own. */
export function freshDefaults(): Omit<AutomationFields, 'name'> {
  return { ...automationDefaults, cwds: [], skills: [], tags: [], env: {} };
}

/** The columns of the given fields, all but the schedule. */
export function columnsOf(fields: Partial<AutomationFields>): Partial<AutomationRow> {
  const columns: Record<string, unknown> = {};
  for (const name of plain) if (fields[name] !== undefined) columns[name] = fields[name];
  if (fields.command !== undefined) {
    columns['command_json'] = fields.command === null ? null : JSON.stringify(fields.command);
    columns['shell'] = typeof fields.command === 'string' ? 1 : 0;
  }
  if (fields.cwds !== undefined) columns['cwds'] = JSON.stringify(fields.cwds);
  if (fields.skills !== undefined) columns['skills_json'] = JSON.stringify(fields.skills);
  if (fields.tags !== undefined) columns['tags_json'] = JSON.stringify(fields.tags);
  if (fields.env !== undefined) columns['env_json'] = JSON.stringify(fields.env);
  if (fields.pinned !== undefined) columns['pinned'] = fields.pinned ? 1 : 0;
  return columns;
}

/** Throws ApiError when a bound of the validity is no date. */
export function checkWindow(
  ctx: Pick<EngineContext, 'timezone'>,
  fields: Pick<AutomationFields, 'valid_from' | 'valid_until'>,
): void {
  for (const field of ['valid_from', 'valid_until'] as const) {
    const text = fields[field];
    if (text === null || text === '' || validUntil(text, ctx.timezone) !== null) continue;
    throw new ApiError('invalid', `${field} is not a date or an ISO time: ${text}`, {
      field,
      hint: 'write 2026-12-31 or 2026-12-31T18:00:00+08:00',
    });
  }
}

/** Throws ApiError when there is nothing to run. */
export function checkWork(fields: Pick<AutomationFields, 'kind' | 'command' | 'prompt'>): void {
  if (fields.kind === 'command' && fields.command === null) {
    throw new ApiError('nothing_to_run', 'A command automation needs a command', {
      field: 'command',
      hint: 'give "command": ["program", "argument"] or a shell line as a string',
    });
  }
  if (fields.kind === 'agent' && fields.prompt.trim() === '') {
    throw new ApiError('nothing_to_run', 'An agent automation needs a prompt', { field: 'prompt' });
  }
}
