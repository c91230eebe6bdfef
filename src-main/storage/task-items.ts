import { decodeCursor, encodeCursor, type Page } from './paging.ts';
import type { TaskItemRow } from './rows.ts';
import { Table } from './table.ts';

/** What `status` means in a row. */
export const taskStatus = { queued: 0, running: 1, done: 2, failed: 3 } as const;
export type TaskStatus = (typeof taskStatus)[keyof typeof taskStatus];

export interface TaskItemFilter {
  id?: string | undefined;
  task_type?: string | undefined;
  entity_id?: string | undefined;
  status?: TaskStatus | undefined;
}

/** A new item; it waits. */
export type NewTaskItem = Pick<
  TaskItemRow,
  'id' | 'task_type' | 'entity_id' | 'entity_title' | 'metadata' | 'created_at'
>;

/** What a move may change beside the state. */
export type TaskItemChange = Partial<
  Pick<TaskItemRow, 'started_at' | 'completed_at' | 'error_message' | 'metadata'>
>;

/** The state and the start by which a move or a touch is guarded. */
export type KnownTaskItem = Pick<
  TaskItemRow,
  'id' | 'status' | 'started_at' | 'completed_at' | 'error_message' | 'metadata'
>;

const active = 'status IN (0, 1) AND is_deleted = 0';
/** The partial index has active rows only, however long the history is. */
const fromActive = `task_items INDEXED BY nextrun_task_items_active WHERE ${active}`;
const columns = ['id', 'task_type', 'entity_id', 'status'] as const;

/**
 * The queue of background work besides runs. What is deleted softly is not there for any reader. A state changes
 * only through `move`, guarded by the state and the start before.
 */
export class TaskItemTable extends Table {
  readonly #byId = this.db.prepare<[string], TaskItemRow>(
    'SELECT * FROM task_items WHERE id = ? AND is_deleted = 0',
  );
  readonly #active = this.db.prepare<[], TaskItemRow>(
    `SELECT * FROM ${fromActive} ORDER BY created_at, rowid`,
  );
  readonly #activeOf = this.db.prepare<[string, string], TaskItemRow>(
    `SELECT * FROM ${fromActive} AND task_type = ? AND entity_id = ?`,
  );
  readonly #newestOf = this.db.prepare<[string, string], TaskItemRow>(
    `SELECT * FROM task_items WHERE task_type = ? AND entity_id = ? AND is_deleted = 0
     ORDER BY created_at DESC, rowid DESC LIMIT 1`,
  );
  readonly #insert = this.db.prepare<[NewTaskItem]>(
    `INSERT INTO task_items (id, task_type, entity_id, entity_title, status, metadata, created_at, updated_at)
     VALUES (@id, @task_type, @entity_id, @entity_title, 0, @metadata, @created_at, @created_at)
     ON CONFLICT (task_type, entity_id) WHERE status IN (0, 1) AND is_deleted = 0 DO NOTHING`,
  );
  readonly #move = this.db.prepare<
    [KnownTaskItem & { from: number; from_start: number | null; now: number }],
    TaskItemRow
  >(
    `UPDATE task_items SET status = @status, started_at = @started_at, completed_at = @completed_at,
       error_message = @error_message, metadata = @metadata, updated_at = @now
     WHERE id = @id AND status = @from AND started_at IS @from_start AND (status = 1 OR is_deleted = 0)
     RETURNING *`,
  );
  readonly #touch = this.db.prepare<[{ id: string; started_at: number | null; now: number }]>(
    `UPDATE task_items SET updated_at = @now
     WHERE id = @id AND status = 1 AND started_at IS @started_at`,
  );

  get(id: string): TaskItemRow | undefined {
    return this.#byId.get(id);
  }

  /** What waits or runs, oldest first. */
  active(): TaskItemRow[] {
    return this.#active.all();
  }

  /** The one item of a type and entity that waits or runs. */
  activeOf(taskType: string, entityId: string): TaskItemRow | undefined {
    return this.#activeOf.get(taskType, entityId);
  }

  newestOf(taskType: string, entityId: string): TaskItemRow | undefined {
    return this.#newestOf.get(taskType, entityId);
  }

  /** Adds a waiting item; false, and nothing is written, when its type and entity have an active one. */
  insert(item: NewTaskItem): boolean {
    return this.#insert.run(item).changes === 1;
  }

  /**
   * Moves an item to another state when it is still in the state, and of the start, that `row` says; gives it as
   * it is then, or undefined. A waiting item that was deleted does not move; a running one still ends.
   */
  move(row: KnownTaskItem, to: TaskStatus, change: TaskItemChange, now: number): TaskItemRow | undefined {
    const { id, status: from, started_at: from_start, completed_at, error_message, metadata } = row;
    const kept = { started_at: from_start, completed_at, error_message, metadata };
    return this.#move.get({ ...kept, ...change, id, status: to, from, from_start, now });
  }

  /** Says that a running item is alive; false when it does not run, or is of another start. */
  touch(row: Pick<TaskItemRow, 'id' | 'started_at'>, now: number): boolean {
    return this.#touch.run({ id: row.id, started_at: row.started_at, now }).changes === 1;
  }

  /** Newest first by (created_at, id). */
  list(filter: TaskItemFilter, limit: number, cursor?: string): Page<TaskItemRow> {
    const clauses = ['is_deleted = 0'];
    const values: Record<string, unknown> = { limit: limit + 1 };
    for (const column of columns) {
      if (filter[column] === undefined) continue;
      clauses.push(`${column} = @${column}`);
      values[column] = filter[column];
    }
    if (cursor !== undefined) {
      const [createdAt, id] = decodeCursor(cursor);
      clauses.push('(created_at, id) < (@cursor_at, @cursor_id)');
      values['cursor_at'] = createdAt;
      values['cursor_id'] = id;
    }
    const rows = this.db
      .prepare<[Record<string, unknown>], TaskItemRow>(
        `SELECT * FROM task_items WHERE ${clauses.join(' AND ')}
         ORDER BY created_at DESC, id DESC LIMIT @limit`,
      )
      .all(values);
    const last = rows.length > limit ? rows[limit - 1] : undefined;
    return {
      items: rows.slice(0, limit),
      next_cursor: last === undefined ? null : encodeCursor(last.created_at, last.id),
    };
  }
}
