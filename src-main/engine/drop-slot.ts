import type { AutomationRow } from '../storage/rows.ts';
import type { EngineContext } from './context.ts';

/**
 * Records the slot that a change of the automation drops, so that the ledger has no hole. Call in the transaction that
 * moves or clears next_run_at, with the row as it was. A slot that the ledger knows already stays as it is.
 */
export function dropSlot(ctx: EngineContext, row: AutomationRow, reason: string): void {
  const slot = row.next_slot_at ?? row.next_run_at;
  if (typeof slot !== 'number' || ctx.store.slots.get(row.id, slot) !== undefined) return;
  ctx.store.slots.insert({
    automation_id: row.id,
    scheduled_for: slot,
    outcome: 'dropped_by_edit',
    run_id: null,
    reason_code: reason,
    fire_at: typeof row.next_run_at === 'number' ? row.next_run_at : null,
    through: null,
    count: 1,
    recorded_at: ctx.clock.now(),
  });
}
