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

type Said<T extends FromLauncher['type']> = FromLauncher & { type: T };

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

type CancelReason = 'user' | 'service_stopped' | 'heartbeat_expired';

export interface Runner {
  start(claimed: readonly Claimed[]): void;
  cancel(runId: string, why: CancelReason): void;
  /** Renews the lease of every live run whose heartbeat is due. */
  heartbeat(): Promise<void>;
  live(): string[];
  /** Resolves when no run is live and everything they said is stored. */
  idle(): Promise<void>;
}

class LaunchingRunner implements Runner {
  readonly #deps: RunnerDeps;
  readonly #ctx: EngineContext;
  readonly #live = new Map<string, Live>();
  readonly #waiters: (() => void)[] = [];

  constructor(deps: RunnerDeps) {
    this.#deps = deps;
    this.#ctx = deps.ctx;
    deps.launcher.onMessage((message) => this.#receive(message));
  }

  start(claimed: readonly Claimed[]): void {
    for (const item of claimed) {
      const id = item.run.thread_id;
      this.#live.set(id, {
        lease: item.run.lease_token ?? '',
        pending: [],
        pendingChars: 0,
        bytes: { output_bytes: 0, output_dropped_bytes: 0 },
        lastHeartbeat: this.#ctx.clock.now(),
        cancelTimer: null,
        chain: Promise.resolve(),
      });
      const request = this.#requestFor(item);
      if ('detail' in request) {
        this.#end(id, outcomeWithout(this.#ctx.clock.now(), request.reason, request.detail));
      } else this.#deps.launcher.start(request);
    }
  }

  /** A row that cannot be turned into a request ends its own run; the others of the batch start. */
  #requestFor(item: Claimed): ReturnType<typeof startRequest> {
    try {
      return startRequest(this.#ctx, item);
    } catch (error) {
      return { reason: 'invalid', detail: String(error) };
    }
  }

  cancel(runId: string, why: CancelReason): void {
    this.#deps.launcher.cancel(runId, why);
  }

  async heartbeat(): Promise<void> {
    const { store, settings, clock } = this.#ctx;
    const now = clock.now();
    const every = settings.worker_heartbeat_interval_seconds * 1000;
    const due = [...this.#live].filter(([, entry]) => now - entry.lastHeartbeat >= every);
    if (due.length === 0) return;
    await this.#deps.writer.write(() => {
      for (const [id, entry] of due) {
        store.runs.heartbeat(id, entry.lease, now, now + settings.worker_stale_seconds * 1000);
        entry.lastHeartbeat = now;
      }
    });
  }

  live(): string[] {
    return [...this.#live.keys()];
  }

  async idle(): Promise<void> {
    if (this.#live.size > 0) await new Promise<void>((resolve) => this.#waiters.push(resolve));
  }

  #receive(message: FromLauncher | { type: 'lost'; run_ids: string[] }): void {
    if (message.type === 'output') this.#output(message);
    else if (message.type === 'started') this.#started(message);
    else if (message.type === 'outcome') this.#end(message.run_id, message.outcome);
    else if (message.type === 'lost') this.#lost(message.run_ids);
  }

  #output(message: Said<'output'>): void {
    const entry = this.#live.get(message.run_id);
    if (entry === undefined) return;
    this.#deps.onOutput(message.run_id, message.chunks);
    entry.bytes = { output_bytes: message.output_bytes, output_dropped_bytes: message.dropped_bytes };
    entry.pending.push(...message.chunks);
    for (const chunk of message.chunks) entry.pendingChars += chunk.text.length;
    if (entry.pendingChars >= flushAtChars) this.#flush(message.run_id);
    else entry.cancelTimer ??= this.#ctx.clock.timer(flushAfterMs, () => this.#flush(message.run_id));
  }

  #started(message: Said<'started'>): void {
    const entry = this.#live.get(message.run_id);
    if (entry === undefined) return;
    const { store, clock } = this.#ctx;
    const patch = { pid: message.pid, pid_started_at: message.pid_started_at, updated_at: clock.now() };
    this.#inOrder(entry, async () => {
      await this.#deps.writer.write(() =>
        store.runs.touch(message.run_id, patch, { from: 'IN_PROGRESS', lease_token: entry.lease }),
      );
    });
  }

  #end(runId: string, outcome: Outcome): void {
    const entry = this.#live.get(runId);
    if (entry === undefined) return;
    const chunks = takePending(entry);
    this.#inOrder(entry, async () => {
      const claimed = await this.#settle(runId, entry, chunks, outcome);
      this.#live.delete(runId);
      this.start(claimed);
      this.#deps.onSettled(runId);
      if (this.#live.size === 0) for (const resolve of this.#waiters.splice(0)) resolve();
    });
  }

  #lost(runIds: string[]): void {
    for (const id of runIds) {
      const detail = 'the launcher process ended while this run was active';
      const outcome = outcomeWithout(this.#ctx.clock.now(), 'interrupted', detail);
      this.#end(id, recordedOutcome(this.#ctx, id) ?? outcome);
    }
  }

  #inOrder(entry: Live, step: () => Promise<void>): void {
    entry.chain = entry.chain.then(step).catch((error: unknown) => {
      this.#ctx.log.error({ error: String(error) }, 'a message of the launcher could not be stored');
    });
  }

  #flush(runId: string): void {
    const entry = this.#live.get(runId);
    if (entry === undefined) return;
    // Also without text there is something to keep: counts of what was dropped, and that the run is alive.
    const chunks = takePending(entry);
    this.#inOrder(entry, () => this.#deps.writer.write(() => this.#storeOutput(runId, entry, chunks)));
  }

  #storeOutput(runId: string, entry: Live, chunks: OutputChunk[]): void {
    const { store, settings, clock } = this.#ctx;
    store.output.append(runId, chunks);
    const now = clock.now();
    const lease = now + settings.worker_stale_seconds * 1000;
    store.runs.touch(
      runId,
      { ...entry.bytes, heartbeat_at: now, lease_expires_at: lease, updated_at: now },
      { from: 'IN_PROGRESS', lease_token: entry.lease },
    );
    entry.lastHeartbeat = now;
  }

  /** A run that ended must be settled whatever the disk does: with a full one it is tried until there is room. */
  async #settle(runId: string, entry: Live, chunks: OutputChunk[], outcome: Outcome): Promise<Claimed[]> {
    const { clock, log } = this.#ctx;
    for (let pause = firstPauseMs; ; pause = Math.min(longestPauseMs, pause * 2)) {
      try {
        return await this.#deps.writer.write(() => {
          if (chunks.length > 0) this.#storeOutput(runId, entry, chunks);
          settleRun(this.#ctx, runId, outcome);
          return this.#deps.claimNext();
        });
      } catch (error) {
        log.error({ run: runId, error: String(error) }, 'a run could not be settled; it is tried again');
        await sleep(clock, pause);
      }
    }
  }
}

/** Carries claimed runs out through the launcher and writes back what it says. */
export function createRunner(deps: RunnerDeps): Runner {
  return new LaunchingRunner(deps);
}

function takePending(entry: Live): OutputChunk[] {
  entry.cancelTimer?.();
  entry.cancelTimer = null;
  const chunks = entry.pending;
  entry.pending = [];
  entry.pendingChars = 0;
  return chunks;
}
