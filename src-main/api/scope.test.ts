import { expect, it } from 'vitest';
import { allows, neededScope } from './scope.ts';

it.each([
  ['run', 'POST', '/api/run', true],
  ['run', 'GET', '/api/run/status', true],
  ['run', 'HEAD', '/api/runs/run-1', true],
  ['run', 'GET', '/api/runs/run-1/output', true],
  ['run', 'POST', '/api/automations/%E4%BD%A0/run', true],
  ['run', 'GET', '/api/runs', false],
  ['run', 'GET', '/api/run', false],
  ['run', 'POST', '/api/runs/run-1/cancel', false],
  ['run', 'POST', '/api/automations', false],
  ['run', 'POST', '/api/automations/a/b/run', false],
  ['run', 'POST', '/api/automations//run', false],
  ['run', 'POST', '/api/automations/%zz/run', false],
  ['run', 'POST', '/api/run/', false],
  ['run', 'POST', '/api/%72un', false],
  ['run', 'PUT', '/api/settings', false],
  ['read', 'GET', '/api/automations', true],
  ['read', 'HEAD', '/api/events', true],
  ['read', 'POST', '/api/run', false],
  ['read', 'DELETE', '/api/automations/1', false],
  ['admin', 'PUT', '/api/settings', true],
] as const)('a %s token on %s %s: %s', (scope, method, path, expected) => {
  expect(allows(scope, method, path)).toBe(expected);
});

it('names the scopes that would do', () => {
  expect(neededScope('GET', '/api/runs/1')).toBe('read or run or admin');
  expect(neededScope('POST', '/api/run')).toBe('run or admin');
  expect(neededScope('PUT', '/api/settings')).toBe('admin');
});
