import { execFile } from 'node:child_process';
import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';
import { agentProfileNames, agentProfiles } from '../../src-shared/executors/agent-profiles.ts';
import type { AgentConfig } from '../../src-shared/model/settings.ts';

type Environment = Record<string, string | undefined>;

const shellMs = 3000;
const versionMs = 10_000;
const longestVersion = 100;
const mark = 'NEXTRUN_PATH=';

export interface FoundAgents {
  /** What can be used now; `complete` adds to it in place. */
  agents: Record<string, AgentConfig>;
  /** What children inherit from: the host's environment, with the PATH of the login shell once that is known. */
  environment: Environment;
  /**
   * Asks the login shell for its PATH and looks there too: a program that a desktop started has hardly any PATH.
   * Resolves within 3 s, whatever the shell does.
   */
  complete(): Promise<void>;
  /** Asks the known agents for their version, each at most 10 s. */
  askVersions(): Promise<void>;
}

const folders = (path: string): string[] => path.split(delimiter).filter((folder) => isAbsolute(folder));

/** The program of that name on a PATH; relative folders are left out, they would be the working folder's (S37). */
function programOn(path: string, name: string): string | null {
  const file = process.platform === 'win32' ? `${name}.exe` : name;
  for (const folder of folders(path)) {
    const candidate = join(folder, file);
    try {
      accessSync(candidate, constants.X_OK);
      if (statSync(candidate).isFile()) return candidate;
    } catch {
      // Not in this folder.
    }
  }
  return null;
}

/** What a program prints, null when it fails or takes longer. */
function printed(file: string, args: string[], env: Environment, timeout: number): Promise<string | null> {
  return new Promise((resolve) => {
    try {
      const child = execFile(
        file,
        args,
        { env, timeout, killSignal: 'SIGKILL', maxBuffer: 1_048_576, windowsHide: true },
        (error, stdout) => resolve(error === null ? stdout : null),
      );
      child.stdin?.on('error', () => {});
      child.stdin?.end();
    } catch {
      resolve(null);
    }
  });
}

async function loginPath(env: Environment): Promise<string> {
  const shell = env['SHELL'];
  if (process.platform === 'win32' || shell === undefined || !isAbsolute(shell)) return '';
  const text = await printed(shell, ['-lc', `printf '\\n${mark}%s\\n' "$PATH"`], env, shellMs);
  const line = text?.split('\n').findLast((one) => one.startsWith(mark));
  return line?.slice(mark.length) ?? '';
}

/** Adds the known agents that are on this PATH, and the place of the programs of those that are configured. */
function look(agents: Record<string, AgentConfig>, path: string): void {
  for (const agent of Object.values(agents)) {
    const program = agent.command[0];
    if (agent.path !== undefined || program === undefined) continue;
    const place = isAbsolute(program) ? program : programOn(path, program);
    if (place === null) continue;
    agent.path = place;
    // The place is fixed now: a later change of PATH does not put another program in its stead.
    if (agent.profile !== undefined) agent.command = [place, ...agent.command.slice(1)];
  }
  for (const profile of agentProfileNames) {
    if (agents[profile] !== undefined) continue;
    const place = programOn(path, agentProfiles[profile].program);
    if (place === null) continue;
    agents[profile] = { command: [place], default: false, profile, detected: true, path: place };
  }
}

/** What a program that only tells its version needs to know; keys and tokens are none of it. */
function bareEnvironment(env: Environment): Environment {
  const names = [
    'PATH',
    'HOME',
    'USER',
    'LANG',
    'TMPDIR',
    'SystemRoot',
    'USERPROFILE',
    'APPDATA',
    'LOCALAPPDATA',
  ];
  return Object.fromEntries(
    names.map((name) => [name, env[name]]).filter(([, value]) => value !== undefined),
  );
}

async function askVersion(agent: AgentConfig, env: Environment): Promise<void> {
  const [file, ...args] = agent.command;
  if (file === undefined) return;
  const text = await printed(file, [...args, '--version'], bareEnvironment(env), versionMs);
  const line = text?.split('\n').find((one) => one.trim() !== '');
  if (line !== undefined) agent.version = line.trim().slice(0, longestVersion).toWellFormed();
}

/**
 * The agents of config.toml and the known ones on PATH. What is configured wins over what is found under the same
 * name. Only the file system is read until `complete` is called.
 */
export function findAgents(configured: Readonly<Record<string, AgentConfig>>, env: Environment): FoundAgents {
  const agents = Object.fromEntries(Object.entries(configured).map(([name, agent]) => [name, { ...agent }]));
  const environment = { ...env };
  look(agents, environment['PATH'] ?? '');
  return {
    agents,
    environment,
    async complete() {
      const own = folders(environment['PATH'] ?? '');
      const more = folders(await loginPath(env)).filter((folder) => !own.includes(folder));
      if (more.length === 0) return;
      environment['PATH'] = [...own, ...more].join(delimiter);
      look(agents, environment['PATH']);
    },
    async askVersions() {
      const known = Object.values(agents).filter((agent) => agent.profile !== undefined);
      await Promise.all(known.map((agent) => askVersion(agent, environment)));
    },
  };
}
