/** What changed in a folder cannot be told; the message says why, in words for a person. Never fails a run. */
export class ChangesUnknown extends Error {}
