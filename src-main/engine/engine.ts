import type { Launcher, OutputChunk } from '../launcher/protocol.ts';
import { type ChangeFeed, type ChangeListener, createChangeFeed } from './change-feed.ts';
import type { EngineContext } from './context.ts';
import { healUnchecked, planDue } from './planner.ts';
import { type Claimed, claim } from './queue.ts';
import { forgetRecord } from './recorded-outcome.ts';
import { type FormerProcesses, recover } from './recovery.ts';
import { createRunner, type Runner } from './runner.ts';
import { supervise } from './supervisor.ts';
import { createTicker, type Ticker } from './ticker.ts';
import { createWriter, type Writer } from './writer.ts';

const stopWithinMs = 12_000;

export type OutputListener = (runId: string, chunks: OutputChunk[]) => void;

export interface Engine {
  writer: Writer;
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

function listenable<L extends (...values: never[]) => void>() {
  const listeners = new Set<L>();
  return {
    listeners,
    add(listener: L): () => void {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

/** When the next scan is wanted: the nearest due instant or release, else the interval of the settings. */
function nextScanAt(ctx: EngineContext, more: boolean): number {
  const now = ctx.clock.now();
  if (more) return now;
  const busy = ctx.store.runs.countInProgress() > 0 || ctx.store.runs.countQueued() > 0;
  const seconds = busy ? ctx.settings.active_scan_seconds : ctx.settings.scan_interval_seconds;
  const due = ctx.settings.enabled ? ctx.store.automations.nearestAfter(now) : null;
  const released = ctx.store.runs.nearestNotBefore(now);
  return Math.min(
    now + seconds * 1000,
    due ?? Number.POSITIVE_INFINITY,
    released ?? Number.POSITIVE_INFINITY,
  );
}

/** Planner, queue, runner, supervisor and feed over one store. Exactly one runs per database. */
export function createEngine(deps: EngineDeps): Engine {
  const { ctx, launcher } = deps;
  const output = listenable<OutputListener>();
  const settled = listenable<(runId: string) => void>();
  let state: 'new' | 'running' | 'stopping' | 'stopped' = 'new';
  let cancelSupervision: (() => void) | null = null;

  const feed: ChangeFeed = createChangeFeed({
    store: ctx.store,
    clock: ctx.clock,
    log: ctx.log,
    onForeign: () => ticker.poke(),
    onJump: (by) => {
      ctx.log.warn({ by_ms: by }, 'the clock jumped');
      ticker.poke();
    },
  });
  const writer = createWriter(ctx.store, ctx.clock, () => feed.poke());

  const claimInside = (): Claimed[] => (state === 'running' ? claim(ctx) : []);

  const runner: Runner = createRunner({
    ctx,
    writer,
    launcher,
    claimNext: claimInside,
    onOutput: (runId, chunks) => {
      for (const listener of output.listeners) listener(runId, chunks);
    },
    onSettled: (runId) => {
      forgetRecord(ctx, runId);
      for (const listener of settled.listeners) listener(runId);
      ticker.poke();
    },
  });

  async function scan(): Promise<number> {
    const result = await writer.write(() => {
      const healed = healUnchecked(ctx);
      const planned = ctx.settings.enabled ? planDue(ctx) : { stop: [], more: false };
      return { claimed: claimInside(), stop: planned.stop, more: planned.more || healed > 0 };
    });
    for (const id of result.stop) runner.cancel(id, 'user');
    runner.start(result.claimed);
    return nextScanAt(ctx, result.more);
  }
  const ticker: Ticker = createTicker(ctx.clock, ctx.log, scan);

  function superviseEvery(): void {
    cancelSupervision = ctx.clock.timer(ctx.settings.supervisor_interval_seconds * 1000, () => {
      supervise(ctx, writer, runner)
        .then(() => writer.write(() => deps.renewLease()))
        .catch((error: unknown) => ctx.log.error({ error: String(error) }, 'supervision failed'))
        .finally(() => {
          if (state === 'running') superviseEvery();
        });
    });
  }

  return {
    writer,
    async start() {
      if (state !== 'new') return;
      await recover(ctx, writer, deps.processes);
      state = 'running';
      superviseEvery();
      ticker.poke();
    },
    async stop() {
      if (state === 'stopped' || state === 'stopping') return;
      state = 'stopping';
      cancelSupervision?.();
      await ticker.stop();
      for (const id of runner.live()) runner.cancel(id, 'service_stopped');
      await settledWithin(ctx, runner);
      feed.stop();
      state = 'stopped';
    },
    running: () => state === 'running',
    poke: () => ticker.poke(),
    claimInside,
    launch: (claimed) => runner.start(claimed),
    cancelRunning: (runId) => runner.cancel(runId, 'user'),
    scanState: () => ticker.state(),
    onChange: (listener) => feed.subscribe(listener),
    onOutput: output.add,
    onSettled: settled.add,
  };
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
