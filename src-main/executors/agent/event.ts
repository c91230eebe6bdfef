/** One JSON object of a stream; nothing in it can be relied on. */
export type Event = Readonly<Record<string, unknown>>;

/** A field as an object; an empty one when it is something else. */
export function object(value: unknown): Event {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {};
}

/** A field as a list of objects. */
export function objects(value: unknown): Event[] {
  return Array.isArray(value) ? value.map(object) : [];
}

/** A field as text with something in it, else null. */
export function text(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}

/** A field as a number of tokens; 0 when it is none. */
export function count(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) && value > 0 ? Math.round(value) : 0;
}

/** A field in whole and broken units as millionths; null when it is no amount. */
export function micros(value: unknown): number | null {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0
    ? Math.round(value * 1_000_000)
    : null;
}

const telling = [
  'command',
  'file_path',
  'filePath',
  'path',
  'pattern',
  'query',
  'url',
  'description',
  'prompt',
];
const longestNote = 200;

/** What a tool is used on, in one short line. */
export function brief(value: unknown): string {
  const fields = object(value);
  const known = telling.map((name) => fields[name]).find((field) => field !== undefined);
  const shown = typeof value === 'string' ? value : typeof known === 'string' ? known : json(known ?? value);
  const line = shown.replace(/\s+/g, ' ').trim();
  return line.length > longestNote ? `${line.slice(0, longestNote).toWellFormed()}…` : line;
}

function json(value: unknown): string {
  return value === undefined || value === null ? '' : JSON.stringify(value);
}
