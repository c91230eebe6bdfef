/** Limits per local day and what has been used of them today; null = no limit. Money in millionths. */
export interface DayLimits {
  max_runs_per_day: number | null;
  max_tokens_per_day: number | null;
  max_cost_per_day_micros: number | null;
}

/**
 * The reason code of the first limit that is used up, or null. It stops before the next run, not in the middle of
 * one: what a run will use is known only afterwards.
 */
export function limitReached(
  limits: DayLimits,
  spent: { runs: number; tokens: number; cost_micros: number },
): string | null {
  const used = (limit: number | null, amount: number): boolean => limit !== null && amount >= limit;
  if (used(limits.max_runs_per_day, spent.runs)) return 'runs_per_day';
  if (used(limits.max_tokens_per_day, spent.tokens)) return 'tokens_per_day';
  if (used(limits.max_cost_per_day_micros, spent.cost_micros)) return 'cost_per_day';
  return null;
}
