import { nextOccurrence, ScheduleError } from '../schedules/index.ts';

/** Before every instant a person can mean (the year -1199), ms. */
export const beforeAll = -1e14;
const bareDate = /^\d{4}-\d{2}-\d{2}$/;

function instant(text: string, timezone: string): number | null {
  try {
    return nextOccurrence({ kind: 'at', at: text, timezone }, beforeAll, { timezone, anchorAt: 0 });
  } catch (error) {
    if (error instanceof ScheduleError) return null;
    throw error;
  }
}

/** When a validity window opens, ms; a bare date is that day's local midnight. Null = always, or not readable. */
export function validFrom(text: string | null, timezone: string): number | null {
  if (text === null || text === '') return null;
  return instant(bareDate.test(text) ? `${text}T00:00` : text, timezone);
}

/** The last valid instant, ms; a bare date is valid to the end of that local day. Null = for ever, or not readable. */
export function validUntil(text: string | null, timezone: string): number | null {
  if (text === null || text === '') return null;
  if (!bareDate.test(text)) return instant(text, timezone);
  const lastMinute = instant(`${text}T23:59`, timezone);
  return lastMinute === null ? null : lastMinute + 59_999;
}
