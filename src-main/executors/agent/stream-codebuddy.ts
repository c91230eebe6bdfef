import { messagesFormat } from './messages.ts';
import { streamReader } from './stream-reader.ts';

/** `codebuddy -p --output-format stream-json`: https://cloud.tencent.com/document/product/1831/137040. */
export const codebuddyReader = () => streamReader(messagesFormat({ provider: null, cacheBeside: true }));
