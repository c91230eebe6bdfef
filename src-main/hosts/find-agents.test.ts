import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { agentFor } from '../engine/context.ts';
import { readConfig } from './config.ts';
import { findAgents } from './find-agents.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'nextrun-find-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function program(place: string, script = 'echo "1.2.3 (tool)"'): string {
  const file = join(folder, place);
  mkdirSync(join(file, '..'), { recursive: true });
  writeFileSync(file, `#!/bin/sh\n${script}\n`);
  chmodSync(file, 0o755);
  return file;
}

function config(text: string) {
  const file = join(folder, 'config.toml');
  writeFileSync(file, text);
  return readConfig(file, {}).agents;
}

describe('config.toml', () => {
  it('a profile needs no command; a section named like one neither; a command alone is a custom agent', () => {
    const agents = config(
      '[agents.work]\nprofile = "claude"\nmodel = "m"\npermission_mode = "plan"\n[agents.codex]\ndefault = true\n' +
        '[agents.qwen]\ncommand = ["my-qwen"]\n[agents.gemini]\nprofile = "gemini"\ncommand = ["node", "g.mjs"]\n',
    );
    expect(agents).toMatchObject({
      work: { profile: 'claude', command: ['claude'], model: 'm', permission_mode: 'plan', default: false },
      codex: { profile: 'codex', command: ['codex'], default: true },
      qwen: { command: ['my-qwen'] },
      gemini: { profile: 'gemini', command: ['node', 'g.mjs'] },
    });
    expect(agents['qwen']!.profile).toBeUndefined();
  });

  it.each([
    ['[agents.mine]\ndefault = true\n', /config\.toml:1: agents\.mine: give profile .*claude.* or command/],
    ['[agents.mine]\nprofil = "claude"\n', /config\.toml:2.*did you mean "profile"/],
    ['[agents.mine]\nprofile = "claud"\n', /config\.toml:2: agents\.mine\.profile/],
    [
      '[agents.mine]\nprofile = "claude"\npermission_mode = "yolo"\n',
      /config\.toml:3: agents\.mine\.permission_mode/,
    ],
  ])('%j is refused', (text, complaint) => {
    expect(() => config(text)).toThrow(complaint);
  });
});

describe('findAgents', () => {
  it('finds known programs on PATH and fixes their place; relative folders are not looked in', async () => {
    const claude = program('bin/claude');
    writeFileSync(join(folder, 'bin/codex'), 'not executable');
    mkdirSync(join(folder, 'bin/gemini'));
    const found = findAgents({}, { PATH: `.:relative:${join(folder, 'bin')}:/usr/bin:/bin` });
    expect(found.agents).toEqual({
      claude: { command: [claude], default: false, profile: 'claude', detected: true, path: claude },
    });
    await found.askVersions();
    expect(found.agents['claude']!.version).toBe('1.2.3 (tool)');
  });

  it('what is configured wins over what is found', () => {
    const claude = program('bin/claude');
    program('bin/qwen');
    const agents = config(
      '[agents.claude]\ncommand = ["cat"]\n[agents.work]\nprofile = "claude"\n[agents.mine]\ncommand = ["claude", "-x"]\n',
    );
    const found = findAgents(agents, { PATH: join(folder, 'bin') }).agents;
    expect(found['claude']).toMatchObject({ command: ['cat'] });
    expect(found['work']).toMatchObject({ command: [claude], path: claude });
    expect(found['mine']).toMatchObject({ command: ['claude', '-x'], path: claude });
    expect(found['qwen']).toMatchObject({ detected: true });
  });

  it('looks on the PATH of the login shell too, and children get it', async () => {
    const gemini = program('login/gemini');
    const shell = program(
      'shell',
      `export PATH=${join(folder, 'login')}:/usr/bin:/bin; echo noise; eval "$2"`,
    );
    const found = findAgents({}, { PATH: '/bin', SHELL: shell });
    expect(found.agents).toEqual({});
    await found.complete();
    expect(found.agents['gemini']).toMatchObject({ path: gemini, detected: true });
    expect(found.environment['PATH']).toBe(`/bin:${join(folder, 'login')}:/usr/bin`);
  });

  it('a shell that fails or a program that tells no version changes nothing', async () => {
    program('bin/codex', 'exit 3');
    const shell = program('shell', 'exit 1');
    const found = findAgents({}, { PATH: join(folder, 'bin'), SHELL: shell });
    await found.complete();
    await found.askVersions();
    expect(found.agents['codex']!.version).toBeUndefined();
    expect(found.environment['PATH']).toBe(join(folder, 'bin'));
  });
});

describe('the agent of a task that names none', () => {
  const agent = (more: object = {}) => ({ command: ['x'], default: false, ...more });
  it.each([
    [{ a: agent(), b: agent({ default: true }) }, 'b'],
    [{ a: agent() }, 'a'],
    [{ a: agent({ detected: true }) }, 'a'],
    [{ a: agent({ detected: true }), b: agent() }, 'b'],
    [{ a: agent({ detected: true }), b: agent({ detected: true }) }, undefined],
    [{ a: agent(), b: agent() }, undefined],
    [{}, undefined],
  ])('%j: %s', (agents, name) => {
    expect(agentFor(agents, null)?.name).toBe(name);
  });
});
