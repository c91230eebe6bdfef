import { afterEach, describe, expect, it } from 'vitest';
import { type OpenDoor, openDoor } from './http-door.fixture.ts';
import { pagePolicy } from './security-headers.ts';

let door: OpenDoor;

afterEach(() => door.server.close());

describe('answers', () => {
  it('S11 carry the security headers, whatever they say', async () => {
    door = await openDoor({ app: { fetch: () => Response.redirect('http://127.0.0.1/x') } });
    const replies = [
      await door.send({ path: '/', token: null }),
      await door.send({}),
      await door.send({ token: null }),
      await door.send({ path: '/nothing' }),
      await door.send({ method: 'OPTIONS' }),
      await door.send({ headers: { Host: 'evil.test' } }),
      await door.send({ method: 'POST', body: '{' }),
    ];
    expect(replies.map((reply) => reply.status)).toEqual([200, 302, 401, 404, 403, 421, 400]);
    for (const { headers } of replies) {
      expect(headers).toMatchObject({
        'x-frame-options': 'DENY',
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
        'cross-origin-resource-policy': 'same-origin',
        'cross-origin-opener-policy': 'same-origin',
        'cache-control': 'no-store',
      });
      expect(headers['content-security-policy']).toMatch(/default-src 'none'.*frame-ancestors 'none'/);
    }
    expect(replies[0]?.headers['content-security-policy']).toBe(pagePolicy);
  });

  it('say nothing about the inside when the app fails', async () => {
    const errors: unknown[] = [];
    const app = {
      fetch: () => {
        throw new Error('secret /home/me');
      },
    };
    door = await openDoor({ app, onError: (error) => errors.push(error) });
    const reply = await door.send({});
    expect([reply.status, reply.body.code]).toEqual([500, 'internal']);
    expect(reply.text).not.toMatch(/secret|at /);
    expect(errors).toHaveLength(1);
  });
});
