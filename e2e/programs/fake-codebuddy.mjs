// CodeBuddy Code as its documentation describes `codebuddy -p --output-format stream-json`.

import { play } from './fake-agent.mjs';
import { messages } from './fake-messages.mjs';

await play('codebuddy', messages({ model: 'codebuddy-fake-1', cost: 0.0123 }));
