// The stream of messages that Claude Code, CodeBuddy Code and Qwen Code write.
import { option } from './fake-agent.mjs';

const marks = { 401: 'authentication_failed', 402: 'billing_error', 429: 'rate_limit', 503: 'server_error' };

export function messages({ model, cost, asksInResult = false }) {
  const session_id = option('--resume') ?? 'fake-session-1';
  const usage = {
    input_tokens: 10,
    output_tokens: 20,
    cache_read_input_tokens: 5,
    cache_creation_input_tokens: 3,
  };
  const assistant = (content, more = {}) => ({
    type: 'assistant',
    session_id,
    parent_tool_use_id: null,
    message: { id: 'm', type: 'message', role: 'assistant', model, content, usage },
    ...more,
  });
  const result = (more) => ({
    type: 'result',
    subtype: 'success',
    is_error: false,
    duration_ms: 5,
    num_turns: 1,
    session_id,
    usage,
    total_cost_usd: cost,
    permission_denials: [],
    ...more,
  });
  let last = '';
  return {
    begin: () => ({
      type: 'system',
      subtype: 'init',
      session_id,
      model,
      cwd: process.cwd(),
      tools: ['Bash'],
    }),
    text(text) {
      last = text;
      return assistant([{ type: 'text', text }]);
    },
    tool: (command) =>
      [
        assistant([{ type: 'tool_use', id: 't', name: 'Bash', input: { command } }]),
        {
          type: 'user',
          session_id,
          message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't', content: 'ok' }] },
        },
      ].flat(),
    // A refused request ends with exit code 0, `subtype` success and is_error.
    fail: (status, words) => [
      assistant([{ type: 'text', text: words }], marks[status] === undefined ? {} : { error: marks[status] }),
      result({ is_error: true, result: words }),
    ],
    ask: (command) =>
      asksInResult
        ? result({
            result: last,
            permission_denials: [{ tool_name: 'Bash', tool_use_id: 't', tool_input: { command } }],
          })
        : {
            type: 'control_request',
            request_id: 'r',
            request: { subtype: 'can_use_tool', tool_name: 'Bash', input: { command } },
          },
    end: () => result({ result: last }),
  };
}
