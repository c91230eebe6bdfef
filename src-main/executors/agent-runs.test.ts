import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type AgentProfileName,
  agentProfileNames,
  argvOf,
} from '../../src-shared/executors/agent-profiles.ts';
import { systemClock } from '../engine/clock.ts';
import type { StartRequest } from '../launcher/protocol.ts';
import { carryOut } from '../launcher/run.ts';
import { executors } from './index.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'nextrun-agents-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const fake = (name: string) => fileURLToPath(new URL(`../../e2e/programs/fake-${name}.mjs`, import.meta.url));

/** Runs a fake agent with a prompt as the launcher does. */
async function run(
  name: AgentProfileName,
  prompt: string,
  more: Partial<StartRequest> = {},
  resume: string | null = null,
) {
  const args = argvOf(name, { model: 'model-1', permission_mode: null, resume });
  if ('refused' in args) throw new Error(args.refused);
  let shown = '';
  let notes = '';
  const request: StartRequest = {
    run_id: `test-${name}-${process.pid}`,
    kind: 'agent',
    profile: name,
    argv: [process.execPath, fake(name), ...args],
    shell: false,
    stdin: prompt,
    cwds: [folder],
    env: { PATH: process.env['PATH'] ?? '', NEXTRUN_RUN_ID: `test-${name}-${process.pid}` },
    timeout_ms: 60_000,
    idle_timeout_ms: 0,
    output_cap_bytes: 262_144,
    run_folder: folder,
    ...more,
  };
  const { outcome } = await carryOut({
    request,
    executor: executors.agent,
    clock: systemClock,
    onStarted: () => {},
    onOutput(chunks) {
      for (const { stream, text } of chunks) {
        if (stream === 'stdout') shown += text;
        else notes += text;
      }
    },
  }).finished;
  return { ...outcome, shown, notes, args };
}

describe.each(agentProfileNames)('%s', (name) => {
  it('answers in text; usage, session and the template of its arguments are right', async () => {
    const prompt = '--settings=/tmp/evil.json $(x) 中文\nsecond line';
    const got = await run(name, prompt);
    expect(got).toMatchObject({ result: 'success', has_text: true, exit_code: 0, question: null });
    expect(JSON.parse(got.shown)).toEqual({ prompt, argv: got.args });
    expect(got.summary.trim()).toBe(got.shown.trim());
    expect(got.notes).toContain('ls -la');
    expect(got.usage).toMatchObject({ output_tokens: 20, cached_input_tokens: 5 });
    expect(got.external_session_id).toMatch(/^(fake-|ses_)/);
  });

  it('goes on with a session', async () => {
    expect((await run(name, 'more', {}, 'earlier-1')).external_session_id).toBe('earlier-1');
  });

  it.each([
    ['401', 'auth'],
    ['402', 'credit'],
    ['429', 'rate_limit'],
    ['404', 'model'],
    ['503', 'network'],
  ])('%s in its stream is a failure, although it exits with 0', async (trick, reason) => {
    const got = await run(name, `${trick} please`);
    expect(got).toMatchObject({ result: 'failure', reason, exit_code: 0 });
    expect(got.detail).toContain(trick === '503' ? 'ECONNREFUSED' : trick);
  });

  it('is stopped when it asks, the question and the session are kept', async () => {
    const got = await run(name, 'ask me');
    expect(got).toMatchObject({ result: 'open', reason: 'needs_input', has_text: true });
    expect(got.question).toMatch(/rm -rf build|Shell/);
    expect(got.external_session_id).not.toBeNull();
  });

  it.each(['silent', 'nothing'])('%s and exit 0 is no output', async (trick) => {
    expect(await run(name, trick)).toMatchObject({ result: 'failure', reason: 'no_output', exit_code: 0 });
  });

  it('a crash in mid-stream keeps what it said', async () => {
    const got = await run(name, 'crash');
    expect(got).toMatchObject({ result: 'failure', reason: 'signal', signal: 'SIGKILL', has_text: true });
    expect(got.summary).toContain('half of the');
  });

  it('broken lines are text, and the run goes on', async () => {
    const got = await run(name, 'broken');
    expect(got).toMatchObject({ result: 'success', has_text: true });
    expect(got.shown).toContain('{"type":"assistant","mess\nplain words\n');
    expect(got.shown).not.toContain('unheard');
  });

  it('a flood stays under the cap, its end is kept', async () => {
    const got = await run(name, 'flood');
    expect(got).toMatchObject({ result: 'success' });
    expect(got.output_dropped_bytes).toBeGreaterThan(100_000);
    expect(got.shown.length + got.notes.length).toBeLessThan(300_000);
    expect(got.summary.trim().endsWith('}')).toBe(true);
  });

  it('plain text in the place of a stream is an answer', async () => {
    expect(await run(name, 'plain')).toMatchObject({ result: 'success', summary: 'just text, no events\n' });
  });
});

describe.each(['claude', 'codex', 'gemini', 'codebuddy', 'qwen'] as const)('%s', (name) => {
  it('a stream that breaks off is a crash, also with exit code 0', async () => {
    expect(await run(name, 'cut')).toMatchObject({ result: 'failure', reason: 'crash', exit_code: 0 });
  });
});

it('several folders: usage is summed', async () => {
  expect((await run('claude', 'both', { cwds: [folder, folder] })).usage).toMatchObject({
    output_tokens: 40,
    cost_micros: 24_600,
  });
});
