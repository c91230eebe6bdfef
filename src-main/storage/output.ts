import type { Db } from './open.ts';

export interface OutputRow {
  seq: number;
  at: number;
  stream: string;
  text: string;
}

/** What runs wrote, in the order the launcher numbered it. */
export function outputTable(db: Db) {
  const insert = db.prepare<[OutputRow & { run_id: string }]>(
    `INSERT INTO run_output (run_id, seq, at, stream, text) VALUES (@run_id, @seq, @at, @stream, @text)
     ON CONFLICT (run_id, seq) DO NOTHING`,
  );
  const from = db.prepare<[string, number, number], OutputRow>(
    'SELECT seq, at, stream, text FROM run_output WHERE run_id = ? AND seq >= ? ORDER BY seq LIMIT ?',
  );
  return {
    append(runId: string, chunks: readonly OutputRow[]): void {
      for (const chunk of chunks) insert.run({ ...chunk, run_id: runId });
    },
    from: (runId: string, seq: number, limit: number): OutputRow[] => from.all(runId, seq, limit),
  };
}
export type OutputTable = ReturnType<typeof outputTable>;
