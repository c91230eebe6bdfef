import type { Db } from './open.ts';

export interface Lease {
  holder: string;
  host: string;
  pid: number;
  port: number | null;
  acquired_at: number;
  heartbeat_at: number;
  expires_at: number;
}

/** The lease row (whom to call, never who may run), settings, and the live state that WorkBuddy's readers expect. */
export function engineState(db: Db) {
  const writeLease = db.prepare<[Lease]>(
    `INSERT INTO engine_lease (id, holder, host, pid, port, acquired_at, heartbeat_at, expires_at)
     VALUES (1, @holder, @host, @pid, @port, @acquired_at, @heartbeat_at, @expires_at)
     ON CONFLICT (id) DO UPDATE SET holder = @holder, host = @host, pid = @pid, port = @port,
       acquired_at = @acquired_at, heartbeat_at = @heartbeat_at, expires_at = @expires_at`,
  );
  const readLease = db.prepare<[], Lease>('SELECT * FROM engine_lease WHERE id = 1');
  const dropLease = db.prepare<[string]>('DELETE FROM engine_lease WHERE holder = ?');
  const started = db.prepare(
    `INSERT INTO automation_runtime_state (automation_id, last_run_at, running, running_started_at,
       running_conversation_id) VALUES (@id, @now, 1, @now, @session)
     ON CONFLICT (automation_id) DO UPDATE SET last_run_at = @now, running = 1, running_started_at = @now,
       running_conversation_id = @session`,
  );
  const ended = db.prepare(
    `INSERT INTO automation_runtime_state (automation_id, last_error, running) VALUES (@id, @error, 0)
     ON CONFLICT (automation_id) DO UPDATE SET last_error = @error, running = EXISTS (
         SELECT 1 FROM automation_runs WHERE automation_id = @id AND status = 'IN_PROGRESS'),
       running_started_at = NULL, running_conversation_id = NULL`,
  );
  const getSetting = db.prepare<[string], string>('SELECT value_json FROM settings WHERE key = ?').pluck();
  const putSetting = db.prepare(
    `INSERT INTO settings (key, value_json, updated_at) VALUES (@key, @value, @now)
     ON CONFLICT (key) DO UPDATE SET value_json = @value, updated_at = @now`,
  );
  return {
    lease: (): Lease | undefined => readLease.get(),
    writeLease: (lease: Lease): void => void writeLease.run(lease),
    dropLease: (holder: string): void => void dropLease.run(holder),
    runStarted: (id: string, session: string | null, now: number): void =>
      void started.run({ id, session, now }),
    runEnded: (id: string, error: string | null): void => void ended.run({ id, error }),
    setting: (key: string): unknown => {
      const text = getSetting.get(key);
      return text === undefined ? undefined : JSON.parse(text);
    },
    putSetting: (key: string, value: unknown, now: number): void =>
      void putSetting.run({ key, value: JSON.stringify(value), now }),
  };
}
export type EngineState = ReturnType<typeof engineState>;
