import type { AppEvent } from '../../src-shared/contract/events.ts';
import type { EngineContext } from '../engine/context.ts';
import type { Engine } from '../engine/engine.ts';
import type { Change } from '../storage/changes.ts';
import { automationOf } from '../storage/codec.ts';
import { showRun } from './handlers/show.ts';

const mostReplayed = 2000;

/** Receives each event once; `id` is the change number to resume after, null for output. */
export type EventListener = (event: AppEvent, id: number | null) => void;

export interface EventHub {
  /** With `since`, first replays what changed after it, or sends `reset` when that is no longer known. */
  subscribe(listener: EventListener, since: number | null): () => void;
}

/** Turns the change feed into the one event stream. Rows are read once per change, however many listen. */
export function createEventHub(ctx: EngineContext, engine: Engine): EventHub {
  const listeners = new Set<EventListener>();

  function emit(event: AppEvent, id: number | null): void {
    for (const listener of listeners) {
      try {
        listener(event, id);
      } catch (error) {
        ctx.log.error({ error: String(error) }, 'a listener of the event stream threw');
      }
    }
  }

  function eventOf(change: Change): AppEvent | null {
    if (change.table_name === 'automations') {
      const row = ctx.store.automations.get(change.row_id);
      return { type: 'automation', id: change.row_id, row: row === undefined ? null : automationOf(row) };
    }
    if (change.table_name === 'automation_runs') {
      const row = ctx.store.runs.get(change.row_id);
      return { type: 'run', id: change.row_id, row: row === undefined ? null : showRun(ctx, row) };
    }
    return change.table_name === 'settings' ? { type: 'settings' } : null;
  }

  engine.onChange((changes) => {
    if (listeners.size === 0) return;
    for (const change of changes) {
      const event = eventOf(change);
      if (event !== null) emit(event, change.id);
    }
    if (changes.some((change) => change.table_name === 'automation_runs')) emit({ type: 'queue' }, null);
  });
  engine.onOutput((runId, chunks) => {
    if (listeners.size > 0) emit({ type: 'output', run_id: runId, chunks }, null);
  });

  return {
    subscribe(listener, since) {
      if (since !== null) {
        const { changes } = ctx.store;
        const missed = since >= changes.oldest() - 1 ? changes.after(since, mostReplayed) : null;
        if (missed === null || missed.length === mostReplayed) listener({ type: 'reset' }, null);
        else {
          for (const change of missed) {
            const event = eventOf(change);
            if (event !== null) listener(event, change.id);
          }
        }
      }
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
