import { hasEnded } from '../../src-shared/logic/run-state.ts';
import { runStatusSchema } from '../../src-shared/model/run.ts';
import type { HistoryPoint, OldRun } from '../storage/retention.ts';
import type { EngineContext } from './context.ts';
import type { Writer } from './writer.ts';

const dayMs = 86_400_000;
const firstAfterMs = 5 * 60_000;
const everyMs = 6 * 3_600_000;
/** Between two transactions others may write, and the event loop is free. */
const pauseMs = 20;
/** A transaction ends after so many runs, or when it took so long: the output of one run may be large. */
const runsAtOnce = 50;
const longestTransactionMs = 20;
const chunksAtOnce = 64;
const logRowsAtOnce = 500;
/** The ledger outlives its runs. */
const keepSlotsMs = 400 * dayMs;
/** A limit per day counts the runs since midnight of any zone, and a day may have 25 hours. */
const countedForLimitsMs = 26 * 3_600_000;

const beginning: HistoryPoint = { created_at: Number.MIN_SAFE_INTEGER, thread_id: '' };

/** What a sweep removed. */
export interface Swept {
  runs: number;
  log_rows: number;
}

export interface Janitor {
  start(): void;
  /** Removes what is too old or too much, in many short transactions. Ends early when it is stopped. */
  sweep(): Promise<Swept>;
  /** No transaction begins afterwards; resolves when the one under way has ended. */
  stop(): Promise<void>;
}

function isBefore(one: HistoryPoint, other: HistoryPoint): boolean {
  if (one.created_at !== other.created_at) return one.created_at < other.created_at;
  return one.thread_id < other.thread_id;
}

/** Where the history of an automation may be cut: before this point. The newest run lies never before it. */
function cutOf(ctx: EngineContext, id: string): HistoryPoint | null {
  const { store, settings, clock } = ctx;
  const newest = store.retention.nthNewest(id, 0);
  if (newest === undefined) return null;
  const tooOld = { created_at: clock.now() - settings.log_keep_days * dayMs, thread_id: '' };
  const lastKept = store.retention.nthNewest(id, Math.max(1, settings.log_keep_per_task) - 1);
  let cut = lastKept !== undefined && isBefore(tooOld, lastKept) ? lastKept : tooOld;
  if (isBefore(newest, cut)) cut = newest;
  const row = store.automations.get(id);
  const limited = row?.max_runs_per_day ?? row?.max_tokens_per_day ?? row?.max_cost_per_day_micros ?? null;
  const counted = { created_at: clock.now() - countedForLimitsMs, thread_id: '' };
  return limited !== null && isBefore(counted, cut) ? counted : cut;
}

/** Whether a run may go: it has ended, waits for nobody, and no attempt that is open counts it. */
function mayGo(run: OldRun, openKeys: ReadonlySet<string>): boolean {
  const status = runStatusSchema.safeParse(run.status).data;
  if (status === undefined || !hasEnded(status) || status === 'PENDING_REVIEW') return false;
  return run.pinned === 0 && !openKeys.has(run.run_key ?? run.thread_id);
}

class StoreJanitor implements Janitor {
  readonly #ctx: EngineContext;
  readonly #writer: Writer;
  #stopped = false;
  #sweeping: Promise<Swept> | null = null;
  #cancelTimer: () => void = () => undefined;
  #endPause: () => void = () => undefined;

  constructor(ctx: EngineContext, writer: Writer) {
    this.#ctx = ctx;
    this.#writer = writer;
  }

  start(): void {
    this.#sweepAfter(firstAfterMs);
  }

  sweep(): Promise<Swept> {
    this.#sweeping ??= this.#sweep().finally(() => {
      this.#sweeping = null;
    });
    return this.#sweeping;
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#cancelTimer();
    this.#endPause();
    await this.#sweeping?.catch(() => undefined);
  }

  #sweepAfter(ms: number): void {
    if (this.#stopped) return;
    const { clock, log } = this.#ctx;
    this.#cancelTimer = clock.timer(ms, () => {
      this.sweep()
        .then((swept) => {
          if (swept.runs + swept.log_rows > 0) log.info({ ...swept }, 'old history was removed');
        })
        .catch((error: unknown) => log.error({ error: String(error) }, 'old history could not be removed'))
        .finally(() => this.#sweepAfter(everyMs));
    });
  }

  async #sweep(): Promise<Swept> {
    const { retention } = this.#ctx.store;
    const swept: Swept = { runs: 0, log_rows: 0 };
    for (let id = retention.nextAutomation(''); id !== null; id = retention.nextAutomation(id)) {
      swept.runs += await this.#sweepAutomation(id);
      if (this.#stopped) return swept;
    }
    swept.log_rows = await this.#sweepLogs();
    return swept;
  }

  async #sweepAutomation(id: string): Promise<number> {
    const cut = cutOf(this.#ctx, id);
    let removed = 0;
    for (let from = beginning; cut !== null && !this.#stopped; ) {
      const first = this.#ctx.store.retention.between(id, from, cut, 1);
      if (first.length === 0) break;
      const batch = await this.#writer.write(() => this.#removeSome(id, from, cut));
      removed += batch.removed;
      from = batch.reached;
      await this.#pause();
    }
    return removed;
  }

  /** One transaction. Gives the last run that is dealt with; one whose output was too much comes again. */
  #removeSome(id: string, from: HistoryPoint, cut: HistoryPoint): { removed: number; reached: HistoryPoint } {
    const { store, clock } = this.#ctx;
    const until = clock.monotonic() + longestTransactionMs;
    const openKeys = new Set(store.runs.openOf(id).map((run) => run.run_key ?? run.thread_id));
    let removed = 0;
    let reached = from;
    for (const run of store.retention.between(id, from, cut, runsAtOnce)) {
      if (mayGo(run, openKeys)) {
        while (store.retention.remove.someOutput(run.thread_id, chunksAtOnce) === chunksAtOnce) {
          if (clock.monotonic() >= until) return { removed, reached };
        }
        store.retention.remove.run(run);
        removed += 1;
      }
      reached = { created_at: run.created_at, thread_id: run.thread_id };
      if (clock.monotonic() >= until) break;
    }
    return { removed, reached };
  }

  async #sweepLogs(): Promise<number> {
    const { store, clock, settings } = this.#ctx;
    const now = clock.now();
    const { logs } = store.retention;
    const old = now - settings.log_keep_days * dayMs;
    const cuts = [
      (limit: number) => logs.audit(old, limit),
      (limit: number) => logs.foreignEdits(old, limit),
      (limit: number) => logs.idempotency(now, limit),
      (limit: number) => logs.slots(now - keepSlotsMs, limit),
    ];
    let removed = 0;
    for (const cut of cuts) {
      for (let batch = logRowsAtOnce; batch === logRowsAtOnce && !this.#stopped; removed += batch) {
        batch = await this.#writer.write(() => cut(logRowsAtOnce));
        await this.#pause();
      }
    }
    return removed;
  }

  /** Waits a moment; `stop` ends it. */
  #pause(): Promise<void> {
    if (this.#stopped) return Promise.resolve();
    return new Promise((resolve) => {
      const cancel = this.#ctx.clock.timer(pauseMs, resolve);
      this.#endPause = () => {
        cancel();
        resolve();
      };
    });
  }
}

/**
 * Keeps the history small: of each automation the newest `log_keep_per_task` runs that are not older than
 * `log_keep_days`. A run that waits, runs, needs review or is pinned stays, and so does the newest of each automation.
 */
export function createJanitor(ctx: EngineContext, writer: Writer): Janitor {
  return new StoreJanitor(ctx, writer);
}
