import { expect, test } from 'vitest';
import { childEnvironment } from './environment.ts';

const run = {
  run_id: 'r1',
  automation_id: 'a1',
  scheduled_for: 1_700_000_000_000,
  run_key: 'a1@1',
  attempt: 2,
};
const identity = {
  PYTHONIOENCODING: 'utf-8',
  NEXTRUN_RUN_ID: 'r1',
  NEXTRUN_AUTOMATION_ID: 'a1',
  NEXTRUN_SCHEDULED_FOR: '2023-11-14T22:13:20.000Z',
  NEXTRUN_RUN_KEY: 'a1@1',
  NEXTRUN_ATTEMPT: '2',
};

test('only the allow-list is inherited', () => {
  const allowed = {
    PATH: '/usr/bin:/bin',
    HOME: '/home/u',
    USER: 'u',
    LOGNAME: 'u',
    SHELL: '/bin/bash',
    LANG: 'zh_CN.UTF-8',
    LC_ALL: 'C',
    LC_TIME: 'C',
    TMPDIR: '/tmp',
    TMP: '/tmp',
    TEMP: '/tmp',
    TZ: 'Asia/Shanghai',
    SystemRoot: 'C:\\Windows',
    ComSpec: 'cmd.exe',
    APPDATA: 'a',
    LOCALAPPDATA: 'l',
    USERPROFILE: 'p',
    PATHEXT: '.EXE',
    XDG_RUNTIME_DIR: '/run/user/1000',
    DBUS_SESSION_BUS_ADDRESS: 'unix:path=/run',
    DISPLAY: ':0',
    SSH_AUTH_SOCK: '/tmp/agent',
  };
  const refused = {
    ELECTRON_RUN_AS_NODE: '1',
    ELECTRON_NO_ASAR: '1',
    NODE_OPTIONS: '--require evil.js',
    NEXTRUN_API_TOKEN: 't',
    NEXTRUN_TOKEN: 't',
    NEXTRUN_RUN_ID: 'outer',
    OPENAI_API_KEY: 'sk',
    LD_PRELOAD: 'x.so',
    path: '/lower',
    UNSET: undefined,
  };
  expect(childEnvironment({ ...allowed, ...refused }, {}, run, 'linux')).toEqual({ ...allowed, ...identity });
});

test('the own environment wins over the inherited, the identity over both', () => {
  const own = { HOME: '/other', KEY: 'v', PYTHONIOENCODING: 'gbk', NEXTRUN_RUN_ID: 'forged' };
  expect(childEnvironment({ HOME: '/home/u' }, own, run, 'linux')).toEqual({
    ...identity,
    HOME: '/other',
    KEY: 'v',
    PYTHONIOENCODING: 'gbk',
  });
});

test('PATH keeps absolute folders only, whoever gave it', () => {
  const path = (host: string, own: Record<string, string> = {}) =>
    childEnvironment({ PATH: host }, own, run, 'linux')['PATH'];
  expect(path(':/usr/bin::.:./x:node_modules/.bin:/bin:')).toBe('/usr/bin:/bin');
  expect(path('/usr/bin', { PATH: '.:/opt/bin' })).toBe('/opt/bin');
  expect(path('.')).toBe('');
});

test('Windows: names in any case, its own separator', () => {
  const host = { Path: 'C:\\bin;.;;D:\\x', SYSTEMROOT: 'C:\\Windows', comspec: 'cmd.exe', Secret: 's' };
  expect(childEnvironment(host, {}, run, 'win32')).toEqual({
    ...identity,
    Path: 'C:\\bin;D:\\x',
    SYSTEMROOT: 'C:\\Windows',
    comspec: 'cmd.exe',
  });
});

test('a run without a slot has an empty NEXTRUN_SCHEDULED_FOR', () => {
  const environment = childEnvironment({}, {}, { ...run, scheduled_for: null }, 'linux');
  expect(environment['NEXTRUN_SCHEDULED_FOR']).toBe('');
});
