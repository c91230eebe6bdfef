import type { Command } from 'commander';
import type { DoctorCheck } from '../../../../src-shared/contract/doctor.ts';
import type { Cli } from '../cli.ts';
import { exits } from '../failure.ts';
import { type JsonOption, withJson } from '../options.ts';

const marks = { ok: '✓', warn: '!', fail: '✗' } as const;
const colours = { ok: 'green', warn: 'yellow', fail: 'red' } as const;

function line(cli: Cli, check: DoctorCheck): string {
  const mark = cli.style(colours[check.status], marks[check.status]);
  const repair = check.repair === null ? '' : `  ${cli.t.why.repair(cli.pick(check.repair))}`;
  return `${mark} ${cli.pick(check)}${repair}`;
}

/** doctor: what is wrong and how to repair it; with no host running it looks at the data folder itself. */
export function addDoctorCommand(program: Command, cli: Cli): void {
  withJson(program.command('doctor').description(cli.help.doctor), cli).action(
    cli.action(async ({ json }: JsonOption) => {
      const { client } = await cli.connection(true);
      const found = await client.call('doctor', {});
      if (json) cli.json(found);
      else for (const check of found.checks) cli.data(line(cli, check));
      return found.status === 'fail' ? exits.failedRun : exits.ok;
    }),
  );
}
