import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface SpawnedServer {
  pid: number;
  url: string;
  headers: Record<string, string>;
  stop(): Promise<void>;
}

const program = process.env['NEXTRUN_BENCH_PROGRAM'] ?? '';

/** The folder of the built program. */
export const built = join(program, '..');

function ready(child: ChildProcess, mark: RegExp): Promise<RegExpExecArray> {
  let printed = '';
  return new Promise((resolve, reject) => {
    child.stdout?.on('data', (data: Buffer) => {
      printed += data.toString();
      const found = mark.exec(printed);
      if (found !== null) resolve(found);
    });
    child.on('exit', (code) => reject(new Error(`a server ended with ${code}: ${printed}`)));
  });
}

function stopper(child: ChildProcess): () => Promise<void> {
  return () =>
    new Promise((resolve) => {
      child.once('exit', () => resolve());
      child.kill('SIGTERM');
    });
}

/** The built program over a data folder, as a user runs it. */
export async function startHost(folder: string): Promise<SpawnedServer> {
  const env = { PATH: process.env['PATH'] ?? '', HOME: folder, NEXTRUN_HOME: folder };
  const stdio: ['ignore', 'pipe', 'inherit'] = ['ignore', 'pipe', 'inherit'];
  const child = spawn(process.execPath, [program, 'serve', '--port', '0'], { env, stdio });
  await ready(child, /Stop {5}Ctrl\+C/);
  const server = JSON.parse(readFileSync(join(folder, 'server.json'), 'utf8')) as { url: string };
  const token = readFileSync(join(folder, 'token'), 'utf8').trim();
  return {
    pid: child.pid ?? 0,
    url: server.url,
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
    stop: stopper(child),
  };
}

/** This program again as the least server there can be (floors.ts). */
export const startFloor = (folder: string): Promise<SpawnedServer> =>
  startNode([process.argv[1] ?? '', 'floor-server', folder]);

/** A Node that only opens a database. */
export const startBare = (folder: string): Promise<SpawnedServer> =>
  startNode([process.env['NEXTRUN_BENCH_BARE'] ?? '', join(folder, 'bare.db')]);

async function startNode(args: string[]): Promise<SpawnedServer> {
  const stdio: ['ignore', 'pipe', 'inherit'] = ['ignore', 'pipe', 'inherit'];
  const child = spawn(process.execPath, args, { stdio, env: process.env });
  const [, url = ''] = await ready(child, /ready (\S+)\n/);
  return {
    pid: child.pid ?? 0,
    url,
    headers: { 'Content-Type': 'application/json' },
    stop: stopper(child),
  };
}
