import { mkdirSync, mkdtempSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type OpenDoor, openDoor } from './http-door.fixture.ts';
import { staticPage } from './static.ts';

let root: string;
let folder: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'nextrun-static-'));
  folder = join(root, 'page');
  mkdirSync(join(folder, 'assets'), { recursive: true });
  writeFileSync(join(root, 'token'), 'secret');
  writeFileSync(join(folder, 'index.html'), '<title>NextRun</title>');
  writeFileSync(join(folder, 'icon.svg'), '<svg/>');
  writeFileSync(join(folder, 'assets/index-DcQFFYry.js'), 'run()');
  writeFileSync(join(folder, 'assets/plain.css'), 'a{}');
  symlinkSync(join(root, 'token'), join(folder, 'link.txt'));
});
afterEach(() => rmSync(root, { recursive: true }));

describe('the page', () => {
  it('is index.html on every page route and has right types and lifetimes', async () => {
    const page = staticPage(folder);
    for (const path of ['/', '/runs/run-1', '/automations/%E4%BD%A0/edit', '/calendar/']) {
      const answer = page(path);
      expect(answer?.headers.get('content-type')).toBe('text/html; charset=utf-8');
      expect(answer?.headers.get('cache-control')).toBe('no-cache');
      expect(await answer?.text()).toBe('<title>NextRun</title>');
    }
    const script = page('/assets/index-DcQFFYry.js');
    expect(script?.headers.get('content-type')).toBe('text/javascript; charset=utf-8');
    expect(script?.headers.get('cache-control')).toMatch(/immutable/);
    expect(page('/assets/plain.css')?.headers.get('cache-control')).toBe('no-cache');
    expect(page('/icon.svg')?.headers.get('content-type')).toBe('image/svg+xml');
    expect(page('/assets/missing-12345678.js')).toBeNull();
  });

  it.each([
    '/../token',
    '/..%2ftoken',
    '/%2e%2e/token',
    '/assets/..%2f..%2ftoken',
    '/assets/../../token',
    '/..\\token',
    '/..%5ctoken',
    '/%00/index.html',
    '/index.html%00.js',
    '//etc/passwd',
    '/etc/passwd.txt',
    '/link.txt',
    '/%zz',
    '/.git/config.x',
    '/%252e%252e%252ftoken.txt',
    'index.html',
    '/__proto__.x',
    '/C:/windows/win.ini',
    '/.',
    '/..',
  ])('gives nothing of the rest of the disk: %s', async (path) => {
    const answer = staticPage(folder)(path);
    const text = (await answer?.text()) ?? null;
    expect([null, '<title>NextRun</title>']).toContain(text);
  });

  it('sees a new build, and says how to build when there is none', async () => {
    const page = staticPage(folder);
    expect(page('/assets/new-12345678.js')).toBeNull();
    writeFileSync(join(folder, 'assets/new-12345678.js'), 'new()');
    utimesSync(join(folder, 'index.html'), 1, 1);
    expect(await page('/assets/new-12345678.js')?.text()).toBe('new()');
    rmSync(join(folder, 'assets/new-12345678.js'));
    expect(page('/assets/new-12345678.js')).toBeNull();
    rmSync(folder, { recursive: true });
    const missing = page('/runs/1');
    expect([missing?.status, missing?.headers.get('content-type')]).toEqual([
      503,
      'text/plain; charset=utf-8',
    ]);
    expect(await missing?.text()).toContain('npm run build');
    expect(page('/icon.svg')).toBeNull();
  });
});

describe('the page over HTTP', () => {
  let door: OpenDoor;
  afterEach(() => door.server.close());

  it('answers HEAD like GET without the body, and never leaves its folder', async () => {
    door = await openDoor({ page: staticPage(folder) });
    const got = await door.send({ path: '/', token: null });
    const head = await door.send({ path: '/', method: 'HEAD', token: null });
    expect([got.status, got.text.length]).toEqual([200, 22]);
    expect([head.status, head.text, head.headers['content-length']]).toEqual([200, '', '22']);
    for (const path of [
      '/../token',
      '/..%2ftoken',
      '/assets/%2e%2e/%2e%2e/token',
      '/assets/..%2f..%2ftoken.x',
      '/..%5Ctoken.x',
    ]) {
      const reply = await door.send({ path, token: null });
      expect([200, 404]).toContain(reply.status);
      expect(reply.text).not.toContain('secret');
    }
  });
});
