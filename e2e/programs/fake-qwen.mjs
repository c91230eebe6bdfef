// Qwen Code as its documentation describes `qwen --output-format stream-json`; it tells no cost.

import { play } from './fake-agent.mjs';
import { messages } from './fake-messages.mjs';

await play('qwen', messages({ model: 'qwen-fake-1', cost: undefined, asksInResult: true }));
