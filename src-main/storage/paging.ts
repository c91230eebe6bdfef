export interface Page<T> {
  items: T[];
  next_cursor: string | null;
}

/** A cursor that did not come from a page of ours. */
export class CursorError extends Error {
  constructor() {
    super('The cursor is not one that a page gave');
    this.name = 'CursorError';
  }
}

/** The position after a row in a list ordered by (instant, id). */
export function encodeCursor(at: number, id: string): string {
  return Buffer.from(JSON.stringify([at, id])).toString('base64url');
}

/** Throws CursorError for anything encodeCursor did not make. */
export function decodeCursor(cursor: string): [at: number, id: string] {
  try {
    const value: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    if (Array.isArray(value) && typeof value[0] === 'number' && typeof value[1] === 'string') {
      return [value[0], value[1]];
    }
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  throw new CursorError();
}
