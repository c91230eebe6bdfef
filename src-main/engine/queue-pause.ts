import { z } from 'zod';
import type { RunRow } from '../storage/rows.ts';
import type { EngineContext } from './context.ts';

const key = 'queue_pause';
const minuteMs = 60_000;

const pauseSchema = z.object({ paused_at: z.number(), until: z.number().nullable() });

/** `until` in ms since 1970 UTC; null = until somebody resumes, or not paused at all. */
export interface PauseState {
  paused: boolean;
  until: number | null;
}
const notPaused: PauseState = { paused: false, until: null };

type Context = Pick<EngineContext, 'store' | 'clock'>;

/** The stored pause; what another program wrote there and nobody can read is none. */
function stored(ctx: Context): z.infer<typeof pauseSchema> | null {
  try {
    return pauseSchema.safeParse(ctx.store.engine.setting(key)).data ?? null;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

/** Whether a person has paused everything, and until when. A pause whose time has passed is over by itself. */
export function pauseState(ctx: Context): PauseState {
  const pause = stored(ctx);
  if (pause === null || (pause.until !== null && pause.until <= ctx.clock.now())) return notPaused;
  return { paused: true, until: pause.until };
}

/** Whether nothing is planned and nothing planned is claimed: paused by a person, or off in the settings (ruling 13). */
export function schedulingHeld(ctx: Context & Pick<EngineContext, 'settings'>): boolean {
  return !ctx.settings.enabled || pauseState(ctx).paused;
}

/** Whether a waiting run is one of the schedule, which is not claimed meanwhile. `heldBack` in storage/runs.ts says the same. */
export function isOfSchedule(run: Pick<RunRow, 'trigger' | 'scheduled_for'>): boolean {
  if (run.trigger === 'retry') return run.scheduled_for !== null;
  return run.trigger === 'schedule' || run.trigger === 'missed';
}

/** Pauses everything for `minutes`, or until it is resumed; a pause that is on gets the new end. Call inside a transaction. */
export function pauseAll(ctx: Context, minutes: number | null): void {
  const now = ctx.clock.now();
  const until = minutes === null ? null : now + minutes * minuteMs;
  ctx.store.engine.putSetting(key, { paused_at: stored(ctx)?.paused_at ?? now, until }, now);
}

/** Ends the pause; what fell due meanwhile is late, so each missed policy decides. Call inside a transaction. */
export function resumeAll(ctx: Context): void {
  if (stored(ctx) !== null) ctx.store.engine.putSetting(key, null, ctx.clock.now());
}

/** Puts an end on record that has come by itself, so that whoever listens hears of it. Call inside a transaction. */
export function endPauseWhenOver(ctx: Context): void {
  if (!pauseState(ctx).paused) resumeAll(ctx);
}
