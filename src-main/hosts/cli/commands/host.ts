import { type Command, Option } from 'commander';
import type { CallOutput } from '../../../../src-shared/contract/client.ts';
import { healthSchema } from '../../../../src-shared/contract/system.ts';
import type { Cli } from '../cli.ts';
import type { Connection } from '../deps.ts';
import { oneLine } from '../escape.ts';
import { CliError, exits, usageError } from '../failure.ts';
import { renderPairs } from '../format.ts';
import { type JsonOption, numberIn, withJson } from '../options.ts';

function addServe(program: Command, cli: Cli): void {
  program
    .command('serve')
    .description(cli.help.serve)
    .option('--port <n>', cli.help.servePort, numberIn(cli, 0, 65_535))
    .action(cli.action(({ port }: { port?: number }) => cli.deps.serve(port === undefined ? {} : { port })));
}

function addOpen(program: Command, cli: Cli): void {
  withJson(program.command('open').description(cli.help.open), cli).action(
    cli.action(async ({ json }: JsonOption) => {
      const { client } = await cli.host();
      const login = await client.call('createLoginCode', {});
      if (json) cli.json(login);
      else {
        cli.say(cli.t.login);
        cli.data(oneLine(login.url));
      }
      return exits.ok;
    }),
  );
}

/** The health of the host; an engine that does not scan answers 503 with the same body. */
async function readHealth({ send }: Connection): Promise<CallOutput<'health'>> {
  const reply = await send('/healthz', { method: 'GET', headers: {} });
  return healthSchema.parse(JSON.parse(await reply.text()));
}

async function liveStatus(cli: Cli, connection: Connection, json: boolean): Promise<void> {
  const health = await readHealth(connection);
  const info = await connection.client.call('info', {});
  const queue = await connection.client.call('getQueue', {});
  if (json) return cli.json({ running: true, url: connection.baseUrl, health, info, queue });
  const s = cli.t.status;
  const ok = health.status === 'ok';
  cli.data(cli.style(ok ? 'green' : 'yellow', (ok ? s.running : s.degraded)(oneLine(health.version))));
  const { automations, attention, needs_review } = info.counts;
  cli.data(
    renderPairs([
      [s.address, connection.baseUrl],
      [s.engine, s.engineStates[health.engine]],
      [s.lastScan, cli.exact(health.last_scan_at)],
      [s.nextScan, cli.exact(health.next_scan_at)],
      [s.queue, s.queueText(queue.running.length, queue.cap, queue.waiting.length)],
      [
        s.paused,
        queue.paused
          ? info.scheduling_enabled
            ? s.pausedText(cli.exact(queue.paused_until))
            : cli.t.stillOff
          : null,
      ],
      [s.tasks, s.tasksText(automations, attention, needs_review)],
      [s.zone, oneLine(info.timezone)],
      [s.folder, oneLine(info.data_folder)],
      ...health.problems.map((problem) => [s.problem, oneLine(problem)] as const),
    ]),
  );
}

async function offlineStatus(cli: Cli, connection: Connection, json: boolean): Promise<void> {
  const info = await connection.client.call('info', {});
  if (json) return cli.json({ running: false, url: null, health: null, info, queue: null });
  const s = cli.t.status;
  const { automations, attention, needs_review } = info.counts;
  cli.data(cli.style('yellow', s.stopped));
  cli.data(
    renderPairs([
      [s.tasks, s.tasksText(automations, attention, needs_review)],
      [s.zone, oneLine(info.timezone)],
      [s.folder, oneLine(info.data_folder)],
    ]),
  );
}

function addStatus(program: Command, cli: Cli): void {
  withJson(program.command('status').description(cli.help.status), cli).action(
    cli.action(async ({ json = false }: JsonOption) => {
      const connection = await cli.connection();
      await (connection.live ? liveStatus : offlineStatus)(cli, connection, json);
      // So that a script can ask whether anything will run.
      return connection.live ? exits.ok : exits.noHost;
    }),
  );
}

type TokenOptions = JsonOption & { scope?: 'run' | 'read' | 'admin'; label?: string };

async function newToken(cli: Cli, { json, scope = 'run', label = 'cli' }: TokenOptions): Promise<void> {
  const { client } = await cli.connection(true);
  const made = await client.call('createToken', { body: { scope, label } });
  if (json) return cli.json(made);
  cli.say(cli.t.tokenMade);
  cli.data(made.token);
}

function addToken(program: Command, cli: Cli): void {
  const command = program
    .command('token')
    .description(cli.help.token)
    .argument('[new]', cli.help.tokenNew)
    .addOption(new Option('--scope <scope>', cli.help.scope).choices(['run', 'read', 'admin']))
    .option('--label <text>', cli.help.label);
  withJson(command, cli).action(
    cli.action(async (word: string | undefined, options: TokenOptions) => {
      if (word !== undefined && word !== 'new') throw usageError(cli.t.onlyNew(oneLine(word)));
      if (word === 'new') await newToken(cli, options);
      else {
        if (options.scope !== undefined || options.label !== undefined) throw usageError(cli.t.badScope);
        const token = await cli.deps.readAdminToken();
        if (token === null) throw new CliError(exits.notFound, 'not_found', cli.t.noToken, cli.t.noTokenHint);
        if (options.json) cli.json({ token });
        else cli.data(token);
      }
      return exits.ok;
    }),
  );
}

/** serve, open, status, token. */
export function addHostCommands(program: Command, cli: Cli): void {
  addServe(program, cli);
  addOpen(program, cli);
  addStatus(program, cli);
  addToken(program, cli);
}
