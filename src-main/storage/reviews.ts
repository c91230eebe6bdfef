import type { Db } from './open.ts';

/** Verdicts of people on runs, never overwritten. */
export function reviewTable(db: Db) {
  const insert = db.prepare(
    'INSERT INTO review_events (run_id, verdict, note, door, at) VALUES (@run_id, @verdict, @note, @door, @at)',
  );
  return {
    add(event: { run_id: string; verdict: string; note: string | null; door: string; at: number }): void {
      insert.run(event);
    },
  };
}
export type ReviewTable = ReturnType<typeof reviewTable>;
