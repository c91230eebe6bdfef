import type { AgentProfileName } from '../../../src-shared/executors/agent-profiles.ts';
import type { AgentReader } from '../../../src-shared/executors/agent-stream.ts';
import { claudeReader } from './stream-claude.ts';
import { codebuddyReader } from './stream-codebuddy.ts';
import { codexReader } from './stream-codex.ts';
import { geminiReader } from './stream-gemini.ts';
import { opencodeReader } from './stream-opencode.ts';
import { qwenReader } from './stream-qwen.ts';

/** A new reader for the stdout of a known agent. */
export const agentReaders: Readonly<Record<AgentProfileName, () => AgentReader>> = {
  claude: claudeReader,
  codex: codexReader,
  gemini: geminiReader,
  codebuddy: codebuddyReader,
  opencode: opencodeReader,
  qwen: qwenReader,
};
