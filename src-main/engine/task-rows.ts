import { taskItemOf } from '../storage/codec.ts';
import type { TaskItemRow } from '../storage/rows.ts';
import { type TaskItemTable, taskStatus } from '../storage/task-items.ts';
import type { EngineContext } from './context.ts';
import type { TaskRequest } from './task-handler.ts';

/** What `error_message` says when it is not the message of an error. */
export const taskMessages = {
  stopped: '服务停止，任务已重新排队',
  cancelled: '任务被取消',
  interrupted: '服务中断，任务已重新排队',
  silent: '任务超过 5 分钟没有更新，已重新排队',
} as const;

export interface Enqueued {
  added: TaskItemRow[];
  /** The active items that stand for what was asked and not added. */
  existing: TaskItemRow[];
}

/** What a handler came to. */
export type TaskResult = { metadata: Record<string, unknown> } | { error: string };

/**
 * The steps of background items, each inside the caller's transaction and guarded by the state before. `updated_at`
 * is always written, `completed_at` whenever an item ends.
 */
export class TaskRows {
  readonly #ctx: Pick<EngineContext, 'store' | 'clock' | 'newId'>;
  readonly #table: TaskItemTable;

  constructor(ctx: Pick<EngineContext, 'store' | 'clock' | 'newId'>) {
    this.#ctx = ctx;
    this.#table = ctx.store.taskItems;
  }

  get(id: string): TaskItemRow | undefined {
    return this.#table.get(id);
  }

  /** Adds what no active item stands for; what is asked twice in one batch is one item. */
  enqueue(requests: readonly TaskRequest[]): Enqueued {
    const wanted = new Map<string, TaskRequest>();
    for (const request of requests) {
      const key = JSON.stringify([request.task_type, request.entity_id]);
      if (!wanted.has(key)) wanted.set(key, request);
    }
    const result: Enqueued = { added: [], existing: [] };
    for (const { task_type, entity_id, entity_title, metadata } of wanted.values()) {
      const id = this.#ctx.newId();
      const inserted = this.#table.insert({
        id,
        task_type,
        entity_id,
        entity_title: entity_title ?? null,
        metadata: metadata === undefined ? null : JSON.stringify(metadata),
        created_at: this.#ctx.clock.now(),
      });
      const row = inserted ? this.#table.get(id) : this.#table.activeOf(task_type, entity_id);
      if (row !== undefined) (inserted ? result.added : result.existing).push(row);
    }
    return result;
  }

  /** QUEUED → RUNNING; undefined when it no longer waits. */
  claim(id: string): TaskItemRow | undefined {
    const row = this.#table.get(id);
    if (row?.status !== taskStatus.queued) return undefined;
    const now = this.#ctx.clock.now();
    const change = { started_at: now, completed_at: null, error_message: null };
    return this.#table.move(row, taskStatus.running, change, now);
  }

  touch(row: TaskItemRow): boolean {
    return this.#table.touch(row, this.#ctx.clock.now());
  }

  /** RUNNING → DONE or FAILED. */
  settle(row: TaskItemRow, result: TaskResult): boolean {
    if ('error' in result) return this.fail(row, result.error);
    const now = this.#ctx.clock.now();
    const metadata = JSON.stringify({ ...taskItemOf(row).metadata, ...result.metadata });
    const change = { completed_at: now, error_message: null, metadata };
    return this.#table.move(row, taskStatus.done, change, now) !== undefined;
  }

  fail(row: TaskItemRow, message: string): boolean {
    const now = this.#ctx.clock.now();
    const change = { completed_at: now, error_message: message };
    return this.#table.move(row, taskStatus.failed, change, now) !== undefined;
  }

  /** RUNNING → QUEUED, as if it had never started but for the message. */
  requeue(row: TaskItemRow, message: string): boolean {
    const change = { started_at: null, completed_at: null, error_message: message };
    return this.#table.move(row, taskStatus.queued, change, this.#ctx.clock.now()) !== undefined;
  }

  /** Puts the running items that `isLost` back; gives their ids, and those of all that waits then, oldest first. */
  recover(
    isLost: (row: TaskItemRow) => boolean,
    message: string,
  ): { recovered: string[]; waiting: string[] } {
    const recovered: string[] = [];
    const waiting: string[] = [];
    for (const row of this.#table.active()) {
      if (row.status === taskStatus.running) {
        if (!isLost(row) || !this.requeue(row, message)) continue;
        recovered.push(row.id);
      }
      waiting.push(row.id);
    }
    return { recovered, waiting };
  }
}
