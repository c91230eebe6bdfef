import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { processEntry } from '../../launcher/proc.ts';
import { findTrustedHost, readPrivate } from './connect.ts';

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'nextrun-cli-'));
  file = join(folder, 'server.json');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const mine = () => ({
  pid: process.pid,
  pid_started_at: processEntry(process.pid)?.started_at ?? null,
  started_at: 0,
  host: '127.0.0.1',
  port: 8899,
  url: 'http://127.0.0.1:8899',
  version: '1.2.3',
});

function write(content: unknown, mode = 0o600): void {
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
  chmodSync(file, mode);
}

describe('server.json', () => {
  it('is trusted when it is private and its process lives', async () => {
    write(mine());
    expect(await findTrustedHost(file)).toEqual({ pid: process.pid, baseUrl: 'http://127.0.0.1:8899' });
    write({ ...mine(), host: '::1', url: 'http://evil.example' });
    expect((await findTrustedHost(file))?.baseUrl).toBe('http://[::1]:8899');
  });

  it('is not there', async () => {
    expect(await findTrustedHost(file)).toBeNull();
    expect(await findTrustedHost(join(file, 'below'))).toBeNull();
  });

  it.each([0o644, 0o640, 0o620, 0o666])('is not trusted with mode %o', async (mode) => {
    write(mine(), mode);
    expect(await findTrustedHost(file)).toBeNull();
  });

  it('is not trusted as a link, a folder or a huge file', async () => {
    write(mine());
    const link = join(folder, 'link');
    symlinkSync(file, link);
    expect(await findTrustedHost(link)).toBeNull();
    expect(await findTrustedHost(folder)).toBeNull();
    write(JSON.stringify(mine()) + ' '.repeat(70_000));
    expect(await findTrustedHost(file)).toBeNull();
  });

  it.runIf(process.getuid?.() === 0)('is not trusted when it belongs to somebody else', async () => {
    write(mine());
    const { chownSync } = await import('node:fs');
    chownSync(file, 65_534, 65_534);
    expect(await findTrustedHost(file)).toBeNull();
  });

  it.each([
    ['', '{', '[]', 'null'],
    [
      { ...mine(), pid: 0 },
      { ...mine(), pid: -1 },
      { ...mine(), pid: '1' },
    ],
    [
      { ...mine(), host: '192.168.0.7' },
      { ...mine(), host: 'evil.example' },
      { ...mine(), host: '0.0.0.0' },
    ],
    [
      { ...mine(), port: 0 },
      { ...mine(), port: 70_000 },
    ],
  ])('is not trusted with other content', async (...contents) => {
    for (const content of contents) {
      write(content);
      expect(await findTrustedHost(file)).toBeNull();
    }
  });

  it.runIf(process.platform === 'linux')(
    'is not trusted when the pid was given to another process',
    async () => {
      write({ ...mine(), pid_started_at: (mine().pid_started_at ?? 0) - 1 });
      expect(await findTrustedHost(file)).toBeNull();
      write({ ...mine(), pid_started_at: null });
      expect(await findTrustedHost(file)).toBeNull();
    },
  );

  it('is not trusted once its process has ended', async () => {
    const child = spawn(process.execPath, ['-e', 'process.stdin.resume()'], {
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    await once(child, 'spawn');
    const pid = child.pid ?? 0;
    write({ ...mine(), pid, pid_started_at: processEntry(pid)?.started_at ?? null });
    expect(await findTrustedHost(file)).toMatchObject({ pid });
    child.stdin.end();
    await once(child, 'exit');
    expect(await findTrustedHost(file)).toBeNull();
  });
});

describe('a private file', () => {
  it('is read only when it is private', async () => {
    const token = join(folder, 'token');
    expect(await readPrivate(token)).toBe('missing');
    writeFileSync(token, 'secret\n', { mode: 0o600 });
    expect(await readPrivate(token)).toEqual({ text: 'secret\n' });
    chmodSync(token, 0o644);
    expect(await readPrivate(token)).toBe('unsafe');
    mkdirSync(join(folder, 'inner'));
    expect(await readPrivate(join(folder, 'inner'))).toBe('unsafe');
  });
});
