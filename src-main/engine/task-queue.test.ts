import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { TaskItem } from '../../src-shared/model/task-item.ts';
import { type FakeClock, fakeClock, settled } from '../testing/fake-clock.ts';
import { type TemporaryStore, temporaryStore } from '../testing/temporary-store.ts';
import type { TaskHandler, TaskRequest, TaskWork } from './task-handler.ts';
import { TaskQueue, UnknownTaskTypeError } from './task-queue.ts';
import { createWriter, type Writer } from './writer.ts';

const start = Date.UTC(2026, 10, 29, 8);
const minute = 60_000;

/** A task under way, as its handler sees it; the test says how it ends. */
interface Job {
  item: TaskItem;
  work: TaskWork;
  ends(metadata?: Record<string, unknown>): Promise<void>;
}

let temporary: TemporaryStore;
let clock: FakeClock;
let writer: Writer;
let queue: TaskQueue;
let log: string[];
let jobs: Job[];
let due: TaskRequest[];
let parallel: number;
let mostParallel: number;

const want = (entity_id: string, task_type = 'held'): TaskRequest => ({ task_type, entity_id });
const row = (id: string) => temporary.store.taskItems.get(id)!;
const rows = () => temporary.store.taskItems.list({}, 1000).items.reverse();
const statuses = () => rows().map(({ status }) => status);
const sql = (text: string, ...values: (string | number)[]) => temporary.db.prepare(text).run(...values);

/** Waits until the test ends it; `obeys` ends by itself when it is told to stop. */
function waits(obeys: boolean): TaskHandler {
  return (item, work) => {
    parallel += 1;
    mostParallel = Math.max(mostParallel, parallel);
    return new Promise<Record<string, unknown>>((resolve, reject) => {
      jobs.push({
        item,
        work,
        ends(metadata = {}) {
          resolve(metadata);
          return clock.advance(0);
        },
      });
      if (obeys) work.signal.addEventListener('abort', () => reject(new Error('I was told to stop')));
    }).finally(() => {
      parallel -= 1;
    });
  };
}

function newQueue(): TaskQueue {
  let ids = rows().length;
  const write = (level: string) => (fields: object, message: string) =>
    log.push(`${level} ${message} ${JSON.stringify(fields)}`);
  return new TaskQueue({
    ctx: {
      store: temporary.store,
      clock,
      log: { info: write('info'), warn: write('warn'), error: write('error') },
      newId: () => {
        ids += 1;
        return `task-${String(ids).padStart(4, '0')}`;
      },
    },
    writer,
    handlers: {
      held: waits(true),
      deaf: waits(false),
      quick: async () => ({ made: 'this' }),
      throws: () => {
        throw new Error('no such note');
      },
      rejects: () => Promise.reject('only words'),
    },
    due: () => due,
  });
}

beforeEach(async () => {
  temporary = temporaryStore();
  clock = fakeClock(start);
  writer = createWriter(temporary.store, clock, () => undefined);
  log = [];
  jobs = [];
  due = [];
  parallel = 0;
  mostParallel = 0;
  queue = newQueue();
  await queue.start();
  await clock.advance(0);
});
afterEach(async () => {
  const stopped = queue.stop();
  await clock.advance(10_000);
  await stopped;
  temporary.remove();
});

/** As after `kill -9`: the next host has the file and nothing else. */
async function killed(): Promise<void> {
  const lost = queue;
  const before = rows();
  queue = newQueue();
  // The old one lives in this process and must not write: its handlers never end.
  void lost.stop();
  for (const item of before) {
    sql(
      'UPDATE task_items SET status = ?, started_at = ? WHERE id = ?',
      item.status,
      item.started_at ?? 0,
      item.id,
    );
  }
  jobs = [];
  await queue.start();
  await clock.advance(0);
}

describe('enqueue', () => {
  it('writes the row before memory knows of it, and says what was added', async () => {
    const other = temporary.foreign();
    const seen: unknown[] = [];
    const { write } = writer;
    writer.write = async (fn, ms) => {
      const value = await write(fn, ms);
      seen.push([other.prepare('SELECT count(*) FROM task_items').pluck().get(), jobs.length]);
      return value;
    };
    const { added, existing } = await queue.enqueue([
      { ...want('note-1'), entity_title: 'Note 1', metadata: { model: 'm' } },
    ]);
    expect(seen[0]).toEqual([1, 0]);
    expect(existing).toEqual([]);
    expect(added).toMatchObject([
      {
        task_type: 'held',
        entity_id: 'note-1',
        entity_title: 'Note 1',
        status: 0,
        metadata: '{"model":"m"}',
        created_at: start,
        updated_at: start,
        started_at: null,
        completed_at: null,
        is_deleted: 0,
      },
    ]);
    await clock.advance(0);
    expect(jobs[0]!.item).toMatchObject({ status: 'running', metadata: { model: 'm' } });
  });

  it('makes one item of what a batch asks twice, by type and entity', async () => {
    const { added, existing } = await queue.enqueue([
      { ...want('a'), entity_title: 'first' },
      want('b'),
      { ...want('a'), entity_title: 'second' },
      want('a', 'deaf'),
    ]);
    expect(added.map((item) => [item.task_type, item.entity_id, item.entity_title])).toEqual([
      ['held', 'a', 'first'],
      ['held', 'b', null],
      ['deaf', 'a', null],
    ]);
    expect(existing).toEqual([]);
    expect(rows()).toHaveLength(3);
  });

  it('gives back what waits or runs already, and adds anew what has ended', async () => {
    const first = await queue.enqueue([want('a'), want('b')]);
    await clock.advance(0);
    expect(statuses()).toEqual([1, 0]);
    const second = await queue.enqueue([want('b'), want('c'), want('a')]);
    expect(second.added.map((item) => item.entity_id)).toEqual(['c']);
    expect(second.existing.map((item) => item.id)).toEqual([first.added[1]!.id, first.added[0]!.id]);
    await jobs[0]!.ends();
    const third = await queue.enqueue([want('a')]);
    expect(third).toMatchObject({ added: [{ entity_id: 'a' }], existing: [] });
  });

  it('stays single when many ask at once, and when another program asks', async () => {
    const other = temporary.foreign();
    other
      .prepare(
        "INSERT INTO task_items (id, task_type, entity_id, created_at, updated_at) VALUES ('theirs', 'held', 'x', 1, 1)",
      )
      .run();
    const all = await Promise.all(
      Array.from({ length: 20 }, () => queue.enqueue([want('x'), want('y'), want('z')])),
    );
    expect(all.flatMap(({ added }) => added)).toHaveLength(2);
    expect(all.every(({ added, existing }) => added.length + existing.length === 3)).toBe(true);
    expect(all[0]!.existing.map((item) => item.id)).toEqual(['theirs']);
    expect(rows()).toHaveLength(3);
    const again =
      "INSERT INTO task_items (id, task_type, entity_id, created_at, updated_at) VALUES ('again', 'held', 'y', 1, 1)";
    expect(() => other.prepare(again).run()).toThrow(/UNIQUE/);
  });

  it('refuses a type that nobody carries out, with the whole batch', async () => {
    await expect(queue.enqueue([want('a'), want('a', 'Nonsense')])).rejects.toThrow(UnknownTaskTypeError);
    await expect(queue.enqueue([want('a', 'toString')])).rejects.toThrow(UnknownTaskTypeError);
    expect(rows()).toEqual([]);
  });
});

describe('the consumer', () => {
  it('carries one item out at a time, oldest first', async () => {
    await queue.enqueue([want('a'), want('b')]);
    await queue.enqueue([want('c')]);
    for (const entity of ['a', 'b', 'c']) {
      await clock.advance(0);
      expect(jobs.at(-1)!.item.entity_id).toBe(entity);
      expect(statuses().filter((status) => status === 1)).toHaveLength(1);
      await jobs.at(-1)!.ends();
    }
    expect(jobs).toHaveLength(3);
    expect(mostParallel).toBe(1);
    expect(statuses()).toEqual([2, 2, 2]);
  });

  it('writes start, end and what the handler gave', async () => {
    const [item] = (await queue.enqueue([{ ...want('a'), metadata: { asked: 1 } }])).added;
    await clock.advance(5000);
    expect(row(item!.id)).toMatchObject({ status: 1, started_at: start, updated_at: start });
    await jobs[0]!.ends({ got: 2 });
    expect(row(item!.id)).toMatchObject({
      status: 2,
      started_at: start,
      completed_at: start + 5000,
      updated_at: start + 5000,
      error_message: null,
      metadata: '{"asked":1,"got":2}',
    });
  });

  it.each([
    ['throws', 'no such note'],
    ['rejects', 'only words'],
  ])('a handler that %s fails its item with its message, and the next one runs', async (type, message) => {
    await queue.enqueue([want('a', type), want('b', 'quick')]);
    await clock.advance(0);
    expect(rows()).toMatchObject([
      { status: 3, error_message: message, completed_at: start, updated_at: start },
      { status: 2, error_message: null, metadata: '{"made":"this"}' },
    ]);
  });

  it('fails an item of another program whose type nobody carries out', async () => {
    sql(
      "INSERT INTO task_items (id, task_type, entity_id, created_at, updated_at) VALUES ('x', 'Nonsense', 'e', 1, 1)",
    );
    await clock.advance(2 * minute);
    expect(row('x')).toMatchObject({ status: 3, error_message: expect.stringContaining('"Nonsense"') });
  });

  it('leaves alone what was deleted, moved on or claimed by somebody while it waited', async () => {
    const { added } = await queue.enqueue([want('a'), want('b'), want('c'), want('d')]);
    await clock.advance(0);
    sql('UPDATE task_items SET is_deleted = 1 WHERE id = ?', added[1]!.id);
    sql('UPDATE task_items SET status = 2 WHERE id = ?', added[2]!.id);
    await jobs[0]!.ends();
    await clock.advance(0);
    expect(jobs.map((job) => job.item.entity_id)).toEqual(['a', 'd']);
    expect(temporary.store.taskItems.get(added[1]!.id)).toBeUndefined();
    const { added: anew } = await queue.enqueue([want('b')]);
    expect(anew).toHaveLength(1);
  });

  it('goes on after a commit that failed; the sweep brings the item back', async () => {
    const { write } = writer;
    const [item] = (await queue.enqueue([want('a'), want('b', 'quick')])).added;
    await clock.advance(0);
    writer.write = () => Promise.reject(new Error('disk on fire'));
    await jobs[0]!.ends();
    writer.write = write;
    expect(log.join()).toContain('disk on fire');
    await clock.advance(5 * minute);
    expect(row(item!.id)).toMatchObject({ status: 1 });
    await clock.advance(2 * minute);
    await jobs.at(-1)!.ends();
    expect(statuses()).toEqual([2, 2]);
  });
});

describe('cancel', () => {
  it('fails one that waits at once', async () => {
    const { added } = await queue.enqueue([want('a'), want('b')]);
    await clock.advance(1000);
    expect(await queue.cancel(added[1]!.id)).toBe(true);
    expect(row(added[1]!.id)).toMatchObject({
      status: 3,
      error_message: '任务被取消',
      started_at: null,
      completed_at: start + 1000,
      updated_at: start + 1000,
    });
    await jobs[0]!.ends();
    expect(jobs).toHaveLength(1);
  });

  it.each(['held', 'deaf'])(
    'tells one that runs to stop, and fails it when it has ended (%s)',
    async (type) => {
      const [item] = (await queue.enqueue([want('a', type)])).added;
      await clock.advance(1000);
      expect(await queue.cancel(item!.id)).toBe(true);
      expect(jobs[0]!.work.signal.aborted).toBe(true);
      if (type === 'deaf') {
        expect(row(item!.id).status).toBe(1);
        await jobs[0]!.ends({ too: 'late' });
      }
      await clock.advance(0);
      expect(row(item!.id)).toMatchObject({
        status: 3,
        error_message: '任务被取消',
        completed_at: start + 1000,
        metadata: null,
      });
    },
  );

  it('is false for what has ended, is deleted or never was', async () => {
    const [item] = (await queue.enqueue([want('a', 'quick')])).added;
    await clock.advance(0);
    expect(await queue.cancel(item!.id)).toBe(false);
    expect(row(item!.id).status).toBe(2);
    expect(await queue.cancel('nothing')).toBe(false);
  });
});

describe('an orderly stop', () => {
  it('puts what runs back with its start cleared and the reason; the next host carries it out', async () => {
    const { added } = await queue.enqueue([want('a'), want('b')]);
    await clock.advance(1000);
    await queue.stop();
    expect(row(added[0]!.id)).toMatchObject({
      status: 0,
      started_at: null,
      completed_at: null,
      error_message: '服务停止，任务已重新排队',
      updated_at: start + 1000,
    });
    expect(jobs).toHaveLength(1);
    const { added: later } = await queue.enqueue([want('c')]);
    expect(row(later[0]!.id).status).toBe(0);
    queue = newQueue();
    await queue.start();
    await clock.advance(0);
    expect(row(added[0]!.id)).toMatchObject({ status: 1, error_message: null, started_at: start + 1000 });
    for (let index = 1; index <= 3; index += 1) await jobs[index]!.ends();
    expect(statuses()).toEqual([2, 2, 2]);
  });

  it('waits for a deaf handler, but not for ever; that one is recovered at the next start', async () => {
    const [item] = (await queue.enqueue([want('a', 'deaf')])).added;
    await clock.advance(0);
    let stopped = false;
    const stopping = queue.stop().then(() => {
      stopped = true;
    });
    await clock.advance(7999);
    expect(stopped).toBe(false);
    await clock.advance(1);
    await stopping;
    await jobs[0]!.ends();
    expect(row(item!.id).status).toBe(1);
    queue = newQueue();
    await queue.start();
    await clock.advance(0);
    expect(row(item!.id)).toMatchObject({ status: 1, started_at: start + 8000 });
    await jobs[1]!.ends();
    expect(row(item!.id).status).toBe(2);
  });

  it('a deaf handler that ends in time is queued again too', async () => {
    const [item] = (await queue.enqueue([want('a', 'deaf')])).added;
    await clock.advance(0);
    const stopping = queue.stop();
    await jobs[0]!.ends();
    await stopping;
    expect(row(item!.id)).toMatchObject({ status: 0, error_message: '服务停止，任务已重新排队' });
  });
});

describe('after the host was killed', () => {
  it('queued and running rows are taken up, oldest first, whatever their age', async () => {
    const { added } = await queue.enqueue([want('a', 'deaf'), want('b', 'deaf'), want('c', 'deaf')]);
    await clock.advance(10);
    await killed();
    expect(row(added[0]!.id)).toMatchObject({ status: 1, started_at: start + 10 });
    for (let index = 0; index < 3; index += 1) await jobs[index]!.ends();
    expect(jobs.map((job) => job.item.entity_id)).toEqual(['a', 'b', 'c']);
    expect(statuses()).toEqual([2, 2, 2]);
    expect(log.join()).toContain('服务中断，任务已重新排队');
  });

  it('what was deleted or has ended stays as it is', async () => {
    sql(`INSERT INTO task_items (id, task_type, entity_id, status, is_deleted, created_at, updated_at) VALUES
      ('d0', 'quick', 'a', 0, 1, 1, 1), ('d1', 'quick', 'a', 1, 1, 1, 1), ('f', 'quick', 'a', 3, 0, 1, 1)`);
    await killed();
    const all = temporary.db.prepare('SELECT id, status FROM task_items ORDER BY id').raw().all();
    expect(all).toEqual([
      ['d0', 0],
      ['d1', 1],
      ['f', 3],
    ]);
  });
});

describe('the sweep, every 2 minutes', () => {
  const stuck = (id: string, updatedAt: number) =>
    sql(
      `INSERT INTO task_items (id, task_type, entity_id, status, started_at, created_at, updated_at)
       VALUES (?, 'quick', ?, 1, 1, 1, ?)`,
      id,
      id,
      updatedAt,
    );

  it('takes back only what was not touched for more than 5 minutes', async () => {
    await clock.advance(2 * minute - 1);
    const sweepAt = start + 2 * minute;
    stuck('4:59', sweepAt - 299_000);
    stuck('5:00', sweepAt - 300_000);
    stuck('5:01', sweepAt - 301_000);
    stuck('deleted', sweepAt - 999_000);
    sql("UPDATE task_items SET is_deleted = 1 WHERE id = 'deleted'");
    await clock.advance(1);
    expect(row('4:59').status).toBe(1);
    expect(row('5:00').status).toBe(1);
    expect(row('5:01')).toMatchObject({ status: 2, started_at: sweepAt, completed_at: sweepAt });
    expect(temporary.db.prepare("SELECT status FROM task_items WHERE id = 'deleted'").pluck().get()).toBe(1);
    await clock.advance(2 * minute);
    expect([row('4:59').status, row('5:00').status]).toEqual([2, 2]);
  });

  it('feeds queued rows that memory lost, or that another program wrote', async () => {
    sql(
      "INSERT INTO task_items (id, task_type, entity_id, created_at, updated_at) VALUES ('x', 'quick', 'e', ?, ?)",
      start,
      start,
    );
    await clock.advance(2 * minute - 1);
    expect(row('x').status).toBe(0);
    await clock.advance(1);
    expect(row('x').status).toBe(2);
  });

  it('leaves alone a long task that touches, and writes the touch', async () => {
    const [item] = (await queue.enqueue([want('a')])).added;
    await clock.advance(0);
    for (let passed = 0; passed < 30; passed += 1) {
      await clock.advance(minute);
      jobs[0]!.work.touch();
      jobs[0]!.work.touch();
      await settled();
      expect(row(item!.id)).toMatchObject({ status: 1, updated_at: clock.now(), started_at: start });
    }
    await jobs[0]!.ends();
    expect(row(item!.id).status).toBe(2);
    expect(jobs).toHaveLength(1);
  });

  it('tells a silent task to end and carries it out anew, after its handler has ended', async () => {
    const [item] = (await queue.enqueue([want('a', 'deaf')])).added;
    await clock.advance(2 * minute);
    await clock.advance(2 * minute);
    expect(row(item!.id).status).toBe(1);
    expect(jobs[0]!.work.signal.aborted).toBe(false);
    await clock.advance(2 * minute);
    expect(jobs[0]!.work.signal.aborted).toBe(true);
    expect(row(item!.id)).toMatchObject({ status: 0, started_at: null });
    jobs[0]!.work.touch();
    await clock.advance(10 * minute);
    expect(jobs).toHaveLength(1);
    await jobs[0]!.ends({ late: true });
    expect(row(item!.id)).toMatchObject({ status: 1, metadata: null });
    await jobs[1]!.ends();
    expect(row(item!.id).status).toBe(2);
    expect(mostParallel).toBe(1);
  });

  it('does not take a slept hour for silence', async () => {
    const [item] = (await queue.enqueue([want('a')])).added;
    await clock.advance(0);
    clock.jump(60 * minute);
    await clock.advance(2 * minute);
    expect(row(item!.id).status).toBe(1);
    await jobs[0]!.ends();
    expect(row(item!.id).status).toBe(2);
  });

  it('asks what is due by itself, at the start and each time', async () => {
    due = [want('nightly', 'quick')];
    await clock.advance(2 * minute);
    due = [want('nightly'), want('nightly')];
    await clock.advance(2 * minute);
    await clock.advance(2 * minute);
    expect(rows().map((item) => [item.task_type, item.status])).toEqual([
      ['quick', 2],
      ['held', 1],
    ]);
  });

  it('goes on after one that failed', async () => {
    const { write } = writer;
    writer.write = () => Promise.reject(new Error('disk on fire'));
    await clock.advance(2 * minute);
    writer.write = write;
    expect(log.join()).toContain('sweep');
    stuck('x', start - 3_600_000);
    await clock.advance(2 * minute);
    expect(row('x').status).toBe(2);
  });
});

it('a host that another program keeps waiting claims when the lock is free', async () => {
  const other = temporary.foreign();
  const asked = queue.enqueue([want('a', 'quick')]);
  await asked;
  other.exec('BEGIN IMMEDIATE');
  const blocked = queue.enqueue([want('b', 'quick')]);
  await settled();
  other.exec('COMMIT');
  await clock.advance(1000);
  await blocked;
  await clock.advance(0);
  expect(statuses()).toEqual([2, 2]);
});
