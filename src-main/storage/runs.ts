import type { RunStatus } from '../../src-shared/model/run.ts';
import { metadataOf } from './codec.ts';
import type { Db } from './open.ts';
import { decodeCursor, encodeCursor, type Page } from './paging.ts';
import type { RunMetadata, RunRow } from './rows.ts';
import { Table } from './table.ts';

export interface RunFilter {
  status?: string | undefined;
  trigger?: string | undefined;
  automation_id?: string | undefined;
}

/** Waiting order: priority, then the queue's order, then age (ruling 3). */
const queueOrder = 'priority DESC, queue_order, queued_at, rowid';
/** Without the hint SQLite reads by status and sorts all that waits. */
const queue = 'automation_runs INDEXED BY nextrun_runs_queue';
const claimable = "status = 'QUEUED' AND not_before <= @now";
/** What waits by the schedule, and is not claimed while everything is paused (`isOfSchedule` in the engine). */
const heldBack = "(trigger IN ('schedule', 'missed') OR (trigger = 'retry' AND scheduled_for IS NOT NULL))";
/** How many waiting runs carry their position in metadata_json (ruling 12); the API computes the rest. */
const storedPositions = 100;

/** Runs, tokens (in and out) and money in millionths. */
export interface Spent {
  runs: number;
  tokens: number;
  cost_micros: number;
}

/** What an executing host proves to change a run: the state it knows and the lease it took. */
export interface Guard {
  from: RunStatus;
  lease_token?: string | null;
}

/** The WHERE of a list with its values; `limit` is one more than asked, which tells whether a page follows. */
function selection(filter: RunFilter, limit: number, cursor?: string) {
  const clauses: string[] = [];
  const values: Record<string, unknown> = { limit: limit + 1 };
  for (const column of ['status', 'trigger', 'automation_id'] as const) {
    if (filter[column] === undefined) continue;
    clauses.push(`${column} = @${column}`);
    values[column] = filter[column];
  }
  if (cursor !== undefined) {
    const [createdAt, id] = decodeCursor(cursor);
    clauses.push('(created_at, thread_id) < (@cursor_at, @cursor_id)');
    values['cursor_at'] = createdAt;
    values['cursor_id'] = id;
  }
  return { where: clauses.length === 0 ? '' : `WHERE ${clauses.join(' AND ')}`, values };
}

/** The statements on `automation_runs`. A state changes only through `move`, guarded by the state before. */
export class RunTable extends Table {
  readonly #byId = this.db.prepare<[string], RunRow>('SELECT * FROM automation_runs WHERE thread_id = ?');
  readonly #active = this.db.prepare<[string], RunRow>(
    `SELECT * FROM automation_runs INDEXED BY nextrun_runs_open WHERE automation_id = ? AND exclusive = 1
     AND status IN ('QUEUED', 'IN_PROGRESS') ORDER BY status, created_at`,
  );
  readonly #open = this.db.prepare<[string], RunRow>(
    `SELECT * FROM automation_runs INDEXED BY nextrun_runs_open
     WHERE automation_id = ? AND status IN ('QUEUED', 'IN_PROGRESS')`,
  );
  readonly #inProgress = this.db.prepare<[], RunRow>(
    `SELECT * FROM automation_runs INDEXED BY nextrun_runs_active
     WHERE status = 'IN_PROGRESS' ORDER BY started_at, rowid`,
  );
  readonly #countInProgress = this.db
    .prepare<[], number>(
      "SELECT count(*) FROM automation_runs INDEXED BY nextrun_runs_active WHERE status = 'IN_PROGRESS'",
    )
    .pluck();
  readonly #countQueued = this.db
    .prepare<[], number>("SELECT count(*) FROM automation_runs WHERE status = 'QUEUED'")
    .pluck();
  readonly #countReview = this.db
    .prepare<[], number>("SELECT count(*) FROM automation_runs WHERE status = 'PENDING_REVIEW'")
    .pluck();
  readonly #waiting = this.db.prepare<[{ now: number; limit: number }], RunRow>(
    `SELECT * FROM ${queue} WHERE ${claimable} ORDER BY ${queueOrder} LIMIT @limit`,
  );
  readonly #deferred = this.db.prepare<[{ now: number }], RunRow>(
    "SELECT * FROM automation_runs WHERE status = 'QUEUED' AND not_before > @now ORDER BY not_before LIMIT 200",
  );
  readonly #nearest = this.db
    .prepare<[number], number | null>(
      "SELECT min(not_before) FROM automation_runs WHERE status = 'QUEUED' AND not_before > ?",
    )
    .pluck();
  readonly #candidates = this.db.prepare<[{ now: number; limit: number; held: number }], RunRow>(
    `SELECT * FROM automation_runs AS waiting INDEXED BY nextrun_runs_queue WHERE ${claimable}
       AND NOT (@held = 1 AND ${heldBack})
       AND NOT (exclusive = 1 AND EXISTS (SELECT 1 FROM automation_runs AS running
         WHERE running.automation_id = waiting.automation_id AND running.exclusive = 1
           AND running.status = 'IN_PROGRESS'))
     ORDER BY ${queueOrder} LIMIT @limit`,
  );
  readonly #positions = this.db.prepare<
    [{ now: number; limit: number }],
    Pick<RunRow, 'thread_id' | 'metadata_json'>
  >(`SELECT thread_id, metadata_json FROM ${queue} WHERE ${claimable} ORDER BY ${queueOrder} LIMIT @limit`);
  readonly #setMetadata = this.db.prepare<[string, string]>(
    'UPDATE automation_runs SET metadata_json = ? WHERE thread_id = ?',
  );
  readonly #ahead = this.db
    .prepare<[{ now: number; id: string }], number>(
      `SELECT position FROM (SELECT thread_id, row_number() OVER (ORDER BY ${queueOrder}) AS position
         FROM ${queue} WHERE ${claimable}) WHERE thread_id = @id`,
    )
    .pluck();
  readonly #newest = this.db.prepare<[string], RunRow>(
    'SELECT * FROM automation_runs WHERE automation_id = ? ORDER BY created_at DESC, thread_id DESC LIMIT 1',
  );
  readonly #interruptions = this.db
    .prepare<[{ automation: string; key: string | null }], number>(
      `SELECT count(*) FROM automation_runs INDEXED BY nextrun_runs_failed_key
       WHERE status = 'FAILED' AND run_key = @key AND automation_id = @automation
         AND reason_code IN ('interrupted', 'heartbeat_expired')`,
    )
    .pluck();
  readonly #usual = this.db
    .prepare<[string], number | null>(
      `SELECT avg(duration_ms) FROM (SELECT duration_ms FROM automation_runs
         WHERE automation_id = ? AND duration_ms IS NOT NULL ORDER BY created_at DESC, thread_id DESC LIMIT 10)`,
    )
    .pluck();
  readonly #spent = this.db.prepare<[{ automation: string; since: number }], Spent>(
    `SELECT count(*) AS runs,
       coalesce(sum(turn.input_tokens), 0) + coalesce(sum(turn.output_tokens), 0) AS tokens,
       coalesce(sum(turn.cost_micros), 0) AS cost_micros
     FROM automation_runs AS run LEFT JOIN conversation_turns AS turn ON turn.id = run.turn_id
     WHERE run.automation_id = @automation AND run.created_at >= @since AND run.status <> 'SKIPPED'`,
  );
  readonly #heartbeat = this.db.prepare<[{ id: string; token: string; now: number; expires: number }]>(
    `UPDATE automation_runs SET heartbeat_at = @now, lease_expires_at = @expires, updated_at = @now
     WHERE thread_id = @id AND status = 'IN_PROGRESS' AND lease_token = @token`,
  );
  readonly #updates = new Map<string, ReturnType<Db['prepare']>>();

  get(id: string): RunRow | undefined {
    return this.#byId.get(id);
  }

  /** The waiting and the running exclusive run of an automation, at most one of each; running first. */
  activeOf(automationId: string): RunRow[] {
    return this.#active.all(automationId);
  }

  /** Every waiting or running run of an automation, parallel ones included. */
  openOf(automationId: string): RunRow[] {
    return this.#open.all(automationId);
  }

  newestOf(automationId: string): RunRow | undefined {
    return this.#newest.get(automationId);
  }

  inProgress(): RunRow[] {
    return this.#inProgress.all();
  }

  countInProgress(): number {
    return this.#countInProgress.get() ?? 0;
  }

  countQueued(): number {
    return this.#countQueued.get() ?? 0;
  }

  countNeedsReview(): number {
    return this.#countReview.get() ?? 0;
  }

  /** Claimable runs in their order. */
  waiting(now: number, limit: number): RunRow[] {
    return this.#waiting.all({ now, limit });
  }

  /** Runs held back until their `not_before`. */
  deferred(now: number): RunRow[] {
    return this.#deferred.all({ now });
  }

  nearestNotBefore(now: number): number | null {
    return this.#nearest.get(now) ?? null;
  }

  /** Claimable runs whose automation has no exclusive run in progress, in order; `held` leaves out those of the schedule. */
  candidates(now: number, limit: number, held: boolean): RunRow[] {
    return this.#candidates.all({ now, limit, held: held ? 1 : 0 });
  }

  /** 1..n for a claimable run, null for any other. */
  positionOf(id: string, now: number): number | null {
    return this.#ahead.get({ now, id }) ?? null;
  }

  /** How many attempts with this run's key were interrupted so far. */
  interruptionsOf(run: Pick<RunRow, 'automation_id' | 'run_key'>): number {
    return this.#interruptions.get({ automation: run.automation_id, key: run.run_key }) ?? 0;
  }

  /** What the runs of an automation that were made since an instant have used. */
  spentSince(automationId: string, since: number): Spent {
    return this.#spent.get({ automation: automationId, since }) ?? { runs: 0, tokens: 0, cost_micros: 0 };
  }

  /** Mean duration of the last ten runs of an automation, ms; null when it has none. */
  usualDuration(automationId: string): number | null {
    const mean = this.#usual.get(automationId) ?? null;
    return mean === null ? null : Math.round(mean);
  }

  insert(row: Partial<RunRow> & { thread_id: string; automation_id: string }): void {
    const names = Object.keys(row);
    this.db
      .prepare(
        `INSERT INTO automation_runs (${names.join(', ')}) VALUES (${names.map((name) => `@${name}`).join(', ')})`,
      )
      .run(row);
  }

  /** Moves a run to another state when it is still in `guard.from` (and under that lease); tells whether. */
  move(id: string, to: RunStatus, patch: Partial<RunRow>, guard: Guard): boolean {
    const moved = this.touch(id, { ...patch, status: to }, guard);
    if (moved && guard.from === 'QUEUED' && to !== 'IN_PROGRESS') this.#leaveQueue(id);
    return moved;
  }

  /** Who waits no longer has no position; a reader of the file would believe a stale one. */
  #leaveQueue(id: string): void {
    const row = this.#byId.get(id);
    if (row === undefined) return;
    const { queuedPosition, ...kept } = metadataOf(row);
    if (queuedPosition !== undefined) this.#setMetadata.run(JSON.stringify(kept), id);
  }

  /** Changes columns beside the state, under the same guard. */
  touch(id: string, patch: Partial<RunRow>, guard: Guard): boolean {
    const names = Object.keys(patch);
    const token = guard.lease_token === undefined ? '' : ' AND lease_token IS @guard_token';
    const sql = `UPDATE automation_runs SET ${names.map((name) => `${name} = @${name}`).join(', ')}
      WHERE thread_id = @id AND status = @guard_from${token}`;
    const statement = this.#updates.get(sql) ?? this.db.prepare(sql);
    this.#updates.set(sql, statement);
    const values: Record<string, unknown> = { ...patch, id, guard_from: guard.from };
    if (guard.lease_token !== undefined) values['guard_token'] = guard.lease_token;
    return statement.run(values).changes === 1;
  }

  heartbeat(id: string, token: string, now: number, expires: number): boolean {
    return this.#heartbeat.run({ id, token, now, expires }).changes === 1;
  }

  mergeMetadata(row: RunRow, change: RunMetadata): string {
    return JSON.stringify({ ...metadataOf(row), ...change });
  }

  /** Writes queuedPosition 1..n where it changed and clears it on `left`. Call in the commit that changed the queue. */
  refreshPositions(now: number): void {
    let position = 0;
    for (const row of this.#positions.all({ now, limit: storedPositions })) {
      position += 1;
      const metadata = metadataOf(row);
      if (metadata.queuedPosition === position) continue;
      this.#setMetadata.run(JSON.stringify({ ...metadata, queuedPosition: position }), row.thread_id);
    }
  }

  /** Newest first by (created_at, id). */
  list(filter: RunFilter, limit: number, cursor?: string): Page<RunRow> {
    const { where, values } = selection(filter, limit, cursor);
    const rows = this.db
      .prepare<[Record<string, unknown>], RunRow>(
        `SELECT * FROM automation_runs ${where} ORDER BY created_at DESC, thread_id DESC LIMIT @limit`,
      )
      .all(values);
    const last = rows.length > limit ? rows[limit - 1] : undefined;
    return {
      items: rows.slice(0, limit),
      next_cursor: last === undefined ? null : encodeCursor(last.created_at, last.thread_id),
    };
  }
}
