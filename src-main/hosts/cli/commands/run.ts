import type { Command } from 'commander';
import type { Submit } from '../../../../src-shared/contract/compat.ts';
import type { Run } from '../../../../src-shared/model/run.ts';
import type { Cli } from '../cli.ts';
import { createNeutraliser, oneLine } from '../escape.ts';
import { exits, InterruptedError, usageError } from '../failure.ts';
import { commandOf, foldersOf, nameFrom, promptOf } from '../fields.ts';
import { followRun, followSubmission, type RunWatcher } from '../follow.ts';
import { type JsonOption, type WorkOptions, withJson, withWork } from '../options.ts';
import { findAutomation, findRun } from '../resolve.ts';

type RunOptions = WorkOptions & JsonOption & { wait?: boolean; raw?: boolean };

/** How a run ended, in words; with what to do when it waits for a verdict. */
function sayEnd(cli: Cli, run: Run): void {
  const state = cli.stateCell(run.status).text;
  const reason = cli.reason(run.reason_code);
  const detail = run.reason_detail === null ? '' : ` (${oneLine(run.reason_detail)})`;
  const ended =
    run.duration_ms === null ? cli.t.endedPlain(state) : cli.t.ended(state, cli.duration(run.duration_ms));
  cli.say(reason === '' ? ended : `${ended} ${reason}${detail}`);
  if (run.status === 'PENDING_REVIEW') cli.say(cli.t.review(run.id));
  if (run.output_dropped_bytes > 0) cli.say(cli.t.outputDropped(run.output_dropped_bytes));
}

function streaming(cli: Cli, raw: boolean): RunWatcher {
  const streams = new Map<string, (piece: string) => string>();
  const safe = (stream: string, text: string) => {
    if (raw) return text;
    const known = streams.get(stream) ?? createNeutraliser();
    streams.set(stream, known);
    return known(text);
  };
  return {
    // What the run wrote to stderr goes to stderr, so that `nextrun run --wait -- cmd | next` means what it says.
    onChunk: ({ stream, text }) => (stream === 'stderr' ? cli.deps.err : cli.deps.out)(safe(stream, text)),
    onState: (run) => {
      if (run.status === 'QUEUED') cli.say(cli.t.queued(run.queued_position));
      if (run.status === 'IN_PROGRESS') cli.say(cli.t.startedRun(run.id));
    },
  };
}

/** Says at Ctrl-C that the run goes on: stopping to watch is not stopping it. */
async function hinted<T>(cli: Cli, id: string, watch: () => Promise<T>): Promise<T> {
  try {
    return await watch();
  } catch (error) {
    throw error instanceof InterruptedError ? new InterruptedError(cli.t.interrupted(id)) : error;
  }
}

/** Streams the run until it has ended; gives the exit code of its result. */
async function waitFor(cli: Cli, id: string, options: RunOptions): Promise<number> {
  const watcher: RunWatcher = options.json ? { onChunk: () => {} } : streaming(cli, options.raw === true);
  const run = await hinted(cli, id, () => followRun(cli, id, watcher));
  if (options.json) cli.json(run);
  sayEnd(cli, run);
  return run.status === 'ACCEPTED' ? exits.ok : exits.failedRun;
}

async function runExisting(cli: Cli, given: string, options: RunOptions): Promise<number> {
  const { wait, raw: _, json, ...rest } = options;
  const [extra] = Object.keys(rest);
  if (extra !== undefined) throw usageError(cli.t.taskAndNew(`--${extra}`));
  const connection = await cli.host();
  const { id, name } = await findAutomation(cli, connection, given);
  const { run, existing } = await connection.client.call('runAutomation', { params: { id }, body: {} });
  if (existing) cli.say(cli.t.existing(oneLine(name)));
  if (wait) return waitFor(cli, run.id, options);
  if (json) cli.json({ run, existing });
  else {
    if (!existing) cli.say(cli.t.queued(run.queued_position));
    cli.data(run.id);
  }
  return exits.ok;
}

async function submission(cli: Cli, options: RunOptions, argv: string[] | null): Promise<Submit> {
  const prompt = await promptOf(cli, options);
  const command = commandOf(cli, options, argv);
  if (prompt === undefined && command === undefined) throw usageError(cli.t.needTask);
  const { agent, model, kind, env, timeout, review } = options;
  const name = options.name ?? nameFrom(prompt, command);
  return {
    delay_seconds: 0,
    // It runs where it was typed, as everything in a shell does.
    cwds: foldersOf(cli, options) ?? [cli.deps.cwd],
    ...(prompt === undefined ? {} : { prompt }),
    ...(command === undefined ? {} : { command }),
    ...(name === undefined ? {} : { name }),
    ...(kind === undefined ? {} : { kind }),
    ...(agent === undefined ? {} : { agent }),
    ...(model === undefined ? {} : { model }),
    ...(env === undefined ? {} : { env }),
    ...(timeout === undefined ? {} : { timeout_seconds: timeout }),
    ...(review === undefined ? {} : { review }),
  };
}

async function runNew(cli: Cli, options: RunOptions, argv: string[] | null): Promise<number> {
  const body = await submission(cli, options, argv);
  const { client } = await cli.host();
  const submitted = await client.call('submitRun', { body });
  if (!options.wait) {
    if (options.json) cli.json(submitted);
    else {
      cli.say(cli.t.submitted(submitted.id));
      cli.data(submitted.id);
    }
    return exits.ok;
  }
  const runId = await hinted(cli, submitted.id, () => followSubmission(cli, submitted.id));
  if (runId !== null) return waitFor(cli, runId, options);
  const status = await client.call('submittedRunStatus', { query: { id: submitted.id } });
  if (options.json) cli.json(status);
  cli.say([cli.pick(status.label), oneLine(status.error ?? '')].filter((text) => text !== '').join('. '));
  return exits.failedRun;
}

async function cancel(cli: Cli, given: string, { json }: JsonOption): Promise<number> {
  const connection = await cli.host();
  const { id } = await findRun(cli, connection, given);
  const run = await connection.client.call('cancelRun', { params: { id } });
  if (json) cli.json(run);
  else {
    cli.say(run.status === 'CANCELLED' ? cli.t.cancelled(id) : cli.t.cancelling(id));
    cli.data(id);
  }
  return exits.ok;
}

/** run, cancel. */
export function addRunCommands(program: Command, cli: Cli): void {
  const h = cli.help;
  const runCommand = program
    .command('run')
    .description(h.run)
    .usage('[options] <id> | --prompt <text> | -- <command...>')
    .argument('[task...]', h.task);
  withWork(runCommand, cli).option('-w, --wait', h.wait).option('--raw', h.raw);
  withJson(runCommand, cli).action(
    cli.action(async (args: string[], options: RunOptions) => {
      const { operands, command } = cli.split(args);
      const [given, stray] = operands;
      const surplus = command === null ? stray : given;
      if (surplus !== undefined) throw usageError(cli.t.strayWords(oneLine(surplus)), cli.t.strayWordsHint);
      return given === undefined ? runNew(cli, options, command) : runExisting(cli, given, options);
    }),
  );

  const cancelCommand = program.command('cancel').description(h.cancel).argument('<run>', h.runId);
  withJson(cancelCommand, cli).action(
    cli.action((given: string, options: JsonOption) => cancel(cli, given, options)),
  );
}
