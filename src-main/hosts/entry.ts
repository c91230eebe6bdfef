import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** better-sqlite3 13 crashes an older Node instead of failing: the check must come before anything loads it. */
const oldestNode: readonly [number, number] = [22, 14];

function newEnough(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major > oldestNode[0] || (major === oldestNode[0] && minor >= oldestNode[1]);
}

/** The Node that the lock file pins, when this is a checkout with its modules installed. */
function pinnedNode(): string | null {
  const file = process.platform === 'win32' ? 'node.cmd' : 'node';
  let folder = dirname(fileURLToPath(import.meta.url));
  for (;;) {
    const candidate = join(folder, 'node_modules', '.bin', file);
    if (existsSync(candidate)) return candidate;
    const parent = dirname(folder);
    if (parent === folder) return null;
    folder = parent;
  }
}

/** The same command under another Node; signals meant for this process reach it. */
function reexecute(node: string): Promise<number> {
  const child = spawn(node, process.argv.slice(1), {
    stdio: 'inherit',
    env: { ...process.env, NEXTRUN_REEXECUTED: '1' },
  });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => child.kill(signal));
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('exit', (code) => resolve(code ?? 1));
  });
}

async function run(): Promise<number> {
  if (newEnough(process.versions.node)) {
    const { main } = await import('./cli/main.ts');
    return main(process.argv);
  }
  const node = pinnedNode();
  if (node === null || process.env['NEXTRUN_REEXECUTED'] === '1') {
    process.stderr.write(
      `NextRun needs Node ${oldestNode.join('.')} or newer; this is ${process.versions.node}\n`,
    );
    return 2;
  }
  return reexecute(node);
}

run().then(
  (code) => {
    process.exitCode = code;
  },
  (error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  },
);
