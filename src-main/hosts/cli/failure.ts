import { ApiError } from '../../../src-shared/contract/errors.ts';

/** Exit codes of ruling 17; 130 is what a shell gives for Ctrl-C. */
export const exits = {
  ok: 0,
  failedRun: 1,
  usage: 2,
  notFound: 3,
  conflict: 4,
  noHost: 5,
  served: 6,
  interrupted: 130,
} as const;

/** A failure with its own exit code and words for the person. */
export class CliError extends Error {
  readonly exitCode: number;
  readonly code: string;
  readonly hint: string | undefined;

  constructor(exitCode: number, code: string, message: string, hint?: string) {
    super(message);
    this.name = 'CliError';
    this.exitCode = exitCode;
    this.code = code;
    this.hint = hint;
  }
}

/** The command line was not understood. */
export function usageError(message: string, hint?: string): CliError {
  return new CliError(exits.usage, 'usage', message, hint);
}

/** No such task or run. */
export function notFoundError(message: string, hint?: string): CliError {
  return new CliError(exits.notFound, 'not_found', message, hint);
}

/** The host cannot be reached, though it was there; the transport throws it, words come from the caller. */
export class UnreachableError extends Error {
  readonly baseUrl: string;

  constructor(baseUrl: string, cause?: unknown) {
    super(`no answer from ${baseUrl}`, { cause });
    this.name = 'UnreachableError';
    this.baseUrl = baseUrl;
  }
}

/** The person pressed Ctrl-C while something was being watched. */
export class InterruptedError extends Error {
  /** `message`: what to tell the person, when there is more to say than that it stopped. */
  constructor(message = '') {
    super(message);
    this.name = 'InterruptedError';
  }
}

/** Exit code for an error the API answered. */
export function exitOfApi(error: ApiError): number {
  if (error.code === 'no_engine') return exits.noHost;
  switch (error.status) {
    case 400:
    case 413:
    case 415:
    case 422:
      return exits.usage;
    case 404:
      return exits.notFound;
    case 409:
      return exits.conflict;
    default:
      return exits.failedRun;
  }
}

/** True when the API said that there is no such thing. */
export function isNotFound(error: unknown): boolean {
  return error instanceof ApiError && error.code === 'not_found';
}
