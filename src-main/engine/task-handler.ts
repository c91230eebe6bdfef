import type { TaskItem } from '../../src-shared/model/task-item.ts';

/** What a handler gets besides the item. */
export interface TaskWork {
  /** Aborted when the task is cancelled, its host stops, or it was silent for too long. */
  signal: AbortSignal;
  /** Says that the work goes on; a task that is silent for 5 minutes is taken back. Costs next to nothing. */
  touch(): void;
}

/**
 * Carries one item out. What it gives joins the item's metadata; what it throws is the item's failure. It has to be
 * repeatable: a task whose host died is carried out again.
 */
export type TaskHandler = (item: TaskItem, work: TaskWork) => Promise<Record<string, unknown>>;

/** What is asked for. While an item of the same type and entity waits or runs, that one stands for it. */
export interface TaskRequest {
  task_type: string;
  entity_id: string;
  entity_title?: string;
  metadata?: Record<string, unknown>;
}
