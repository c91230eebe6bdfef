// Codex as its documentation describes `codex exec --json`.
import { option, play } from './fake-agent.mjs';

const thread_id = option('resume') ?? 'fake-thread-1';
let item = 0;
const id = () => `item_${item++}`;

await play('codex', {
  begin: () => [{ type: 'thread.started', thread_id }, { type: 'turn.started' }],
  text: (text) => ({ type: 'item.completed', item: { id: id(), type: 'agent_message', text } }),
  tool: (command) => ({
    type: 'item.started',
    item: {
      id: id(),
      type: 'command_execution',
      command,
      aggregated_output: '',
      exit_code: null,
      status: 'in_progress',
    },
  }),
  fail: (_status, message) => [
    { type: 'error', message },
    { type: 'turn.failed', error: { message } },
  ],
  ask: (command) => ({
    type: 'request_user_input',
    id: 'turn',
    call_id: 'call',
    questions: [{ id: 'q', header: 'Run', question: `Shall I run ${command}?` }],
  }),
  end: () => [
    { type: 'error', message: 'Reconnecting... 1/5 (stream disconnected)' },
    { type: 'turn.completed', usage: { input_tokens: 18, cached_input_tokens: 5, output_tokens: 20 } },
  ],
});
