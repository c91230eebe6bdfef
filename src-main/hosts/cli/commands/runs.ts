import type { Command } from 'commander';
import type { Run, RunStatus } from '../../../../src-shared/model/run.ts';
import type { Cli, Page } from '../cli.ts';
import type { Connection } from '../deps.ts';
import { oneLine } from '../escape.ts';
import { exits } from '../failure.ts';
import { renderTable, shortIds } from '../format.ts';
import { type JsonOption, numberIn, runStates, stateIn, withJson } from '../options.ts';
import { collect } from '../paging.ts';
import { findAutomation, ownedIds } from '../resolve.ts';

type RunsOptions = JsonOption & { task?: string; status?: RunStatus; limit: number };

/** Which runs are asked for: of one automation, in one state, and of the owner of the environment. */
interface Filter {
  automation_id?: string;
  status?: RunStatus;
}

/** The filter for a task that may be named, and a test that holds for runs the owner may see. */
export async function runFilter(cli: Cli, connection: Connection, task: string | undefined) {
  if (task !== undefined) {
    const automation = await findAutomation(cli, connection, task);
    const keep = (run: Run) => run.automation_id === automation.id;
    return { filter: { automation_id: automation.id }, keep };
  }
  const owned = await ownedIds(cli, connection);
  return { filter: {}, keep: (run: Run) => owned === null || owned.has(run.automation_id) };
}

/** The newest runs, at most `limit`. */
export function readRuns(
  { client }: Connection,
  filter: Filter,
  limit: number,
  keep: (run: Run) => boolean,
): Promise<Page<Run>> {
  return collect((query) => client.call('listRuns', { query: { ...filter, ...query } }), limit, keep);
}

function printRuns(cli: Cli, items: readonly Run[]): void {
  const c = cli.t.columns;
  const short = cli.deps.terminal ? shortIds(items.map(({ id }) => id)) : new Map<string, string>();
  const rows = items.map((run) => [
    { text: short.get(run.id) ?? run.id },
    { text: oneLine(run.title) },
    cli.stateCell(run.status),
    { text: cli.trigger(run.trigger) },
    { text: cli.time(run.started_at) },
    { text: cli.duration(run.duration_ms) },
    { text: cli.reason(run.reason_code) },
  ]);
  const header = [c.id, c.task, c.status, c.trigger, c.started, c.duration, c.reason];
  cli.data(renderTable({ header, rows, columns: cli.deps.columns, flexible: [1, 6] }));
}

async function runs(cli: Cli, { task, status, limit, json }: RunsOptions): Promise<number> {
  const connection = await cli.connection();
  const { filter, keep } = await runFilter(cli, connection, task);
  const page = await readRuns(
    connection,
    { ...filter, ...(status === undefined ? {} : { status }) },
    limit,
    keep,
  );
  if (json) {
    cli.json(page);
    return exits.ok;
  }
  if (page.items.length === 0) cli.say(cli.t.noRuns);
  else printRuns(cli, page.items);
  if (page.next_cursor !== null) cli.say(cli.t.moreItems);
  return exits.ok;
}

/** runs. */
export function addRunsCommand(program: Command, cli: Cli): void {
  const command = program
    .command('runs')
    .description(cli.help.runs)
    .option('--task <id>', cli.help.runTask)
    .option('--status <status>', cli.help.runStatus, stateIn(cli, runStates))
    .option('--limit <n>', cli.help.limit, numberIn(cli, 1, 100_000), 20);
  withJson(command, cli).action(cli.action((options: RunsOptions) => runs(cli, options)));
}
