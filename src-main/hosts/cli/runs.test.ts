import { describe, expect, it } from 'vitest';
import type { CallOutput } from '../../../src-shared/contract/client.ts';
import { ApiError } from '../../../src-shared/contract/errors.ts';
import type { AppEvent } from '../../../src-shared/contract/events.ts';
import type { Run } from '../../../src-shared/model/run.ts';
import type { Answers } from './fixture.ts';
import { automation, library, page, run, runFake } from './fixture.ts';

const id = 'run-b1111111-0000';
type Chunk = { seq: number; at: number; stream: string; text: string };
const chunk = (seq: number, text: string, stream = 'stdout'): Chunk => ({ seq, at: 0, stream, text });

/** A host whose run changes as the stream of events goes on: each step changes it, then tells. */
function host(first: Partial<Run>, stored: Chunk[] = []) {
  const state = { run: run({ id, status: 'QUEUED', ...first }), stored };
  const answers: Answers = {
    ...library(automation()),
    getRun: ({ params }) => {
      if (params['id'] !== id) throw new ApiError('not_found', 'no such run');
      return { ...state.run, prompt: 'do it' };
    },
    listRuns: () => page(state.run),
    runAutomation: () => ({ run: state.run, existing: false }),
    getRunOutput: ({ query }) => {
      const items = state.stored.filter(({ seq }) => seq >= Number(query['from'] ?? 0)).slice(0, 2);
      const next = (items.at(-1)?.seq ?? Number(query['from']) - 1) + 1;
      return { items, next, ended: false, output_bytes: 0, output_dropped_bytes: 0 };
    },
  };
  const becomes = (fields: Partial<Run>): AppEvent => {
    state.run = { ...state.run, ...fields };
    return { type: 'run', id, row: state.run };
  };
  const writes = (...chunks: Chunk[]): AppEvent => {
    state.stored.push(...chunks);
    return { type: 'output', run_id: id, chunks };
  };
  return { state, answers, becomes, writes };
}

async function* eventsOf(...steps: (() => AppEvent)[]): AsyncGenerator<AppEvent> {
  for (const step of steps) yield step();
}

describe('run', () => {
  it('starts a task and prints the id of its run', async () => {
    const { answers } = host({ queued_position: 2 });
    const result = await runFake(['run', 'Daily brief'], { answers });
    expect(result).toMatchObject({ code: 0, out: `${id}\n`, err: 'Queued at position 2.\n' });
    expect(JSON.parse((await runFake(['run', 'a1', '--json'], { answers })).out)).toMatchObject({
      existing: false,
    });
  });

  it('submits a prompt or a command, in the folder it was typed in', async () => {
    const answers: Answers = { submitRun: () => ({ id: 't1', next_run_at: 0, status: 'SCHEDULED' }) };
    const prompt = await runFake(['run', '--prompt', 'Sum up\nall'], { answers });
    expect(prompt.out).toBe('t1\n');
    expect(prompt.requests[0]?.body).toEqual({
      delay_seconds: 0,
      cwds: ['/home/me'],
      name: 'Sum up',
      prompt: 'Sum up\nall',
    });
    const command = await runFake(['run', '--timeout', '5', '--', 'make', '-j', '--wait'], { answers });
    expect(command.requests[0]?.body).toEqual({
      delay_seconds: 0,
      cwds: ['/home/me'],
      name: 'make -j --wait',
      command: ['make', '-j', '--wait'],
      timeout_seconds: 5,
    });
    expect(command.code).toBe(0);
  });
});

describe('run --wait', () => {
  it.each([
    ['ACCEPTED', null, 0, 'Accepted after 1 min 1 s.'],
    ['FAILED', 'exit_code', 1, 'Failed after 1 min 1 s. It ended with an error (exit 3)'],
    ['CANCELLED', 'cancelled', 1, 'Cancelled after 1 min 1 s. It was cancelled (exit 3)'],
    [
      'PENDING_REVIEW',
      null,
      1,
      `Needs review after 1 min 1 s.\nIt waits for your verdict: nextrun accept ${id}`,
    ],
  ] as const)('ends %s (%s) with %i', async (status, reason_code, code, words) => {
    const { answers, becomes, writes } = host({});
    const events = () =>
      eventsOf(
        () => becomes({ status: 'IN_PROGRESS' }),
        () => writes(chunk(0, 'one\n'), chunk(1, 'oops\n', 'stderr')),
        () => ({ type: 'output', run_id: 'run-other', chunks: [chunk(0, 'not mine')] }),
        () => writes(chunk(2, 'two\u001b[31')),
        () => writes(chunk(3, 'm\u001b]0;title\u0007!\n')),
        () => becomes({ status, reason_code, reason_detail: reason_code === null ? null : 'exit 3' }),
      );
    const result = await runFake(['run', 'a1', '--wait'], { answers, streams: [events] });
    expect(result.code).toBe(code);
    expect(result.out).toBe('one\ntwo!\n');
    expect(result.err).toContain('Queued.\n');
    expect(result.err).toContain(`Running: ${id}\n`);
    expect(result.err).toContain('oops\n');
    expect(result.err).toContain(words);
  });

  it('leaves escapes in with --raw', async () => {
    const { answers, becomes, writes } = host({});
    const events = () =>
      eventsOf(
        () => writes(chunk(0, '\u001b[31mred')),
        () => becomes({ status: 'ACCEPTED' }),
      );
    expect((await runFake(['run', 'a1', '-w', '--raw'], { answers, streams: [events] })).out).toBe(
      '\u001b[31mred',
    );
  });

  it('prints the run alone with --json', async () => {
    const { answers, becomes, writes } = host({});
    const events = () =>
      eventsOf(
        () => writes(chunk(0, 'text')),
        () => becomes({ status: 'FAILED' }),
      );
    const result = await runFake(['run', 'a1', '--wait', '--json'], { answers, streams: [events] });
    expect(result.code).toBe(1);
    expect(JSON.parse(result.out)).toMatchObject({ id, status: 'FAILED' });
  });

  it('knows a run that ended before it was watched', async () => {
    const { answers } = host({ status: 'ACCEPTED' }, [chunk(0, 'a'), chunk(1, 'b'), chunk(2, 'c\n')]);
    const result = await runFake(['run', 'a1', '--wait'], { answers, streams: [() => eventsOf()] });
    expect(result).toMatchObject({ code: 0, out: 'abc\n' });
  });

  it('reads what it missed: in a gap, after a reset, after a lost connection', async () => {
    const { answers, becomes, writes, state } = host({ status: 'IN_PROGRESS' });
    const lose = (...chunks: Chunk[]) => {
      state.stored.push(...chunks);
    };
    const first = () =>
      eventsOf(
        () => writes(chunk(0, 'a')),
        () => {
          lose(chunk(1, 'b'), chunk(2, 'c'));
          return writes(chunk(3, 'd'));
        },
        () => {
          lose(chunk(4, 'e'));
          return { type: 'reset' };
        },
      );
    const second = () => {
      lose(chunk(5, 'f'));
      return eventsOf(
        () => writes(chunk(6, 'g')),
        () => becomes({ status: 'ACCEPTED' }),
      );
    };
    const result = await runFake(['run', 'a1', '--wait'], { answers, streams: [first, second] });
    expect(result).toMatchObject({ code: 0, out: 'abcdefg' });
    expect(result.err.match(/Running/g)).toHaveLength(1);
  });

  it('gives up with 5 when the host stays away', async () => {
    const { answers } = host({});
    const result = await runFake(['run', 'a1', '--wait'], { answers, streams: [() => eventsOf()] });
    expect(result.code).toBe(5);
    expect(result.err).toContain('The connection to NextRun was lost.');
  });

  it('stops watching at Ctrl-C, says that the run goes on, and puts the handler back', async () => {
    const { answers } = host({});
    let interrupt = () => {};
    let restored = 0;
    const stuck = () =>
      (async function* (): AsyncGenerator<AppEvent> {
        interrupt();
        yield { type: 'queue' };
      })();
    const onInterrupt = (fn: () => void) => {
      interrupt = fn;
      return () => {
        restored += 1;
      };
    };
    const result = await runFake(['run', 'a1', '--wait'], {
      answers,
      streams: [stuck],
      deps: { onInterrupt },
    });
    expect(result.code).toBe(130);
    expect(result.err).toContain(`nextrun cancel ${id}`);
    expect(restored).toBe(1);
  });

  it('waits for the run of a new task', async () => {
    const { answers, becomes, writes } = host({ status: 'QUEUED' });
    let runId: string | null = null;
    const status = () => ({
      ...{
        id: 't1',
        status: runId === null ? 'SCHEDULED' : 'QUEUED',
        label: { zh: '', en: '' },
        next_run_at: 0,
      },
      ...{ queuedPosition: null, runId, sessionId: null, resultState: null, resultEvidence: null },
      ...{
        result_success: null,
        summary: null,
        error: null,
        reason: null,
        startedAt: null,
        finishedAt: null,
        usage: null,
      },
    });
    const started = () => {
      runId = id;
      return becomes({ automation_id: 't1' });
    };
    const submitted = { id: 't1', next_run_at: 0, status: 'SCHEDULED' };
    const result = await runFake(['run', '--wait', '--', 'echo', 'hi'], {
      answers: { ...answers, submitRun: () => submitted, submittedRunStatus: status },
      streams: [
        () => eventsOf(() => ({ type: 'queue' }), started),
        () =>
          eventsOf(
            () => writes(chunk(0, 'hi\n')),
            () => becomes({ status: 'ACCEPTED' }),
          ),
      ],
    });
    expect(result).toMatchObject({ code: 0, out: 'hi\n' });
  });
});

describe('cancel, accept, reject', () => {
  it('cancel takes a short id, or a task for its last run', async () => {
    const { answers } = host({ status: 'IN_PROGRESS' });
    const all: Answers = {
      ...answers,
      cancelRun: () => run({ id, status: 'IN_PROGRESS' }),
      listAutomationRuns: () => page(run({ id })),
    };
    for (const given of [id, 'run-b11', 'b11', 'Daily brief']) {
      const result = await runFake(['cancel', given], { answers: all });
      expect(result).toMatchObject({ code: 0, out: `${id}\n`, err: `Stopping ${id}.\n` });
      expect(result.requests.at(-1)).toMatchObject({ route: 'cancelRun', params: { id } });
    }
    expect((await runFake(['cancel', 'nope'], { answers: all })).code).toBe(3);
    const never = { ...all, listAutomationRuns: () => page<Run>() };
    expect((await runFake(['cancel', 'Daily brief'], { answers: never })).err).toContain('has not run yet');
  });

  it('a short id that fits two runs is ambiguous', async () => {
    const { answers } = host({});
    const two = { ...answers, listRuns: () => page(run({ id: 'run-b11x' }), run({ id: 'run-b11y' })) };
    expect((await runFake(['cancel', 'b11'], { answers: two })).code).toBe(2);
  });

  it('a state that does not allow it is a conflict', async () => {
    const { answers } = host({ status: 'ACCEPTED' });
    const acceptRun = () => {
      throw new ApiError('state_conflict', 'It does not wait for review');
    };
    expect((await runFake(['accept', id], { answers: { ...answers, acceptRun } })).code).toBe(4);
  });

  it('sends the note', async () => {
    const { answers } = host({ status: 'PENDING_REVIEW' });
    const all = { ...answers, acceptRun: () => run(), rejectRun: () => run() };
    const accepted = await runFake(['accept', id, '--note', 'good'], { answers: all });
    expect(accepted.requests.at(-1)?.body).toEqual({ note: 'good' });
    const rejected = await runFake(['reject', id, '--note', 'bad', '--rerun'], { answers: all });
    expect(rejected.requests.at(-1)?.body).toEqual({ note: 'bad', rerun: true });
  });
});

describe('runs, logs, show', () => {
  const two = [run({ id: 'run-2', status: 'FAILED', reason_code: 'exit_code' }), run({ id: 'run-1' })];
  const answers: Answers = { ...library(automation()), listRuns: () => page(...two) };

  it('runs shows them, newest first', async () => {
    const result = await runFake(['runs', '--task', 'Daily brief', '--status', 'review'], { answers });
    const query = { automation_id: 'a1111111-0000', status: 'PENDING_REVIEW', limit: '20' };
    expect(result.requests.at(-1)?.query).toEqual(query);
    const [, first] = result.out.split('\n');
    expect(first).toBe(
      'run-2  Daily brief  Failed    By hand     2026-05-06 09:00  1 min 1 s  It ended with an error',
    );
  });

  it('shows only the runs of the owner of the environment', async () => {
    const theirs = { ...answers, listAutomations: () => page(automation({ id: 'b', owner_bot_id: 'bot' })) };
    const result = await runFake(['runs', '--json'], { answers: theirs, env: { BOT_ID: 'bot' } });
    expect(JSON.parse(result.out)).toEqual({ items: [], next_cursor: null });
  });

  it('logs shows how they ended, newest last', async () => {
    const { out } = await runFake(['logs', '--task-id', 'a1', '--limit', '2'], { answers });
    expect(out).toBe(
      '2026-05-06 09:01  Accepted  1 min 1 s  Daily brief: three commits\n' +
        '2026-05-06 09:01  Failed  1 min 1 s  Daily brief: It ended with an error – three commits\n',
    );
  });

  it('logs --follow adds each run as it ends, once, and gives one JSON value per line', async () => {
    const running = run({ id: 'run-3', status: 'IN_PROGRESS' });
    const ended = { ...running, status: 'ACCEPTED' as const };
    const other = run({ id: 'run-9', automation_id: 'other' });
    let stop = () => {};
    const events = () =>
      (async function* (): AsyncGenerator<AppEvent> {
        yield { type: 'run', id: 'run-3', row: running };
        yield { type: 'run', id: 'run-3', row: ended };
        yield { type: 'run', id: 'run-3', row: ended };
        yield { type: 'run', id: 'run-9', row: other };
        stop();
      })();
    const onInterrupt = (fn: () => void) => {
      stop = fn;
      return () => {};
    };
    const world = { answers, streams: [events], deps: { onInterrupt } };
    const result = await runFake(['logs', '--task-id', 'a1', '-f', '--json'], world);
    expect(result.code).toBe(130);
    const lines = result.out.trim().split('\n');
    expect(lines.map((line) => JSON.parse(line).id)).toEqual(['run-1', 'run-2', 'run-3']);
  });

  it('logs <run> prints the output, without escapes unless --raw', async () => {
    const { answers: all } = host({ status: 'ACCEPTED' }, [
      chunk(0, '\u001b[1mbold'),
      chunk(1, ' err\n', 'stderr'),
      chunk(2, 'x\n'),
    ]);
    expect((await runFake(['logs', id], { answers: all })).out).toBe('bold err\nx\n');
    expect((await runFake(['logs', id, '--raw'], { answers: all })).out).toBe('\u001b[1mbold err\nx\n');
    expect(JSON.parse((await runFake(['logs', id, '--json'], { answers: all })).out).items).toHaveLength(3);
  });

  it('show lists the files that the run changed, without what could move the cursor', async () => {
    const { answers } = host({ change_count: 9 });
    const items: CallOutput<'getRunChanges'>['items'] = [
      { path: 'a b/c', change: 'changed', bytes_before: 1, bytes_after: 2 },
      { path: 'evil\u001b[2J', change: 'created', bytes_before: null, bytes_after: 2 },
    ];
    const all: Answers = { ...answers, getRunChanges: () => ({ items, total: 9 }) };
    const { out } = await runFake(['show', id], { answers: all });
    expect(out).toMatch(/^Changed files {2}changed a b\/c\n +created evil.*\n +7 more are not listed\.$/m);
    expect(out).not.toContain('\u001b[2J');
    const chinese = await runFake(['show', id], { answers: all, env: { LANG: 'zh_CN.UTF-8' } });
    expect(chinese.out).toMatch(/^改动的文件 +修改 a b\/c$/m);
    expect(JSON.parse((await runFake(['show', id, '--json'], { answers: all })).out).changes).toEqual(items);
  });

  it('show prints a run, or a task', async () => {
    const { answers: all } = host({ status: 'FAILED', reason_code: 'exit_code', exit_code: 3 });
    const shown = await runFake(['show', id], { answers: all });
    expect(shown.out).toMatch(/^Run id {7}run-b1111111-0000$/m);
    expect(shown.out).toMatch(/^Exit code {4}3$/m);
    expect(shown.out).toMatch(/^Started {6}2026-05-06 09:00:00 \+08:00$/m);
    expect(shown.out).toMatch(/^Prompt {7}do it$/m);
    expect(shown.out).not.toContain('Changed files');
    const task = await runFake(['show', 'Daily brief'], { answers: { ...all, listRuns: () => page<Run>() } });
    expect(task.out).toMatch(/^Schedule {2}Every day at 09:00$/m);
    expect((await runFake(['show', 'nope'], { answers: all })).err).toContain('There is no run “nope”.');
    expect(JSON.parse((await runFake(['show', id, '--json'], { answers: all })).out)).toMatchObject({
      prompt: 'do it',
    });
  });
});
