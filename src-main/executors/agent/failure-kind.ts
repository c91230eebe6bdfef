import type { FailureReason } from '../../../src-shared/model/outcome.ts';

/** Words by which providers name a failure; the first line that fits decides, money before rights. */
const words: readonly [RegExp, FailureReason][] = [
  [/resource.?exhausted|too many requests|rate.?limit|usage limit|overloaded|throttl/i, 'rate_limit'],
  [/credit|billing|payment required|insufficient.?(quota|balance|funds)|quota exceeded|余额|欠费/i, 'credit'],
  [
    /authenticat|unauthori[sz]ed|permission.?denied|forbidden|api.?key|not logged in|log ?in|oauth|token (has )?expired|登录/i,
    'auth',
  ],
  [
    /model.{0,60}(not (found|exist|supported|available)|does ?n.t exist|is not|unknown|invalid|no access)|(unknown|invalid|unsupported).{0,10}model|model_not_found|modelnotfound/i,
    'model',
  ],
  [
    /econn|enotfound|etimedout|eai_again|epipe|socket|network|fetch failed|timed? ?out|connection|disconnected|unreachable|service unavailable|bad gateway|internal server error/i,
    'network',
  ],
];

function ofStatus(status: number): FailureReason | null {
  if (status === 401 || status === 403) return 'auth';
  if (status === 402) return 'credit';
  if (status === 429 || status === 529) return 'rate_limit';
  if (status === 404) return 'model';
  return status >= 500 && status < 600 ? 'network' : null;
}

/** The kind of a failure by its words, then by the HTTP status given or mentioned; null when neither tells. */
export function knownFailure(message: string, status: number | null = null): FailureReason | null {
  // A limit and empty credit often come with the status of the other: the words are nearer to the truth.
  const said = words.find(([pattern]) => pattern.test(message))?.[1];
  const mentioned = /\b(40[1-4]|429|5\d\d)\b/.exec(message)?.[1];
  return said ?? ofStatus(status ?? Number(mentioned ?? 0));
}

/** The kind of a failure that an agent reports in its stream. What cannot be told apart is the model's. */
export function failureKind(message: string, status: number | null = null): FailureReason {
  return knownFailure(message, status) ?? 'model';
}
