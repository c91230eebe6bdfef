import { ApiError } from '../../src-shared/contract/errors.ts';

/** Bytes of a request's body at most: a prompt of five million characters fits. */
export const maxBodyBytes = 5 * 1024 * 1024;
/** Levels of arrays and objects inside each other at most. */
export const maxDepth = 64;

const quote = 34;
const backslash = 92;
const longestFieldShown = 200;

/** Index behind the closing quote of the string that begins at `start`; the text's length when it never closes. */
function afterString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let slashes = 0;
    while (text.charCodeAt(end - 1 - slashes) === backslash) slashes += 1;
    if (slashes % 2 === 0) return end + 1;
  }
  return text.length;
}

/** Whether `text` opens more than `most` levels; it need not be JSON. Stops at the first level too many. */
export function isDeeperThan(text: string, most: number): boolean {
  let depth = 0;
  for (let i = 0; i < text.length; i += 1) {
    const code = text.charCodeAt(i);
    if (code === quote) i = afterString(text, i) - 1;
    else if (code === 91 || code === 123) {
      depth += 1;
      if (depth > most) return true;
    } else if (code === 93 || code === 125) depth -= 1;
  }
  return false;
}

/** Where the scan stands in one array or object. `keys` is null in an array. */
interface Frame {
  keys: Set<string> | null;
  key: string | number;
  /** In an object: the next string is a name. */
  atKey: boolean;
}

function refuse(frames: readonly Frame[], what: string): ApiError {
  const path = frames.map((frame) => frame.key).join('.');
  const field = path.slice(0, longestFieldShown);
  return new ApiError(
    'invalid',
    field === '' ? `The body ${what}` : `${field} ${what}`,
    field === '' ? {} : { field },
  );
}

/** Notes a name; throws when it is there already or would reach a prototype. */
function takeKey(frames: readonly Frame[], frame: Frame, key: string): void {
  frame.key = key;
  frame.atKey = false;
  if (frame.keys?.has(key) === true) throw refuse(frames, 'is there twice');
  frame.keys?.add(key);
  const parent = frames[frames.length - 2];
  if (key === '__proto__' || (key === 'prototype' && parent?.keys != null && parent.key === 'constructor')) {
    throw refuse(frames, 'is a name that is never accepted');
  }
}

function checkString(frames: readonly Frame[], raw: string): void {
  // The bytes were well-formed UTF-8, so only an escape can bring a lone surrogate, and only an escape a NUL.
  if (!raw.includes('\\u')) return;
  const value: string = JSON.parse(raw);
  if (value.includes('\u0000') || !value.isWellFormed()) {
    throw refuse(frames, 'must be well-formed text without NUL characters');
  }
}

/** Reads the token at `i` of text that is valid JSON; gives the index behind it. */
function readToken(text: string, i: number, frames: Frame[]): number {
  const frame = frames[frames.length - 1];
  const code = text.charCodeAt(i);
  if (code === quote) {
    const end = afterString(text, i);
    const raw = text.slice(i, end);
    if (frame?.atKey === true)
      takeKey(frames, frame, raw.includes('\\') ? JSON.parse(raw) : raw.slice(1, -1));
    else checkString(frames, raw);
    return end;
  }
  if (code === 123) frames.push({ keys: new Set(), key: '', atKey: true });
  else if (code === 91) frames.push({ keys: null, key: 0, atKey: false });
  else if (code === 93 || code === 125) frames.pop();
  else if (code === 44 && frame !== undefined) {
    if (typeof frame.key === 'number') frame.key += 1;
    else frame.atKey = true;
  } else if (code === 45 || (code >= 48 && code <= 57)) return afterNumber(text, i, frames);
  return i + 1;
}

function afterNumber(text: string, start: number, frames: readonly Frame[]): number {
  const token = /[-+.0-9eE]+/y;
  token.lastIndex = start;
  const [digits = ''] = token.exec(text) ?? [];
  if (!Number.isFinite(Number(digits))) throw refuse(frames, 'is a number out of range');
  return start + digits.length;
}

/**
 * Refuses a body that is no JSON or that JSON.parse would bend silently. Throws ApiError: `invalid_json` for syntax
 * and more than 64 levels; `invalid`, with the field, for a name that is there twice, `__proto__`,
 * `constructor.prototype`, a number that is not finite (1e400), NUL and lone surrogates.
 */
export function checkJson(text: string): void {
  if (isDeeperThan(text, maxDepth)) {
    throw new ApiError('invalid_json', `The body is nested more than ${maxDepth} levels deep`);
  }
  try {
    JSON.parse(text);
  } catch {
    throw new ApiError('invalid_json', 'The body is not valid JSON');
  }
  const frames: Frame[] = [];
  for (let i = 0; i < text.length; ) i = readToken(text, i, frames);
}

function tooLarge(limit: number): ApiError {
  return new ApiError('too_large', `The body is larger than ${limit} bytes`);
}

/**
 * The text of a request's body; '' when there is none. Nothing beyond `limit` bytes is kept. Throws ApiError:
 * `too_large`, `invalid_json` when it is not UTF-8 or ends before its time.
 */
export async function readBody(request: Request, limit: number): Promise<string> {
  const declared = request.headers.get('content-length');
  if (declared !== null && Number(declared) > limit) throw tooLarge(limit);
  try {
    // A declared length is kept by the HTTP parser, so what is buffered here is bounded.
    const bytes =
      declared === null ? await readUndeclared(request, limit) : Buffer.from(await request.arrayBuffer());
    if (bytes.byteLength > limit) throw tooLarge(limit);
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    if (error instanceof ApiError) throw error;
    throw new ApiError('invalid_json', 'The body is not complete, or not UTF-8');
  }
}

async function readUndeclared(request: Request, limit: number): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  if (request.body === null) return Buffer.concat(chunks);
  let size = 0;
  // Not cancelled when it is too large: that would cut the connection before the answer is out. What still comes
  // in is drained and thrown away by the server.
  const reader: ReadableStreamDefaultReader<Uint8Array> = request.body.getReader();
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    size += part.value.byteLength;
    if (size > limit) throw tooLarge(limit);
    chunks.push(part.value);
  }
  return Buffer.concat(chunks);
}
