import { describe, expect, it } from 'vitest';
import { agentProfileNames, agentProfiles, argvOf, isAgentProfileName } from './agent-profiles.ts';

const plain = { model: null, permission_mode: null, resume: null };

describe('argvOf', () => {
  it('without a mode passes nothing on: the agent’s own headless default', () => {
    expect(Object.fromEntries(agentProfileNames.map((name) => [name, argvOf(name, plain)]))).toEqual({
      claude: ['-p', '--output-format', 'stream-json', '--verbose'],
      codex: ['exec', '--json', '--skip-git-repo-check', '-'],
      gemini: ['--output-format', 'stream-json'],
      codebuddy: ['-p', '--output-format', 'stream-json'],
      opencode: ['run', '--format', 'json'],
      qwen: ['--output-format', 'stream-json'],
    });
  });

  it('puts mode, model and session in their places', () => {
    const all = { model: 'm/1', permission_mode: 'acceptEdits', resume: 's-1' } as const;
    expect(argvOf('claude', all)).toEqual(
      '-p --output-format stream-json --verbose --permission-mode acceptEdits --model m/1 --resume s-1'.split(
        ' ',
      ),
    );
    expect(argvOf('codex', all)).toEqual(
      'exec --json --skip-git-repo-check --sandbox workspace-write --model m/1 resume s-1 -'.split(' '),
    );
    expect(argvOf('gemini', all)).toEqual(
      '--output-format stream-json --approval-mode auto_edit --model m/1 --resume s-1'.split(' '),
    );
    expect(argvOf('opencode', all)).toEqual('run --format json --model m/1 --session s-1'.split(' '));
    expect(argvOf('qwen', all)).toEqual(
      '--output-format stream-json --approval-mode auto-edit --model m/1 --resume s-1'.split(' '),
    );
  });

  it.each(agentProfileNames)('%s: full access only where it was asked for', (name) => {
    const { permission } = agentProfiles[name];
    const full = permission.fullAccess.join(' ');
    expect(full).toMatch(/bypassPermissions|danger-full-access|yolo|--auto/);
    for (const mode of ['plan', 'default', 'acceptEdits'] as const) {
      expect(permission[mode].join(' ')).not.toMatch(/bypass|danger|yolo|--auto|skip/);
    }
    expect((argvOf(name, plain) as string[]).join(' ')).not.toContain(full);
  });

  it.each(['--settings=/tmp/evil.json', '-c', '', 'a\nb', 'a\0b'])('refuses %j as a value', (value) => {
    expect(argvOf('claude', { ...plain, model: value })).toHaveProperty('refused');
    expect(argvOf('codex', { ...plain, resume: value })).toHaveProperty('refused');
  });

  it('knows its names', () => {
    expect(isAgentProfileName('claude')).toBe(true);
    expect(isAgentProfileName('toString')).toBe(false);
  });
});
