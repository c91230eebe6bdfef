import type { FileChange } from '../../src-shared/model/outcome.ts';
import type { Db } from './open.ts';

/** A changed file as it is stored; sizes in bytes, null where they are not known. */
export interface ArtifactRow {
  path: string;
  change: FileChange['change'];
  bytes_before: number | null;
  bytes_after: number | null;
}

/** The files that runs created, changed or deleted in their folders. */
export function artifactTable(db: Db) {
  const insert = db.prepare<[ArtifactRow & { run_id: string }]>(
    `INSERT INTO run_artifacts (run_id, path, change, bytes_before, bytes_after)
     VALUES (@run_id, @path, @change, @bytes_before, @bytes_after) ON CONFLICT (run_id, path) DO NOTHING`,
  );
  const ofRun = db.prepare<[string], ArtifactRow>(
    'SELECT path, change, bytes_before, bytes_after FROM run_artifacts WHERE run_id = ? ORDER BY path',
  );
  return {
    /** Keeps what a run changed. Call in the transaction that settles the run. */
    add(runId: string, changes: readonly FileChange[]): void {
      for (const { path, change, bytes_before = null, bytes_after = null } of changes) {
        insert.run({ run_id: runId, path, change, bytes_before, bytes_after });
      }
    },
    /** What a run changed, by path; at most the 500 that an outcome names. */
    of: (runId: string): ArtifactRow[] => ofRun.all(runId),
  };
}
export type ArtifactTable = ReturnType<typeof artifactTable>;
