import type { Db } from './open.ts';

/** The connection comes first, so that a table can prepare its statements as fields. */
export abstract class Table {
  protected readonly db: Db;

  constructor(db: Db) {
    this.db = db;
  }
}
