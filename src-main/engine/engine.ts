import type { Launcher, OutputChunk } from '../launcher/protocol.ts';
import { dueBackup, maintenance, maintenanceType } from './backup.ts';
import { type ChangeFeed, type ChangeListener, createChangeFeed } from './change-feed.ts';
import type { EngineContext } from './context.ts';
import { createJanitor, type Janitor } from './janitor.ts';
import { healUnchecked, planDue } from './planner.ts';
import { type Claimed, claim } from './queue.ts';
import { endPauseWhenOver, pauseState, schedulingHeld } from './queue-pause.ts';
import { forgetRecord } from './recorded-outcome.ts';
import { type FormerProcesses, recover } from './recovery.ts';
import { createRunner, type Runner } from './runner.ts';
import { supervise } from './supervisor.ts';
import { TaskQueue } from './task-queue.ts';
import { createTicker, type Ticker } from './ticker.ts';
import { createWriter, type Writer } from './writer.ts';

const stopWithinMs = 12_000;

export type OutputListener = (runId: string, chunks: OutputChunk[]) => void;

export interface Engine {
  writer: Writer;
  /** Background work besides runs. */
  readonly tasks: TaskQueue;
  /** Recovers what a former host left, then scans. Call once, while holding the owner lock. */
  start(): Promise<void>;
  /** Claims nothing more, stops what runs (it is queued again), and resolves when all of it is written. */
  stop(): Promise<void>;
  running(): boolean;
  /** Something changed: scan as soon as possible. */
  poke(): void;
  /** Claims what fits and starts it: call inside a transaction, and `launch` its result after the commit. */
  claimInside(): Claimed[];
  launch(claimed: readonly Claimed[]): void;
  cancelRunning(runId: string): void;
  scanState(): { last_scan_at: number | null; next_scan_at: number | null };
  onChange(listener: ChangeListener): () => void;
  onOutput(listener: OutputListener): () => void;
  /** Called each time a run was settled. */
  onSettled(listener: (runId: string) => void): () => void;
}

export interface EngineDeps {
  ctx: EngineContext;
  launcher: Launcher;
  processes: FormerProcesses;
  /** Renews the lease row; called at every supervisor interval. */
  renewLease(): void;
}

/** Adds a listener; gives what removes it. */
function listen<L>(listeners: Set<L>, listener: L): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/**
 * When the next scan is wanted: the nearest due instant or release, else the interval of the settings. Looked for
 * after `since`, the instant before the scan: what fell due while it went on was not planned, and is wanted at once.
 */
function nextScanAt(ctx: EngineContext, since: number, more: boolean): number {
  const now = ctx.clock.now();
  if (more) return now;
  const busy = ctx.store.runs.countInProgress() > 0 || ctx.store.runs.countQueued() > 0;
  const seconds = busy ? ctx.settings.active_scan_seconds : ctx.settings.scan_interval_seconds;
  const due = schedulingHeld(ctx) ? null : ctx.store.automations.nearestAfter(since);
  const released = ctx.store.runs.nearestNotBefore(since);
  return Math.min(
    now + seconds * 1000,
    due ?? Number.POSITIVE_INFINITY,
    pauseState(ctx).until ?? Number.POSITIVE_INFINITY,
    released ?? Number.POSITIVE_INFINITY,
  );
}

class StoreEngine implements Engine {
  readonly writer: Writer;
  readonly tasks: TaskQueue;
  readonly #ctx: EngineContext;
  readonly #deps: EngineDeps;
  readonly #feed: ChangeFeed;
  readonly #runner: Runner;
  readonly #ticker: Ticker;
  readonly #janitor: Janitor;
  readonly #outputListeners = new Set<OutputListener>();
  readonly #settledListeners = new Set<(runId: string) => void>();
  #state: 'new' | 'running' | 'stopping' | 'stopped' = 'new';
  #cancelSupervision: (() => void) | null = null;

  constructor(deps: EngineDeps) {
    const { ctx, launcher } = deps;
    this.#ctx = ctx;
    this.#deps = deps;
    this.#feed = createChangeFeed({
      store: ctx.store,
      clock: ctx.clock,
      log: ctx.log,
      onForeign: () => this.poke(),
      onJump: (by) => {
        ctx.log.warn({ by_ms: by }, 'the clock jumped');
        this.poke();
      },
    });
    this.writer = createWriter(ctx.store, ctx.clock, () => this.#feed.poke());
    this.tasks = new TaskQueue({
      ctx,
      writer: this.writer,
      handlers: { [maintenanceType]: maintenance(ctx) },
      due: () => dueBackup(ctx),
    });
    this.#runner = createRunner({
      ctx,
      writer: this.writer,
      launcher,
      claimNext: () => this.claimInside(),
      onOutput: (runId, chunks) => {
        for (const listener of this.#outputListeners) listener(runId, chunks);
      },
      onSettled: (runId) => {
        forgetRecord(ctx, runId);
        for (const listener of this.#settledListeners) listener(runId);
        this.poke();
      },
    });
    this.#janitor = createJanitor(ctx, this.writer);
    this.#ticker = createTicker(ctx.clock, ctx.log, () => this.#scan());
  }

  async start(): Promise<void> {
    if (this.#state !== 'new') return;
    await recover(this.#ctx, this.writer, this.#deps.processes);
    await this.writer.write(() => this.#deps.renewLease());
    this.#state = 'running';
    this.#superviseEvery();
    this.#janitor.start();
    this.poke();
    await this.tasks.start();
  }

  async stop(): Promise<void> {
    if (this.#state === 'stopped' || this.#state === 'stopping') return;
    this.#state = 'stopping';
    this.#cancelSupervision?.();
    const tasksStopped = this.tasks.stop();
    await this.#ticker.stop();
    await this.#janitor.stop();
    for (const id of this.#runner.live()) this.#runner.cancel(id, 'service_stopped');
    await Promise.all([settledWithin(this.#ctx, this.#runner), tasksStopped]);
    this.#feed.stop();
    this.#state = 'stopped';
  }

  running(): boolean {
    return this.#state === 'running';
  }

  poke(): void {
    this.#ticker.poke();
  }

  claimInside(): Claimed[] {
    return this.running() ? claim(this.#ctx) : [];
  }

  launch(claimed: readonly Claimed[]): void {
    this.#runner.start(claimed);
  }

  cancelRunning(runId: string): void {
    this.#runner.cancel(runId, 'user');
  }

  scanState(): { last_scan_at: number | null; next_scan_at: number | null } {
    return this.#ticker.state();
  }

  onChange(listener: ChangeListener): () => void {
    return this.#feed.subscribe(listener);
  }

  onOutput(listener: OutputListener): () => void {
    return listen(this.#outputListeners, listener);
  }

  onSettled(listener: (runId: string) => void): () => void {
    return listen(this.#settledListeners, listener);
  }

  async #scan(): Promise<number> {
    const ctx = this.#ctx;
    const since = ctx.clock.now();
    const result = await this.writer.write(() => {
      const healed = healUnchecked(ctx);
      endPauseWhenOver(ctx);
      const planned = schedulingHeld(ctx) ? { stop: [], more: false } : planDue(ctx);
      return { claimed: this.claimInside(), stop: planned.stop, more: planned.more || healed > 0 };
    });
    for (const id of result.stop) this.cancelRunning(id);
    this.launch(result.claimed);
    return nextScanAt(ctx, since, result.more);
  }

  #superviseEvery(): void {
    const { clock, log, settings } = this.#ctx;
    this.#cancelSupervision = clock.timer(settings.supervisor_interval_seconds * 1000, () => {
      supervise(this.#ctx, this.writer, this.#runner)
        .then(() => this.writer.write(() => this.#deps.renewLease()))
        .catch((error: unknown) => log.error({ error: String(error) }, 'supervision failed'))
        .finally(() => {
          if (this.running()) this.#superviseEvery();
        });
    });
  }
}

/** Planner, queue, runner, supervisor and feed over one store. Exactly one runs per database. */
export function createEngine(deps: EngineDeps): Engine {
  return new StoreEngine(deps);
}

/** Waits for the live runs to be settled, but not for ever: what is left is recovered at the next start. */
async function settledWithin(ctx: EngineContext, runner: Runner): Promise<void> {
  let cancel: () => void = () => undefined;
  const deadline = new Promise<void>((resolve) => {
    cancel = ctx.clock.timer(stopWithinMs, resolve);
  });
  await Promise.race([runner.idle(), deadline]);
  cancel();
}
