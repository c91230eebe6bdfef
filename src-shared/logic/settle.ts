import type { Outcome } from '../model/outcome.ts';
import type { OnInterrupt, ReviewPolicy } from '../model/policies.ts';

export interface Settlement {
  status: 'ACCEPTED' | 'PENDING_REVIEW' | 'FAILED' | 'CANCELLED';
  reason_code: string | null;
  /** 1 success, 0 failure, null unknown: the column's words. */
  result_success: 1 | 0 | null;
  result_state: 'delivered' | 'side_effect_only' | 'partial_delivered' | 'failed';
  result_evidence: 'assistant_output' | 'local_file_mutation' | 'external_action' | 'none';
}

const interruptions: ReadonlySet<string> = new Set(['interrupted', 'heartbeat_expired']);

function evidence(outcome: Outcome): Settlement['result_evidence'] {
  if (outcome.has_text) return 'assistant_output';
  if (outcome.changes.length > 0) return 'local_file_mutation';
  return outcome.external_action ? 'external_action' : 'none';
}

/**
 * The state an outcome leads to under the automation's policies (result rules of spec/engine.md, rulings 4 and
 * 8). A time-out is unknown, never a failure: a person decides.
 */
export function settle(
  outcome: Outcome,
  policy: { review_policy: ReviewPolicy; on_interrupt: OnInterrupt },
): Settlement {
  const result_evidence = evidence(outcome);
  const partly = outcome.has_text ? 'partial_delivered' : 'failed';
  if (outcome.result === 'success') {
    // What could not be looked at may have changed: whoever asked to see changes is asked.
    const maybeChanged = outcome.changes.length > 0 || outcome.changes_unknown === true;
    const review =
      policy.review_policy === 'always' || (policy.review_policy === 'on_changes' && maybeChanged);
    return {
      status: review ? 'PENDING_REVIEW' : 'ACCEPTED',
      reason_code: review ? 'review' : null,
      result_success: 1,
      result_state: outcome.has_text ? 'delivered' : 'side_effect_only',
      result_evidence,
    };
  }
  if (outcome.result === 'cancelled') {
    return {
      status: 'CANCELLED',
      reason_code: 'cancelled_by_user',
      result_success: null,
      result_state: partly,
      result_evidence,
    };
  }
  const reason = outcome.reason ?? 'crash';
  if (outcome.result === 'open' || (interruptions.has(reason) && policy.on_interrupt === 'review')) {
    return {
      status: 'PENDING_REVIEW',
      reason_code: reason,
      result_success: null,
      result_state: partly,
      result_evidence,
    };
  }
  return { status: 'FAILED', reason_code: reason, result_success: 0, result_state: partly, result_evidence };
}
