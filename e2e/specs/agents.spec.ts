import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, type Host, type HostRig, reaches, submit, test } from '../fixtures/host.ts';

const programs = join(import.meta.dirname, '../programs');
const names = ['claude', 'codex', 'gemini', 'codebuddy', 'opencode', 'qwen'];

/** A host whose known agents are the small programs that speak their streams. */
function withFakes(rig: HostRig): Promise<Host> {
  const sections = names.map((name) => {
    const command = JSON.stringify([process.execPath, join(programs, `fake-${name}.mjs`)]);
    return `[agents.${name}]\nprofile = "${name}"\ncommand = ${command}\n`;
  });
  writeFileSync(
    join(rig.folder, 'config.toml'),
    `${sections.join('').replace('\n', '\ndefault = true\nmodel = "of-config"\n')}`,
  );
  return rig.start();
}

const runOf = (host: Host, id: string) => host.client.call('getRun', { params: { id } });

for (const name of names) {
  test(`${name}: the answer is text, tokens are counted, an error in the stream is a failure`, async ({
    rig,
  }) => {
    const host = await withFakes(rig);
    const prompt = '--help is a word\n中文';
    const done = await reaches(host, await submit(host, { prompt, agent: name }), 'ACCEPTED');
    expect(JSON.parse(done.summary ?? '')).toMatchObject({ prompt });
    expect(done).toMatchObject({ resultEvidence: 'assistant_output', usage: { output_tokens: 20 } });
    for (const [trick, reason] of [
      ['401', 'auth'],
      ['402', 'credit'],
      ['429', 'rate_limit'],
      ['silent', 'no_output'],
    ] as const) {
      const failed = await reaches(host, await submit(host, { prompt: trick, agent: name }), 'FAILED');
      expect(failed.reason).toBe(reason);
    }
  });
}

test('model and permission reach the agent; the run says what it was given', async ({ rig }) => {
  const host = await withFakes(rig);
  const argvOf = async (body: Parameters<typeof submit>[1]) => {
    const done = await reaches(host, await submit(host, body), 'ACCEPTED');
    const run = await runOf(host, done.runId!);
    return { argv: JSON.parse(done.summary ?? '').argv.join(' '), run };
  };
  const plain = await argvOf({ prompt: 'a' });
  expect(plain.argv).toBe('-p --output-format stream-json --verbose --model of-config');
  expect(plain.run).toMatchObject({ executor_label: 'claude', effective_permission_mode: null });
  const asked = await argvOf({ prompt: 'a', model: 'of-task', permission_mode: 'acceptEdits' });
  expect(asked.argv).toContain('--permission-mode acceptEdits --model of-task');
  expect(asked.run).toMatchObject({
    requested_permission_mode: 'acceptEdits',
    effective_permission_mode: 'acceptEdits',
  });
  const refused = await reaches(host, await submit(host, { prompt: 'a', model: '--evil' }), 'FAILED');
  expect(refused).toMatchObject({ reason: 'invalid', error: expect.stringContaining('dash') });
});

test('a question stops the agent and waits for a person', async ({ rig }) => {
  const host = await withFakes(rig);
  const open = await reaches(host, await submit(host, { prompt: 'ask' }), 'PENDING_REVIEW');
  expect(open.reason).toBe('needs_input');
  const run = await runOf(host, open.runId!);
  expect(run).toMatchObject({ status: 'PENDING_REVIEW', question: 'Allow Bash? rm -rf build', pid: null });
  const row = rig.python(
    "import sqlite3, sys\nprint(*sqlite3.connect(sys.argv[1]).execute('SELECT status, external_session_id FROM sessions').fetchone())",
  );
  expect(row.trim()).toBe('awaiting_input fake-session-1');
});

test('a bound session goes on where it was', async ({ rig }) => {
  const host = await withFakes(rig);
  const automation = await host.client.call('createAutomation', {
    body: { name: 'bound', prompt: 'go', agent: 'codex', target_mode: 'bound', session_id: 'mine' },
  });
  const outputOf = async () => {
    const { run } = await host.client.call('runAutomation', { params: { id: automation.id }, body: {} });
    const done = await reaches(host, run.id, 'ACCEPTED');
    return JSON.parse(done.summary ?? '').argv.join(' ');
  };
  expect(await outputOf()).toBe('exec --json --skip-git-repo-check -');
  expect(await outputOf()).toBe('exec --json --skip-git-repo-check resume fake-thread-1 -');
});

test('an agent on PATH works without configuration and is listed with its version', async ({ rig }) => {
  const bin = join(rig.folder, 'bin');
  mkdirSync(bin);
  writeFileSync(join(rig.folder, 'config.toml'), '');
  writeFileSync(
    join(bin, 'gemini'),
    `#!/bin/sh\nexec "${process.execPath}" "${programs}/fake-gemini.mjs" "$@"\n`,
  );
  chmodSync(join(bin, 'gemini'), 0o755);
  symlinkSync('/nowhere', join(bin, 'claude'));
  const host = await rig.start({ PATH: `${bin}:/usr/bin:/bin` });
  const listed = async () => (await host.client.call('info', {})).agents;
  await expect.poll(async () => (await listed())[0]?.version).toBe('9.8.7 (fake gemini)');
  expect(await listed()).toMatchObject([
    { name: 'gemini', profile: 'gemini', detected: true, default: true, path: join(bin, 'gemini') },
  ]);
  await reaches(host, await submit(host, { prompt: 'hello' }), 'ACCEPTED');
});
