import type { AgentReader, AgentReport, AgentText } from '../../../src-shared/executors/agent-stream.ts';
import type { FailureReason, Usage } from '../../../src-shared/model/outcome.ts';
import { type Event, object, text } from './event.ts';

/** The longest line that is waited for; a longer one is no event of any agent and is passed on as text. */
const longestLine = 8 * 1024 * 1024;
const longestDetail = 500;
const longestQuestion = 4000;

type Spent = Partial<Omit<Usage, 'model' | 'provider' | 'currency'>>;

/** What a format tells of an event. */
export interface Tell {
  /** A whole message to the person. */
  say(message: string): void;
  /** A piece of a message to the person. */
  sayOn(piece: string): void;
  /** Something the agent did, in one line. */
  note(line: string): void;
  session(id: unknown): void;
  model(name: unknown): void;
  /** Adds to what the run has used. */
  spent(usage: Spent): void;
  ask(question: string): void;
  fail(reason: FailureReason, detail: string): void;
  /** What failed before was got over. */
  recovered(): void;
  /** The event that ends the stream. */
  finished(): void;
  said(): boolean;
}

/** One documented stream of JSON lines. */
export interface Format {
  provider: string | null;
  /** Whether a stream that was not cut off always ends with an event that says so. */
  hasEnd: boolean;
  event(event: Event, tell: Tell): void;
  /** A line of stderr, for agents that tell something only there. */
  errorLine?(line: string, tell: Tell): void;
}

const cut = (words: string, most: number): string =>
  words.length > most ? `${words.slice(0, most).toWellFormed()}…` : words;

function parse(line: string): Event | null {
  if (!line.trimStart().startsWith('{')) return null;
  try {
    const event = object(JSON.parse(line));
    return text(event['type']) === null ? null : event;
  } catch {
    return null;
  }
}

/** Splits pieces into lines without looking at a character twice; a line that grows too long is given up. */
function lineSplitter(line: (line: string) => void, tooLong: (piece: string) => void) {
  let pieces: string[] = [];
  let length = 0;
  let givenUp = false;

  function add(piece: string): void {
    if (givenUp) {
      tooLong(piece);
      return;
    }
    pieces.push(piece);
    length += piece.length;
    if (length <= longestLine) return;
    givenUp = true;
    tooLong(pieces.join(''));
    pieces = [];
  }

  function close(): void {
    if (givenUp) tooLong('\n');
    else line(pieces.join(''));
    pieces = [];
    length = 0;
    givenUp = false;
  }

  return {
    write(chunk: string): void {
      let from = 0;
      for (let at = chunk.indexOf('\n'); at !== -1; at = chunk.indexOf('\n', from)) {
        add(chunk.slice(from, at));
        close();
        from = at + 1;
      }
      if (from < chunk.length) add(chunk.slice(from));
    },
    end(): void {
      if (length > 0) close();
    },
  };
}

/** What is known of the run so far; formats fill it through `Tell`. */
class Listener implements Tell {
  out: AgentText[] = [];
  readonly report: AgentReport;
  #model: string | null = null;
  #lineOpen = false;
  readonly #provider: string | null;

  constructor(format: Format) {
    this.#provider = format.provider;
    this.report = {
      said: false,
      usage: null,
      session_id: null,
      question: null,
      failure: null,
      unfinished: format.hasEnd,
    };
  }

  /** Text that is not an event: shown as it came. */
  plain(piece: string): void {
    if (piece === '') return;
    this.out.push({ kind: 'answer', text: piece });
    this.#lineOpen = !piece.endsWith('\n');
  }

  closeLine(): void {
    if (this.#lineOpen) this.plain('\n');
  }

  say(message: string): void {
    this.closeLine();
    this.sayOn(message.endsWith('\n') ? message : `${message}\n`);
  }

  sayOn(piece: string): void {
    this.report.said ||= piece.trim() !== '';
    this.plain(piece);
  }

  note(line: string): void {
    this.closeLine();
    this.out.push({ kind: 'note', text: `${line.trim()}\n` });
  }

  session(id: unknown): void {
    this.report.session_id = text(id) ?? this.report.session_id;
  }

  model(name: unknown): void {
    this.#model = text(name) ?? this.#model;
    if (this.report.usage !== null) this.report.usage.model = this.#model;
  }

  spent(more: Spent): void {
    const before = this.report.usage;
    const sum = (field: 'input_tokens' | 'output_tokens' | 'cached_input_tokens' | 'reasoning_tokens') =>
      (before?.[field] ?? 0) + (more[field] ?? 0);
    const cost = more.cost_micros ?? null;
    const cost_micros = cost === null ? (before?.cost_micros ?? null) : (before?.cost_micros ?? 0) + cost;
    this.report.usage = {
      model: this.#model,
      provider: this.#provider,
      input_tokens: sum('input_tokens'),
      output_tokens: sum('output_tokens'),
      cached_input_tokens: sum('cached_input_tokens'),
      reasoning_tokens: sum('reasoning_tokens'),
      cost_micros,
      currency: cost_micros === null ? null : 'USD',
    };
  }

  ask(question: string): void {
    this.report.question ??= cut(question.trim(), longestQuestion);
  }

  fail(reason: FailureReason, detail: string): void {
    this.report.failure = { reason, detail: cut(detail.trim(), longestDetail) };
  }

  recovered(): void {
    this.report.failure = null;
  }

  finished(): void {
    this.report.unfinished = false;
  }

  said(): boolean {
    return this.report.said;
  }
}

/**
 * A reader of one format. Lines that are no event are kept as text; before the first event they count as an answer,
 * for then the program speaks another language than its profile says, most likely plain text.
 */
export function streamReader(format: Format): AgentReader {
  const listener = new Listener(format);
  let events = 0;
  let plainText = false;

  function keep(piece: string): void {
    plainText ||= piece.trim() !== '';
    listener.plain(piece);
  }

  const output = lineSplitter((line) => {
    const event = parse(line);
    if (event === null) {
      // Between events an empty line is nothing; in plain text it is a paragraph.
      if (line.trim() === '' && events > 0) return;
      listener.closeLine();
      return keep(`${line}\n`);
    }
    events += 1;
    format.event(event, listener);
  }, keep);
  const errors = lineSplitter(
    (line) => format.errorLine?.(line, listener),
    () => {},
  );

  function taken(): AgentText[] {
    const { out } = listener;
    listener.out = [];
    return out;
  }

  return {
    read(chunk) {
      output.write(chunk);
      return taken();
    },
    readErrors(chunk) {
      if (format.errorLine !== undefined) errors.write(chunk);
    },
    end() {
      output.end();
      errors.end();
      listener.closeLine();
      return taken();
    },
    report: () => ({
      ...listener.report,
      said: listener.report.said || (events === 0 && plainText),
      unfinished: events > 0 && listener.report.unfinished,
    }),
  };
}
