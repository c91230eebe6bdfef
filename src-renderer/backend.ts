import { type ApiClient, type CallOutput, createClient, type Send } from '../src-shared/contract/client.ts';
import { ApiError } from '../src-shared/contract/errors.ts';

/** How the page is connected: same origin, a bearer token, and nothing else. No other file knows. */

/** The host does not answer at all: it is not running, or the network is blocked. */
export class UnreachableError extends Error {
  constructor() {
    super('NextRun does not answer');
    this.name = 'UnreachableError';
  }
}

export type Info = CallOutput<'info'>;
export type SignInProblem = 'code_refused' | 'token_refused' | 'too_many' | 'unreachable';
export type Entry = { kind: 'open'; info: Info } | { kind: 'closed'; problem: SignInProblem | undefined };

export interface Platform {
  fetch(path: string, init: RequestInit): Promise<Response>;
  /** Keeps the token until the tab is closed; it may be blocked, then the token lives in memory only. */
  storage: Pick<Storage, 'getItem' | 'setItem' | 'removeItem'> | undefined;
  location: Pick<Location, 'hash' | 'pathname' | 'search'>;
  replaceAddress(address: string): void;
}

export interface Backend {
  /** Calls a route of the contract. Throws ApiError or UnreachableError. */
  call: ApiClient['call'];
  /** Opens the event stream, after the change `lastId` when it is given. */
  openEvents(lastId: string | undefined, signal: AbortSignal): Promise<Response>;
  /** Uses a one-time code of the address, else the kept token, else none, and says whether that is enough. */
  enter(): Promise<Entry>;
  /** Signs in with what a person pasted: a token, or a whole link with a one-time code. */
  signIn(text: string): Promise<Entry>;
  /** Called when an accepted token is refused later (it ends after twelve hours). */
  onRefused(listener: () => void): void;
}

const tokenKey = 'nextrun.token';
const codePattern = /#login=([^&\s]+)/;
const headerText = /^[!-~]+$/;
const base = '';

/** The one-time code in an address or a fragment, if there is one. */
export function findLoginCode(text: string): string | undefined {
  const found = codePattern.exec(text)?.[1];
  if (found === undefined) return undefined;
  try {
    return decodeURIComponent(found);
  } catch {
    return found;
  }
}

function problemOf(error: unknown, refused: SignInProblem): SignInProblem {
  if (!(error instanceof ApiError)) return 'unreachable';
  if (error.code === 'too_many_attempts') return 'too_many';
  return error.status === 400 || error.status === 401 ? refused : 'unreachable';
}

/** The connection of the page to its host. */
export function createBackend(platform: Platform): Backend {
  let token = platform.storage?.getItem(tokenKey) ?? null;
  let refused: () => void = () => {};
  const keep = (value: string | null) => {
    token = value;
    if (value === null) platform.storage?.removeItem(tokenKey);
    else platform.storage?.setItem(tokenKey, value);
  };
  const authorization = (): Record<string, string> =>
    token === null ? {} : { Authorization: `Bearer ${token}` };
  const send: Send = async (path, init) => {
    try {
      return await platform.fetch(base + path, init);
    } catch {
      throw new UnreachableError();
    }
  };
  const guarded: Send = async (path, init) => {
    const reply = await send(path, init);
    if (reply.status === 401) {
      keep(null);
      refused();
    }
    return reply;
  };
  const plain = createClient(send, authorization);
  const probe = async (problem: SignInProblem | undefined): Promise<Entry> => {
    try {
      return { kind: 'open', info: await plain.call('info', {}) };
    } catch (error) {
      const found = problemOf(error, 'token_refused');
      if (found !== 'token_refused') return { kind: 'closed', problem: found };
      const had = token !== null;
      keep(null);
      return { kind: 'closed', problem: problem ?? (had ? 'token_refused' : undefined) };
    }
  };
  const exchange = async (code: string): Promise<Entry> => {
    try {
      keep((await createClient(send).call('login', { body: { code } })).token);
    } catch (error) {
      // An old link in a tab that is signed in already does no harm: the kept token is tried.
      return probe(problemOf(error, 'code_refused'));
    }
    return probe(undefined);
  };
  return {
    call: createClient(guarded, authorization).call,
    openEvents: async (lastId, signal) => {
      const reply = await platform.fetch(`${base}/api/events`, {
        headers: {
          ...authorization(),
          Accept: 'text/event-stream',
          ...(lastId === undefined ? {} : { 'Last-Event-ID': lastId }),
        },
        cache: 'no-store',
        signal,
      });
      if (reply.status === 401) {
        keep(null);
        refused();
      }
      return reply;
    },
    enter: () => {
      const code = findLoginCode(platform.location.hash);
      if (code === undefined) return probe(undefined);
      // Out of the address bar before anything else, so that it is in no history and no copied address.
      platform.replaceAddress(platform.location.pathname + platform.location.search);
      return exchange(code);
    },
    signIn: (text) => {
      const code = findLoginCode(text);
      if (code !== undefined) return exchange(code);
      // What cannot stand in a header is no token; fetch would throw and look like a host that is down.
      if (!headerText.test(text.trim())) return Promise.resolve({ kind: 'closed', problem: 'token_refused' });
      keep(text.trim());
      return probe('token_refused');
    },
    onRefused(listener) {
      refused = listener;
    },
  };
}
