import type { CallOutput } from '../../src-shared/contract/client.ts';
import type { AppEvent } from '../../src-shared/contract/events.ts';
import type { Automation, AutomationStatus } from '../../src-shared/model/automation.ts';
import type { Run } from '../../src-shared/model/run.ts';

export type Queue = CallOutput<'getQueue'>;
export type Health = CallOutput<'health'>;
export type RunDetail = CallOutput<'getRun'>;
export interface Page<T> {
  items: T[];
  next_cursor: string | null;
}
export interface Pages<T> {
  pages: Page<T>[];
  pageParams: (string | undefined)[];
}

/** What the page has read so far; what is absent has not been read. The cache of the queries, as one value. */
export interface Cached {
  readonly queue?: Queue;
  readonly health?: Health;
  readonly runs?: Pages<Run>;
  readonly review?: Page<Run>;
  readonly attention?: Page<Automation>;
  readonly automations: Readonly<Partial<Record<AutomationStatus, Pages<Automation>>>>;
  readonly details: Readonly<Record<string, RunDetail>>;
}

/** What cannot be patched and must be read again. */
export type Stale = 'queue' | 'info' | 'runs' | 'everything';

export interface Applied {
  cached: Cached;
  stale: readonly Stale[];
}

/** Beyond so many rows on the first page it is read again, so that a page left open stays small. */
const longestFirstPage = 300;

interface Aged {
  id: string;
  created_at: number;
}

const newestFirst = (a: Aged, b: Aged) => b.created_at - a.created_at || (a.id < b.id ? 1 : -1);

function upsert<T extends Aged>(items: readonly T[], row: T): T[] {
  const at = items.findIndex((item) => item.id === row.id);
  if (at >= 0) return items.with(at, row);
  return [...items, row].sort(newestFirst);
}

function without<T extends Aged>(items: T[], id: string): T[] {
  return items.some((item) => item.id === id) ? items.filter((item) => item.id !== id) : items;
}

function patchPage<T extends Aged>(page: Page<T>, id: string, row: T | null): Page<T> {
  const items = row === null ? without(page.items, id) : upsert(page.items, row);
  return items === page.items ? page : { ...page, items };
}

/**
 * Replaces, inserts or removes one row of a paged list. A row that is older than all that has been read is left
 * out: it belongs to a page that is still to come.
 */
export function patchPages<T extends Aged>(list: Pages<T>, id: string, row: T | null): Pages<T> {
  const holder = list.pages.findIndex((page) => page.items.some((item) => item.id === id));
  if (row === null) {
    if (holder < 0) return list;
    return { ...list, pages: list.pages.map((page) => patchPage(page, id, null)) };
  }
  let target = holder;
  if (target < 0) {
    const oldestOf = (page: Page<T>) => page.items.at(-1);
    target = list.pages.findIndex((page) => {
      const oldest = oldestOf(page);
      return page.next_cursor === null || (oldest !== undefined && newestFirst(row, oldest) < 0);
    });
  }
  const page = list.pages[target];
  if (page === undefined) return list;
  return { ...list, pages: list.pages.with(target, patchPage(page, id, row)) };
}

function patchQueue(queue: Queue, id: string, row: Run | null): Queue {
  const before = queue.waiting.find((run) => run.id === id);
  const running = queue.running.filter((run) => run.id !== id);
  const waiting = queue.waiting.filter((run) => run.id !== id);
  const deferred = queue.deferred.filter((run) => run.id !== id);
  if (row?.status === 'IN_PROGRESS') {
    running.push(row);
    running.sort((a, b) => (a.started_at ?? 0) - (b.started_at ?? 0));
  } else if (row?.status === 'QUEUED' && row.queued_position !== null) {
    waiting.push({ ...row, estimated_start_at: before?.estimated_start_at ?? null });
    waiting.sort((a, b) => (a.queued_position ?? 0) - (b.queued_position ?? 0));
  } else if (row?.status === 'QUEUED') {
    deferred.push(row);
    deferred.sort((a, b) => a.not_before - b.not_before);
  }
  return { ...queue, running, waiting, deferred };
}

function placeOf(queue: Queue, id: string): string {
  if (queue.running.some((run) => run.id === id)) return 'running';
  if (queue.waiting.some((run) => run.id === id)) return 'waiting';
  return queue.deferred.some((run) => run.id === id) ? 'deferred' : 'none';
}

function applyRun(cached: Cached, id: string, row: Run | null): Applied {
  const stale: Stale[] = [];
  const next: { -readonly [K in keyof Cached]: Cached[K] } = { ...cached };
  if (cached.queue !== undefined) {
    next.queue = patchQueue(cached.queue, id, row);
    // Whoever starts, joins or leaves moves the positions and estimates of the others.
    if (placeOf(cached.queue, id) !== placeOf(next.queue, id)) stale.push('queue');
  }
  if (cached.runs !== undefined) {
    next.runs = patchPages(cached.runs, id, row);
    if ((next.runs.pages[0]?.items.length ?? 0) > longestFirstPage) stale.push('runs');
  }
  if (cached.review !== undefined) {
    next.review = patchPage(cached.review, id, row?.status === 'PENDING_REVIEW' ? row : null);
  }
  const detail = cached.details[id];
  if (detail !== undefined && row !== null) {
    next.details = { ...cached.details, [id]: { ...detail, ...row } };
  }
  return { cached: next, stale };
}

function applyAutomation(cached: Cached, id: string, row: Automation | null): Applied {
  const alive = row !== null && row.deleted_at === null ? row : null;
  const automations: Partial<Record<AutomationStatus, Pages<Automation>>> = {};
  for (const [status, list] of Object.entries(cached.automations)) {
    const key = status as AutomationStatus;
    automations[key] = patchPages(list, id, alive?.status === key ? alive : null);
  }
  const next = { ...cached, automations };
  if (cached.attention === undefined) return { cached: next, stale: [] };
  const attention = patchPage(
    cached.attention,
    id,
    alive !== null && alive.attention_code !== null ? alive : null,
  );
  return { cached: { ...next, attention }, stale: [] };
}

/** What the page knows after an event, and what it has to read again. Never changes `cached` itself. */
export function applyEvent(cached: Cached, event: AppEvent): Applied {
  switch (event.type) {
    case 'run':
      return applyRun(cached, event.id, event.row);
    case 'automation':
      return applyAutomation(cached, event.id, event.row);
    case 'queue':
      return { cached, stale: ['queue'] };
    case 'settings':
      return { cached, stale: ['info', 'queue'] };
    case 'reset':
      return { cached, stale: ['everything'] };
    case 'engine': {
      if (cached.health === undefined) return { cached, stale: [] };
      const { last_scan_at, next_scan_at } = event;
      // "Paused" is said by the host alone; a running engine may be paused, so that word is kept.
      const paused = cached.health.engine === 'paused' && event.state === 'running';
      const engine = paused ? 'paused' : event.state;
      return {
        cached: { ...cached, health: { ...cached.health, engine, last_scan_at, next_scan_at } },
        stale: [],
      };
    }
    case 'output':
      return { cached, stale: [] };
  }
}
