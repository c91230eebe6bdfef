import { messagesFormat } from './messages.ts';
import { streamReader } from './stream-reader.ts';

/**
 * `qwen --output-format stream-json`: docs/users/features/headless.md and packages/cli/src/nonInteractive/types.ts
 * of QwenLM/qwen-code. Its input tokens are the prompt's, what came from the cache counted in; it tells no cost.
 */
export const qwenReader = () => streamReader(messagesFormat({ provider: null, cacheBeside: false }));
