import { taskItemOf } from '../storage/codec.ts';
import type { TaskItemRow } from '../storage/rows.ts';
import { taskStatus } from '../storage/task-items.ts';
import type { EngineContext } from './context.ts';
import type { TaskHandler, TaskRequest } from './task-handler.ts';
import { type Enqueued, type TaskResult, TaskRows, taskMessages } from './task-rows.ts';
import type { Writer } from './writer.ts';

const sweepEveryMs = 2 * 60_000;
/** An item that runs and was not touched for longer than this is taken back. */
const staleAfterMs = 5 * 60_000;
/** Each write of a touch is a commit, so a handler may touch as often as it likes. */
const touchEveryMs = 10_000;
const stopWithinMs = 8000;

/** A type of work that no handler knows. */
export class UnknownTaskTypeError extends Error {
  constructor(type: string) {
    super(`No handler carries out background tasks of type "${type}"`);
    this.name = 'UnknownTaskTypeError';
  }
}

export interface TaskQueueDeps {
  ctx: Pick<EngineContext, 'store' | 'clock' | 'log' | 'newId'>;
  writer: Writer;
  /** By task type. */
  handlers: Readonly<Record<string, TaskHandler>>;
  /** What is to be done by itself now; asked at the start and at each sweep. */
  due(): readonly TaskRequest[];
}

/** The item that is being carried out. */
interface Live {
  id: string;
  abort: AbortController;
  /** Why it was told to end; null while it was not. */
  ending: 'stopped' | 'cancelled' | 'silent' | null;
  /** Last sign of life on the clock that never jumps; the row's `updated_at` is for the next host. */
  touchedAt: number;
  writtenAt: number;
  /** The stop waited long enough: whatever the handler still does is no longer written. */
  abandoned: boolean;
}

/**
 * The queue of background work besides runs. A row is the truth: it is committed before memory knows of it, memory
 * only says what to look at next, and what memory loses the sweep finds. One item at a time.
 */
export class TaskQueue {
  readonly #deps: TaskQueueDeps;
  readonly #rows: TaskRows;
  /** Ids in their order. An id that no longer waits does no harm: the claim is guarded. */
  readonly #waiting = new Set<string>();
  #live: Live | null = null;
  #state: 'new' | 'starting' | 'running' | 'stopped' = 'new';
  #consumer: Promise<void> | null = null;
  #sweeping: Promise<void> | null = null;
  #cancelSweep: (() => void) | null = null;
  #cancelNext: (() => void) | null = null;

  constructor(deps: TaskQueueDeps) {
    this.#deps = deps;
    this.#rows = new TaskRows(deps.ctx);
  }

  /** Takes back what a dead host left, then consumes. Call once, while holding the owner lock. */
  async start(): Promise<void> {
    if (this.#state !== 'new') return;
    this.#state = 'starting';
    const { waiting } = await this.#recover(() => true, taskMessages.interrupted);
    // A stop may have come while the lock of another program was waited for.
    if (this.#isStopped()) return;
    this.#state = 'running';
    this.feed(waiting);
    this.#sweepAfter(0);
  }

  /**
   * Claims nothing more and stops what runs: it waits again, for the next host. Resolves when that is written, or
   * after 8 s when a handler does not listen; what it leaves running is taken back at the next start.
   */
  async stop(): Promise<void> {
    if (this.#isStopped()) return;
    this.#state = 'stopped';
    this.#cancelSweep?.();
    this.#cancelNext?.();
    this.#end('stopped');
    let cancel: () => void = () => undefined;
    const late = new Promise<'late'>((resolve) => {
      cancel = this.#deps.ctx.clock.timer(stopWithinMs, () => resolve('late'));
    });
    const ended = await Promise.race([Promise.all([this.#consumer, this.#sweeping]), late]);
    if (ended === 'late' && this.#live !== null) this.#live.abandoned = true;
    cancel();
  }

  /** Commits the items that no active one stands for, then feeds them. Throws UnknownTaskTypeError. */
  async enqueue(requests: readonly TaskRequest[]): Promise<Enqueued> {
    const result = await this.#deps.writer.write(() => this.enqueueInside(requests));
    this.feed(result.added.map((item) => item.id));
    return result;
  }

  /**
   * The rows alone, inside the caller's transaction; after the commit `feed` them. What is asked twice in one batch
   * is one item. Throws UnknownTaskTypeError, and then nothing is written.
   */
  enqueueInside(requests: readonly TaskRequest[]): Enqueued {
    for (const { task_type } of requests) this.#handler(task_type);
    return this.#rows.enqueue(requests);
  }

  /** Tells memory of committed items. */
  feed(ids: readonly string[]): void {
    for (const id of ids) this.#waiting.add(id);
    const idle = this.#consumer === null && this.#cancelNext === null;
    if (this.#state !== 'running' || !idle || this.#waiting.size === 0) return;
    // Work may block the event loop: whoever asked is answered first, and what else is due has its turn.
    this.#cancelNext = this.#deps.ctx.clock.timer(0, () => {
      this.#cancelNext = null;
      this.#consumer = this.#consume().finally(() => {
        this.#consumer = null;
        this.feed([]);
      });
    });
  }

  /**
   * Ends an item that waits as failed, and tells the one that runs to stop; that one is failed once its handler has
   * ended. False when it is neither.
   */
  async cancel(id: string): Promise<boolean> {
    const found = await this.#deps.writer.write(() => {
      const row = this.#rows.get(id);
      if (row === undefined || row.status === taskStatus.done || row.status === taskStatus.failed)
        return false;
      const inHand = row.status === taskStatus.running && this.#live?.id === id;
      return inHand || this.#rows.fail(row, taskMessages.cancelled);
    });
    if (found && this.#live?.id === id) this.#end('cancelled');
    return found;
  }

  #isStopped(): boolean {
    return this.#state === 'stopped';
  }

  #handler(type: string): TaskHandler {
    const handler = Object.hasOwn(this.#deps.handlers, type) ? this.#deps.handlers[type] : undefined;
    if (handler === undefined) throw new UnknownTaskTypeError(type);
    return handler;
  }

  /** Carries out the first item that waits. */
  async #consume(): Promise<void> {
    const [id] = this.#waiting;
    if (id === undefined) return;
    this.#waiting.delete(id);
    try {
      await this.#carryOut(id);
    } catch (error) {
      // Its row still says where it stands: the sweep finds it there.
      this.#deps.ctx.log.error({ task: id, error: String(error) }, 'a background task was left behind');
    }
    this.#live = null;
  }

  async #carryOut(id: string): Promise<void> {
    const { writer, ctx } = this.#deps;
    const now = ctx.clock.monotonic();
    const live: Live = {
      id,
      abort: new AbortController(),
      ending: null,
      touchedAt: now,
      writtenAt: now,
      abandoned: false,
    };
    this.#live = live;
    const row = await writer.write(() => this.#rows.claim(id));
    if (row === undefined) return;
    // The claim may have waited for the lock of another program.
    live.touchedAt = ctx.clock.monotonic();
    const result = await this.#handle(row, live);
    if (live.abandoned) return;
    await writer.write(() => this.#settle(row, live, result));
    if (live.ending === null && 'error' in result)
      ctx.log.warn({ task: id, type: row.task_type, error: result.error }, 'a background task failed');
  }

  async #handle(row: TaskItemRow, live: Live): Promise<TaskResult> {
    try {
      live.abort.signal.throwIfAborted();
      const work = { signal: live.abort.signal, touch: () => this.#touch(row, live) };
      return { metadata: await this.#handler(row.task_type)(taskItemOf(row), work) };
    } catch (error) {
      return { error: error instanceof Error && error.message !== '' ? error.message : String(error) };
    }
  }

  #touch(row: TaskItemRow, live: Live): void {
    const { ctx, writer } = this.#deps;
    if (this.#live !== live || live.ending !== null) return;
    live.touchedAt = ctx.clock.monotonic();
    if (live.touchedAt - live.writtenAt < touchEveryMs) return;
    live.writtenAt = live.touchedAt;
    writer
      .write(() => this.#rows.touch(row))
      .catch((error: unknown) => ctx.log.warn({ task: row.id, error: String(error) }, 'a touch was lost'));
  }

  /** The first reason wins: a task that was told to end has ended for that reason, whatever it did afterwards. */
  #settle(row: TaskItemRow, live: Live, result: TaskResult): boolean {
    if (live.ending === null) return this.#rows.settle(row, result);
    if (live.ending === 'cancelled') return this.#rows.fail(row, taskMessages.cancelled);
    // A silent one waits already; that is why it was told to end.
    return live.ending === 'stopped' && this.#rows.requeue(row, taskMessages.stopped);
  }

  async #recover(isLost: (row: TaskItemRow) => boolean, message: string) {
    const { writer, ctx } = this.#deps;
    const found = await writer.write(() => this.#rows.recover(isLost, message));
    if (found.recovered.length > 0) ctx.log.warn({ tasks: found.recovered }, message);
    return found;
  }

  #isStale(row: TaskItemRow): boolean {
    const { clock } = this.#deps.ctx;
    // The one in hand is judged by the clock that never jumps: a computer that slept has not lost it.
    if (this.#live?.id === row.id) return clock.monotonic() - this.#live.touchedAt > staleAfterMs;
    return clock.now() - row.updated_at > staleAfterMs;
  }

  async #sweep(): Promise<void> {
    const { recovered, waiting } = await this.#recover((row) => this.#isStale(row), taskMessages.silent);
    // Its handler is waited for: never two at a time.
    if (this.#live !== null && recovered.includes(this.#live.id)) this.#end('silent');
    this.feed(waiting);
    const due = this.#deps.due();
    if (due.length > 0) await this.enqueue(due);
  }

  #sweepAfter(ms: number): void {
    const { clock, log } = this.#deps.ctx;
    this.#cancelSweep = clock.timer(ms, () => {
      this.#sweeping = this.#sweep()
        .catch((error: unknown) =>
          log.error({ error: String(error) }, 'the sweep of background tasks failed'),
        )
        .finally(() => {
          this.#sweeping = null;
          if (!this.#isStopped()) this.#sweepAfter(sweepEveryMs);
        });
    });
  }

  #end(ending: 'stopped' | 'cancelled' | 'silent'): void {
    const live = this.#live;
    if (live === null || live.ending !== null) return;
    live.ending = ending;
    live.abort.abort(new Error(taskMessages[ending]));
  }
}
