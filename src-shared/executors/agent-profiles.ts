import type { PermissionMode } from '../model/policies.ts';

/** The agents whose command line and stream are known; any other program is a custom agent. */
export const agentProfileNames = ['claude', 'codex', 'gemini', 'codebuddy', 'opencode', 'qwen'] as const;
export type AgentProfileName = (typeof agentProfileNames)[number];

/**
 * How one agent is started without a terminal. The prompt is in none of these: each of them reads it from stdin,
 * so it can neither be taken for a flag nor be too long. A program without stdin would have to get it after `--`,
 * with a leading dash refused.
 */
export interface AgentProfile {
  /** Found on PATH when config.toml names no command. */
  program: string;
  /** Headless, prompt from stdin, machine-readable stream: before everything else. */
  start: readonly string[];
  model: readonly string[];
  /** Flags or words before the id of the session to go on with; they come after all flags. */
  resume: readonly string[];
  /** After everything else. */
  end: readonly string[];
  /** Only what a row, a request or a person asked for; no mode = none of these. */
  permission: Readonly<Record<PermissionMode, readonly string[]>>;
}

/**
 * Claude Code. https://code.claude.com/docs/en/headless (-p, piped stdin, --output-format stream-json, which needs
 * --verbose, --resume), https://code.claude.com/docs/en/cli-reference (--model),
 * https://code.claude.com/docs/en/permission-modes (--permission-mode: default, acceptEdits, plan,
 * bypassPermissions, also with -p). Without a mode what would be asked is denied.
 */
const claude: AgentProfile = {
  program: 'claude',
  start: ['-p', '--output-format', 'stream-json', '--verbose'],
  model: ['--model'],
  resume: ['--resume'],
  end: [],
  permission: {
    plan: ['--permission-mode', 'plan'],
    default: ['--permission-mode', 'default'],
    acceptEdits: ['--permission-mode', 'acceptEdits'],
    fullAccess: ['--permission-mode', 'bypassPermissions'],
  },
};

/**
 * Codex. https://developers.openai.com/codex/noninteractive (`exec`, --json, resume, read-only as the default
 * sandbox, workspace-write, danger-full-access, --skip-git-repo-check) and codex-rs/exec/src/cli.rs of openai/codex
 * (`-` reads stdin; --sandbox belongs before `resume`). It never asks in exec. The folder is the one the person
 * chose, so it need not be a repository.
 */
const codex: AgentProfile = {
  program: 'codex',
  start: ['exec', '--json', '--skip-git-repo-check'],
  model: ['--model'],
  resume: ['resume'],
  end: ['-'],
  permission: {
    plan: ['--sandbox', 'read-only'],
    default: ['--sandbox', 'read-only'],
    acceptEdits: ['--sandbox', 'workspace-write'],
    fullAccess: ['--sandbox', 'danger-full-access'],
  },
};

/**
 * Gemini CLI. https://geminicli.com/docs/cli/headless (without a terminal it is headless, stream-json),
 * docs/cli/cli-reference.md of google-gemini/gemini-cli (piped stdin, --model, --approval-mode: default, auto_edit,
 * yolo, plan), docs/cli/session-management.md (--resume with the full id).
 */
const gemini: AgentProfile = {
  program: 'gemini',
  start: ['--output-format', 'stream-json'],
  model: ['--model'],
  resume: ['--resume'],
  end: [],
  permission: {
    plan: ['--approval-mode', 'plan'],
    default: ['--approval-mode', 'default'],
    acceptEdits: ['--approval-mode', 'auto_edit'],
    fullAccess: ['--approval-mode', 'yolo'],
  },
};

/**
 * CodeBuddy Code. https://cloud.tencent.com/document/product/1831/137040 (-p, --output-format stream-json,
 * --resume, --permission-mode), https://cloud.tencent.com/document/product/1831/137058 (permission modes),
 * https://www.w3cschool.cn/codebuddydocs/codebuddy-cli-reference.html (-p for pipes, --model, --verbose).
 * Without a mode what would be asked is blocked.
 */
const codebuddy: AgentProfile = {
  program: 'codebuddy',
  start: ['-p', '--output-format', 'stream-json'],
  model: ['--model'],
  resume: ['--resume'],
  end: [],
  permission: {
    plan: ['--permission-mode', 'plan'],
    default: ['--permission-mode', 'default'],
    acceptEdits: ['--permission-mode', 'acceptEdits'],
    fullAccess: ['--permission-mode', 'bypassPermissions'],
  },
};

/**
 * OpenCode. https://opencode.ai/docs/cli (`run`, --format json, --session, --model provider/model, --agent),
 * packages/opencode/src/cli/cmd/run.ts (reads stdin when it is no terminal; what would be asked is rejected),
 * https://opencode.ai/v1/docs/permissions (--auto approves what is not denied; without rules of the person's own its
 * build agent may edit and run commands), https://opencode.ai/v2/docs/agents (plan may not edit).
 */
const opencode: AgentProfile = {
  program: 'opencode',
  start: ['run', '--format', 'json'],
  model: ['--model'],
  resume: ['--session'],
  end: [],
  permission: {
    plan: ['--agent', 'plan'],
    default: [],
    acceptEdits: [],
    fullAccess: ['--auto'],
  },
};

/**
 * Qwen Code. https://qwenlm.github.io/qwen-code-docs/en/users/features/headless (stdin, stream-json, --resume),
 * https://qwenlm.github.io/qwen-code-docs/en/users/features/approval-mode and its settings page
 * (--approval-mode: plan, default, auto-edit, yolo; --model).
 */
const qwen: AgentProfile = {
  program: 'qwen',
  start: ['--output-format', 'stream-json'],
  model: ['--model'],
  resume: ['--resume'],
  end: [],
  permission: {
    plan: ['--approval-mode', 'plan'],
    default: ['--approval-mode', 'default'],
    acceptEdits: ['--approval-mode', 'auto-edit'],
    fullAccess: ['--approval-mode', 'yolo'],
  },
};

export const agentProfiles: Readonly<Record<AgentProfileName, AgentProfile>> = {
  claude,
  codex,
  gemini,
  codebuddy,
  opencode,
  qwen,
};

/** Whether a name of config.toml is one of a known agent. */
export function isAgentProfileName(name: string): name is AgentProfileName {
  return Object.hasOwn(agentProfiles, name);
}

export interface AgentOptions {
  /** The agent's own name of a model; null = its default. */
  model: string | null;
  /** null = the agent's own headless default, no flag at all. */
  permission_mode: PermissionMode | null;
  /** The agent's id of the session to go on with; null = a new one. */
  resume: string | null;
}

/** A value in its place of the template; one that reads like a flag or breaks the argv is refused (security S32). */
function refusal(what: string, value: string | null): string | null {
  if (value === null) return null;
  if (value === '') return `the ${what} is empty`;
  if (value.startsWith('-')) return `the ${what} "${value}" begins with a dash, it would be read as a flag`;
  return /\p{Cc}/u.test(value) ? `the ${what} contains a control character` : null;
}

/**
 * The arguments of an agent after its program. Always the profile's template with at most three values in it: the
 * prompt goes to stdin. In words what cannot be passed on.
 */
export function argvOf(
  name: AgentProfileName,
  { model, permission_mode, resume }: AgentOptions,
): string[] | { refused: string } {
  const profile = agentProfiles[name];
  const refused = refusal('model', model) ?? refusal('session id', resume);
  if (refused !== null) return { refused };
  return [
    ...profile.start,
    ...(permission_mode === null ? [] : profile.permission[permission_mode]),
    ...(model === null ? [] : [...profile.model, model]),
    ...(resume === null ? [] : [...profile.resume, resume]),
    ...profile.end,
  ];
}
