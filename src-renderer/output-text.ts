/** Terminal output made safe to show: pure, so that the same bytes always look the same. */

export interface Chunk {
  seq: number;
  at: number;
  stream: string;
  text: string;
}

/** A stretch of output of one stream, without anything that could act on a terminal or mislead the eye. */
export interface Segment {
  id: number;
  stream: string;
  text: string;
}

export interface OutputText {
  segments: readonly Segment[];
  /** Start of an escape sequence, or a carriage return, whose rest comes with the next chunk; by stream. */
  carry: Readonly<Record<string, string>>;
  /** The sequence number to ask for next. */
  next: number;
  /** Characters that were let go at the front, so that the page stays small. */
  trimmed: number;
  /** When the newest chunk was written, milliseconds since 1970 UTC. */
  lastAt: number | null;
}

export const noOutput: OutputText = { segments: [], carry: {}, next: 0, trimmed: 0, lastAt: null };

const keptCharacters = 512 * 1024;
const segmentCharacters = 16 * 1024;
const longestCarry = 4096;

const esc = String.fromCharCode(27);
const bel = String.fromCharCode(7);
const st = `(?:${bel}|${esc}\\\\|\\u009c)`;
/** Strings that a terminal would act on: OSC (title, clipboard, links), DCS, SOS, PM, APC with their body. */
const strings = new RegExp(
  `(?:${esc}[\\]PX^_]|[\\u009d\\u0090\\u0098\\u009e\\u009f])[^${bel}${esc}\\u009c]*${st}`,
  'gu',
);
const csi = new RegExp(`(?:${esc}\\[|\\u009b)[0-?]*[ -/]*[@-~]`, 'gu');
const shortEscape = new RegExp(`${esc}[ -/]*[0-~]`, 'gu');
const openEnd = new RegExp(
  `(?:\\r|${esc}[ -/]*|(?:${esc}\\[|\\u009b)[0-?]*[ -/]*|(?:${esc}[\\]PX^_]|[\\u009d\\u0090\\u0098\\u009e\\u009f])[^${bel}${esc}\\u009c]*${esc}?)$`,
  'u',
);
/** Controls but tab, line feed, return and backspace; marks that reorder or hide text (bidi, zero width). */
const controls = /[^\P{Cc}\t\n\r\b]/gu;
const reordering = /[\u{202a}-\u{202e}\u{2066}-\u{2069}\u{200e}\u{200f}\u{61c}\u{200b}\u{2060}\u{feff}]/gu;

/** What stays of a line after its carriage returns and backspaces, as a terminal would leave it. */
function settleLine(line: string): string {
  const kept = line.slice(line.lastIndexOf('\r') + 1);
  if (!kept.includes('\b')) return kept;
  const characters: string[] = [];
  for (const character of kept) {
    if (character === '\b') characters.pop();
    else characters.push(character);
  }
  return characters.join('');
}

/** Text without escapes, control characters and reordering marks. Everything else stays as it is. */
export function plainText(text: string): string {
  return text
    .replaceAll(strings, '')
    .replaceAll(csi, '')
    .replaceAll(shortEscape, '')
    .replaceAll(controls, '')
    .replaceAll(reordering, '')
    .replaceAll('\r\n', '\n')
    .split('\n')
    .map(settleLine)
    .join('\n');
}

function cut(raw: string): { ready: string; carry: string } {
  const open = openEnd.exec(raw)?.[0] ?? '';
  if (open === '' || open.length > longestCarry) return { ready: raw, carry: '' };
  return { ready: raw.slice(0, raw.length - open.length), carry: open };
}

/** Joins `ready` to the end of `text`: a return at the front of it rewrites the last line. */
function join(text: string, ready: string): string {
  const lineStart = text.lastIndexOf('\n') + 1;
  return text.slice(0, lineStart) + plainText(text.slice(lineStart) + ready);
}

function addChunk(segments: Segment[], stream: string, ready: string, seq: number): void {
  const last = segments.at(-1);
  if (last !== undefined && last.stream === stream && last.text.length < segmentCharacters) {
    segments[segments.length - 1] = { ...last, text: join(last.text, ready) };
    return;
  }
  // A full segment gives its unfinished line to the next one, so that no line is torn.
  const tornAt = last?.stream === stream ? last.text.lastIndexOf('\n') + 1 : 0;
  const torn = last !== undefined && tornAt > 0 ? last.text.slice(tornAt) : '';
  if (last !== undefined && tornAt > 0) {
    segments[segments.length - 1] = { ...last, text: last.text.slice(0, tornAt) };
  }
  segments.push({ id: seq, stream, text: join(torn, ready) });
}

/**
 * Adds chunks in order. Chunks that are known already are passed over. At most 512 Ki characters stay; what is
 * let go at the front is counted in `trimmed`.
 */
export function addOutput(output: OutputText, chunks: readonly Chunk[]): OutputText {
  const segments = [...output.segments];
  const carry: Record<string, string> = { ...output.carry };
  let { next, trimmed, lastAt } = output;
  for (const chunk of chunks) {
    if (chunk.seq < next) continue;
    next = chunk.seq + 1;
    lastAt = chunk.at;
    const { ready, carry: open } = cut((carry[chunk.stream] ?? '') + chunk.text);
    carry[chunk.stream] = open;
    if (ready !== '') addChunk(segments, chunk.stream, ready, chunk.seq);
  }
  let size = segments.reduce((sum, segment) => sum + segment.text.length, 0);
  while (size > keptCharacters && segments.length > 1) {
    const gone = segments.shift()?.text.length ?? 0;
    size -= gone;
    trimmed += gone;
  }
  return { segments, carry, next, trimmed, lastAt };
}
