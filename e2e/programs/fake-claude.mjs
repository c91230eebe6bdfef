// Claude Code as its documentation describes `claude -p --output-format stream-json --verbose`.

import { play } from './fake-agent.mjs';
import { messages } from './fake-messages.mjs';

await play('claude', messages({ model: 'claude-fake-1', cost: 0.0123 }));
