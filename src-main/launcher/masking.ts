/** What stands in the place of a secret. */
const mask = '***';
/** Shorter forms would mask ordinary text. */
const shortest = 6;

/**
 * The base64 of `value` as it reads in the middle of a longer text: three ways to lie on the grid of three bytes,
 * each without the characters that its neighbours have a part in.
 */
function base64Within(value: string): string[] {
  const bytes = Buffer.from(value);
  return [0, 1, 2].map((offset) => {
    const text = Buffer.concat([Buffer.alloc(offset), bytes]).toString('base64');
    const first = Math.ceil((offset * 8) / 6);
    const whole = Math.floor(((offset + bytes.length) * 8) / 6);
    return text.slice(first, whole);
  });
}

function urlForms(value: string): string[] {
  // A lone surrogate has no such form.
  if (!value.isWellFormed()) return [];
  const component = encodeURIComponent(value);
  const strict = component.replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  const upper = [component, strict, strict.replaceAll('%20', '+'), component.replaceAll('%20', '+')];
  return [...upper, ...upper.map((text) => text.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase()))];
}

function formsOf(value: string): string[] {
  const base64 = [Buffer.from(value).toString('base64'), ...base64Within(value)];
  return [
    value,
    value.trim(),
    JSON.stringify(value).slice(1, -1),
    ...urlForms(value),
    ...base64,
    ...base64.map((text) => text.replaceAll('+', '-').replaceAll('/', '_')),
  ];
}

interface Span {
  from: number;
  to: number;
}

/** Where patterns stand in `text`, overlapping ones joined, after the `covered` characters that are masked already. */
function spansIn(text: string, patterns: readonly string[], covered: number): Span[] {
  const found: Span[] = covered > 0 ? [{ from: 0, to: covered }] : [];
  for (const pattern of patterns) {
    for (let at = text.indexOf(pattern); at !== -1; at = text.indexOf(pattern, at + 1)) {
      found.push({ from: at, to: at + pattern.length });
    }
  }
  const joined: Span[] = [];
  for (const span of found.sort((a, b) => a.from - b.from)) {
    const last = joined.at(-1);
    if (last !== undefined && span.from < last.to) last.to = Math.max(last.to, span.to);
    else joined.push({ ...span });
  }
  return joined;
}

/** Masks one stream of text that comes in pieces. */
export interface MaskedStream {
  /** What can be told by now; at most the longest secret less one character is held back. */
  write(text: string): string;
  /** What was held back. */
  end(): string;
}

export interface Masker {
  /** Masks a whole text. */
  text(text: string): string;
  stream(): MaskedStream;
}

/** Where the first secret may begin whose end has not come yet. */
function openAt(text: string, patterns: readonly string[], longest: number): number {
  for (let at = Math.max(0, text.length - longest + 1); at < text.length; at += 1) {
    const rest = text.slice(at);
    if (patterns.some((pattern) => pattern.length > rest.length && pattern.startsWith(rest))) return at;
  }
  return text.length;
}

function maskedStream(patterns: readonly string[], longest: number): MaskedStream {
  let held = '';
  /** So many characters at the beginning of `held` belong to a secret whose mask was given. */
  let covered = 0;

  function give(until: number): string {
    if (until === 0) return '';
    let text = '';
    let at = 0;
    let next = 0;
    for (const { from, to } of spansIn(held, patterns, covered)) {
      if (from >= until) break;
      text += held.slice(at, from);
      // The first span goes on with what was masked before.
      if (from > 0 || covered === 0) text += mask;
      at = Math.min(to, until);
      next = Math.max(0, to - until);
    }
    text += held.slice(at, until);
    held = held.slice(until);
    covered = next;
    return text;
  }

  return {
    write(text) {
      held += text;
      return give(openAt(held, patterns, longest));
    },
    end: () => give(held.length),
  };
}

const open: MaskedStream = { write: (text) => text, end: () => '' };

/**
 * Masks secrets as `***`: each as it is, trimmed, in JSON, URL-encoded and in base64, also in the middle of a longer
 * base64 text. Values of less than 6 characters are not masked. A secret inside another one's beginning does not
 * uncover the rest of the longer one.
 */
export function masker(secrets: readonly string[]): Masker {
  const forms = secrets.filter((value) => value.length >= shortest).flatMap(formsOf);
  const patterns = [...new Set(forms)].filter((form) => form.length >= shortest);
  const longest = Math.max(0, ...patterns.map(({ length }) => length));
  const stream = () => (patterns.length === 0 ? open : maskedStream(patterns, longest));
  return {
    stream,
    text(text) {
      const once = stream();
      return once.write(text) + once.end();
    },
  };
}
