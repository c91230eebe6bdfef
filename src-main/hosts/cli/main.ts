import { systemClock } from '../../engine/clock.ts';
import { ConfigError } from '../config.ts';
import { type DataFolder, DataFolderError, dataFolderPaths } from '../data-folder.ts';
import { version } from '../version.ts';
import { findTrustedHost, readPrivate } from './connect.ts';
import type { Connection, Deps } from './deps.ts';
import { CliError, exits, usageError } from './failure.ts';
import { runCli } from './program.ts';
import { connectHttp, connectOffline } from './transport.ts';
import { languageOf, wordsOf } from './words.ts';

async function readToken(file: string): Promise<string | null> {
  const read = await readPrivate(file);
  if (read === 'missing') return null;
  if (read !== 'unsafe') return read.text.trim();
  const t = wordsOf(languageOf(process.env));
  throw new CliError(exits.failedRun, 'token_unsafe', t.tokenUnsafe(file), t.tokenUnsafeHint(file));
}

async function findHost(folder: DataFolder): Promise<Connection | null> {
  const host = await findTrustedHost(folder.server);
  if (host === null) return null;
  const token = await readToken(folder.token);
  if (token === null) return null;
  return connectHttp({ baseUrl: host.baseUrl, token, version, clock: systemClock });
}

/** A data folder that cannot be opened says why itself; what is added is the exit code, the same as for serve. */
async function refusal(error: unknown): Promise<never> {
  const { AlreadyServedError } = await import('../single-owner.ts');
  const { DatabaseRefusedError } = await import('../../storage/errors.ts');
  if (error instanceof AlreadyServedError) throw new CliError(exits.served, 'already_served', error.message);
  const refused =
    error instanceof ConfigError || error instanceof DatabaseRefusedError || error instanceof DataFolderError;
  throw refused ? usageError(error.message) : error;
}

async function readStdin(): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of process.stdin) parts.push(Buffer.from(part));
  return Buffer.concat(parts).toString('utf8');
}

function onInterrupt(fn: () => void): () => void {
  process.once('SIGINT', fn);
  return () => process.off('SIGINT', fn);
}

function realDeps(folder: DataFolder): Deps {
  return {
    findHost: () => findHost(folder),
    async openOffline() {
      // Loaded only when it is needed: the usual call talks to the host and never opens SQLite.
      const { openOffline } = await import('../offline.ts');
      return connectOffline(await openOffline(folder.path).catch(refusal));
    },
    readAdminToken: () => readToken(folder.token),
    readStdin,
    async serve(options) {
      const { serve } = await import('../serve/main.ts');
      return serve({ ...options, dataFolder: folder.path });
    },
    out: (text) => process.stdout.write(text),
    err: (text) => process.stderr.write(text),
    env: process.env,
    terminal: process.stdout.isTTY === true,
    columns: process.stdout.isTTY === true ? process.stdout.columns : undefined,
    timezone: Intl.DateTimeFormat().resolvedOptions().timeZone,
    cwd: process.cwd(),
    clock: systemClock,
    version,
    onInterrupt,
  };
}

/** Runs the command line `argv` (as process.argv has it) and gives its exit code. */
export async function main(argv: string[]): Promise<number> {
  // `nextrun list | head` closes the pipe early; that is no failure, and nobody reads what would follow.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    process.exit(exits.ok);
  });
  return runCli(argv, realDeps(dataFolderPaths(process.env['NEXTRUN_HOME'])));
}
