import type { Outcome } from '../../src-shared/model/outcome.ts';
import type { FromLauncher, Launcher, OutputChunk } from '../launcher/protocol.ts';
import { sleep } from './clock.ts';
import type { EngineContext } from './context.ts';
import type { Claimed } from './queue.ts';
import { recordedOutcome } from './recorded-outcome.ts';
import { outcomeWithout, settleRun } from './settler.ts';
import { startRequest } from './start-request.ts';
import type { Writer } from './writer.ts';

const flushAfterMs = 200;
const flushAtChars = 262_144;
const firstPauseMs = 1000;
const longestPauseMs = 30_000;

interface Live {
  lease: string;
  pending: OutputChunk[];
  pendingChars: number;
  bytes: { output_bytes: number; output_dropped_bytes: number };
  lastHeartbeat: number;
  cancelTimer: (() => void) | null;
  /** What is written about this run happens in the order the launcher said it; runs do not wait for each other. */
  chain: Promise<void>;
}

export interface RunnerDeps {
  ctx: EngineContext;
  writer: Writer;
  launcher: Launcher;
  /** Runs in the transaction that settles a run: plans what is due and claims what fits; gives what to start. */
  claimNext(): Claimed[];
  /** Called with each batch of output, before it is stored. */
  onOutput(runId: string, chunks: OutputChunk[]): void;
  /** Called after a run was settled and what followed was started. */
  onSettled(runId: string): void;
}

export interface Runner {
  start(claimed: readonly Claimed[]): void;
  cancel(runId: string, why: 'user' | 'service_stopped' | 'heartbeat_expired'): void;
  /** Renews the lease of every live run whose heartbeat is due. */
  heartbeat(): Promise<void>;
  live(): string[];
  /** Resolves when no run is live and everything they said is stored. */
  idle(): Promise<void>;
}

/** Carries claimed runs out through the launcher and writes back what it says. */
export function createRunner(deps: RunnerDeps): Runner {
  const { ctx, writer, launcher } = deps;
  const live = new Map<string, Live>();
  const waiters: (() => void)[] = [];

  function inOrder(entry: Live, step: () => Promise<void>): void {
    entry.chain = entry.chain.then(step).catch((error: unknown) => {
      ctx.log.error({ error: String(error) }, 'a message of the launcher could not be stored');
    });
  }

  function takePending(entry: Live): OutputChunk[] {
    entry.cancelTimer?.();
    entry.cancelTimer = null;
    const chunks = entry.pending;
    entry.pending = [];
    entry.pendingChars = 0;
    return chunks;
  }

  function storeOutput(runId: string, entry: Live, chunks: OutputChunk[]): void {
    ctx.store.output.append(runId, chunks);
    const now = ctx.clock.now();
    const lease = now + ctx.settings.worker_stale_seconds * 1000;
    ctx.store.runs.touch(
      runId,
      { ...entry.bytes, heartbeat_at: now, lease_expires_at: lease, updated_at: now },
      { from: 'IN_PROGRESS', lease_token: entry.lease },
    );
    entry.lastHeartbeat = now;
  }

  function flush(runId: string): void {
    const entry = live.get(runId);
    if (entry === undefined || entry.pending.length === 0) return;
    const chunks = takePending(entry);
    inOrder(entry, () => writer.write(() => storeOutput(runId, entry, chunks)));
  }

  function output(message: FromLauncher & { type: 'output' }): void {
    const entry = live.get(message.run_id);
    if (entry === undefined) return;
    deps.onOutput(message.run_id, message.chunks);
    entry.bytes = { output_bytes: message.output_bytes, output_dropped_bytes: message.dropped_bytes };
    entry.pending.push(...message.chunks);
    for (const chunk of message.chunks) entry.pendingChars += chunk.text.length;
    if (entry.pendingChars >= flushAtChars) flush(message.run_id);
    else entry.cancelTimer ??= ctx.clock.timer(flushAfterMs, () => flush(message.run_id));
  }

  function started(message: FromLauncher & { type: 'started' }): void {
    const entry = live.get(message.run_id);
    if (entry === undefined) return;
    const patch = { pid: message.pid, pid_started_at: message.pid_started_at, updated_at: ctx.clock.now() };
    inOrder(entry, async () => {
      await writer.write(() =>
        ctx.store.runs.touch(message.run_id, patch, { from: 'IN_PROGRESS', lease_token: entry.lease }),
      );
    });
  }

  function end(runId: string, outcome: Outcome): void {
    const entry = live.get(runId);
    if (entry === undefined) return;
    const chunks = takePending(entry);
    inOrder(entry, async () => {
      const claimed = await settleFor(runId, entry, chunks, outcome);
      live.delete(runId);
      start(claimed);
      deps.onSettled(runId);
      if (live.size === 0) for (const resolve of waiters.splice(0)) resolve();
    });
  }

  /** A run that ended must be settled whatever the disk does: with a full one it is tried until there is room. */
  async function settleFor(
    runId: string,
    entry: Live,
    chunks: OutputChunk[],
    outcome: Outcome,
  ): Promise<Claimed[]> {
    for (let pause = firstPauseMs; ; pause = Math.min(longestPauseMs, pause * 2)) {
      try {
        return await writer.write(() => {
          if (chunks.length > 0) storeOutput(runId, entry, chunks);
          settleRun(ctx, runId, outcome);
          return deps.claimNext();
        });
      } catch (error) {
        ctx.log.error({ run: runId, error: String(error) }, 'a run could not be settled; it is tried again');
        await sleep(ctx.clock, pause);
      }
    }
  }

  function lost(runIds: string[]): void {
    for (const id of runIds) {
      const detail = 'the launcher process ended while this run was active';
      end(id, recordedOutcome(ctx, id) ?? outcomeWithout(ctx.clock.now(), 'interrupted', detail));
    }
  }

  launcher.onMessage((message) => {
    if (message.type === 'output') output(message);
    else if (message.type === 'started') started(message);
    else if (message.type === 'outcome') end(message.run_id, message.outcome);
    else if (message.type === 'lost') lost(message.run_ids);
  });

  function start(claimed: readonly Claimed[]): void {
    for (const item of claimed) {
      const id = item.run.thread_id;
      live.set(id, {
        lease: item.run.lease_token ?? '',
        pending: [],
        pendingChars: 0,
        bytes: { output_bytes: 0, output_dropped_bytes: 0 },
        lastHeartbeat: ctx.clock.now(),
        cancelTimer: null,
        chain: Promise.resolve(),
      });
      const request = startRequest(ctx, item);
      if ('detail' in request) end(id, outcomeWithout(ctx.clock.now(), 'invalid', request.detail));
      else launcher.start(request);
    }
  }

  return {
    start,
    cancel: (runId, why) => launcher.cancel(runId, why),
    async heartbeat() {
      const now = ctx.clock.now();
      const every = ctx.settings.worker_heartbeat_interval_seconds * 1000;
      const due = [...live].filter(([, entry]) => now - entry.lastHeartbeat >= every);
      if (due.length === 0) return;
      await writer.write(() => {
        for (const [id, entry] of due) {
          ctx.store.runs.heartbeat(id, entry.lease, now, now + ctx.settings.worker_stale_seconds * 1000);
          entry.lastHeartbeat = now;
        }
      });
    },
    live: () => [...live.keys()],
    async idle() {
      if (live.size > 0) await new Promise<void>((resolve) => waiters.push(resolve));
    },
  };
}
