import { messagesFormat } from './messages.ts';
import { streamReader } from './stream-reader.ts';

/**
 * `claude -p --output-format stream-json --verbose`: https://code.claude.com/docs/en/headless and the message types
 * of https://code.claude.com/docs/en/agent-sdk/typescript (SDKMessage, SDKResultMessage with is_error,
 * total_cost_usd and permission_denials, the `error` of SDKAssistantMessage).
 */
export const claudeReader = () => streamReader(messagesFormat({ provider: 'anthropic', cacheBeside: true }));
