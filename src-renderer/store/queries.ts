import { type InfiniteData, QueryClient, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { ApiError } from '../../src-shared/contract/errors.ts';
import type { AutomationStatus } from '../../src-shared/model/automation.ts';
import type { Run } from '../../src-shared/model/run.ts';
import { UnreachableError } from '../backend.ts';
import { useBackend } from '../page-context.ts';
import type { Page } from './apply-event.ts';

/** What the page reads from the host. After the first reading the event stream keeps it true. */
export const keys = {
  info: ['info'],
  health: ['health'],
  queue: ['queue'],
  runs: ['runs'],
  review: ['review'],
  attention: ['attention'],
  automations: (status: AutomationStatus) => ['automations', status] as const,
  run: (id: string) => ['run', id] as const,
  changes: (id: string, count: number) => ['changes', id, count] as const,
  why: (id: string) => ['why', id] as const,
} as const;

/** The statuses of each view of the tasks. */
export const viewStatuses = {
  current: ['ACTIVE', 'PAUSED'],
  finished: ['DONE', 'EXPIRED'],
} as const satisfies Record<string, readonly AutomationStatus[]>;

const pageSize = 50;
const listSize = 100;

/** The cache. Nothing grows stale by itself; only trouble that may pass is tried again. */
export function createQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: Number.POSITIVE_INFINITY,
        refetchOnWindowFocus: false,
        refetchOnReconnect: false,
        networkMode: 'always',
        retry: (count, error) => count < 2 && isPassing(error),
        retryDelay: 400,
      },
      mutations: { networkMode: 'always', retry: false },
    },
  });
}

function isPassing(error: unknown): boolean {
  return error instanceof UnreachableError || (error instanceof ApiError && error.code === 'database_busy');
}

/** Version, zone, limits and agents of the workbench. */
export function useInfo() {
  const { call } = useBackend();
  return useQuery({ queryKey: keys.info, queryFn: () => call('info', {}) });
}

/** Whether the engine scans, and when next. */
export function useHealth() {
  const { call } = useBackend();
  return useQuery({ queryKey: keys.health, queryFn: () => call('health', {}) });
}

/** What runs, what waits, what is held back. */
export function useQueue() {
  const { call } = useBackend();
  return useQuery({ queryKey: keys.queue, queryFn: () => call('getQueue', {}) });
}

/** Runs of all tasks, newest first, page by page. */
export function useRuns() {
  const { call } = useBackend();
  return useInfiniteQuery<Page<Run>, Error, InfiniteData<Page<Run>>, readonly string[], string | undefined>({
    queryKey: keys.runs,
    queryFn: ({ pageParam }) =>
      call('listRuns', {
        query: { limit: pageSize, ...(pageParam === undefined ? {} : { cursor: pageParam }) },
      }),
    initialPageParam: undefined,
    getNextPageParam: (page) => page.next_cursor ?? undefined,
  });
}

/** Runs that wait for a verdict. */
export function useReview() {
  const { call } = useBackend();
  return useQuery({
    queryKey: keys.review,
    queryFn: () => call('listRuns', { query: { status: 'PENDING_REVIEW', limit: listSize } }),
  });
}

/** Tasks that have a problem. */
export function useAttention() {
  const { call } = useBackend();
  return useQuery({
    queryKey: keys.attention,
    queryFn: () => call('listAutomations', { query: { attention: 'true', limit: listSize } }),
  });
}

/** Tasks of one status, newest first, page by page. */
export function useAutomations(status: AutomationStatus) {
  const { call } = useBackend();
  return useInfiniteQuery({
    queryKey: keys.automations(status),
    queryFn: ({ pageParam }: { pageParam: string | undefined }) =>
      call('listAutomations', {
        query: { status, limit: listSize, ...(pageParam === undefined ? {} : { cursor: pageParam }) },
      }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next_cursor ?? undefined,
  });
}

/** One run with its prompt. */
export function useRun(id: string) {
  const { call } = useBackend();
  return useQuery({ queryKey: keys.run(id), queryFn: () => call('getRun', { params: { id } }) });
}

/** The files that a run changed; asked for when it changed any. */
export function useRunChanges(id: string, count: number) {
  const { call } = useBackend();
  return useQuery({
    queryKey: keys.changes(id, count),
    queryFn: () => call('getRunChanges', { params: { id } }),
    enabled: count > 0,
  });
}

/** Why a task runs or does not run; asked afresh each time it is opened. */
export function useWhy(id: string, open: boolean) {
  const { call } = useBackend();
  return useQuery({
    queryKey: keys.why(id),
    queryFn: () => call('whyAutomation', { params: { id } }),
    enabled: open,
    staleTime: 0,
    gcTime: 0,
  });
}
