import { type Command, Option } from 'commander';
import type { Automation } from '../../../../src-shared/model/automation.ts';
import type { Cli, Page } from '../cli.ts';
import { oneLine } from '../escape.ts';
import { exits, usageError } from '../failure.ts';
import { fieldsOf, nameFrom } from '../fields.ts';
import { renderTable, shortIds } from '../format.ts';
import {
  automationStates,
  type JsonOption,
  numberIn,
  stateIn,
  type TaskOptions,
  withJson,
  withTask,
  withUnset,
} from '../options.ts';
import { collect } from '../paging.ts';
import { findAutomation } from '../resolve.ts';

type ListOptions = JsonOption & {
  format?: 'brief' | 'table' | 'json';
  status?: (typeof automationStates)[keyof typeof automationStates];
  limit: number;
};

function stateOf(automation: Automation): string {
  return automation.deleted_at === null ? automation.status : 'DELETED';
}

/** One line per task, made for the prompt of an agent (seed 004, PrePrompt hook). */
function printBrief(cli: Cli, page: Page<Automation>): void {
  for (const automation of page.items) {
    const parts = [
      automation.id,
      `[${stateOf(automation).toLowerCase()}]`,
      oneLine(automation.name),
      `| ${cli.scheduleWords(automation)}`,
    ];
    if (automation.next_run_at !== null) parts.push(`| ${cli.t.next} ${cli.time(automation.next_run_at)}`);
    if (automation.attention_code !== null) parts.push(`| ! ${cli.reason(automation.attention_code)}`);
    cli.data(parts.join(' '));
  }
}

function printTable(cli: Cli, page: Page<Automation>): void {
  const c = cli.t.columns;
  const short = cli.deps.terminal ? shortIds(page.items.map(({ id }) => id)) : new Map<string, string>();
  const rows = page.items.map((automation) => {
    const { id, last_status: last, attention_code: attention } = automation;
    const problem = { text: `! ${cli.reason(attention)}`, paint: (text: string) => cli.style('red', text) };
    return [
      { text: short.get(id) ?? id },
      { text: oneLine(automation.name) },
      cli.stateCell(stateOf(automation)),
      { text: cli.scheduleWords(automation) },
      { text: cli.time(automation.next_run_at) },
      attention === null ? (last === null ? { text: cli.t.never } : cli.stateCell(last)) : problem,
    ];
  });
  const header = [c.id, c.name, c.status, c.schedule, c.next, c.last];
  cli.data(renderTable({ header, rows, columns: cli.deps.columns, flexible: [1, 5, 3] }));
}

async function list(cli: Cli, options: ListOptions): Promise<number> {
  const { client } = await cli.connection();
  const filter = { ...cli.owner, ...(options.status === undefined ? {} : { status: options.status }) };
  const page = await collect(
    (query) => client.call('listAutomations', { query: { ...filter, ...query } }),
    options.limit,
  );
  const format = options.json ? 'json' : (options.format ?? 'table');
  if (format === 'json') cli.json(page);
  else if (page.items.length === 0) cli.say(cli.t.noAutomations);
  else (format === 'brief' ? printBrief : printTable)(cli, page);
  if (format !== 'json' && page.next_cursor !== null) cli.say(cli.t.moreItems);
  return exits.ok;
}

/** Words about a change on stderr, the id (or the whole row as JSON) on stdout. */
function report(cli: Cli, automation: Automation, json: boolean | undefined, words: string): void {
  if (json) cli.json(automation);
  else {
    cli.say(words);
    cli.data(automation.id);
  }
}

function nextOf(cli: Cli, { next_run_at: next }: Automation): string | null {
  return next === null ? null : cli.time(next);
}

function noStray(cli: Cli, operands: readonly string[], allowed: number): void {
  const stray = operands[allowed];
  if (stray !== undefined) throw usageError(cli.t.strayWords(oneLine(stray)), cli.t.strayWordsHint);
}

async function add(cli: Cli, args: string[], options: TaskOptions & JsonOption & { paused?: boolean }) {
  const { operands, command } = cli.split(args);
  noStray(cli, operands, 0);
  const { name: given, ...fields } = await fieldsOf(cli, options, command, null);
  // Without any text the host is to say what is missing, so the empty name is sent.
  const name = given ?? nameFrom(fields.prompt, fields.command ?? undefined) ?? '';
  const { rev: _, ...body } = { rev: undefined, ...fields, name, ...cli.owner };
  const { client } = await cli.connection();
  let created = await client.call('createAutomation', { body });
  if (options.paused === true) {
    try {
      created = await client.call('pauseAutomation', { params: { id: created.id }, body: {} });
    } catch (error) {
      cli.say(cli.t.createdNotPaused(created.id));
      throw error;
    }
  }
  const words = cli.t.created(oneLine(created.name), cli.scheduleWords(created), nextOf(cli, created));
  report(cli, created, options.json, words);
  return exits.ok;
}

async function edit(cli: Cli, args: string[], options: TaskOptions & JsonOption): Promise<number> {
  const { operands, command } = cli.split(args);
  noStray(cli, operands, 1);
  const { json, ...given } = options;
  if (Object.keys(given).length === 0 && command === null) {
    throw usageError(cli.t.nothingToChange, cli.t.nothingToChangeHint);
  }
  const connection = await cli.connection();
  const current = await findAutomation(cli, connection, operands[0] ?? '');
  const fields = await fieldsOf(cli, options, command, current);
  const body = { ...fields, rev: current.rev };
  const changed = await connection.client.call('updateAutomation', { params: { id: current.id }, body });
  const words = cli.t.changed(oneLine(changed.name), cli.scheduleWords(changed), nextOf(cli, changed));
  report(cli, changed, json, words);
  return exits.ok;
}

async function remove(cli: Cli, given: string, { json }: JsonOption): Promise<number> {
  const connection = await cli.connection();
  const { id } = await findAutomation(cli, connection, given);
  const deleted = await connection.client.call('deleteAutomation', { params: { id } });
  report(cli, deleted, json, cli.t.deleted(oneLine(deleted.name)));
  return exits.ok;
}

async function toggle(cli: Cli, given: string, { json }: JsonOption): Promise<number> {
  const connection = await cli.connection();
  const { id } = await findAutomation(cli, connection, given);
  const toggled = await connection.client.call('toggleAutomation', { params: { id } });
  const name = oneLine(toggled.name);
  const words = toggled.status === 'PAUSED' ? cli.t.paused(name) : cli.t.resumed(name, nextOf(cli, toggled));
  report(cli, toggled, json, words);
  return exits.ok;
}

/** list, add, edit, delete, toggle. */
export function addAutomationCommands(program: Command, cli: Cli): void {
  const h = cli.help;
  const listCommand = program
    .command('list')
    .description(h.list)
    .addOption(new Option('--format <format>', h.format).choices(['brief', 'table', 'json']))
    .option('--status <status>', h.listStatus, stateIn(cli, automationStates))
    .option('--limit <n>', h.limit, numberIn(cli, 1, 100_000), 100);
  withJson(listCommand, cli).action(cli.action((options: ListOptions) => list(cli, options)));

  const addCommand = program.command('add').description(h.add).usage('[options] [-- command...]');
  withTask(addCommand.argument('[command...]', h.trailing), cli).option('--paused', h.paused);
  withJson(addCommand, cli).action(
    cli.action((args: string[], options: TaskOptions & { paused?: boolean }) => add(cli, args, options)),
  );

  const editCommand = program.command('edit').description(h.edit).usage('<id> [options] [-- command...]');
  withUnset(withTask(editCommand.argument('<id...>', h.task), cli), cli);
  withJson(editCommand, cli).action(
    cli.action((args: string[], options: TaskOptions) => edit(cli, args, options)),
  );

  const deleteCommand = program.command('delete').description(h.delete).argument('<id>', h.task);
  withJson(deleteCommand, cli).action(
    cli.action((given: string, options: JsonOption) => remove(cli, given, options)),
  );

  const toggleCommand = program.command('toggle').description(h.toggle).argument('<id>', h.task);
  withJson(toggleCommand, cli).action(
    cli.action((given: string, options: JsonOption) => toggle(cli, given, options)),
  );
}
