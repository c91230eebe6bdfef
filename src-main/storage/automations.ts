import { decodeCursor, encodeCursor, type Page } from './paging.ts';
import type { AutomationRow } from './rows.ts';
import { Table } from './table.ts';
import { tidyReader } from './tidy.ts';

export interface AutomationFilter {
  q?: string | undefined;
  status?: string | undefined;
  kind?: string | undefined;
  schedule?: string | undefined;
  source?: string | undefined;
  owner_bot_id?: string | undefined;
  owner_user_id?: string | undefined;
  attention?: boolean | undefined;
}

export interface ForeignEdit {
  field: string;
  old_value: unknown;
  new_value: unknown;
  at: number;
}

const columnName = /^[a-z_]+$/;

function columnNames(row: object): string[] {
  const names = Object.keys(row);
  for (const name of names) if (!columnName.test(name)) throw new Error(`not a column: ${name}`);
  return names;
}

/** The WHERE of a list with its values; `limit` is one more than asked, which tells whether a page follows. */
function selection(filter: AutomationFilter, limit: number, cursor?: string) {
  const clauses = [filter.status === 'DELETED' ? 'deleted_at IS NOT NULL' : 'deleted_at IS NULL'];
  const values: Record<string, unknown> = { limit: limit + 1 };
  const equal = (column: string, value: string | undefined) => {
    if (value === undefined) return;
    clauses.push(`${column} = @${column}`);
    values[column] = value;
  };
  if (filter.status !== 'DELETED') equal('status', filter.status);
  equal('kind', filter.kind);
  equal('schedule_kind', filter.schedule);
  equal('source', filter.source);
  equal('owner_bot_id', filter.owner_bot_id);
  equal('owner_user_id', filter.owner_user_id);
  if (filter.attention !== undefined) {
    clauses.push(`attention_code IS ${filter.attention ? 'NOT ' : ''}NULL`);
  }
  if (filter.q !== undefined && filter.q !== '') {
    clauses.push('(instr(lower(name), lower(@q)) > 0 OR instr(lower(prompt), lower(@q)) > 0 OR id = @q)');
    values['q'] = filter.q;
  }
  if (cursor !== undefined) {
    const [createdAt, id] = decodeCursor(cursor);
    clauses.push('(created_at < @cursor_at OR (created_at = @cursor_at AND id > @cursor_id))');
    values['cursor_at'] = createdAt;
    values['cursor_id'] = id;
  }
  return { where: clauses.join(' AND '), values };
}

/** The statements on `automations`. Every UPDATE raises own_writes, so that the triggers know it as ours. */
export class AutomationTable extends Table {
  readonly #tidy = tidyReader<AutomationRow>(this.db, 'automations');
  readonly #byId = this.db.prepare<[string], AutomationRow>('SELECT * FROM automations WHERE id = ?');
  readonly #due = this.db.prepare<[number, number, number], AutomationRow>(
    `SELECT * FROM automations
     WHERE status = 'ACTIVE' AND deleted_at IS NULL AND next_run_at IS NOT NULL AND next_run_at <= ?
       AND unchecked <> 1
     ORDER BY next_run_at LIMIT ? OFFSET ?`,
  );
  readonly #nearest = this.db
    .prepare<[number], number | null>(
      `SELECT next_run_at FROM automations
       WHERE status = 'ACTIVE' AND deleted_at IS NULL AND next_run_at IS NOT NULL AND next_run_at > ?
         AND unchecked <> 1
       ORDER BY next_run_at LIMIT 1`,
    )
    .pluck();
  readonly #unchecked = this.db.prepare<[number], AutomationRow>(
    'SELECT * FROM automations WHERE unchecked = 1 LIMIT ?',
  );
  /** A row that no text names could never be addressed: SQLite takes NULL and blobs as a TEXT primary key. */
  readonly #nameNameless = this.db.prepare(
    `UPDATE automations SET id = 'automation-row-' || rowid, own_writes = own_writes + 1
     WHERE unchecked = 1 AND typeof(id) <> 'text'`,
  );
  readonly #edits = this.db.prepare<[string], ForeignEdit>(
    'SELECT field, old_value, new_value, at FROM foreign_edits WHERE automation_id = ? ORDER BY id',
  );
  readonly #dropEdits = this.db.prepare<[string]>('DELETE FROM foreign_edits WHERE automation_id = ?');
  readonly #counts = this.db.prepare<[], { automations: number; attention: number }>(
    `SELECT count(*) AS automations, coalesce(sum(attention_code IS NOT NULL), 0) AS attention
     FROM automations WHERE deleted_at IS NULL`,
  );

  get(id: string): AutomationRow | undefined {
    const row = this.#byId.get(id);
    return row === undefined ? undefined : this.#tidy(row);
  }

  /** ACTIVE, checked rows whose fire time has come, oldest first: what is not healed yet may mean another time. A text in next_run_at never compares as due. */
  due(now: number, limit: number, offset = 0): AutomationRow[] {
    return this.#due.all(now, limit, offset).map(this.#tidy);
  }

  /** The nearest fire time after `now`, or null. */
  nearestAfter(now: number): number | null {
    return this.#nearest.get(now) ?? null;
  }

  /** Rows another program wrote since we last looked. Call inside a transaction. */
  unchecked(limit: number): AutomationRow[] {
    this.#nameNameless.run();
    return this.#unchecked.all(limit).map(this.#tidy);
  }

  /** What other programs changed on a row since its last check, oldest first. */
  foreignEdits(id: string): ForeignEdit[] {
    return this.#edits.all(id);
  }

  forgetForeignEdits(id: string): void {
    this.#dropEdits.run(id);
  }

  counts(): { automations: number; attention: number } {
    return this.#counts.get() ?? { automations: 0, attention: 0 };
  }

  insert(row: Partial<AutomationRow> & { id: string }): void {
    const names = columnNames(row);
    this.db
      .prepare(
        `INSERT INTO automations (${names.join(', ')}) VALUES (${names.map((name) => `@${name}`).join(', ')})`,
      )
      .run(row);
  }

  /** Changes the given columns. With `guard`, only while the row's rev is that one; tells whether it did. */
  update(id: string, patch: Partial<AutomationRow>, guard?: { rev: number }): boolean {
    const where = guard === undefined ? '' : ' AND rev = @guard_rev';
    const assignments = columnNames(patch)
      .map((name) => `${name} = @${name}`)
      .join(', ');
    const result = this.db
      .prepare(`UPDATE automations SET ${assignments}, own_writes = own_writes + 1 WHERE id = @id${where}`)
      .run({ ...patch, id, ...(guard === undefined ? {} : { guard_rev: guard.rev }) });
    return result.changes === 1;
  }

  /** Newest first by (created_at, id), filtered; deleted ones only when asked for by status DELETED. */
  list(filter: AutomationFilter, limit: number, cursor?: string): Page<AutomationRow> {
    const { where, values } = selection(filter, limit, cursor);
    const rows = this.db
      .prepare<[Record<string, unknown>], AutomationRow>(
        `SELECT * FROM automations WHERE ${where} ORDER BY created_at DESC, id LIMIT @limit`,
      )
      .all(values);
    const last = rows.length > limit ? rows[limit - 1] : undefined;
    return {
      items: rows.slice(0, limit).map(this.#tidy),
      next_cursor: last === undefined ? null : encodeCursor(Number(last.created_at) || 0, String(last.id)),
    };
  }
}
