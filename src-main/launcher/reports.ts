import type { AgentReport } from '../../src-shared/executors/agent-stream.ts';
import type { Outcome, Usage } from '../../src-shared/model/outcome.ts';

function add(one: Usage, other: Usage): Usage {
  const costs = [one.cost_micros, other.cost_micros].filter((cost) => cost !== null);
  return {
    model: other.model ?? one.model,
    provider: other.provider ?? one.provider,
    input_tokens: one.input_tokens + other.input_tokens,
    output_tokens: one.output_tokens + other.output_tokens,
    cached_input_tokens: one.cached_input_tokens + other.cached_input_tokens,
    reasoning_tokens: one.reasoning_tokens + other.reasoning_tokens,
    cost_micros: costs.length === 0 ? null : costs.reduce((sum, cost) => sum + cost, 0),
    currency: other.currency ?? one.currency,
  };
}

/** What the agents of a run's folders told, as one: tokens and cost summed, the last session, the open question. */
export function reported(
  reports: readonly AgentReport[],
): Pick<Outcome, 'usage' | 'external_session_id' | 'question'> {
  const usages = reports.map(({ usage }) => usage).filter((usage) => usage !== null);
  const [first, ...others] = usages;
  return {
    usage: first === undefined ? null : others.reduce(add, first),
    external_session_id: reports.findLast(({ session_id }) => session_id !== null)?.session_id ?? null,
    question: reports.findLast(({ question }) => question !== null)?.question ?? null,
  };
}
