import { describe, expect, test } from 'vitest';
import { executors } from './index.ts';

const ended = { exit_code: 0, signal: null, has_text: true, last_error: null, report: null };

describe('command', () => {
  const { program, judge } = executors.command;

  test('an argv is started as it is', () => {
    expect(program({ argv: ['claude', '-p', '$(x)'], shell: false }, 'linux')).toEqual({
      file: 'claude',
      args: ['-p', '$(x)'],
      verbatim: false,
    });
  });

  test('a script is one argument of the system’s shell', () => {
    const script = 'echo "a" | tr a b';
    expect(program({ argv: [script], shell: true }, 'linux')).toEqual({
      file: '/bin/sh',
      args: ['-c', script],
      verbatim: false,
    });
    expect(program({ argv: [script], shell: true }, 'win32')).toEqual({
      file: 'cmd.exe',
      args: ['/d', '/s', '/c', `"${script}"`],
      verbatim: true,
    });
  });

  test.each([
    [[], false],
    [[''], false],
    [['a\0'], false],
    [[], true],
    [[''], true],
    [['a\0'], true],
    [['a', 'b'], true],
  ])('%j (shell %s) is refused', (argv, shell) => {
    expect(program({ argv, shell }, 'linux')).toHaveProperty('refused');
  });

  test('silence is a success, an exit code or signal is not', () => {
    expect(judge({ ...ended, has_text: false })).toEqual({ result: 'success', reason: null, detail: null });
    expect(judge({ ...ended, exit_code: 1, last_error: 'why' })).toEqual({
      result: 'failure',
      reason: 'exit_code',
      detail: 'why',
    });
    expect(judge({ ...ended, exit_code: null, signal: 'SIGKILL' })).toMatchObject({
      result: 'failure',
      reason: 'signal',
    });
  });
});

describe('agent', () => {
  const { program, judge } = executors.agent;

  test('is an argv, never a shell line', () => {
    expect(program({ argv: ['claude', '-p'], shell: false }, 'linux')).toMatchObject({
      file: 'claude',
      args: ['-p'],
    });
    expect(program({ argv: ['claude'], shell: true }, 'linux')).toHaveProperty('refused');
  });

  test('says something or has failed', () => {
    expect(judge(ended)).toMatchObject({ result: 'success' });
    expect(judge({ ...ended, has_text: false })).toMatchObject({ result: 'failure', reason: 'no_output' });
    expect(judge({ ...ended, has_text: false, exit_code: 2 })).toMatchObject({ reason: 'exit_code' });
  });
});
