import type { Command } from 'commander';
import type { CallOutput } from '../../../../src-shared/contract/client.ts';
import type { Cli } from '../cli.ts';
import { exits } from '../failure.ts';
import { type JsonOption, numberIn, withJson } from '../options.ts';

type PauseOptions = JsonOption & { minutes?: number };

function tell(cli: Cli, queue: CallOutput<'getQueue'>, json: boolean, text: string): number {
  if (json) cli.json(queue);
  else cli.say(text);
  return exits.ok;
}

/** pause, resume: everything that is scheduled. Both work without a host; it is on disk when one starts. */
export function addQueueCommands(program: Command, cli: Cli): void {
  const h = cli.help;
  const pause = program
    .command('pause')
    .description(h.pause)
    .option('--minutes <n>', h.pauseMinutes, numberIn(cli, 1, 525_600));
  withJson(pause, cli).action(
    cli.action(async ({ minutes, json = false }: PauseOptions) => {
      const { client } = await cli.connection(true);
      const queue = await client.call('pauseQueue', { body: minutes === undefined ? {} : { minutes } });
      return tell(cli, queue, json, cli.t.allPaused(cli.exact(queue.paused_until)));
    }),
  );
  withJson(program.command('resume').description(h.resume), cli).action(
    cli.action(async ({ json = false }: JsonOption) => {
      const { client } = await cli.connection(true);
      const queue = await client.call('resumeQueue', {});
      // Off in the settings is another matter, which resuming does not change.
      return tell(cli, queue, json, queue.paused ? cli.t.stillOff : cli.t.allResumed);
    }),
  );
}
