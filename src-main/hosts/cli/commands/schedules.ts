import type { Command } from 'commander';
import type { Cli } from '../cli.ts';
import { oneLine } from '../escape.ts';
import { exits } from '../failure.ts';
import { type JsonOption, numberIn, withJson } from '../options.ts';
import { findAutomation } from '../resolve.ts';
import { detectSchedule } from '../schedule-options.ts';

async function why(cli: Cli, given: string, { json }: JsonOption): Promise<number> {
  const connection = await cli.connection();
  const { id } = await findAutomation(cli, connection, given);
  const answer = await connection.client.call('whyAutomation', { params: { id } });
  if (json) {
    cli.json(answer);
    return exits.ok;
  }
  cli.data(cli.style(answer.will_run ? 'green' : 'red', cli.pick(answer.summary)));
  for (const clause of answer.clauses) {
    const mark = clause.holds ? cli.style('green', '✓') : cli.style('red', '✗');
    const repair = clause.repair === null ? '' : `  ${cli.t.why.repair(cli.pick(clause.repair))}`;
    cli.data(`${mark} ${cli.pick(clause)}${repair}`);
  }
  return exits.ok;
}

type PreviewOptions = JsonOption & { timezone?: string; count: number };

async function preview(cli: Cli, text: string, { timezone, count, json }: PreviewOptions): Promise<number> {
  const schedule = detectSchedule(text, timezone, cli.t);
  const { client } = await cli.connection(true);
  const answer = await client.call('previewSchedule', { body: { schedule, count } });
  if (json) {
    cli.json(answer);
    return exits.ok;
  }
  cli.say(cli.pick(answer.words));
  for (const warning of answer.warnings) cli.say(`! ${cli.pick(warning)}`);
  for (const { local, offset, note } of answer.occurrences) {
    const remark = note === undefined ? '' : `  ${cli.pick(note)}`;
    cli.data(`${oneLine(local)} ${oneLine(offset)}${remark}`);
  }
  return exits.ok;
}

/** why, preview. */
export function addScheduleCommands(program: Command, cli: Cli): void {
  const h = cli.help;
  const whyCommand = program.command('why').description(h.why).argument('<id>', h.task);
  withJson(whyCommand, cli).action(
    cli.action((given: string, options: JsonOption) => why(cli, given, options)),
  );

  const previewCommand = program
    .command('preview')
    .description(h.preview)
    .argument('<schedule>', h.schedule)
    .option('--timezone <zone>', h.timezone)
    .option('--count <n>', h.count, numberIn(cli, 1, 50), 10);
  withJson(previewCommand, cli).action(
    cli.action((text: string, options: PreviewOptions) => preview(cli, text, options)),
  );
}
