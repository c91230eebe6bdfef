import { describe, expect, it } from 'vitest';
import { ApiError } from '../../../src-shared/contract/errors.ts';
import { automation, library, page, run, runFake } from './fixture.ts';

const bodyOf = (requests: { route: string; body: unknown }[], route: string) =>
  requests.find((request) => request.route === route)?.body;

describe('exit codes', () => {
  const failing = (error: ApiError) =>
    runFake(['list'], {
      answers: {
        listAutomations: () => {
          throw error;
        },
      },
    });

  it.each([
    ['invalid', 2],
    ['schedule_invalid', 2],
    ['too_large', 2],
    ['not_found', 3],
    ['rev_conflict', 4],
    ['no_engine', 5],
    ['database_busy', 1],
    ['unauthorized', 1],
  ] as const)('%s gives %i', async (code, exit) => {
    expect((await failing(new ApiError(code, 'No'))).code).toBe(exit);
  });

  it('says message, hint and field on stderr and nothing on stdout', async () => {
    const result = await failing(new ApiError('invalid', 'Too long', { hint: 'shorten it', field: 'name' }));
    expect(result.err).toBe('error: Too long\nhint: shorten it\nfield: name\n');
    expect(result.out).toBe('');
  });

  it('says them as JSON with --json', async () => {
    const result = await runFake(['delete', 'nothing', '--json'], { answers: library() });
    expect(result.code).toBe(3);
    expect(JSON.parse(result.err)).toMatchObject({
      code: 'not_found',
      message: 'There is no task “nothing”.',
    });
  });

  it.each([
    [['nonsense']],
    [['list', '--nonsense']],
    [['list', '--limit', '0']],
    [['list', '--status', 'happy']],
    [['list', '--format', 'xml']],
    [['delete']],
    [['delete', 'one', 'two']],
    [['reject', 'x']],
    [['edit', 'x']],
    [['add', 'stray']],
    [['run']],
    [['run', 'x', '--', 'ls']],
    [['run', 'x', '--prompt', 'y']],
    [['run', '--']],
    [['add', '--command', 'ls', '--', 'ls']],
    [['add', '-m', 'x', '--prompt', 'y']],
    [['add', '--env', 'novalue']],
    [['add', '--every', '10m', '--schedule', '0 9 * * *']],
    [['add', '--every', 'often']],
    [['preview', 'whenever']],
    [['token', 'old']],
    [['token', '--scope', 'run']],
    [['logs', 'x', '--task-id', 'y']],
    [[]],
  ])('%j is a usage error', async (args) => {
    const result = await runFake(args, { answers: library(automation({ id: 'x' })) });
    expect(result.code).toBe(2);
    expect(result.out).toBe('');
    expect(result.err).not.toBe('');
    expect(
      result.requests.filter(({ route }) => route !== 'getAutomation' && route !== 'listAutomations'),
    ).toEqual([]);
  });

  it('is 0 for help and version', async () => {
    expect(await runFake(['--version'])).toMatchObject({ code: 0, out: '1.2.3\n' });
    expect((await runFake(['add', '--help'])).out).toContain('--scheduled-at');
    expect((await runFake(['help'])).out).toContain('6 already served');
  });

  it.each([
    [['run', 'x']],
    [['run', '--prompt', 'x']],
    [['cancel', 'x']],
    [['logs', '--follow']],
    [['logs', 'x', '-f']],
    [['open']],
  ])('%j needs a host', async (args) => {
    const result = await runFake(args, { live: false });
    expect(result).toMatchObject({ code: 5, out: '', requests: [] });
    expect(result.err).toContain('NextRun is not running.\nhint: ');
  });

  it('gives what serve gives', async () => {
    const asked: unknown[] = [];
    const serve = async (options: unknown) => {
      asked.push(options);
      return 6;
    };
    expect((await runFake(['serve', '--port', '9000'], { deps: { serve } })).code).toBe(6);
    expect(asked).toEqual([{ port: 9000 }]);
  });

  it('is 1 for what nobody foresaw, in one line', async () => {
    const findHost = () => Promise.reject(new Error('disk on fire'));
    const result = await runFake(['list'], { deps: { findHost } });
    expect(result).toMatchObject({
      code: 1,
      err: 'error: Something went wrong inside NextRun: disk on fire\n',
    });
  });
});

describe('without a host', () => {
  const words = 'nothing will run until “nextrun serve” or the app is started';

  it.each([
    [['list']],
    [['add', '-m', 'x']],
    [['edit', 'a1', '--name', 'y']],
    [['delete', 'a1']],
    [['toggle', 'a1']],
    [['show', 'a1']],
    [['why', 'a1']],
  ])('%j works on the data folder and says so', async (args) => {
    const one = automation();
    const why = {
      id: one.id,
      will_run: false,
      next_run_at: null,
      summary: { en: 'No', zh: '不' },
      clauses: [],
    };
    const result = await runFake(args, {
      live: false,
      answers: {
        ...library(one),
        listRuns: () => page(),
        createAutomation: () => one,
        updateAutomation: () => one,
        deleteAutomation: () => one,
        toggleAutomation: () => one,
        whyAutomation: () => why,
      },
    });
    expect(result.code).toBe(0);
    expect(result.err).toContain(words);
    expect(result.out).not.toBe('');
  });

  it('status tells it with exit code 5', async () => {
    const info = {
      version: '1.2.3',
      timezone: 'Asia/Shanghai',
      data_folder: '/home/me/.nextrun',
      port: null,
      max_concurrent: 3,
      scheduling_enabled: true,
      agents: [],
      counts: { automations: 2, attention: 1, needs_review: 0 },
    };
    const result = await runFake(['status'], { live: false, answers: { info: () => info } });
    expect(result.code).toBe(5);
    expect(result.out).toContain('NextRun is not running');
    expect(result.out).toContain('2, of which 1 with a problem');
  });
});

describe('language', () => {
  it.each([
    [{ LANG: 'zh_CN.UTF-8' }, '没有任务。\n'],
    [{ LANG: 'zh_CN.UTF-8', LC_ALL: 'C' }, 'No tasks.\n'],
    [{ LANG: 'en_US.UTF-8', LC_MESSAGES: 'zh_TW' }, '没有任务。\n'],
    [{ NEXTRUN_LANG: 'zh', LC_ALL: 'en_US' }, '没有任务。\n'],
    [{ NEXTRUN_LANG: '', LANG: 'de_DE' }, 'No tasks.\n'],
  ])('%j', async (env, words) => {
    expect((await runFake(['list'], { env, answers: library() })).err).toBe(words);
  });

  it('is kept by complaints and help', async () => {
    const env = { LANG: 'zh_CN' };
    expect((await runFake(['list', '--nope'], { env })).err).toBe('错误：没有选项 --nope。\n');
    expect((await runFake(['lst'], { env })).err).toBe('错误：没有命令 lst。是否想写 list？\n');
    expect((await runFake(['add', '--kind', 'x'], { env })).err).toBe(
      '错误：--kind <kind> 的值“x”无效。可选值：agent, command。\n',
    );
    expect((await runFake(['list', '--limit', 'x'], { env })).err).toContain('请写 1 到 100000 之间的数。');
    expect((await runFake(['reject', 'x'], { env })).err).toBe('错误：必须给出选项 --note <text>。\n');
    const { out } = await runFake(['list', '--help'], { env });
    expect(out).toContain('用法： nextrun list');
    expect(out).toContain('选项：');
  });
});

describe('list', () => {
  const chinese = automation({ id: 'c1', name: '每日新闻摘要', status: 'PAUSED', next_run_at: null });
  const answers = library(automation(), chinese);

  it('aligns by the width of characters and shows local times', async () => {
    const { out, code } = await runFake(['list'], { answers });
    expect(code).toBe(0);
    expect(out).toBe(
      [
        'ID             NAME          STATUS  SCHEDULE            NEXT RUN          LAST',
        'a1111111-0000  Daily brief   Active  Every day at 09:00  2026-05-06 09:00  –',
        'c1             每日新闻摘要  Paused  Every day at 09:00  –                 –',
        '',
      ].join('\n'),
    );
  });

  it('has a brief form for prompts', async () => {
    const { out } = await runFake(['list', '--format', 'brief'], { answers, env: { LANG: 'zh' } });
    expect(out.split('\n')[0]).toBe(
      'a1111111-0000 [active] Daily brief | 每天 09:00 | 下次 2026-05-06 09:00',
    );
  });

  it('prints the JSON of the API', async () => {
    const { out } = await runFake(['list', '--json'], { answers });
    expect(JSON.parse(out)).toEqual(JSON.parse(JSON.stringify(page(automation(), chinese))));
    expect((await runFake(['list', '--format', 'json'], { answers })).out).toBe(out);
  });

  it('cuts to the terminal, abbreviates ids and colours there', async () => {
    const world = { answers, deps: { terminal: true, columns: 60 } };
    const plain = await runFake(['list'], { ...world, env: { NO_COLOR: '1' } });
    for (const line of plain.out.split('\n')) expect(line.length).toBeLessThanOrEqual(60);
    expect(plain.out).toContain('a1111111  ');
    expect(plain.out).not.toContain('\u001b');
    expect((await runFake(['list'], world)).out).toContain('\u001b[32mActive');
  });

  it('passes the filters, and the owner of the environment', async () => {
    const env = { BOT_ID: 'bot', USER_IDENTIFIER: 'me' };
    const { requests } = await runFake(['list', '--status', 'Paused', '--limit', '3'], { answers, env });
    expect(requests[0]?.query).toEqual({
      status: 'PAUSED',
      limit: '3',
      owner_bot_id: 'bot',
      owner_user_id: 'me',
    });
  });

  it('reads page after page up to the limit', async () => {
    const pages = { '': 'two', two: null };
    const { requests, out } = await runFake(['list', '--json', '--limit', '150'], {
      answers: {
        listAutomations: ({ query }) => ({
          items: [automation()],
          next_cursor: pages[(query['cursor'] ?? '') as keyof typeof pages],
        }),
      },
    });
    expect(requests.map(({ query }) => query)).toEqual([{ limit: '100' }, { limit: '100', cursor: 'two' }]);
    expect(JSON.parse(out).items).toHaveLength(2);
  });

  it('lets no name act on the terminal', async () => {
    const evil = automation({ name: 'a\u001b]0;owned\u0007b\u009b31m\nc\u202e' });
    const { out } = await runFake(['list'], { answers: library(evil) });
    expect(out).toContain('ab c  ');
    const json = await runFake(['list', '--json'], { answers: library(evil) });
    for (const character of ['\u001b', '\u0007', '\u009b', '\u202e'])
      expect(json.out).not.toContain(character);
    expect(JSON.parse(json.out).items[0].name).toBe(evil.name);
  });
});

describe('a task is named', () => {
  const tasks = [
    automation({ id: 'abc1', name: 'News' }),
    automation({ id: 'abc2', name: 'Backup' }),
    automation({ id: 'xyz', name: 'Twice' }),
    automation({ id: 'xyw', name: 'Twice' }),
    automation({ id: 'q', name: 'abc1' }),
  ];
  const answers = { ...library(...tasks), toggleAutomation: () => automation() };
  const toggled = async (given: string) => {
    const result = await runFake(['toggle', given], { answers });
    return { ...result, id: result.requests.find(({ route }) => route === 'toggleAutomation')?.params['id'] };
  };

  it.each([
    ['abc1', 'abc1'],
    ['abc2', 'abc2'],
    ['xyz', 'xyz'],
    ['News', 'abc1'],
    ['q', 'q'],
  ])('%s means %s', async (given, id) => {
    expect((await toggled(given)).id).toBe(id);
  });

  it.each([['abc'], ['Twice'], ['xy']])('%s is ambiguous', async (given) => {
    const result = await toggled(given);
    expect(result.code).toBe(2);
    expect(result.id).toBeUndefined();
    expect(result.err).toMatch(new RegExp(`“${given}” fits 2 of them:\n  (abc|xy)\\w  \\w+\n`));
  });

  it.each([['news'], ['abd'], ['']])('%j is not found', async (given) => {
    expect((await toggled(given)).code).toBe(3);
  });

  it('belongs to the owner of the environment, or is not found', async () => {
    const owned = automation({ id: 'mine', owner_bot_id: 'bot' });
    const other = automation({ id: 'other', owner_bot_id: 'another' });
    const world = {
      env: { BOT_ID: 'bot' },
      answers: {
        ...library(owned, other),
        listAutomations: () => page(owned),
        deleteAutomation: () => owned,
        getRun: () => ({ ...run({ automation_id: 'other' }), prompt: null }),
      },
    };
    expect((await runFake(['delete', 'mine'], world)).code).toBe(0);
    const refused = await runFake(['delete', 'other'], world);
    expect(refused.code).toBe(3);
    expect(refused.requests.some(({ route }) => route === 'deleteAutomation')).toBe(false);
    expect((await runFake(['cancel', 'run-b1'], world)).code).toBe(3);
  });
});

describe('add', () => {
  const answers = {
    createAutomation: () => automation(),
    pauseAutomation: () => automation({ status: 'PAUSED' }),
  };
  const created = async (...args: string[]) => {
    const result = await runFake(['add', ...args], { answers });
    return { ...result, body: bodyOf(result.requests, 'createAutomation') };
  };

  it('takes the options of seed 004', async () => {
    const { body, out, err } = await created(
      ...['--name', '每日新闻', '--type', 'cron', '--schedule', '0 9 * * *', '--timezone', 'Asia/Tokyo'],
      ...['--message', '总结'],
    );
    const schedule = { kind: 'cron', expression: '0 9 * * *', timezone: 'Asia/Tokyo' };
    expect(body).toEqual({ name: '每日新闻', schedule, prompt: '总结' });
    expect(out).toBe('a1111111-0000\n');
    expect(err).toBe('Created “Daily brief”: Every day at 09:00. Next run 2026-05-06 09:00.\n');
  });

  it('takes everything else', async () => {
    const { body } = await created(
      ...[
        '--every',
        '1h30m',
        '-m',
        '-',
        '--agent',
        'claude',
        '--model',
        'm',
        '--cwd',
        'repo',
        '--cwd',
        '/tmp',
      ],
      ...['--env', 'A=1', '--env', 'B=x=y', '--timeout', '90', '--review', 'always', '--missed', 'skip'],
      ...['--overlap', 'cancel_previous', '--retries', '2', '--description', 'd'],
    );
    expect(body).toEqual({
      name: 'from stdin',
      description: 'd',
      prompt: 'from stdin',
      agent: 'claude',
      model_id: 'm',
      cwds: ['/home/me/repo', '/tmp'],
      env: { A: '1', B: 'x=y' },
      schedule: { kind: 'every', interval_ms: 5_400_000 },
      timeout_ms: 90_000,
      review_policy: 'always',
      missed_policy: 'skip',
      overlap_policy: 'cancel_previous',
      max_retries: 2,
    });
  });

  it('takes a command as a shell line or after --', async () => {
    expect((await created('--command', 'ls | wc')).body).toEqual({
      name: 'ls | wc',
      command: 'ls | wc',
      kind: 'command',
    });
    expect((await created('--every', '10m', '--', 'git', '-C', 'x', '--json')).body).toMatchObject({
      name: 'git -C x --json',
      command: ['git', '-C', 'x', '--json'],
      kind: 'command',
    });
  });

  it('creates it paused', async () => {
    const { requests } = await created('-m', 'x', '--paused');
    expect(requests.map(({ route }) => route)).toEqual(['createAutomation', 'pauseAutomation']);
  });

  it('prints the row with --json and nothing else', async () => {
    const { out, err } = await created('-m', 'x', '--json');
    expect(JSON.parse(out)).toMatchObject({ id: 'a1111111-0000', rev: 7 });
    expect(err).toBe('');
  });
});

describe('edit', () => {
  const edited = async (current: ReturnType<typeof automation>, ...args: string[]) => {
    const answers = { ...library(current), updateAutomation: () => current };
    const result = await runFake(['edit', current.id, ...args], { answers });
    return { ...result, body: bodyOf(result.requests, 'updateAutomation') };
  };

  it('sends only what was given, with the rev it read', async () => {
    const schedule = { kind: 'cron', expression: '0 10 * * 1-5' };
    expect((await edited(automation(), '--schedule', '0 10 * * 1-5')).body).toEqual({ rev: 7, schedule });
    expect((await edited(automation(), '--agent', '', '--', 'ls')).body).toEqual({
      rev: 7,
      agent: null,
      command: ['ls'],
      kind: 'command',
    });
  });

  it('moves the schedule to another zone', async () => {
    const schedule = { kind: 'cron', expression: '0 9 * * *', timezone: 'UTC' };
    expect((await edited(automation(), '--timezone', 'UTC')).body).toEqual({ rev: 7, schedule });
    expect((await edited(automation({ schedule: { kind: 'manual' } }), '--timezone', 'UTC')).code).toBe(2);
  });

  it('adds to the environment and takes away from it', async () => {
    const current = automation({ env: { A: '1', B: '2' } });
    expect((await edited(current, '--env', 'C=3', '--unset-env', 'A')).body).toEqual({
      rev: 7,
      env: { B: '2', C: '3' },
    });
  });
});

describe('the rest', () => {
  it('open prints the address', async () => {
    const login = { code: 'c', url: 'http://127.0.0.1:8899/#login=c', expires_at: 0 };
    const result = await runFake(['open'], { answers: { createLoginCode: () => login } });
    expect(result.out).toBe('http://127.0.0.1:8899/#login=c\n');
  });

  it('token prints the file, and makes new ones', async () => {
    expect(await runFake(['token'])).toMatchObject({ code: 0, out: 'the-token\n', err: '' });
    expect((await runFake(['token'], { deps: { readAdminToken: async () => null } })).code).toBe(3);
    const made = await runFake(['token', 'new', '--scope', 'read', '--label', 'bar'], {
      answers: { createToken: () => ({ id: 't', token: 'secret', scope: 'read', label: 'bar' }) },
    });
    expect(made.out).toBe('secret\n');
    expect(bodyOf(made.requests, 'createToken')).toEqual({ scope: 'read', label: 'bar' });
  });

  it('preview sends the schedule it recognised', async () => {
    const occurrence = {
      at: 0,
      local: '2026-05-06 09:00',
      offset: '+08:00',
      note: { code: 'x', en: 'skipped', zh: '跳过' },
    };
    const answer = { occurrences: [occurrence], words: { en: 'Every day', zh: '每天' }, warnings: [] };
    const result = await runFake(['preview', '0 9 * * *', '--count', '1'], {
      answers: { previewSchedule: () => answer },
    });
    expect(bodyOf(result.requests, 'previewSchedule')).toEqual({
      schedule: { kind: 'cron', expression: '0 9 * * *' },
      count: 1,
    });
    expect(result.out).toBe('2026-05-06 09:00 +08:00  skipped\n');
    expect(result.err).toBe('Every day\n');
  });

  it('why shows each clause with its repair', async () => {
    const repair = { action: 'resume', en: 'Resume it', zh: '恢复任务' };
    const clauses = [
      { clause: 'engine', holds: true, en: 'An engine is running', zh: '引擎正在运行', repair: null },
      { clause: 'status', holds: false, en: 'It is paused', zh: '已暂停', repair },
    ];
    const answer = {
      id: 'x',
      will_run: false,
      next_run_at: null,
      summary: { en: 'No', zh: '不会运行' },
      clauses,
    };
    const answers = { ...library(automation()), whyAutomation: () => answer };
    const { out } = await runFake(['why', 'a1'], { answers, env: { LANG: 'zh' } });
    expect(out).toBe('不会运行\n✓ 引擎正在运行\n✗ 已暂停  → 恢复任务\n');
  });

  it('status shows a host whose engine does not scan', async () => {
    const health = {
      status: 'degraded' as const,
      version: '1.2.3',
      engine: 'stopped' as const,
      last_scan_at: null,
      next_scan_at: null,
      now: 0,
      problems: ['no scan for 3 minutes'],
    };
    const info = {
      version: '1.2.3',
      timezone: 'UTC',
      data_folder: '/d',
      port: 8899,
      max_concurrent: 3,
      scheduling_enabled: true,
      agents: [],
      counts: { automations: 1, attention: 0, needs_review: 4 },
    };
    const queue = { cap: 3, paused: false, paused_until: null, running: [run()], waiting: [], deferred: [] };
    const result = await runFake(['status'], {
      answers: { health: () => health, info: () => info, getQueue: () => queue },
    });
    expect(result.code).toBe(0);
    expect(result.out).toContain('NextRun 1.2.3 is running, with problems\n');
    expect(result.out).toContain('1 of 3 running, 0 waiting\n');
    expect(result.out).toContain('no scan for 3 minutes\n');
  });
});
