/**
 * Plain text out of what a program wrote for a terminal. `util.stripVTControlCharacters` is not enough: it leaves
 * the bodies of DCS, carriage returns, backspaces, NUL, C1 and bidi overrides in place (security S47).
 */

const sequence = /[\u0030-\u003f]*[\u0020-\u002f]*/y;

const BEL = 0x07;
const CAN = 0x18;
const SUB = 0x1a;
const ESC = 0x1b;
const ST = 0x9c;

/** C0, DEL, C1 and what turns the direction of text around; not tab and newline. */
function isControl(code: number): boolean {
  if (code < 0x20) return code !== 0x09 && code !== 0x0a;
  if (code >= 0x7f && code <= 0x9f) return true;
  return (code >= 0x202a && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
}

function hasControls(text: string): boolean {
  for (let at = 0; at < text.length; at += 1) if (isControl(text.charCodeAt(at))) return true;
  return false;
}

/** The C1 form of an ESC sequence that opens something longer, by its second character. */
const opener = new Map([
  ['[', 0x9b],
  [']', 0x9d],
  ['P', 0x90],
  ['X', 0x98],
  ['^', 0x9e],
  ['_', 0x9f],
]);

/** One line as a terminal would show it: writing over what is there after CR and BS. */
class Line {
  private cells: string[] = [];
  private column = 0;

  write(character: string): void {
    this.cells[this.column] = character;
    this.column += 1;
  }

  home(): void {
    this.column = 0;
  }

  back(): void {
    this.column = Math.max(0, this.column - 1);
  }

  /** CSI K: 0 erases from the cursor on, 1 and 2 also what is left of it. */
  erase(mode: string): void {
    this.cells.length = Math.min(this.cells.length, this.column);
    if (mode === '1' || mode === '2') this.cells.fill(' ');
  }

  text(): string {
    return this.cells.join('');
  }
}

/** The end of the line at or after `from`, but not beyond `limit`. */
function lineEnd(text: string, from: number, limit: number): number {
  const newline = text.indexOf('\n', from);
  return newline === -1 ? limit : Math.min(newline, limit);
}

/** Where reading goes on after a string (OSC, DCS, SOS, PM, APC) whose body starts at `from`. */
function afterString(text: string, from: number, open: { unterminated: boolean }): number {
  if (!open.unterminated) {
    for (let at = from; at < text.length; at += 1) {
      const code = text.charCodeAt(at);
      if (code === BEL || code === CAN || code === SUB || code === ST) return at + 1;
      if (code === ESC && text[at + 1] === '\\') return at + 2;
      // Never closed, something new begins: what follows the line is more likely text than body.
      if (code === ESC || (code >= 0x80 && code <= 0x9f)) return lineEnd(text, from, at);
    }
    // Remembered, so that a thousand unterminated openers do not search the rest a thousand times.
    open.unterminated = true;
  }
  return lineEnd(text, from, text.length);
}

/** Reads a CSI from its first parameter; gives where it ends and, for an erase, applies it. */
function afterCsi(text: string, from: number, line: Line): number {
  sequence.lastIndex = from;
  const body = sequence.exec(text)?.[0] ?? '';
  const end = from + body.length;
  const final = text.charCodeAt(end);
  if (!(final >= 0x40 && final <= 0x7e)) return end;
  if (text[end] === 'K') line.erase(body);
  return end + 1;
}

/** Reads what starts with ESC or a C1 character at `at`; gives where the text goes on. */
function afterEscape(text: string, at: number, line: Line, open: { unterminated: boolean }): number {
  let code = text.charCodeAt(at);
  let next = at + 1;
  if (code === ESC) {
    const second = text[next];
    if (second === undefined) return next;
    const c1 = opener.get(second);
    if (c1 === undefined) {
      sequence.lastIndex = next;
      const intermediate = /[\u0020-\u002f]/.test(second) ? (sequence.exec(text)?.[0].length ?? 0) : 0;
      const final = text.charCodeAt(next + intermediate);
      return final >= 0x30 && final <= 0x7e ? next + intermediate + 1 : next + intermediate;
    }
    code = c1;
    next += 1;
  }
  if (code === 0x9b) return afterCsi(text, next, line);
  if (code === 0x9d || code === 0x90 || code === 0x98 || code === 0x9e || code === 0x9f)
    return afterString(text, next, open);
  return next;
}

/**
 * Removes CSI, OSC, DCS and the other strings, C0 and C1 controls, NUL, DEL and bidi overrides; carries out CR,
 * backspace and erase-line, so that a progress bar leaves its last state. Keeps `\n` and `\t`.
 */
export function stripControls(text: string): string {
  if (!hasControls(text)) return text;
  const lines: string[] = [];
  const open = { unterminated: false };
  let line = new Line();
  let at = 0;
  while (at < text.length) {
    const code = text.codePointAt(at) ?? 0;
    if (code === 0x0a) {
      lines.push(line.text());
      line = new Line();
      at += 1;
    } else if (code === 0x0d) {
      line.home();
      at += 1;
    } else if (code === 0x08) {
      line.back();
      at += 1;
    } else if (code === ESC || (code >= 0x80 && code <= 0x9f)) {
      at = afterEscape(text, at, line, open);
    } else {
      const character = String.fromCodePoint(code);
      if (!isControl(code)) line.write(character);
      at += character.length;
    }
  }
  lines.push(line.text());
  return lines.join('\n');
}
