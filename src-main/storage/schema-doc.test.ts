import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TemporaryStore, temporaryStore } from '../testing/temporary-store.ts';

/** What one `## table` section of docs/schema.md and one table of the database are compared by. */
interface TableFacts {
  keys: string;
  columns: string[];
  indexes: string[];
  triggers: string[];
}

type Schema = Record<string, TableFacts>;

const page = readFileSync(new URL('../../docs/schema.md', import.meta.url), 'utf8');
const prose = new Set(['How to read the tables', 'Why triggers are plain SQL', 'Tables']);

const noFacts = (): TableFacts => ({ keys: '', columns: [], indexes: [], triggers: [] });
const bare = (cell: string | undefined): string => (cell ?? '').replaceAll('`', '');
const oneLine = (sql: string): string => sql.replace(/\s+/g, ' ').trim();
/** Order is part of the compatible columns only; indexes and triggers may be listed in any. */
const sorted = (schema: Schema): Schema =>
  Object.fromEntries(
    Object.entries(schema).map(([name, facts]) => [
      name,
      { ...facts, indexes: facts.indexes.toSorted(), triggers: facts.triggers.toSorted() },
    ]),
  );

/** The cells of a Markdown table's row, or null for any other line. */
function cellsOf(line: string): string[] | null {
  if (!line.startsWith('| ')) return null;
  return line
    .slice(1, -1)
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim().replaceAll('\\|', '|'));
}

/** Puts a row of the table whose first heading is `heading` among the facts. */
function addRow(facts: TableFacts, heading: string, cells: string[]): void {
  const [name, second, third] = cells.map(bare);
  if (heading === 'Column') facts.columns.push(`${name}: ${second}, default ${third}`);
  else if (heading === 'Index') facts.indexes.push(`${name}: ${second}`);
  else if (heading === 'Trigger') facts.triggers.push(`${name}: ${second}`);
  else throw new Error(`docs/schema.md has a table that begins with ${heading}`);
}

function documented(markdown: string): Schema {
  const schema: Schema = {};
  let facts: TableFacts | null = null;
  let heading: string | null = null;
  for (const line of markdown.split('\n')) {
    if (line.startsWith('## ')) {
      const name = bare(line.slice(3).trim());
      if (schema[name] !== undefined) throw new Error(`docs/schema.md describes ${name} twice`);
      facts = prose.has(name) ? null : noFacts();
      if (facts !== null) schema[name] = facts;
    }
    if (facts === null) continue;
    if (line.startsWith('Primary key: ')) facts.keys = bare(line);
    const cells = cellsOf(line);
    if (cells === null) heading = null;
    else if (heading === null) heading = cells[0] ?? '';
    else if (!/^-+$/.test(cells[0] ?? '')) addRow(facts, heading, cells);
  }
  return schema;
}

interface Column {
  name: string;
  type: string;
  notnull: number;
  dflt_value: string | null;
  pk: number;
}

let temporary: TemporaryStore;
beforeAll(() => {
  temporary = temporaryStore();
});
afterAll(() => temporary.remove());

function rows<T>(sql: string, ...values: string[]): T[] {
  return temporary.db.prepare<string[], T>(sql).all(...values);
}

function keysOf(table: string, columns: Column[]): string {
  const primary = columns.filter((column) => column.pk > 0).toSorted((one, other) => one.pk - other.pk);
  const unique = rows<{ name: string }>("SELECT name FROM pragma_index_list(?) WHERE origin = 'u'", table);
  const uniques = unique.map(({ name }) =>
    rows<{ name: string }>('SELECT name FROM pragma_index_info(?) ORDER BY seqno', name),
  );
  const list = (names: { name: string }[]) => names.map(({ name }) => name).join(', ');
  return [`Primary key: ${list(primary)}.`, ...uniques.map((names) => `Unique: ${list(names)}.`)].join(' ');
}

/** The statements of a table's own indexes or triggers, those that SQLite made for keys left out. */
function definitions(type: 'index' | 'trigger', table: string): string[] {
  const sql = 'SELECT sql FROM sqlite_schema WHERE type = ? AND tbl_name = ? AND sql IS NOT NULL';
  return rows<{ sql: string }>(sql, type, table).map((row) => oneLine(row.sql));
}

function indexFacts(sql: string): string {
  const [, unique = '', name, rest] = /^CREATE (UNIQUE )?INDEX (\w+) ON \w+ (.*)$/.exec(sql) ?? [];
  return `${name}: ${unique}${rest}`;
}

function triggerFacts(sql: string): string {
  const [, name, event, when = ''] = /^CREATE TRIGGER (\w+) (.*?) ON \w+( WHEN .*?)? BEGIN /.exec(sql) ?? [];
  return `${name}: ${event}${when}`;
}

function actualTable(table: string): TableFacts {
  const columns = rows<Column>('SELECT * FROM pragma_table_xinfo(?) ORDER BY cid', table);
  return {
    keys: keysOf(table, columns),
    columns: columns.map(({ name, type, notnull, dflt_value }) => {
      const declared = (type === '' ? 'any' : type) + (notnull === 1 ? ' NOT NULL' : '');
      return `${name}: ${declared}, default ${dflt_value ?? '–'}`;
    }),
    indexes: definitions('index', table).map(indexFacts),
    triggers: definitions('trigger', table).map(triggerFacts),
  };
}

function actual(): Schema {
  const tables = rows<{ name: string }>(
    "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT GLOB 'sqlite_*'",
  );
  return Object.fromEntries(tables.map(({ name }) => [name, actualTable(name)]));
}

describe('docs/schema.md', () => {
  it('names every table of a migrated database, and no other', () => {
    expect(Object.keys(documented(page)).toSorted()).toEqual(Object.keys(actual()).toSorted());
  });

  it('says every column with type and default, key, index and trigger as it is, and no other', () => {
    expect(sorted(documented(page))).toEqual(sorted(actual()));
  });

  it('says of every column what it means, who writes it and who reads it, and of the rest why it is there', () => {
    const empty = page.split('\n').filter((line) => cellsOf(line)?.some((cell) => cell === ''));
    expect(empty).toEqual([]);
  });

  it('is found wanting when it leaves out, adds or changes something', () => {
    const line = /^\| `rev` .*\n/m.exec(page)?.[0] ?? '';
    expect(line).toContain('INTEGER NOT NULL');
    const others = [
      page.replace(line, ''),
      page.replace(line, line + line.replace('`rev`', '`revision`')),
      page.replace(line, line.replace('INTEGER', 'TEXT')),
      page.replace(line, line.replace('`1`', '`2`')),
      page.replace(/^\| `nextrun_runs_queue` .*\n/m, ''),
      page.replace('| `nextrun_runs_deleted` |', '| `nextrun_runs_removed` |'),
      page.replace(/^## workspaces\n/m, '## folders\n'),
    ];
    for (const other of others) {
      expect(other).not.toBe(page);
      expect(sorted(documented(other))).not.toEqual(sorted(actual()));
    }
  });
});
