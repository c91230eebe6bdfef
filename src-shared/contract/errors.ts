import { z } from '@hono/zod-openapi';

/** Every code an answer can carry. Programs branch on these, never on the message. */
export const errorCodes = [
  'invalid',
  'invalid_json',
  'unauthorized',
  'forbidden_origin',
  'forbidden_site',
  'forbidden_scope',
  'wrong_host',
  'not_found',
  'method_not_allowed',
  'rev_conflict',
  'state_conflict',
  'idempotency_conflict',
  'too_large',
  'unsupported_media_type',
  'schedule_invalid',
  'schedule_never',
  'schedule_past',
  'timezone_invalid',
  'nothing_to_run',
  'too_many_attempts',
  'internal',
  'no_engine',
  'database_busy',
  'storage_full',
] as const;
export type ErrorCode = (typeof errorCodes)[number];

export const errorSchema = z
  .object({
    code: z.string(),
    message: z.string(),
    hint: z.string().optional(),
    field: z.string().optional(),
  })
  .openapi('Error');
export type ErrorBody = z.infer<typeof errorSchema>;

const statusOf: Record<ErrorCode, number> = {
  invalid: 400,
  invalid_json: 400,
  unauthorized: 401,
  forbidden_origin: 403,
  forbidden_site: 403,
  forbidden_scope: 403,
  not_found: 404,
  method_not_allowed: 405,
  rev_conflict: 409,
  state_conflict: 409,
  idempotency_conflict: 409,
  too_large: 413,
  unsupported_media_type: 415,
  wrong_host: 421,
  schedule_invalid: 422,
  schedule_never: 422,
  schedule_past: 422,
  timezone_invalid: 422,
  nothing_to_run: 422,
  too_many_attempts: 429,
  internal: 500,
  no_engine: 503,
  database_busy: 503,
  storage_full: 507,
};

/** An error that a door answers as it is: status by code, the field at fault and the way out. */
export class ApiError extends Error {
  readonly code: ErrorCode;
  readonly field: string | undefined;
  readonly hint: string | undefined;

  constructor(code: ErrorCode, message: string, more: { field?: string; hint?: string } = {}) {
    super(message);
    this.name = 'ApiError';
    this.code = code;
    this.field = more.field;
    this.hint = more.hint;
  }

  /** HTTP status of the code. */
  get status(): number {
    return statusOf[this.code];
  }

  /** The JSON body of the answer. */
  toBody(): ErrorBody {
    return {
      code: this.code,
      message: this.message,
      ...(this.hint === undefined ? {} : { hint: this.hint }),
      ...(this.field === undefined ? {} : { field: this.field }),
    };
  }
}
