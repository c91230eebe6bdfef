import type { Db } from './open.ts';

interface Column {
  name: string;
  type: string;
  notnull: number;
  dflt_value: string | null;
}

/** Columns that healing reads as they are: it knows what seconds, digits and ISO texts mean there. */
const readRaw: ReadonlySet<string> = new Set(['next_run_at', 'scheduled_at', 'status', 'cwds', 'rrule']);

function textOf(value: unknown): string {
  return Buffer.isBuffer(value) ? value.toString('utf8').toWellFormed() : String(value);
}

function defaultOf(column: Column): number | null {
  if (column.notnull === 0) return null;
  const number = Number(column.dflt_value ?? 0);
  return Number.isFinite(number) ? number : 0;
}

/**
 * A reader that gives every column of a row of `table` the type it is declared with. SQLite lets any program store
 * anything anywhere: a blob in a text column must not stop a list that many other rows are on.
 */
export function tidyReader<Row extends object>(db: Db, table: string): (row: Row) => Row {
  const columns = db.pragma(`table_info(${table})`) as Column[];
  const texts = columns.filter((column) => column.type === 'TEXT');
  const numbers = columns.filter((column) => column.type === 'INTEGER' && !readRaw.has(column.name));
  return (row) => {
    const loose = row as Record<string, unknown>;
    for (const { name } of texts) {
      const value = loose[name];
      if (typeof value === 'string' || value === null || value === undefined) continue;
      if (readRaw.has(name) && typeof value === 'number') continue;
      loose[name] = textOf(value);
    }
    for (const column of numbers) {
      const value = loose[column.name];
      if (value === null || value === undefined || Number.isSafeInteger(value)) continue;
      const whole = typeof value === 'number' && Number.isSafeInteger(Math.trunc(value));
      loose[column.name] = whole ? Math.trunc(value) : defaultOf(column);
    }
    return row;
  };
}
