/** What the machine says, gathered by the host. Sizes in bytes; null = it could not be found out. */
export interface MachineFacts {
  /** Who holds the owner lock: this process, another one, nobody. */
  owner: 'self' | 'other' | 'nobody';
  /** Whether the lock file is still in the data folder. */
  lock_file: boolean;
  database_bytes: number | null;
  wal_bytes: number | null;
  disk: { free_bytes: number; total_bytes: number } | null;
  /** server.json: none, not private, of a process that is gone, or of a living one. */
  server:
    | { state: 'missing' | 'unsafe' | 'stale' }
    | { state: 'alive'; pid: number; port: number; self: boolean };
  configured_port: number;
  agents: { name: string; program: string; default: boolean; found: boolean }[];
}

/** What the database itself says. `complaints` are those of quick_check, null when it was left out. */
export interface DatabaseFacts {
  complaints: string[] | null;
  schema_version: number;
  newest_version: number;
}

/** What the rows say; lists hold at most the first few, `count` counts all. Instants in ms since 1970 UTC. */
export interface RowFacts {
  lease: { holder: string; pid: number; expires_at: number } | null;
  active: number;
  /** Enabled agent automations by the agent they would use; null = none is configured for them. */
  agents_used: { agent: string | null; found: boolean; count: number }[];
  overdue: NamedRows;
  /** Automations whose next time lies behind a slot that no ledger row accounts for. */
  unaccounted: NamedRows;
  stuck_runs: NamedRows;
  unchecked: number;
  attention: { code: string; count: number }[];
  change_log: number;
  failing: NamedRows;
}

export interface NamedRows {
  count: number;
  names: string[];
}

export interface DoctorInput {
  now: number;
  version: string;
  /** null = no engine runs in this process. */
  engine: { running: boolean; last_scan_at: number | null; holder: string } | null;
  scheduling: { enabled: boolean; paused: boolean; paused_until: number | null };
  port: number | null;
  machine: MachineFacts;
  database: DatabaseFacts;
  /** null when the database is damaged: its rows are not read then. */
  rows: RowFacts | null;
}
