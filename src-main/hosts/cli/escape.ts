/** Text of others made safe for a terminal: pure, and right for output that arrives in pieces. */

type State = 'text' | 'escape' | 'csi' | 'string' | 'string-escape';

const esc = '\u001b';
/** BEL and ST end a string; CAN and SUB give it up. */
const stringEnds = '\u0007\u009c\u0018\u001a';
/** Marks that reorder or hide text. The joiner of emoji (200d) stays. */
const reordering = /[\u{202a}-\u{202e}\u{2066}-\u{2069}\u{200e}\u{200f}\u{61c}\u{200b}\u{2060}\u{feff}]/u;
/** DEL, the C1 controls, which a terminal also obeys, and the reordering marks; JSON escapes C0 by itself. */
const inJson =
  /[\u{7f}-\u{9f}\u{202a}-\u{202e}\u{2066}-\u{2069}\u{200e}\u{200f}\u{61c}\u{200b}\u{2060}\u{feff}]/gu;

function isControl(character: string): boolean {
  return character < ' ' || (character >= '\u007f' && character <= '\u009f');
}

function stateAfterEscape(character: string): State {
  if (character === '[') return 'csi';
  if (']PX^_'.includes(character)) return 'string';
  if (character === esc || (character >= ' ' && character <= '/')) return 'escape';
  return 'text';
}

/** Takes escape sequences and controls out of a stream of text, piece by piece. */
class Neutraliser {
  #state: State = 'text';
  #returned = false;

  /** The part of `piece` that is safe; a sequence that is not complete yet is carried to the next piece. */
  push(piece: string): string {
    const kept: string[] = [];
    for (const character of piece) this.#take(character, kept);
    return kept.join('');
  }

  #take(character: string, kept: string[]): void {
    // A lone carriage return would write over the line before it; it becomes a line of its own.
    if (this.#returned) {
      this.#returned = false;
      kept.push('\n');
      if (character === '\n') return;
    }
    switch (this.#state) {
      case 'text':
        this.#text(character, kept);
        return;
      case 'escape':
        this.#state = stateAfterEscape(character);
        if (isControl(character) && character !== esc) this.#text(character, kept);
        return;
      case 'csi':
        if (character >= ' ' && character <= '?') return;
        this.#state = 'text';
        if (character < '@' || character > '~') this.#text(character, kept);
        return;
      case 'string':
        this.#string(character, kept);
        return;
      case 'string-escape':
        this.#state = character === '\\' ? 'text' : stateAfterEscape(character);
    }
  }

  #string(character: string, kept: string[]): void {
    if (character === esc) this.#state = 'string-escape';
    else if (stringEnds.includes(character)) this.#state = 'text';
    else if (character === '\n') {
      // Without its end such a string would swallow, and so hide, everything that follows.
      this.#state = 'text';
      kept.push(character);
    }
  }

  #text(character: string, kept: string[]): void {
    if (character === '\n' || character === '\t') kept.push(character);
    else if (character === '\r') this.#returned = true;
    else if (character === '\b') {
      if (kept.length > 0 && kept.at(-1) !== '\n') kept.pop();
    } else if (character === esc) this.#state = 'escape';
    else if (character === '\u009b') this.#state = 'csi';
    else if ('\u0090\u0098\u009d\u009e\u009f'.includes(character)) this.#state = 'string';
    else if (!isControl(character) && !reordering.test(character)) kept.push(character);
  }
}

/** A function that makes one stream safe; call it with the pieces in their order. */
export function createNeutraliser(): (piece: string) => string {
  const neutraliser = new Neutraliser();
  return (piece) => neutraliser.push(piece);
}

/** A whole text without escape sequences, controls and reordering marks; lines and tabs stay. */
export function neutralise(text: string): string {
  return new Neutraliser().push(text);
}

/** The same on one line, for a cell or a message. */
export function oneLine(text: string): string {
  return neutralise(text).replace(/\s+/g, ' ').trim();
}

/** JSON that a terminal shows as it is; its meaning is that of JSON.stringify. `indent` in spaces. */
export function safeJson(value: unknown, indent = 2): string {
  return JSON.stringify(value, null, indent).replace(
    inJson,
    (character) => `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`,
  );
}
