import type { Command } from 'commander';
import type { CallOutput } from '../../../../src-shared/contract/client.ts';
import type { Automation } from '../../../../src-shared/model/automation.ts';
import type { Cli, RunDetail } from '../cli.ts';
import type { Connection } from '../deps.ts';
import { neutralise, oneLine } from '../escape.ts';
import { exits } from '../failure.ts';
import { renderPairs } from '../format.ts';
import { type JsonOption, withJson } from '../options.ts';
import { findAutomation, findRun, runMissing, searchAnyRun } from '../resolve.ts';

function line(text: string | null): string | null {
  return text === null ? null : oneLine(text);
}

function lines(text: string | null): string | null {
  return text === null ? null : neutralise(text).trimEnd();
}

type Changes = CallOutput<'getRunChanges'>;

async function changesOf({ client }: Connection, run: RunDetail): Promise<Changes> {
  if (run.change_count === 0) return { items: [], total: 0 };
  return client.call('getRunChanges', { params: { id: run.id } });
}

function changeLines(cli: Cli, { items, total }: Changes): string {
  const words = cli.shared.changes;
  const files = items.map(({ path, change }) => `${words[change]} ${oneLine(path)}`);
  return [...files, ...(total > items.length ? [words.unlisted(total - items.length)] : [])].join('\n');
}

function printRun(cli: Cli, run: RunDetail, changes: Changes): void {
  const { fields: f } = cli.shared;
  const s = cli.t.show;
  const reason = [cli.reason(run.reason_code), oneLine(run.reason_detail ?? '')].filter(
    (part) => part !== '',
  );
  cli.data(
    renderPairs([
      [f.run, run.id],
      [f.automation, `${run.automation_id}  ${oneLine(run.title)}`],
      [s.status, cli.style('bold', cli.stateCell(run.status).text)],
      [cli.t.columns.reason, reason.join(' – ')],
      [f.runner, line(run.executor_label ?? run.kind)],
      [f.trigger, cli.trigger(run.trigger)],
      [f.scheduled, cli.exact(run.scheduled_for)],
      [f.queued, cli.exact(run.queued_at)],
      [f.started, cli.exact(run.started_at)],
      [f.finished, cli.exact(run.finished_at)],
      [f.duration, run.duration_ms === null ? null : cli.duration(run.duration_ms)],
      [f.attempt, String(run.attempt)],
      [f.retryOf, run.retry_of],
      [f.exit, run.exit_code === null ? null : String(run.exit_code)],
      [f.signal, run.signal],
      [f.result, run.result_state],
      [f.evidence, run.result_evidence],
      [f.output, String(run.output_bytes)],
      [f.changes, changeLines(cli, changes)],
      [f.session, run.session_id],
      [s.note, lines(run.review_note)],
      [s.prompt, lines(run.prompt)],
      [cli.t.columns.summary, lines(run.summary)],
    ]),
  );
}

function commandText(command: Automation['command']): string | null {
  // As JSON an argv shows where its arguments begin and end.
  return Array.isArray(command) ? oneLine(JSON.stringify(command)) : line(command);
}

function printAutomation(cli: Cli, automation: Automation): void {
  const s = cli.t.show;
  const { attention_code: code, attention_detail: detail } = automation;
  const state = automation.deleted_at === null ? automation.status : 'DELETED';
  const policies = [
    `overlap ${automation.overlap_policy}`,
    `missed ${automation.missed_policy}`,
    `review ${automation.review_policy}`,
    `retries ${automation.max_retries}`,
  ];
  const why = line(automation.status_reason);
  cli.data(
    renderPairs([
      [s.id, automation.id],
      [s.name, oneLine(automation.name)],
      [s.description, lines(automation.description)],
      [s.status, cli.stateCell(state).text + (why === null ? '' : ` (${why})`)],
      [s.attention, code === null ? null : [cli.reason(code), oneLine(detail ?? '')].join(' ').trim()],
      [s.schedule, cli.scheduleWords(automation)],
      [s.next, cli.exact(automation.next_run_at)],
      [s.last, cli.exact(automation.last_run_at)],
      [s.runs, String(automation.run_count)],
      [s.kind, automation.kind],
      [s.agent, line(automation.agent)],
      [s.command, commandText(automation.command)],
      [s.folders, automation.cwds.map(oneLine).join('\n')],
      [s.timeout, cli.duration(automation.timeout_ms)],
      [s.policies, policies.join(', ')],
      [s.prompt, lines(automation.prompt)],
    ]),
  );
}

async function show(cli: Cli, given: string, { json }: JsonOption): Promise<number> {
  const connection = await cli.connection();
  const run = await searchAnyRun(cli, connection, given, false);
  if (run !== undefined) {
    const changes = await changesOf(connection, run);
    if (json) cli.json({ ...run, changes: changes.items });
    else printRun(cli, run, changes);
    return exits.ok;
  }
  const automation = await findAutomation(cli, connection, given).catch((error: unknown) => {
    // What was asked for is a run in the first place; the hint speaks of both.
    const missing = error instanceof Error && 'code' in error && error.code === 'not_found';
    throw missing ? runMissing(cli, given) : error;
  });
  if (json) cli.json(automation);
  else printAutomation(cli, automation);
  return exits.ok;
}

async function accept(
  cli: Cli,
  given: string,
  { note, json }: JsonOption & { note?: string },
): Promise<number> {
  const connection = await cli.connection();
  const { id } = await findRun(cli, connection, given);
  const body = note === undefined ? {} : { note };
  const run = await connection.client.call('acceptRun', { params: { id }, body });
  if (json) cli.json(run);
  else {
    cli.say(cli.t.accepted(id));
    cli.data(id);
  }
  return exits.ok;
}

type RejectOptions = JsonOption & { note: string; rerun?: boolean };

async function reject(
  cli: Cli,
  given: string,
  { note, rerun = false, json }: RejectOptions,
): Promise<number> {
  const connection = rerun ? await cli.host() : await cli.connection();
  const { id } = await findRun(cli, connection, given);
  const run = await connection.client.call('rejectRun', { params: { id }, body: { note, rerun } });
  if (json) cli.json(run);
  else {
    cli.say(cli.t.rejected(id));
    cli.data(id);
  }
  return exits.ok;
}

/** show, accept, reject. */
export function addShowCommands(program: Command, cli: Cli): void {
  const h = cli.help;
  const showCommand = program.command('show').description(h.show).argument('<run>', h.runId);
  withJson(showCommand, cli).action(
    cli.action((given: string, options: JsonOption) => show(cli, given, options)),
  );

  const acceptCommand = program
    .command('accept')
    .description(h.accept)
    .argument('<run>', h.runId)
    .option('--note <text>', h.note);
  withJson(acceptCommand, cli).action(
    cli.action((given: string, options: JsonOption & { note?: string }) => accept(cli, given, options)),
  );

  const rejectCommand = program
    .command('reject')
    .description(h.reject)
    .argument('<run>', h.runId)
    .requiredOption('--note <text>', h.rejectNote)
    .option('--rerun', h.rerun);
  withJson(rejectCommand, cli).action(
    cli.action((given: string, options: RejectOptions) => reject(cli, given, options)),
  );
}
