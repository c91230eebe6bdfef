import type { RunStatus } from '../model/run.ts';

/**
 * Every legal move of a run (spec/engine.md, Transitions; rulings 4 and 5). QUEUED → QUEUED is the recovery
 * move of a run that was claimed but never spawned: stored as IN_PROGRESS → QUEUED, allowed to recovery alone.
 */
const moves: Record<RunStatus, readonly RunStatus[]> = {
  QUEUED: ['IN_PROGRESS', 'SKIPPED', 'CANCELLED'],
  IN_PROGRESS: ['ACCEPTED', 'PENDING_REVIEW', 'FAILED', 'CANCELLED'],
  PENDING_REVIEW: ['ACCEPTED', 'REJECTED'],
  ACCEPTED: [],
  REJECTED: [],
  FAILED: [],
  CANCELLED: [],
  SKIPPED: [],
};

/** Whether a run may go from one state to the other. */
export function canMove(from: RunStatus, to: RunStatus): boolean {
  return moves[from].includes(to);
}

/** Whether a run in this state has ended; PENDING_REVIEW has ended and waits for a person. */
export function hasEnded(status: RunStatus): boolean {
  return status !== 'QUEUED' && status !== 'IN_PROGRESS';
}
