import type { Automation } from '../../../src-shared/model/automation.ts';
import type { Run } from '../../../src-shared/model/run.ts';
import type { Cli, RunDetail } from './cli.ts';
import type { Connection } from './deps.ts';
import { oneLine } from './escape.ts';
import { isNotFound, notFoundError, usageError } from './failure.ts';
import { everyItem } from './paging.ts';

/** How many of the newest runs are searched for the start of an id. */
const searchedRuns = 1000;
const shownCandidates = 10;

async function orUndefined<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

function ambiguous(cli: Cli, given: string, candidates: readonly { id: string; label: string }[]): Error {
  const lines = candidates.slice(0, shownCandidates).map(({ id, label }) => `  ${id}  ${oneLine(label)}`);
  const more = candidates.length - lines.length;
  if (more > 0) lines.push(`  ${cli.t.andMore(more)}`);
  const head = cli.t.ambiguous(oneLine(given), candidates.length);
  return usageError([head, ...lines].join('\n'), cli.t.ambiguousHint);
}

/** True when BOT_ID and USER_IDENTIFIER allow to see and change it. */
export function isOwned(cli: Cli, automation: Automation): boolean {
  const { owner_bot_id: bot, owner_user_id: user } = cli.owner;
  return (
    (bot === undefined || automation.owner_bot_id === bot) &&
    (user === undefined || automation.owner_user_id === user)
  );
}

async function searchAutomation(
  cli: Cli,
  { client }: Connection,
  given: string,
): Promise<Automation | undefined> {
  const exact = await orUndefined(client.call('getAutomation', { params: { id: given } }));
  if (exact !== undefined && isOwned(cli, exact)) return exact;
  const named: Automation[] = [];
  const begun: Automation[] = [];
  const read = (query: { limit: string; cursor?: string }) =>
    client.call('listAutomations', { query: { ...cli.owner, ...query } });
  for await (const automation of everyItem(read)) {
    if (automation.name === given) named.push(automation);
    if (automation.id.startsWith(given)) begun.push(automation);
  }
  const found = named.length > 0 ? named : begun;
  if (found.length > 1) {
    throw ambiguous(
      cli,
      given,
      found.map(({ id, name }) => ({ id, label: name })),
    );
  }
  return found[0];
}

/** The automation that `given` names: its id, a unique start of it, or its exact name. Throws a CliError. */
export async function findAutomation(cli: Cli, connection: Connection, given: string): Promise<Automation> {
  const found = given === '' ? undefined : await searchAutomation(cli, connection, given);
  if (found === undefined) {
    throw notFoundError(cli.t.automationMissing(oneLine(given)), cli.t.automationMissingHint);
  }
  return found;
}

/** Ids of the automations that the owner of the environment has; null when no owner is set. */
export async function ownedIds(cli: Cli, { client }: Connection): Promise<Set<string> | null> {
  if (Object.keys(cli.owner).length === 0) return null;
  const ids = new Set<string>();
  for (const status of [undefined, 'DELETED' as const]) {
    const read = (query: { limit: string; cursor?: string }) =>
      client.call('listAutomations', { query: { ...cli.owner, ...query, ...(status ? { status } : {}) } });
    for await (const { id } of everyItem(read)) ids.add(id);
  }
  return ids;
}

async function searchRun(cli: Cli, { client }: Connection, given: string): Promise<string | undefined> {
  const exact = await orUndefined(client.call('getRun', { params: { id: given } }));
  if (exact !== undefined) return exact.id;
  const begun: Run[] = [];
  let seen = 0;
  const read = (query: { limit: string; cursor?: string }) => client.call('listRuns', { query });
  for await (const run of everyItem(read)) {
    if (run.id.startsWith(given) || run.id.startsWith(`run-${given}`)) begun.push(run);
    seen += 1;
    if (seen >= searchedRuns) break;
  }
  if (begun.length > 1) {
    throw ambiguous(
      cli,
      given,
      begun.map(({ id, title }) => ({ id, label: title })),
    );
  }
  return begun[0]?.id;
}

/** The last run of an automation, by its id, the start of it, or its name; undefined when there is no such one. */
async function searchLastRun(cli: Cli, connection: Connection, given: string): Promise<string | undefined> {
  const automation = await searchAutomation(cli, connection, given);
  if (automation === undefined) return undefined;
  const input = { params: { id: automation.id }, query: { limit: '1' } };
  const { items } = await connection.client.call('listAutomationRuns', input);
  const last = items[0];
  if (last === undefined) throw notFoundError(cli.t.neverRan(oneLine(automation.name)));
  return last.id;
}

async function ownRun(cli: Cli, { client }: Connection, id: string): Promise<RunDetail | undefined> {
  const run = await client.call('getRun', { params: { id } });
  if (Object.keys(cli.owner).length === 0) return run;
  const automation = await orUndefined(client.call('getAutomation', { params: { id: run.automation_id } }));
  return automation !== undefined && isOwned(cli, automation) ? run : undefined;
}

/**
 * The run that `given` names: its id or a unique start of it (with or without `run-`), or undefined. With
 * `lastOfTask` an automation stands for its last run.
 */
export async function searchAnyRun(
  cli: Cli,
  connection: Connection,
  given: string,
  lastOfTask: boolean,
): Promise<RunDetail | undefined> {
  if (given === '') return undefined;
  let id = await searchRun(cli, connection, given);
  if (id === undefined && lastOfTask) id = await searchLastRun(cli, connection, given);
  return id === undefined ? undefined : ownRun(cli, connection, id);
}

/** The failure for a run that is not there. */
export function runMissing(cli: Cli, given: string): Error {
  return notFoundError(cli.t.runMissing(oneLine(given)), cli.t.runMissingHint);
}

/** The run that `given` names; an automation stands for its last run. Throws a CliError. */
export async function findRun(cli: Cli, connection: Connection, given: string): Promise<RunDetail> {
  const run = await searchAnyRun(cli, connection, given, true);
  if (run === undefined) throw runMissing(cli, given);
  return run;
}
