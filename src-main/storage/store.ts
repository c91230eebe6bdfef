import { type AccessTables, accessTables } from './access.ts';
import { type ArtifactTable, artifactTable } from './artifacts.ts';
import { AutomationTable } from './automations.ts';
import { checkCopy, copyDatabase } from './backup.ts';
import { type ChangeLog, changeLog } from './changes.ts';
import { type Diagnosis, diagnosis } from './diagnosis.ts';
import { type EngineState, engineState } from './engine-state.ts';
import type { Db } from './open.ts';
import { type OutputTable, outputTable } from './output.ts';
import { type QueueOrderTable, queueOrderTable } from './queue-order.ts';
import { type Retention, retention } from './retention.ts';
import { type ReviewTable, reviewTable } from './reviews.ts';
import { RunTable } from './runs.ts';
import { SessionTable } from './sessions.ts';
import { type SlotTable, slotTable } from './slots.ts';
import { TaskItemTable } from './task-items.ts';

/** All tables over one connection. The only way SQL is reached from outside this folder. */
export interface Store {
  automations: AutomationTable;
  runs: RunTable;
  slots: SlotTable;
  sessions: SessionTable;
  output: OutputTable;
  artifacts: ArtifactTable;
  changes: ChangeLog;
  engine: EngineState;
  access: AccessTables;
  reviews: ReviewTable;
  taskItems: TaskItemTable;
  diagnosis: Diagnosis;
  retention: Retention;
  queue: QueueOrderTable;
  /**
   * Runs `fn` in one BEGIN IMMEDIATE transaction (a savepoint inside another one) and gives its value. `fn` is
   * synchronous. Throws what SQLite throws; `storageFault` sorts it.
   */
  transaction<T>(fn: () => T): T;
  /** Runs `fn` as a savepoint: when it throws, only its own writes are undone. */
  savepoint<T>(fn: () => T): T;
  /** Copies the whole database into a file that does not exist or is empty. Not inside a transaction. */
  copyInto(file: string): void;
  /** Checks such a copy; throws DamagedCopyError. Not inside a transaction. */
  checkCopy(file: string): void;
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
    artifacts: artifactTable(db),
    changes: changeLog(db),
    engine: engineState(db),
    access: accessTables(db),
    reviews: reviewTable(db),
    taskItems: new TaskItemTable(db),
    diagnosis: diagnosis(db),
    retention: retention(db),
    queue: queueOrderTable(db),
    transaction: (fn) => db.transaction(fn).immediate(),
    savepoint: (fn) => db.transaction(fn)(),
    copyInto: (file) => copyDatabase(db, file),
    checkCopy: (file) => checkCopy(db, file),
    close: () => db.close(),
  };
}
