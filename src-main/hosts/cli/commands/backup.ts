import type { Command } from 'commander';
import type { TaskItem } from '../../../../src-shared/model/task-item.ts';
import type { Cli } from '../cli.ts';
import type { Connection } from '../deps.ts';
import { oneLine } from '../escape.ts';
import { CliError, exits, InterruptedError } from '../failure.ts';
import { type JsonOption, withJson } from '../options.ts';

const lookEveryMs = 250;

/** Resolves after `ms`, or at once at Ctrl-C; tells whether it was that. */
function interruptedWithin(cli: Cli, ms: number): Promise<boolean> {
  return new Promise((resolve) => {
    const done = (interrupted: boolean) => {
      cancel();
      restore();
      resolve(interrupted);
    };
    const cancel = cli.deps.clock.timer(ms, () => done(false));
    const restore = cli.deps.onInterrupt(() => done(true));
  });
}

/** Looks at an item until it has ended; the event stream does not carry background work. */
async function ended(cli: Cli, { client }: Connection, item: TaskItem): Promise<TaskItem> {
  let seen = item;
  while (seen.status === 'queued' || seen.status === 'running') {
    if (await interruptedWithin(cli, lookEveryMs)) throw new InterruptedError(cli.t.backup.interrupted);
    const { items } = await client.call('listTaskItems', { query: { id: item.id } });
    const [found] = items;
    if (found === undefined) throw new CliError(exits.failedRun, 'not_found', cli.t.backup.gone);
    seen = found;
  }
  return seen;
}

async function backup(cli: Cli, { json }: JsonOption): Promise<number> {
  const connection = await cli.host();
  const { item, existing } = await connection.client.call('startBackup', {});
  if (existing) cli.say(cli.t.backup.existing);
  const made = await ended(cli, connection, item);
  const { file } = made.metadata;
  if (json) cli.json(made);
  else if (made.status === 'done') cli.data(oneLine(String(file)));
  if (made.status === 'done') return exits.ok;
  if (json) return exits.failedRun;
  const why = oneLine(made.error_message ?? '');
  throw new CliError(exits.failedRun, 'backup_failed', cli.t.backup.failed(why));
}

/** backup. */
export function addBackupCommand(program: Command, cli: Cli): void {
  withJson(program.command('backup').description(cli.help.backup), cli).action(
    cli.action((options: JsonOption) => backup(cli, options)),
  );
}
