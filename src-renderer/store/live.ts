import type { QueryClient, QueryKey } from '@tanstack/react-query';
import type { AppEvent } from '../../src-shared/contract/events.ts';
import { type AutomationStatus, automationStatusSchema } from '../../src-shared/model/automation.ts';
import type { Backend } from '../backend.ts';
import { after, delay, now } from '../clock.ts';
import { followEvents } from '../event-stream.ts';
import { applyEvent, type Cached, type Stale } from './apply-event.ts';
import { keys } from './queries.ts';
import type { PageStore } from './store.ts';

const statuses = automationStatusSchema.options;
const together = 200;

type Automations = { -readonly [S in keyof Cached['automations']]: Cached['automations'][S] };

/** The cache of the queries as one value. */
export function readCached(client: QueryClient): Cached {
  const given = <K extends keyof Cached>(name: K, key: QueryKey): Partial<Cached> => {
    const data = client.getQueryData<Cached[K]>(key);
    return data === undefined ? {} : { [name]: data };
  };
  const automations: Automations = {};
  for (const status of statuses) {
    const list = client.getQueryData<NonNullable<Automations[AutomationStatus]>>(keys.automations(status));
    if (list !== undefined) automations[status] = list;
  }
  const details: Record<string, Cached['details'][string]> = {};
  for (const [key, data] of client.getQueriesData<Cached['details'][string]>({ queryKey: ['run'] })) {
    if (data !== undefined) details[String(key[1])] = data;
  }
  return {
    ...given('queue', keys.queue),
    ...given('health', keys.health),
    ...given('runs', keys.runs),
    ...given('review', keys.review),
    ...given('attention', keys.attention),
    automations,
    details,
  };
}

/** Puts back what has changed between `before` and `next`. */
export function writeCached(client: QueryClient, before: Cached, next: Cached): void {
  const put = (key: QueryKey, was: unknown, is: unknown) => {
    if (is !== undefined && is !== was) client.setQueryData(key, is);
  };
  put(keys.queue, before.queue, next.queue);
  put(keys.health, before.health, next.health);
  put(keys.runs, before.runs, next.runs);
  put(keys.review, before.review, next.review);
  put(keys.attention, before.attention, next.attention);
  for (const status of statuses) {
    put(keys.automations(status), before.automations[status], next.automations[status]);
  }
  for (const [id, detail] of Object.entries(next.details)) put(keys.run(id), before.details[id], detail);
}

/** Applies an event to the cache at once; gives what has to be read again. */
export function applyToCache(client: QueryClient, event: AppEvent): readonly Stale[] {
  const before = readCached(client);
  const { cached, stale } = applyEvent(before, event);
  writeCached(client, before, cached);
  return stale;
}

function touched(event: AppEvent): readonly QueryKey[] {
  if (event.type === 'run') return [keys.queue, keys.runs, keys.review, keys.run(event.id)];
  if (event.type === 'automation') return [keys.attention, ['automations']];
  return [];
}

function createRefresher(client: QueryClient) {
  const waiting = new Map<string, QueryKey>();
  let cancel: (() => void) | undefined;
  const flush = () => {
    cancel = undefined;
    const all = [...waiting.values()];
    waiting.clear();
    for (const queryKey of all) void client.invalidateQueries({ queryKey });
  };
  return {
    ask(queryKey: QueryKey) {
      waiting.set(JSON.stringify(queryKey), queryKey);
      cancel ??= after(together, flush);
    },
    stop: () => cancel?.(),
  };
}

export interface Live {
  stop(): void;
  /** Ends the pause between two attempts. */
  reconnect(): void;
}

/** Follows the event stream and keeps the cache and the store true until it is stopped. */
export function startLive(backend: Backend, client: QueryClient, store: PageStore): Live {
  const ending = new AbortController();
  const refresher = createRefresher(client);
  let endPause: () => void = () => {};
  const onEvent = (event: AppEvent) => {
    if (event.type === 'output') return store.getState().liveOutput(event.run_id, event.chunks);
    // An answer on its way may be older than this event: it is asked for again.
    for (const key of touched(event)) if (client.isFetching({ queryKey: key }) > 0) refresher.ask(key);
    if (event.type === 'automation') refresher.ask(keys.why(event.id));
    for (const what of applyToCache(client, event)) refresher.ask(what === 'everything' ? [] : [what]);
  };
  void followEvents({
    open: backend.openEvents,
    signal: ending.signal,
    onEvent,
    onState(state) {
      if (state.kind === 'refused') return;
      if (state.kind === 'live' && !state.resumed) void client.invalidateQueries();
      store
        .getState()
        .setLink(
          state.kind === 'waiting' ? { kind: 'waiting', until: now() + state.ms } : { kind: state.kind },
        );
    },
    async pause(ms) {
      const pause = new AbortController();
      endPause = () => pause.abort();
      await delay(ms, AbortSignal.any([ending.signal, pause.signal]));
    },
  });
  const reconnect = () => endPause();
  window.addEventListener('online', reconnect);
  return {
    reconnect,
    stop() {
      window.removeEventListener('online', reconnect);
      refresher.stop();
      ending.abort();
    },
  };
}
