import { describe, expect, it } from 'vitest';
import { createBackend, findLoginCode, UnreachableError } from './backend.ts';

interface Asked {
  path: string;
  authorization: string | undefined;
}

function page(hash: string, kept: string | null, valid: string[]) {
  const stored = new Map<string, string>(kept === null ? [] : [['nextrun.token', kept]]);
  const asked: Asked[] = [];
  const addresses: string[] = [];
  const codes = new Set(['once']);
  const backend = createBackend({
    location: { hash, pathname: '/', search: '?run=r' },
    replaceAddress: (address) => addresses.push(address),
    storage: {
      getItem: (key) => stored.get(key) ?? null,
      setItem: (key, value) => void stored.set(key, value),
      removeItem: (key) => void stored.delete(key),
    },
    fetch: async (path, init) => {
      const headers = init.headers as Record<string, string>;
      const authorization = headers['Authorization'];
      asked.push({ path, authorization });
      if (path === '/api/login') {
        // The code is out of the address bar before it is sent anywhere.
        expect(addresses).toHaveLength(hash === '' ? 0 : 1);
        const { code } = JSON.parse(String(init.body));
        if (codes.delete(code)) return Response.json({ token: 'fresh', expires_at: 1 });
        return Response.json({ code: 'unauthorized', message: 'no' }, { status: 401 });
      }
      if (valid.includes(authorization ?? '')) return Response.json({ version: '1' });
      return Response.json({ code: 'unauthorized', message: 'no' }, { status: 401 });
    },
  });
  return { backend, stored, asked, addresses };
}

describe('signing in', () => {
  it('exchanges the one-time code and takes it out of the address', async () => {
    const { backend, stored, addresses } = page('#login=once', null, ['Bearer fresh']);
    expect((await backend.enter()).kind).toBe('open');
    expect(addresses).toEqual(['/?run=r']);
    expect(stored.get('nextrun.token')).toBe('fresh');
  });

  it('keeps a good token when an old link is opened in its tab', async () => {
    const { backend } = page('#login=used', 'good', ['Bearer good']);
    expect((await backend.enter()).kind).toBe('open');
  });

  it('says that the link is used up when there is no other way in', async () => {
    const { backend } = page('#login=used', null, []);
    expect(await backend.enter()).toEqual({ kind: 'closed', problem: 'code_refused' });
  });

  it('needs no token where the host asks for none', async () => {
    const { backend, asked } = page('', null, ['']);
    expect((await backend.enter()).kind).toBe('open');
    expect(asked).toEqual([{ path: '/api/info', authorization: undefined }]);
  });

  it('forgets a token that is refused', async () => {
    const { backend, stored } = page('', 'old', []);
    expect(await backend.enter()).toEqual({ kind: 'closed', problem: 'token_refused' });
    expect(stored.size).toBe(0);
  });

  it('takes a pasted token, a pasted link, and nothing that cannot be a token', async () => {
    const { backend, asked } = page('', null, ['Bearer good', 'Bearer fresh']);
    expect((await backend.signIn(' good\n')).kind).toBe('open');
    expect((await backend.signIn('http://127.0.0.1:8899/#login=once')).kind).toBe('open');
    const before = asked.length;
    expect(await backend.signIn('not a töken')).toEqual({ kind: 'closed', problem: 'token_refused' });
    expect(asked).toHaveLength(before);
  });

  it('tells when an accepted token is refused later', async () => {
    const valid = ['Bearer good'];
    const { backend, stored } = page('', 'good', valid);
    await backend.enter();
    let told = 0;
    backend.onRefused(() => {
      told += 1;
    });
    valid.pop();
    await expect(backend.call('getQueue', {})).rejects.toMatchObject({ code: 'unauthorized' });
    expect(told).toBe(1);
    expect(stored.size).toBe(0);
  });

  it('says unreachable when nothing answers', async () => {
    const backend = createBackend({
      location: { hash: '', pathname: '/', search: '' },
      replaceAddress: () => {},
      storage: undefined,
      fetch: () => Promise.reject(new TypeError('fetch failed')),
    });
    expect(await backend.enter()).toEqual({ kind: 'closed', problem: 'unreachable' });
    await expect(backend.call('getQueue', {})).rejects.toBeInstanceOf(UnreachableError);
  });

  it('finds the code in a fragment and in a link', () => {
    expect(findLoginCode('#login=a%2Bb')).toBe('a+b');
    expect(findLoginCode('http://localhost:8899/#login=abc')).toBe('abc');
    expect(findLoginCode('#login=%E0%A4%A')).toBe('%E0%A4%A');
    expect(findLoginCode('#main')).toBeUndefined();
  });
});
