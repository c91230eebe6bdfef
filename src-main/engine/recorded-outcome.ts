import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type Outcome, outcomeSchema } from '../../src-shared/model/outcome.ts';
import type { EngineContext } from './context.ts';
import { runFolder } from './start-request.ts';

/**
 * The outcome that the launcher wrote for a run before it or the host died, or null when there is none that can
 * be read. A half-written one cannot exist: the launcher renames it into place.
 */
export function recordedOutcome(
  ctx: Pick<EngineContext, 'runsFolder' | 'log'>,
  runId: string,
): Outcome | null {
  const file = join(runFolder(ctx, runId), 'outcome.json');
  try {
    return outcomeSchema.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) {
      ctx.log.warn({ run: runId, error: String(error) }, 'the recorded outcome cannot be read');
    }
    return null;
  }
}

/** Whether the launcher took the run over: its program may have started although the row has no pid yet. */
export function wasTaken(ctx: Pick<EngineContext, 'runsFolder'>, runId: string): boolean {
  return existsSync(runFolder(ctx, runId));
}

/** Removes the folder of a run whose outcome is in the database. */
export function forgetRecord(ctx: Pick<EngineContext, 'runsFolder'>, runId: string): void {
  rmSync(runFolder(ctx, runId), { recursive: true, force: true });
}
