import { type AccessTables, accessTables } from './access.ts';
import { AutomationTable } from './automations.ts';
import { type ChangeLog, changeLog } from './changes.ts';
import { type EngineState, engineState } from './engine-state.ts';
import type { Db } from './open.ts';
import { type OutputTable, outputTable } from './output.ts';
import { type ReviewTable, reviewTable } from './reviews.ts';
import { RunTable } from './runs.ts';
import { SessionTable } from './sessions.ts';
import { type SlotTable, slotTable } from './slots.ts';

/** All tables over one connection. The only way SQL is reached from outside this folder. */
export interface Store {
  automations: AutomationTable;
  runs: RunTable;
  slots: SlotTable;
  sessions: SessionTable;
  output: OutputTable;
  changes: ChangeLog;
  engine: EngineState;
  access: AccessTables;
  reviews: ReviewTable;
  /**
   * Runs `fn` in one BEGIN IMMEDIATE transaction (a savepoint inside another one) and gives its value. `fn` is
   * synchronous. Throws what SQLite throws; `storageFault` sorts it.
   */
  transaction<T>(fn: () => T): T;
  /** Runs `fn` as a savepoint: when it throws, only its own writes are undone. */
  savepoint<T>(fn: () => T): T;
  close(): void;
}

/** The store over an open, migrated database. */
export function createStore(db: Db): Store {
  return {
    automations: new AutomationTable(db),
    runs: new RunTable(db),
    slots: slotTable(db),
    sessions: new SessionTable(db),
    output: outputTable(db),
    changes: changeLog(db),
    engine: engineState(db),
    access: accessTables(db),
    reviews: reviewTable(db),
    transaction: (fn) => db.transaction(fn).immediate(),
    savepoint: (fn) => db.transaction(fn)(),
    close: () => db.close(),
  };
}
