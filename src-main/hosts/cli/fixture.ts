import { type CallOutput, createClient, type Send } from '../../../src-shared/contract/client.ts';
import { ApiError } from '../../../src-shared/contract/errors.ts';
import type { AppEvent } from '../../../src-shared/contract/events.ts';
import { type RouteName, routes } from '../../../src-shared/contract/index.ts';
import { type Automation, automationDefaults } from '../../../src-shared/model/automation.ts';
import type { Run } from '../../../src-shared/model/run.ts';
import type { Connection, Deps } from './deps.ts';
import { UnreachableError } from './failure.ts';
import { runCli } from './program.ts';

/** Parts of tests of the command line; imported by tests only. */

export interface Recorded {
  route: RouteName;
  params: Record<string, string>;
  query: Record<string, string>;
  body: unknown;
}
/** Answers by route: what the host gives, or throws as ApiError. A route without one is not found. */
export type Answers = { [N in RouteName]?: (request: Recorded) => CallOutput<N> };

function matchRoute(method: string, path: string): { route: RouteName; params: Record<string, string> } {
  for (const name of Object.keys(routes) as RouteName[]) {
    const route = routes[name];
    const names = [...route.path.matchAll(/\{(\w+)\}/g)].map((match) => match[1] ?? '');
    const pattern = new RegExp(`^${route.path.replaceAll(/\{\w+\}/g, '([^/]+)')}$`);
    const found = route.method === method.toLowerCase() ? pattern.exec(path) : null;
    if (found === null) continue;
    const values = found.slice(1).map(decodeURIComponent);
    return { route: name, params: Object.fromEntries(names.map((key, index) => [key, values[index] ?? ''])) };
  }
  throw new Error(`no route ${method} ${path}`);
}

/** A transport that answers from `answers` and writes down every request. */
export function fakeSend(answers: Answers, requests: Recorded[]): Send {
  return async (path, { method, body }) => {
    const url = new URL(path, 'http://host');
    const request: Recorded = {
      ...matchRoute(method, url.pathname),
      query: Object.fromEntries(url.searchParams),
      body: body === undefined ? undefined : JSON.parse(body),
    };
    requests.push(request);
    try {
      const answer = answers[request.route];
      if (answer === undefined) throw new ApiError('not_found', `nothing at ${url.pathname}`);
      const text = JSON.stringify(answer(request));
      return { ok: true, status: 200, text: async () => text };
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      return { ok: false, status: error.status, text: async () => JSON.stringify(error.toBody()) };
    }
  };
}

export interface World {
  answers?: Answers;
  /** Without a host the same answers come from the data folder. */
  live?: boolean;
  env?: Record<string, string>;
  /** The streams that openEvents gives, one after the other; then the host is gone. */
  streams?: (() => AsyncIterable<AppEvent>)[];
  deps?: Partial<Deps>;
}

export interface Result {
  code: number;
  out: string;
  err: string;
  requests: Recorded[];
}

function connection(world: World, send: Send, live: boolean): Connection {
  const streams = [...(world.streams ?? [])];
  return {
    client: createClient(send),
    send,
    live,
    baseUrl: live ? 'http://127.0.0.1:8899' : null,
    async openEvents() {
      const next = streams.shift();
      if (next === undefined) throw new UnreachableError('http://127.0.0.1:8899');
      return next();
    },
    async close() {},
  };
}

/** Runs `nextrun …args` against a fake host, and gives all it did. */
export async function runFake(args: readonly string[], world: World = {}): Promise<Result> {
  const result: Result = { code: -1, out: '', err: '', requests: [] };
  const send = fakeSend(world.answers ?? {}, result.requests);
  const live = connection(world, send, true);
  const deps: Deps = {
    findHost: async () => ((world.live ?? true) ? live : null),
    openOffline: async () => connection(world, send, false),
    readAdminToken: async () => 'the-token',
    readStdin: async () => 'from stdin',
    serve: async () => 0,
    out: (text) => {
      result.out += text;
    },
    err: (text) => {
      result.err += text;
    },
    env: { LANG: 'C', ...world.env },
    terminal: false,
    columns: undefined,
    timezone: 'Asia/Shanghai',
    cwd: '/home/me',
    // Timers fire at once: what is waited for in tests is an event, never time.
    clock: {
      now: () => 0,
      monotonic: () => 0,
      timer: (_ms, fn) => {
        queueMicrotask(fn);
        return () => {};
      },
    },
    version: '1.2.3',
    onInterrupt: () => () => {},
    ...world.deps,
  };
  result.code = await runCli(['node', 'nextrun', ...args], deps);
  return result;
}

/** An automation as the API shows it, with what the test cares about. */
export function automation(fields: Partial<Automation> = {}): Automation {
  return {
    ...automationDefaults,
    cwds: [],
    skills: [],
    tags: [],
    id: 'a1111111-0000',
    name: 'Daily brief',
    schedule: { kind: 'cron', expression: '0 9 * * *', timezone: 'Asia/Shanghai' },
    status: 'ACTIVE',
    status_reason: null,
    schedule_words: { en: 'Every day at 09:00', zh: '每天 09:00' },
    next_run_at: Date.UTC(2026, 4, 6, 1, 0),
    next_slot_at: Date.UTC(2026, 4, 6, 1, 0),
    last_run_at: null,
    last_status: null,
    last_error: null,
    run_count: 0,
    failure_count: 0,
    retry_count: 0,
    attention_code: null,
    attention_detail: null,
    healed: [],
    source: 'cli',
    owner_user_id: null,
    owner_bot_id: null,
    created_at: 0,
    updated_at: 0,
    deleted_at: null,
    rev: 7,
    ...fields,
  };
}

/** A run as the API shows it, with what the test cares about. */
export function run(fields: Partial<Run> = {}): Run {
  return {
    id: 'run-b1111111-0000',
    automation_id: 'a1111111-0000',
    title: 'Daily brief',
    status: 'ACCEPTED',
    reason_code: null,
    reason_detail: null,
    trigger: 'manual',
    scheduled_for: null,
    attempt: 1,
    retry_of: null,
    run_key: null,
    priority: 0,
    queued_position: null,
    not_before: 0,
    created_at: 0,
    queued_at: Date.UTC(2026, 4, 6, 1, 0),
    started_at: Date.UTC(2026, 4, 6, 1, 0),
    finished_at: Date.UTC(2026, 4, 6, 1, 1),
    duration_ms: 61_000,
    heartbeat_at: null,
    pid: null,
    session_id: null,
    turn_id: null,
    kind: 'agent',
    executor_label: null,
    exit_code: 0,
    signal: null,
    result_success: true,
    result_state: 'delivered',
    result_evidence: 'assistant_output',
    summary: 'three commits',
    question: null,
    requested_permission_mode: null,
    effective_permission_mode: null,
    output_bytes: 10,
    output_dropped_bytes: 0,
    change_count: 0,
    read_at: null,
    reviewed_at: null,
    review_note: null,
    pinned: false,
    archived_at: null,
    ...fields,
  };
}

/** A page of these items and no more. */
export function page<T>(...items: T[]): { items: T[]; next_cursor: string | null } {
  return { items, next_cursor: null };
}

/** The answers that let a task be found by id, prefix and name. */
export function library(...automations: Automation[]): Answers {
  return {
    listAutomations: () => page(...automations),
    getAutomation: ({ params }) => {
      const found = automations.find(({ id }) => id === params['id']);
      if (found === undefined) throw new ApiError('not_found', 'There is no such automation');
      return found;
    },
  };
}
