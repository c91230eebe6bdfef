// Gemini CLI as its documentation describes `gemini --output-format stream-json`.
import { option, play } from './fake-agent.mjs';

const timestamp = '2026-01-01T00:00:00.000Z';
const session_id = option('--resume') ?? 'fake-session-1';
const stats = {
  total_tokens: 38,
  input_tokens: 18,
  output_tokens: 20,
  cached: 5,
  input: 13,
  duration_ms: 5,
  tool_calls: 1,
};

await play('gemini', {
  begin: () => [
    { type: 'init', timestamp, session_id, model: 'gemini-fake-1' },
    { type: 'message', timestamp, role: 'user', content: 'the prompt' },
  ],
  text: (text) =>
    [text.slice(0, 3), text.slice(3)].map((content) => ({
      type: 'message',
      timestamp,
      role: 'assistant',
      content,
      delta: true,
    })),
  tool: (command) => [
    { type: 'tool_use', timestamp, tool_name: 'run_shell_command', tool_id: 't', parameters: { command } },
    { type: 'tool_result', timestamp, tool_id: 't', status: 'success', output: 'ok' },
  ],
  fail: (_status, message) => ({
    type: 'result',
    timestamp,
    status: 'error',
    error: { type: 'ApiError', message },
    stats,
  }),
  ask: () => ({
    type: 'tool_result',
    timestamp,
    tool_id: 't',
    status: 'error',
    error: {
      type: 'unhandled_exception',
      message:
        'Tool execution for "Shell" requires user confirmation, which is not supported in non-interactive mode.',
    },
  }),
  end: () => [
    { type: 'error', timestamp, severity: 'warning', message: 'Loop detected' },
    { type: 'result', timestamp, status: 'success', stats },
  ],
});
