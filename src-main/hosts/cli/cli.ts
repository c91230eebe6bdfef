import { styleText } from 'node:util';
import type { CallOutput } from '../../../src-shared/contract/client.ts';
import type { Automation } from '../../../src-shared/model/automation.ts';
import type { Run } from '../../../src-shared/model/run.ts';
import type { Connection, Deps } from './deps.ts';
import { oneLine, safeJson } from './escape.ts';
import { CliError, exits } from './failure.ts';
import { durationText, localTime, localTimeExact } from './format.ts';
import { type HelpWords, helpWordsOf } from './help-words.ts';
import { type Language, languageOf, type SharedWords, sharedWordsOf, type Words, wordsOf } from './words.ts';

type Style = Parameters<typeof styleText>[0];

const statusStyles: Partial<Record<string, Style>> = {
  ACTIVE: 'green',
  ACCEPTED: 'green',
  IN_PROGRESS: 'cyan',
  PENDING_REVIEW: 'yellow',
  REJECTED: 'yellow',
  FAILED: 'red',
};

/** Owner that BOT_ID and USER_IDENTIFIER name (ruling 29); unset means everything. */
export interface Owner {
  owner_bot_id?: string;
  owner_user_id?: string;
}

/** One call of the command line: its words, its output, and its way to the API. */
export class Cli {
  readonly deps: Deps;
  readonly language: Language;
  readonly t: Words;
  readonly help: HelpWords;
  readonly shared: SharedWords;
  readonly owner: Owner;
  /** What follows the first `--` of the command line; null when there is none. */
  readonly trailing: readonly string[] | null;
  exitCode: number = exits.ok;
  #live: Connection | null | undefined;
  #offline: Connection | undefined;
  readonly #colour: boolean;

  constructor(deps: Deps, args: readonly string[]) {
    this.deps = deps;
    this.language = languageOf(deps.env);
    this.t = wordsOf(this.language);
    this.help = helpWordsOf(this.language);
    this.shared = sharedWordsOf(this.language);
    const split = args.indexOf('--');
    this.trailing = split < 0 ? null : args.slice(split + 1);
    this.#colour = deps.terminal && (deps.env['NO_COLOR'] ?? '') === '';
    const { BOT_ID: bot, USER_IDENTIFIER: user } = deps.env;
    this.owner = {
      ...(bot === undefined || bot === '' ? {} : { owner_bot_id: bot }),
      ...(user === undefined || user === '' ? {} : { owner_user_id: user }),
    };
  }

  /** Wraps the work of a command for commander, keeping the exit code it gives. */
  action<A extends unknown[]>(work: (...args: A) => Promise<number>): (...args: A) => Promise<void> {
    return async (...args) => {
      this.exitCode = await work(...args);
    };
  }

  /** The arguments before `--`, and the command after it. */
  split(args: readonly string[]): { operands: string[]; command: string[] | null } {
    const count = this.trailing?.length ?? 0;
    if (count === 0 && this.trailing !== null) throw new CliError(exits.usage, 'usage', this.t.emptyCommand);
    const operands = args.slice(0, Math.max(0, args.length - count));
    return { operands, command: this.trailing === null ? null : [...this.trailing] };
  }

  /** The running host. Throws a CliError with exit code 5 when there is none. */
  async host(): Promise<Connection> {
    const live = await this.#findHost();
    if (live === null) throw new CliError(exits.noHost, 'no_host', this.t.noHost, this.t.noHostHint);
    return live;
  }

  /** The running host, else the data folder itself; then it says, unless `quiet`, that nothing will run. */
  async connection(quiet = false): Promise<Connection> {
    const live = await this.#findHost();
    if (live !== null) return live;
    if (this.#offline === undefined) {
      this.#offline = await this.deps.openOffline();
      if (!quiet) this.say(this.t.offline);
    }
    return this.#offline;
  }

  /** Looks for the host anew, after a connection was lost. */
  async findAgain(): Promise<Connection | null> {
    await this.#live?.close();
    this.#live = undefined;
    return this.#findHost();
  }

  async #findHost(): Promise<Connection | null> {
    if (this.#live === undefined) this.#live = await this.deps.findHost();
    return this.#live;
  }

  /** Closes what was opened. */
  async close(): Promise<void> {
    await this.#live?.close();
    await this.#offline?.close();
  }

  /** Data: a line (or lines) on stdout. The text has to be safe for a terminal. */
  data(text: string): void {
    this.deps.out(`${text}\n`);
  }

  /** Words: a line on stderr. */
  say(text: string): void {
    this.deps.err(`${text}\n`);
  }

  json(value: unknown, indent = 2): void {
    this.data(safeJson(value, indent));
  }

  style(style: Style, text: string): string {
    // The decision is ours: stdout may be a fake, and styleText would look at the real one.
    return this.#colour ? styleText(style, text, { validateStream: false }) : text;
  }

  /** The name of a state of an automation or run, and its colour. */
  stateCell(status: string): { text: string; paint: (text: string) => string } {
    const { states } = this.shared;
    const style = statusStyles[status];
    return {
      text: Object.hasOwn(states, status) ? states[status as keyof typeof states] : oneLine(status),
      paint: (text) => (style === undefined ? text : this.style(style, text)),
    };
  }

  /** Words of a reason or attention code; an unknown code is shown as it is. */
  reason(code: string | null): string {
    if (code === null) return '';
    const { reasons } = this.shared;
    return Object.hasOwn(reasons, code) ? reasons[code as keyof typeof reasons] : oneLine(code);
  }

  trigger(trigger: Run['trigger']): string {
    return this.shared.triggers[trigger];
  }

  /** Local time to the minute, or – for none. */
  time(at: number | null): string {
    return at === null ? this.t.never : localTime(this.deps.timezone, at);
  }

  /** Local time to the second with its offset, or null for none. */
  exact(at: number | null): string | null {
    return at === null ? null : localTimeExact(this.deps.timezone, at);
  }

  duration(ms: number | null): string {
    return ms === null ? this.t.never : durationText(ms, this.shared.time);
  }

  /** The schedule in words. */
  scheduleWords(automation: Pick<Automation, 'schedule_words'>): string {
    return oneLine(automation.schedule_words[this.language]);
  }

  /** What the API gives in both languages, in the one that is spoken. */
  pick(words: { en: string; zh: string }): string {
    return oneLine(words[this.language]);
  }
}

export type Page<T> = { items: T[]; next_cursor: string | null };
export type RunDetail = CallOutput<'getRun'>;
