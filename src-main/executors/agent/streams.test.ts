import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { AgentProfileName } from '../../../src-shared/executors/agent-profiles.ts';
import type { AgentText } from '../../../src-shared/executors/agent-stream.ts';
import { failureKind } from './failure-kind.ts';
import { agentReaders } from './readers.ts';

const names = Object.keys(agentReaders) as AgentProfileName[];
const joined = (texts: AgentText[], kind: AgentText['kind']) =>
  texts
    .filter((one) => one.kind === kind)
    .map((one) => one.text)
    .join('');

/** Reads a whole stream of events and lines. */
function read(name: AgentProfileName, ...lines: (object | string)[]) {
  const reader = agentReaders[name]();
  const text = lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n');
  const texts = [...reader.read(`${text}\n`), ...reader.end()];
  return { answer: joined(texts, 'answer'), notes: joined(texts, 'note'), ...reader.report() };
}

const block = (...content: object[]) => ({
  type: 'assistant',
  session_id: 's',
  message: { model: 'm', content },
});
const says = (text: string) => block({ type: 'text', text });

describe('messages (claude, codebuddy, qwen)', () => {
  const usage = {
    input_tokens: 10,
    output_tokens: 20,
    cache_read_input_tokens: 5,
    cache_creation_input_tokens: 3,
  };
  const result = (more: object = {}) => ({
    type: 'result',
    subtype: 'success',
    is_error: false,
    usage,
    ...more,
  });

  it('text, tools, session, usage and cost', () => {
    const got = read(
      'claude',
      { type: 'system', subtype: 'init', session_id: 's', model: 'm' },
      block({ type: 'thinking', thinking: 'hm' }, { type: 'text', text: 'Let me look.' }),
      block({ type: 'tool_use', name: 'Bash', input: { command: 'ls\n -la' } }),
      says('Two files.'),
      result({ result: 'Two files.', total_cost_usd: 0.0123, session_id: 's2' }),
    );
    expect(got).toMatchObject({
      answer: 'Let me look.\nTwo files.\n',
      notes: '⚙ Bash ls -la\n',
      said: true,
      session_id: 's2',
      failure: null,
      question: null,
      unfinished: false,
      usage: {
        model: 'm',
        provider: 'anthropic',
        input_tokens: 18,
        cached_input_tokens: 5,
        output_tokens: 20,
        cost_micros: 12_300,
        currency: 'USD',
      },
    });
    expect(read('qwen', result()).usage).toMatchObject({
      input_tokens: 10,
      cost_micros: null,
      currency: null,
    });
  });

  it('the result is the answer when no message was', () => {
    expect(read('claude', result({ result: 'Done.' }))).toMatchObject({ answer: 'Done.\n', said: true });
    expect(read('claude', result({ result: '' }))).toMatchObject({ answer: '', said: false });
  });

  it.each([
    ['authentication_failed', 'auth'],
    ['billing_error', 'credit'],
    ['rate_limit', 'rate_limit'],
    ['server_error', 'network'],
  ])('a message marked %s is a failure, not an answer', (error, reason) => {
    const got = read(
      'claude',
      { ...says('Something odd'), error },
      result({ is_error: true, result: 'Something odd' }),
    );
    expect(got).toMatchObject({ said: false, answer: '', failure: { reason, detail: 'Something odd' } });
  });

  it('a result with is_error fails by its words', () => {
    const failed = (result_: string) =>
      read('claude', result({ is_error: true, result: result_ })).failure?.reason;
    expect(failed('API Error: 401 {"type":"error"}')).toBe('auth');
    expect(failed('Credit balance is too low')).toBe('credit');
    expect(
      read('qwen', {
        type: 'result',
        subtype: 'error_during_execution',
        is_error: true,
        error: { message: '429' },
      }).failure,
    ).toEqual({ reason: 'rate_limit', detail: '429' });
    expect(read('claude', result({ subtype: 'error_max_turns' })).failure?.detail).toContain(
      'error_max_turns',
    );
  });

  it('asks: control request, refused tools, its question tool; a refused plan is none', () => {
    const denied = (tool_name: string, tool_input: object) =>
      result({ permission_denials: [{ tool_name, tool_input }] });
    const control = { subtype: 'can_use_tool', tool_name: 'Write', input: { file_path: '/a' } };
    expect(read('claude', { type: 'control_request', request: control }).question).toBe('Allow Write? /a');
    expect(read('claude', denied('Bash', { command: 'rm -r x' })).question).toBe('Allow Bash? rm -r x');
    const questions = { questions: [{ question: 'Which one?' }] };
    expect(
      read('claude', block({ type: 'tool_use', name: 'AskUserQuestion', input: questions })).question,
    ).toBe('Which one?');
    expect(read('claude', denied('ExitPlanMode', { plan: 'p' })).question).toBeNull();
  });

  it('a subagent’s words are not the answer', () => {
    expect(read('claude', { ...says('inner'), parent_tool_use_id: 't' })).toMatchObject({
      said: false,
      answer: '',
    });
  });
});

describe('codex', () => {
  const item = (type: string, more: object) => ({ type: 'item.completed', item: { id: 'i', type, ...more } });
  const completed = {
    type: 'turn.completed',
    usage: { input_tokens: 18, cached_input_tokens: 5, output_tokens: 20 },
  };

  it('text, commands, files, session and usage; an error that was got over is none', () => {
    const got = read(
      'codex',
      { type: 'thread.started', thread_id: 't' },
      { type: 'item.started', item: { type: 'command_execution', command: 'ls' } },
      item('file_change', { changes: [{ path: 'a', kind: 'add' }] }),
      { type: 'error', message: 'Reconnecting... 1/5' },
      item('agent_message', { text: 'Hi' }),
      completed,
    );
    expect(got).toMatchObject({
      answer: 'Hi\n',
      notes: '⚙ ls\n⚙ add a\n',
      session_id: 't',
      failure: null,
      unfinished: false,
      usage: {
        provider: 'openai',
        input_tokens: 18,
        cached_input_tokens: 5,
        output_tokens: 20,
        cost_micros: null,
      },
    });
  });

  it.each([
    ['unexpected status 401 Unauthorized', 'auth'],
    ['exceeded retry limit, last status: 429 Too Many Requests', 'rate_limit'],
    ["You've hit your usage limit.", 'rate_limit'],
    ['Quota exceeded. Check your plan and billing details.', 'credit'],
    ["The 'x' model is not supported", 'model'],
    ['stream disconnected before completion', 'network'],
  ])('%s', (message, reason) => {
    expect(read('codex', { type: 'turn.failed', error: { message } }).failure).toEqual({
      reason,
      detail: message,
    });
  });

  it('asks', () => {
    const asks = { type: 'request_user_input', questions: [{ question: 'A?' }, { question: 'B?' }] };
    expect(read('codex', asks).question).toBe('A?\nB?');
  });
});

describe('gemini', () => {
  const delta = (content: string) => ({ type: 'message', role: 'assistant', content, delta: true });

  it('pieces make one text; the prompt is not repeated', () => {
    const got = read(
      'gemini',
      { type: 'init', session_id: 's', model: 'm' },
      { type: 'message', role: 'user', content: 'prompt' },
      delta('Hel'),
      delta('lo'),
      { type: 'tool_use', tool_name: 'ls', parameters: { path: '.' } },
      delta('Bye'),
      { type: 'result', status: 'success', stats: { input_tokens: 18, output_tokens: 20, cached: 5 } },
    );
    expect(got).toMatchObject({
      answer: 'Hello\nBye\n',
      notes: '⚙ ls .\n',
      session_id: 's',
      usage: { model: 'm', provider: 'google', input_tokens: 18, cached_input_tokens: 5 },
      unfinished: false,
    });
  });

  it('errors fail unless the result is a success; a tool that nobody could allow is a question', () => {
    const error = {
      type: 'error',
      severity: 'error',
      message: '429 RESOURCE_EXHAUSTED: check your billing details',
    };
    expect(read('gemini', error).failure?.reason).toBe('rate_limit');
    expect(read('gemini', error, { type: 'result', status: 'success' }).failure).toBeNull();
    const failed = {
      type: 'result',
      status: 'error',
      error: { type: 'FatalAuthenticationError', message: 'x' },
    };
    expect(read('gemini', failed).failure?.reason).toBe('auth');
    const message = 'Tool execution for "Shell" requires user confirmation, which is not supported here';
    expect(read('gemini', { type: 'tool_result', status: 'error', error: { message } }).question).toContain(
      message,
    );
  });
});

describe('opencode', () => {
  it('sums its steps, names its session', () => {
    const step = {
      type: 'step_finish',
      sessionID: 's',
      part: {
        reason: 'tool-calls',
        cost: 0.01,
        tokens: { input: 1, output: 2, reasoning: 3, cache: { read: 4, write: 5 } },
      },
    };
    const got = read('opencode', step, { type: 'text', sessionID: 's', part: { text: 'Hi' } }, step);
    expect(got).toMatchObject({
      answer: 'Hi\n',
      session_id: 's',
      unfinished: false,
      usage: {
        input_tokens: 20,
        output_tokens: 4,
        cached_input_tokens: 8,
        reasoning_tokens: 6,
        cost_micros: 20_000,
      },
    });
  });

  it('fails by status, asks on stderr', () => {
    const error = { name: 'APIError', data: { message: 'no', statusCode: 402 } };
    expect(read('opencode', { type: 'error', error }).failure).toEqual({ reason: 'credit', detail: 'no' });
    const reader = agentReaders.opencode();
    reader.readErrors('\u001b[33m!\u001b[0m permission requested: bash (rm');
    reader.readErrors(' x); auto-rejecting\n');
    expect(reader.report().question).toBe('Allow bash (rm x)?');
  });
});

describe.each(names)('%s', (name) => {
  it('keeps what is no event as text, ignores what it does not know', () => {
    const got = read(name, { type: 'new.event' }, '{"type":"assis', 'words', '', '[1]', '{"a":1}');
    expect(got.answer).toBe('{"type":"assis\nwords\n[1]\n{"a":1}\n');
    expect(got).toMatchObject({ said: false, failure: null });
  });

  it('takes a program without events for one that writes text', () => {
    expect(read(name, 'hello', '', 'you')).toMatchObject({
      answer: 'hello\n\nyou\n',
      said: true,
      unfinished: false,
    });
    expect(read(name)).toMatchObject({ said: false, unfinished: false });
  });

  it('never throws, whatever fields it is sent and wherever it is cut', () => {
    const types = fc.constantFrom(
      ...'system assistant user result control_request thread.started item.started item.completed turn.completed turn.failed error request_user_input init message tool_use tool_result text step_finish'.split(
        ' ',
      ),
    );
    const keys = fc.constantFrom(
      ...'message content item part error usage stats tokens questions request permission_denials severity role state data text'.split(
        ' ',
      ),
    );
    const event = fc.tuple(types, fc.dictionary(keys, fc.jsonValue()));
    fc.assert(
      fc.property(fc.array(event), fc.integer({ min: 1, max: 50 }), (events, size) => {
        const reader = agentReaders[name]();
        const text = events.map(([type, more]) => `${JSON.stringify({ ...more, type })}\n`).join('');
        for (let at = 0; at < text.length; at += size) reader.read(text.slice(at, at + size));
        reader.end();
        reader.report();
      }),
      { numRuns: 100 },
    );
  });

  it('gives up waiting for the end of a line that is too long', () => {
    const reader = agentReaders[name]();
    const piece = 'x'.repeat(1024 * 1024);
    let passed = 0;
    for (let index = 0; index < 20; index += 1) passed += joined(reader.read(piece), 'answer').length;
    expect(passed).toBe(20 * piece.length);
    reader.read('\n');
    expect(joined(reader.read('short\n'), 'answer')).toBe('short\n');
  });
});

it('what tells nothing is the model’s', () => expect(failureKind('odd')).toBe('model'));
