import type { ApiError } from '../../src-shared/contract/errors.ts';

/** What the page may load and do (spec/security.md, H10): its own files, and nothing inline. */
export const pagePolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-src 'none'",
  "frame-ancestors 'none'",
  "object-src 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ');
/** Data is never a document: it may load nothing at all. */
const dataPolicy = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; sandbox";

/** On every answer, the refusals of the server itself included. */
export const securityHeaders: Readonly<Record<string, string>> = {
  'X-Frame-Options': 'DENY',
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Cross-Origin-Opener-Policy': 'same-origin',
};

function set(headers: Headers): void {
  for (const [name, value] of Object.entries(securityHeaders)) headers.set(name, value);
  const isData = /^(?:application\/json|text\/event-stream)/.test(
    headers.get('content-type') ?? 'application/json',
  );
  headers.set('Content-Security-Policy', isData ? dataPolicy : pagePolicy);
  if (!headers.has('cache-control')) headers.set('Cache-Control', 'no-store');
  for (const name of [...headers.keys()]) if (name.startsWith('access-control-')) headers.delete(name);
}

/** The answer with the security headers, and without any CORS header; not cached unless it says how long. */
export function secured(response: Response): Response {
  try {
    set(response.headers);
    return response;
  } catch (error) {
    // The headers of Response.redirect() and of fetched answers cannot be changed.
    if (!(error instanceof TypeError)) throw error;
    const headers = new Headers(response.headers);
    set(headers);
    return new Response(response.body, { status: response.status, headers });
  }
}

/** The answer that tells an error. `retryAfter` is in seconds and used for 429 only. */
export function errorAnswer(error: ApiError, retryAfter = 1): Response {
  const headers: Record<string, string> = {};
  if (error.code === 'unauthorized') headers['WWW-Authenticate'] = 'Bearer realm="NextRun"';
  if (error.code === 'too_many_attempts') headers['Retry-After'] = String(Math.max(1, retryAfter));
  return secured(Response.json(error.toBody(), { status: error.status, headers }));
}
