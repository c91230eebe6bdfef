import type { Outcome } from '../../src-shared/model/outcome.ts';
import type { FromLauncher, Launcher, StartRequest } from '../launcher/protocol.ts';

type Message = FromLauncher | { type: 'lost'; run_ids: string[] };

export interface ScriptedLauncher extends Launcher {
  started: StartRequest[];
  cancelled: { run_id: string; why: string }[];
  /** The child of a run printed something. */
  prints(runId: string, text: string): void;
  /** The child of a run ended. */
  ends(runId: string, outcome?: Partial<Outcome>): void;
  /** The launcher process died with everything in it. */
  dies(): void;
  /** Nothing is heard from it any more and it hears nothing, as when its host was killed. */
  mute(): void;
}

/** An outcome of a child that printed `done` and exited 0, with the given differences. */
export function outcomeOf(now: number, different: Partial<Outcome> = {}): Outcome {
  return {
    result: 'success',
    reason: null,
    detail: null,
    exit_code: 0,
    signal: null,
    has_text: true,
    external_action: false,
    summary: 'done',
    parts: [{ cwd: '/', output: 'done', exit_code: 0, signal: null }],
    output_bytes: 4,
    output_dropped_bytes: 0,
    changes: [],
    usage: null,
    external_session_id: null,
    question: null,
    started_at: now,
    finished_at: now,
    ...different,
  };
}

/** A launcher that spawns nothing: the test says what its children do. A cancelled run ends at once. */
export function scriptedLauncher(now: () => number): ScriptedLauncher {
  const listeners: ((message: Message) => void)[] = [];
  const live = new Set<string>();
  let pid = 1000;
  let seq = 0;
  let muted = false;
  const tell = (message: Message) => {
    if (muted) return;
    for (const listener of listeners) listener(message);
  };
  const launcher: ScriptedLauncher = {
    started: [],
    cancelled: [],
    start(request) {
      launcher.started.push(request);
      live.add(request.run_id);
      pid += 1;
      tell({ type: 'started', run_id: request.run_id, pid, pid_started_at: pid, at: now() });
    },
    cancel(run_id, why) {
      if (muted) return;
      launcher.cancelled.push({ run_id, why });
      if (!live.has(run_id)) return;
      const stopped =
        why === 'user'
          ? { result: 'cancelled' as const, reason: 'cancelled' as const }
          : { result: 'failure' as const, reason: why };
      launcher.ends(run_id, { ...stopped, has_text: false, summary: '', exit_code: null });
    },
    onMessage(listener) {
      listeners.push(listener);
    },
    close: async () => undefined,
    prints(run_id, text) {
      seq += 1;
      const chunks = [{ seq, at: now(), stream: 'stdout' as const, text }];
      tell({ type: 'output', run_id, chunks, output_bytes: text.length, dropped_bytes: 0 });
    },
    ends(run_id, different = {}) {
      live.delete(run_id);
      tell({ type: 'outcome', run_id, outcome: outcomeOf(now(), different) });
    },
    dies() {
      const run_ids = [...live];
      live.clear();
      tell({ type: 'lost', run_ids });
    },
    mute() {
      muted = true;
    },
  };
  return launcher;
}
