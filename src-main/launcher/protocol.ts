import type { AgentProfileName } from '../../src-shared/executors/agent-profiles.ts';
import type { Outcome, Usage } from '../../src-shared/model/outcome.ts';

/** What to execute. `command` is an argv or, with `shell`, one line for /bin/sh; an agent is a resolved argv. */
export interface StartRequest {
  run_id: string;
  kind: 'command' | 'agent';
  /** argv for a child without a shell; in shell mode the one element is the script. */
  argv: string[];
  shell: boolean;
  /** The known agent whose stream stdout is; null or left out = text. */
  profile?: AgentProfileName | null;
  /** Goes to the child's stdin byte for byte, then stdin is closed. Empty = stdin closed at once. */
  stdin: string;
  /** One sub-run per folder, in order; the first failure ends the run. Never empty. */
  cwds: string[];
  /** The whole environment of the child; the launcher adds nothing. */
  env: Record<string, string>;
  /** Values of the environment that must not show in anything the run leaves behind. */
  secrets?: string[];
  timeout_ms: number;
  /** Silence after which the run is stopped with reason `idle`; 0 = never. */
  idle_timeout_ms: number;
  /** Most bytes of output to pass on: the first and the last half are kept, the middle is counted. */
  output_cap_bytes: number;
  /** The folder for `outcome.json` (created by the launcher, mode 0700). */
  run_folder: string;
}

export interface OutputChunk {
  seq: number;
  at: number;
  stream: 'stdout' | 'stderr' | 'system';
  text: string;
}

export type ToLauncher =
  | { type: 'start'; request: StartRequest }
  | { type: 'cancel'; run_id: string; why: 'user' | 'service_stopped' | 'heartbeat_expired' }
  | { type: 'shutdown' };

export type FromLauncher =
  | { type: 'ready'; pid: number }
  /** `pid_started_at` is the kernel's start time of the pid (ticks since boot on Linux), null where unknown. */
  | { type: 'started'; run_id: string; pid: number; pid_started_at: number | null; at: number }
  | { type: 'output'; run_id: string; chunks: OutputChunk[]; output_bytes: number; dropped_bytes: number }
  | { type: 'usage'; run_id: string; usage: Usage }
  | { type: 'outcome'; run_id: string; outcome: Outcome };

/**
 * The engine's view of the launcher process. Implemented by `launcher/client.ts` (a real forked process) and
 * by the scripted executor of the tests.
 */
export interface Launcher {
  /** Asks for a start; everything that follows comes through the listener. Never throws for a bad request. */
  start(request: StartRequest): void;
  /** Stops the whole tree of a run; its outcome follows. Unknown ids are ignored. */
  cancel(run_id: string, why: 'user' | 'service_stopped' | 'heartbeat_expired'): void;
  /** Receives every message; `lost` when the launcher process died (its runs then have no outcome message). */
  onMessage(listener: (message: FromLauncher | { type: 'lost'; run_ids: string[] }) => void): void;
  /** Ends every tree and the process itself; resolves when both are gone. */
  close(): Promise<void>;
}
