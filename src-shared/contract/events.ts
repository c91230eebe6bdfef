import type { Automation } from '../model/automation.ts';
import type { Run } from '../model/run.ts';

/**
 * What the one event stream (`GET /api/events`, server-sent) carries. `id:` of each server-sent event is the
 * change number; output events have none, they are never replayed.
 */
export type AppEvent =
  | { type: 'automation'; id: string; row: Automation | null }
  | { type: 'run'; id: string; row: Run | null }
  | { type: 'queue' }
  | { type: 'settings' }
  | { type: 'engine'; state: 'running' | 'stopped'; last_scan_at: number | null; next_scan_at: number | null }
  | { type: 'output'; run_id: string; chunks: { seq: number; at: number; stream: string; text: string }[] }
  /** The reader was too slow or asked for pruned changes: read everything again. */
  | { type: 'reset' };
