import type { Scope } from './actor.ts';

/**
 * What a `run` token may call: submit a task, start an automation, follow runs. Ids may be percent-encoded; a
 * malformed escape matches nothing, because the router would read such a path differently from here.
 */
const segment = '(?:[^/%]|%[0-9A-Fa-f]{2})+';
const runRoutes: readonly { method: 'GET' | 'POST'; path: RegExp }[] = [
  { method: 'POST', path: /^\/api\/run$/ },
  { method: 'GET', path: /^\/api\/run\/status$/ },
  { method: 'GET', path: new RegExp(`^/api/runs/${segment}$`) },
  { method: 'GET', path: new RegExp(`^/api/runs/${segment}/output$`) },
  { method: 'POST', path: new RegExp(`^/api/automations/${segment}/run$`) },
];

/** HEAD tells less than GET, so it needs the same. */
function asGet(method: string): string {
  return method === 'HEAD' ? 'GET' : method;
}

/**
 * Whether a token of `scope` may call `method` on `path` (the pathname, still percent-encoded). What nobody listed
 * needs `admin`, so a new route is closed to narrower tokens until somebody opens it here.
 */
export function allows(scope: Scope, method: string, path: string): boolean {
  if (scope === 'admin') return true;
  const verb = asGet(method);
  if (scope === 'read') return verb === 'GET';
  return runRoutes.some((route) => route.method === verb && route.path.test(path));
}

/** The narrowest scopes that may call `method` on `path`, for the words of a refusal. */
export function neededScope(method: string, path: string): string {
  return (['read', 'run', 'admin'] as const).filter((scope) => allows(scope, method, path)).join(' or ');
}
