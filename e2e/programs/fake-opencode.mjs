// OpenCode as its documentation and source describe `opencode run --format json`.
import { option, play } from './fake-agent.mjs';

const sessionID = option('--session') ?? 'ses_fake1';
const event = (type, more) => ({ type, timestamp: 1, sessionID, ...more });

await play('opencode', {
  begin: () => event('step_start', { part: { type: 'step-start', sessionID } }),
  text: (text) => event('text', { part: { type: 'text', text, time: { start: 1, end: 2 } } }),
  tool: (command) =>
    event('tool_use', {
      part: { type: 'tool', tool: 'bash', state: { status: 'completed', input: { command }, output: 'ok' } },
    }),
  fail: (statusCode, message) =>
    event('error', { error: { name: 'APIError', data: { message, statusCode, isRetryable: false } } }),
  ask(command) {
    process.stderr.write(`! permission requested: bash (${command}); auto-rejecting\n`);
    return [];
  },
  end: () =>
    event('step_finish', {
      part: {
        type: 'step-finish',
        reason: 'stop',
        cost: 0.0123,
        tokens: { input: 10, output: 20, reasoning: 2, cache: { read: 5, write: 3 } },
      },
    }),
});
