import { Command, CommanderError } from 'commander';
import { ApiError } from '../../../src-shared/contract/errors.ts';
import { Cli } from './cli.ts';
import { addAutomationCommands } from './commands/automations.ts';
import { addBackupCommand } from './commands/backup.ts';
import { addDoctorCommand } from './commands/doctor.ts';
import { addHostCommands } from './commands/host.ts';
import { addLogsCommand } from './commands/logs.ts';
import { addQueueCommands } from './commands/queue.ts';
import { addRunCommands } from './commands/run.ts';
import { addRunsCommand } from './commands/runs.ts';
import { addScheduleCommands } from './commands/schedules.ts';
import { addShowCommands } from './commands/show.ts';
import type { Deps } from './deps.ts';
import { neutralise, oneLine, safeJson } from './escape.ts';
import { CliError, exitOfApi, exits, InterruptedError, UnreachableError } from './failure.ts';
import { textWidth } from './format.ts';
import { complaintZh } from './help-words.ts';

/** The commands, their options and their help. Nothing is done before it is parsed. */
export function buildProgram(cli: Cli): Command {
  const { help: h, deps } = cli;
  const titles: Readonly<Record<string, string>> = h.titles;
  const program = new Command('nextrun')
    .description(h.about)
    .exitOverride()
    // Options belong to the command they stand behind, so that each can have its own --json and --help.
    .enablePositionalOptions()
    .configureHelp({ displayWidth: textWidth, styleTitle: (title) => titles[title] ?? title })
    .configureOutput({
      writeOut: (text) => deps.out(text),
      writeErr: (text) => deps.err(text),
      // Complaints are said by `explain`, in the language of the person.
      outputError: () => {},
      getOutHelpWidth: () => deps.columns ?? 80,
      getErrHelpWidth: () => deps.columns ?? 80,
      getOutHasColors: () => false,
      getErrHasColors: () => false,
    })
    .helpOption('-h, --help', h.help)
    .helpCommand('help [command]', h.helpCommand)
    .version(deps.version, '-V, --version', h.version)
    .addHelpText('after', `\n${h.exits}`);
  addHostCommands(program, cli);
  addAutomationCommands(program, cli);
  addRunCommands(program, cli);
  addRunsCommand(program, cli);
  addLogsCommand(program, cli);
  addShowCommands(program, cli);
  addScheduleCommands(program, cli);
  addDoctorCommand(program, cli);
  addQueueCommands(program, cli);
  addBackupCommand(program, cli);
  return program;
}

interface Failure {
  exitCode: number;
  code: string;
  message: string;
  hint?: string | undefined;
  field?: string | undefined;
}

function complaint(cli: Cli, { code, message }: CommanderError): Failure {
  const text = cli.language === 'zh' ? complaintZh(code, message) : message.replace(/^error: /, '');
  return { exitCode: exits.usage, code: 'usage', message: text };
}

function failureOf(cli: Cli, error: unknown): Failure {
  if (error instanceof CommanderError) return complaint(cli, error);
  if (error instanceof CliError) return error;
  if (error instanceof ApiError) {
    const { code, message, hint, field } = error;
    return { exitCode: exitOfApi(error), code, message, hint, field };
  }
  if (error instanceof UnreachableError) {
    const message = cli.t.hostSilent(error.baseUrl);
    return { exitCode: exits.noHost, code: 'no_host', message, hint: cli.t.hostSilentHint };
  }
  if (error instanceof InterruptedError) {
    return {
      exitCode: exits.interrupted,
      code: 'interrupted',
      message: error.message || cli.t.interruptedPlain,
    };
  }
  const message = cli.t.unexpected(error instanceof Error ? error.message : String(error));
  return { exitCode: exits.failedRun, code: 'internal', message };
}

/** Says a failure on stderr (as JSON when --json was given) and gives its exit code. */
function explain(cli: Cli, error: unknown, json: boolean): number {
  const { exitCode, code, message, hint, field } = failureOf(cli, error);
  if (json) {
    cli.say(safeJson({ code, message, hint, field }));
    return exitCode;
  }
  // A usage error may list candidates on lines of its own.
  const prefix = exitCode === exits.interrupted ? '' : cli.t.errorPrefix;
  cli.say(prefix + neutralise(message));
  if (hint !== undefined) cli.say(cli.t.hint + oneLine(hint));
  if (field !== undefined) cli.say(cli.t.field + oneLine(field));
  return exitCode;
}

/** True for --help, --version and the help that is shown when no command is given. */
function isHelp(error: unknown): error is CommanderError {
  return error instanceof CommanderError && (error.exitCode === 0 || error.code === 'commander.help');
}

/**
 * Runs one command line (`argv` as process.argv has it) and gives its exit code. Never throws.
 */
export async function runCli(argv: readonly string[], deps: Deps): Promise<number> {
  const args = argv.slice(2);
  const cli = new Cli(deps, args);
  const split = args.indexOf('--');
  const json = (split < 0 ? args : args.slice(0, split)).includes('--json');
  try {
    await buildProgram(cli).parseAsync([...argv], { from: 'node' });
    return cli.exitCode;
  } catch (error) {
    if (isHelp(error)) return error.exitCode === 0 ? exits.ok : exits.usage;
    return explain(cli, error, json);
  } finally {
    await cli.close();
  }
}
