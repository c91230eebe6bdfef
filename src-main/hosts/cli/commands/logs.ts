import type { Command } from 'commander';
import type { Run } from '../../../../src-shared/model/run.ts';
import type { Cli } from '../cli.ts';
import type { Connection } from '../deps.ts';
import { createNeutraliser, oneLine } from '../escape.ts';
import { exits, usageError } from '../failure.ts';
import { follow, followRun, hasEnded, type OutputChunk, readOutput } from '../follow.ts';
import { fitWidth } from '../format.ts';
import { type JsonOption, numberIn, withJson } from '../options.ts';
import { findRun } from '../resolve.ts';
import { readRuns, runFilter } from './runs.ts';

type LogsOptions = JsonOption & { taskId?: string; limit: number; follow?: boolean; raw?: boolean };

/** `2026-05-06 09:00  Done  12 s  Daily brief: three commits`, cut to the terminal. */
function logLine(cli: Cli, run: Run): string {
  const { text, paint } = cli.stateCell(run.status);
  const why = cli.reason(run.reason_code);
  const said = oneLine(run.summary ?? '');
  const rest = [oneLine(run.title), [why, said].filter((part) => part !== '').join(' – ')];
  const tail = rest.filter((part) => part !== '').join(': ');
  const at = cli.time(run.finished_at ?? run.started_at ?? run.queued_at ?? run.created_at);
  const line = `${at}  ${text}  ${cli.duration(run.duration_ms)}  ${tail}`;
  const shown = cli.deps.columns === undefined ? line : fitWidth(line, cli.deps.columns);
  return shown.replace(text, () => paint(text));
}

async function history(cli: Cli, { taskId, limit, json }: LogsOptions): Promise<number> {
  const connection = await cli.connection();
  const { filter, keep } = await runFilter(cli, connection, taskId);
  const page = await readRuns(connection, filter, limit, keep);
  if (json) cli.json(page);
  else if (page.items.length === 0) cli.say(cli.t.noRuns);
  // The newest is last, as in every log.
  else for (const run of page.items.toReversed()) cli.data(logLine(cli, run));
  return exits.ok;
}

/** The last runs, then each run as it ends, until Ctrl-C. */
async function followHistory(cli: Cli, { taskId, limit, json }: LogsOptions): Promise<number> {
  const { filter, keep } = await runFilter(cli, await cli.host(), taskId);
  const shown = new Set<string>();
  const show = (run: Run) => {
    if (!hasEnded(run) || shown.has(run.id)) return;
    shown.add(run.id);
    // One value per line, so that a program can read it as it comes.
    if (json) cli.json(run, 0);
    else cli.data(logLine(cli, run));
  };
  await follow(cli, async (connection, event) => {
    if (event === null) {
      const { items } = await readRuns(connection, filter, limit, keep);
      for (const run of items.toReversed()) show(run);
    } else if (event.type === 'run' && event.row !== null && keep(event.row)) show(event.row);
    return false;
  });
  return exits.ok;
}

/** Prints text as it is, or without terminal escapes; each stream of a run has its own state. */
function printer(cli: Cli, raw: boolean): (chunk: OutputChunk) => void {
  const streams = new Map<string, (piece: string) => string>();
  return ({ stream, text }) => {
    if (raw) return cli.deps.out(text);
    const safe = streams.get(stream) ?? createNeutraliser();
    streams.set(stream, safe);
    cli.deps.out(safe(text));
  };
}

async function jsonOutput(cli: Cli, connection: Connection, id: string): Promise<void> {
  const items: OutputChunk[] = [];
  let rest = {};
  await readOutput(connection, id, 0, ({ items: chunks, ...about }) => {
    items.push(...chunks);
    rest = about;
  });
  cli.json({ items, ...rest });
}

async function output(cli: Cli, given: string, options: LogsOptions): Promise<number> {
  const connection = options.follow ? await cli.host() : await cli.connection(true);
  const run = await findRun(cli, connection, given);
  const print = printer(cli, options.raw === true);
  if (options.follow) {
    const onChunk = options.json ? (chunk: OutputChunk) => cli.json(chunk, 0) : print;
    await followRun(cli, run.id, { onChunk });
  } else if (options.json) await jsonOutput(cli, connection, run.id);
  else await readOutput(connection, run.id, 0, ({ items }) => items.forEach(print));
  if (run.output_dropped_bytes > 0) cli.say(cli.t.outputDropped(run.output_dropped_bytes));
  return exits.ok;
}

/** logs. */
export function addLogsCommand(program: Command, cli: Cli): void {
  const h = cli.help;
  const command = program
    .command('logs')
    .description(h.logs)
    .argument('[run]', h.runId)
    .option('--task-id <id>', h.runTask)
    .option('--limit <n>', h.limit, numberIn(cli, 1, 100_000), 10)
    .option('-f, --follow', h.follow)
    .option('--raw', h.raw);
  withJson(command, cli).action(
    cli.action(async (given: string | undefined, options: LogsOptions) => {
      if (given !== undefined && options.taskId !== undefined)
        throw usageError(cli.t.strayWords(oneLine(given)));
      if (given !== undefined) return output(cli, given, options);
      return options.follow ? followHistory(cli, options) : history(cli, options);
    }),
  );
}
