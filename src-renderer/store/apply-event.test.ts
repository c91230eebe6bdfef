import { describe, expect, it } from 'vitest';
import type { Automation } from '../../src-shared/model/automation.ts';
import type { Run } from '../../src-shared/model/run.ts';
import { applyEvent, type Cached, type Page, type Pages, patchPages, type Queue } from './apply-event.ts';

function run(id: string, change: Partial<Run> = {}): Run {
  return {
    id,
    automation_id: 'a',
    title: id,
    status: 'QUEUED',
    reason_code: null,
    reason_detail: null,
    trigger: 'manual',
    scheduled_for: null,
    attempt: 1,
    retry_of: null,
    run_key: null,
    priority: 0,
    queued_position: 1,
    not_before: 0,
    created_at: 1000,
    queued_at: 1000,
    started_at: null,
    finished_at: null,
    duration_ms: null,
    heartbeat_at: null,
    pid: null,
    session_id: null,
    turn_id: null,
    kind: 'command',
    executor_label: null,
    exit_code: null,
    signal: null,
    result_success: null,
    result_state: null,
    result_evidence: null,
    summary: null,
    question: null,
    requested_permission_mode: null,
    effective_permission_mode: null,
    output_bytes: 0,
    output_dropped_bytes: 0,
    change_count: 0,
    read_at: null,
    reviewed_at: null,
    review_note: null,
    pinned: false,
    archived_at: null,
    ...change,
  };
}

// Only the fields that the page's knowledge depends on; the others pass through untouched.
const automation = (id: string, change: Partial<Automation> = {}) =>
  ({ id, status: 'ACTIVE', attention_code: null, deleted_at: null, created_at: 1, ...change }) as Automation;

const queue = (change: Partial<Queue> = {}): Queue => ({
  cap: 3,
  paused: false,
  paused_until: null,
  running: [],
  waiting: [],
  deferred: [],
  ...change,
});
const page = <T>(...items: T[]): Page<T> => ({ items, next_cursor: null });
const pages = <T>(...list: Page<T>[]): Pages<T> => ({ pages: list, pageParams: list.map(() => undefined) });
const nothing: Cached = { automations: {}, details: {} };
const ids = (list: { id: string }[] | undefined) => list?.map((item) => item.id);

describe('a run', () => {
  it('changes nothing that has not been read', () => {
    const { cached, stale } = applyEvent(nothing, { type: 'run', id: 'r', row: run('r') });
    expect(cached).toEqual(nothing);
    expect(stale).toEqual([]);
  });

  it('starts: it moves from waiting to running, and the positions of the others are read again', () => {
    const before: Cached = {
      ...nothing,
      queue: queue({
        waiting: [{ ...run('r'), estimated_start_at: 5 }],
        running: [run('x', { started_at: 1 })],
      }),
    };
    const row = run('r', { status: 'IN_PROGRESS', started_at: 2, queued_position: null });
    const { cached, stale } = applyEvent(before, { type: 'run', id: 'r', row });
    expect(ids(cached.queue?.running)).toEqual(['x', 'r']);
    expect(cached.queue?.waiting).toEqual([]);
    expect(stale).toEqual(['queue']);
    expect(before.queue?.waiting).toHaveLength(1);
  });

  it('that only moves up keeps its estimate and asks for nothing', () => {
    const waiting = [
      { ...run('a', { queued_position: 1 }), estimated_start_at: 5 },
      { ...run('b', { queued_position: 2 }), estimated_start_at: 9 },
    ];
    const { cached, stale } = applyEvent(
      { ...nothing, queue: queue({ waiting }) },
      { type: 'run', id: 'b', row: run('b', { queued_position: 0 }) },
    );
    expect(ids(cached.queue?.waiting)).toEqual(['b', 'a']);
    expect(cached.queue?.waiting[0]?.estimated_start_at).toBe(9);
    expect(stale).toEqual([]);
  });

  it('without a position is held back, the soonest first', () => {
    const deferred = [run('late', { queued_position: null, not_before: 90 })];
    const row = run('soon', { queued_position: null, not_before: 50 });
    const { cached } = applyEvent(
      { ...nothing, queue: queue({ deferred }) },
      { type: 'run', id: 'soon', row },
    );
    expect(ids(cached.queue?.deferred)).toEqual(['soon', 'late']);
  });

  it('leaves the queue when it ends, joins the review list, and leaves that with the verdict', () => {
    const before: Cached = { ...nothing, queue: queue({ running: [run('r')] }), review: page<Run>() };
    const ended = run('r', { status: 'PENDING_REVIEW', queued_position: null });
    const first = applyEvent(before, { type: 'run', id: 'r', row: ended }).cached;
    expect(first.queue?.running).toEqual([]);
    expect(ids(first.review?.items)).toEqual(['r']);
    const row = run('r', { status: 'ACCEPTED', queued_position: null });
    expect(applyEvent(first, { type: 'run', id: 'r', row }).cached.review?.items).toEqual([]);
  });

  it('that is gone leaves every list', () => {
    const before: Cached = {
      ...nothing,
      queue: queue({ waiting: [{ ...run('r'), estimated_start_at: null }] }),
      runs: pages(page(run('r'), run('s'))),
      review: page(run('r')),
    };
    const { cached } = applyEvent(before, { type: 'run', id: 'r', row: null });
    expect(cached.queue?.waiting).toEqual([]);
    expect(ids(cached.runs?.pages[0]?.items)).toEqual(['s']);
    expect(cached.review?.items).toEqual([]);
  });

  it('keeps its prompt when its row changes', () => {
    const details = { r: { ...run('r'), prompt: 'do it' } };
    const row = run('r', { status: 'IN_PROGRESS' });
    const { cached } = applyEvent({ ...nothing, details }, { type: 'run', id: 'r', row });
    expect(cached.details['r']).toMatchObject({ status: 'IN_PROGRESS', prompt: 'do it' });
  });

  it('asks for the list again when the first page has grown too long', () => {
    const many = Array.from({ length: 300 }, (_, index) => run(`r${index}`, { created_at: 300 - index }));
    const row = run('new', { created_at: 999 });
    const before: Cached = { ...nothing, runs: pages(page(...many)) };
    expect(applyEvent(before, { type: 'run', id: 'new', row }).stale).toEqual(['runs']);
  });
});

describe('pages of rows', () => {
  const list = pages<Run>(
    { items: [run('d', { created_at: 40 }), run('c', { created_at: 30 })], next_cursor: 'x' },
    { items: [run('b', { created_at: 20 })], next_cursor: 'y' },
  );
  const place = (id: string, created_at: number) =>
    patchPages(list, id, run(id, { created_at })).pages.map((one) => ids(one.items));

  it('take a new row where it belongs', () => {
    expect(place('e', 50)).toEqual([['e', 'd', 'c'], ['b']]);
    expect(place('x', 25)).toEqual([
      ['d', 'c'],
      ['x', 'b'],
    ]);
  });

  it('leave a row out that belongs to a page not read yet', () => {
    expect(patchPages(list, 'a', run('a', { created_at: 10 }))).toBe(list);
  });

  it('take the oldest row when there is no further page', () => {
    const whole = pages(page(run('c', { created_at: 30 })));
    expect(ids(patchPages(whole, 'a', run('a', { created_at: 10 })).pages[0]?.items)).toEqual(['c', 'a']);
  });

  it('replace a row in place', () => {
    const next = patchPages(list, 'c', run('c', { created_at: 30, title: 'new' }));
    expect(next.pages[0]?.items[1]?.title).toBe('new');
    expect(next.pages[1]).toBe(list.pages[1]);
  });

  it('are the same value when nothing is to be removed', () => {
    expect(patchPages(list, 'zzz', null)).toBe(list);
  });
});

describe('an automation', () => {
  const before: Cached = {
    ...nothing,
    automations: { ACTIVE: pages(page(automation('a'))), PAUSED: pages(page<Automation>()) },
    attention: page<Automation>(),
  };

  it('changes lists with its status', () => {
    const row = automation('a', { status: 'PAUSED' });
    const { cached } = applyEvent(before, { type: 'automation', id: 'a', row });
    expect(ids(cached.automations.ACTIVE?.pages[0]?.items)).toEqual([]);
    expect(ids(cached.automations.PAUSED?.pages[0]?.items)).toEqual(['a']);
  });

  it('needs attention while it has a code', () => {
    const row = automation('a', { attention_code: 'cwd_missing' });
    const first = applyEvent(before, { type: 'automation', id: 'a', row }).cached;
    expect(ids(first.attention?.items)).toEqual(['a']);
    const second = applyEvent(first, { type: 'automation', id: 'a', row: automation('a') }).cached;
    expect(second.attention?.items).toEqual([]);
  });

  it('that is deleted leaves every list, also when its row is still sent', () => {
    const row = automation('a', { deleted_at: 5, attention_code: 'cwd_missing' });
    const { cached } = applyEvent(before, { type: 'automation', id: 'a', row });
    expect(ids(cached.automations.ACTIVE?.pages[0]?.items)).toEqual([]);
    expect(cached.attention?.items).toEqual([]);
  });
});

describe('the other events', () => {
  it('name what is to be read again', () => {
    expect(applyEvent(nothing, { type: 'queue' }).stale).toEqual(['queue']);
    expect(applyEvent(nothing, { type: 'settings' }).stale).toEqual(['info', 'queue']);
    expect(applyEvent(nothing, { type: 'reset' }).stale).toEqual(['everything']);
    expect(applyEvent(nothing, { type: 'output', run_id: 'r', chunks: [] })).toEqual({
      cached: nothing,
      stale: [],
    });
  });

  it('of the engine set its scans, and keep the word "paused" while it runs', () => {
    const health = {
      status: 'ok' as const,
      version: '1',
      engine: 'paused' as const,
      last_scan_at: null,
      next_scan_at: null,
      now: 0,
      problems: [],
    };
    const scan = { type: 'engine', state: 'running', last_scan_at: 1, next_scan_at: 2 } as const;
    expect(applyEvent({ ...nothing, health }, scan).cached.health).toMatchObject({
      engine: 'paused',
      next_scan_at: 2,
    });
    const stop = { ...scan, state: 'stopped' } as const;
    expect(applyEvent({ ...nothing, health }, stop).cached.health?.engine).toBe('stopped');
    expect(applyEvent(nothing, scan).cached).toBe(nothing);
  });
});
