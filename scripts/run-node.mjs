import { spawn } from 'node:child_process';
import { existsSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The root of the repository. */
export const root = join(dirname(fileURLToPath(import.meta.url)), '..');

/** The oldest Node that can load the database (package.json, engines). */
const oldest = [22, 14];
const pinned = join(root, 'node_modules', 'node', 'bin', process.platform === 'win32' ? 'node.exe' : 'node');

function isNewEnough([major, minor]) {
  return major > oldest[0] || (major === oldest[0] && minor >= oldest[1]);
}

/** Whether the module of this `import.meta.url` is the program that was started, through links or not. */
export function isProgram(url) {
  return process.argv[1] !== undefined && realpathSync(process.argv[1]) === fileURLToPath(url);
}

/**
 * Runs a program with our own input, output and error, hands on the signals we get, and resolves to
 * `{ code, signal }` when it has ended. A Ctrl-C at the terminal reaches the child by itself.
 */
export function runInherited(program, args, env = process.env) {
  const child = spawn(program, args, { stdio: 'inherit', cwd: root, env });
  const hearsTerminal = process.stdin.isTTY === true;
  const pass = (signal) => {
    if (signal !== 'SIGINT' || !hearsTerminal) child.kill(signal);
  };
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'];
  for (const signal of signals) process.on(signal, pass);
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('exit', (code, signal) => {
      for (const name of signals) process.off(name, pass);
      resolve({ code, signal });
    });
  });
}

/** Ends this process the way a child ended. */
export function endLike({ code, signal }) {
  if (signal !== null) process.kill(process.pid, signal);
  else process.exit(code ?? 1);
}

/**
 * Makes sure that this script runs under a Node that the project supports: under an older one it starts itself
 * again with the Node of node_modules and ends like it. Await it before importing anything of node_modules.
 */
export async function requireNode() {
  if (isNewEnough(process.versions.node.split('.').map(Number))) return;
  if (!existsSync(pinned)) {
    console.error(
      `Node ${process.versions.node} is too old (${oldest.join('.')} or newer is needed). Type: npm ci`,
    );
    process.exit(1);
  }
  endLike(await runInherited(pinned, process.argv.slice(1)));
  // Only reached while our own signal is on its way.
  await new Promise(() => undefined);
}
