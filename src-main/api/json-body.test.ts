import { connect } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { ApiError } from '../../src-shared/contract/errors.ts';
import { type OpenDoor, openDoor } from './http-door.fixture.ts';
import { checkJson, isDeeperThan, maxBodyBytes } from './json-body.ts';

function refusal(text: string): { code: string; field: string | undefined } | null {
  try {
    checkJson(text);
    return null;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return { code: error.code, field: error.field };
  }
}

describe('S20 what JSON.parse would bend silently', () => {
  it.each([
    ['{"__proto__":{"polluted":1}}', '__proto__'],
    ['{"a":{"\\u005f_proto__":1}}', 'a.__proto__'],
    ['{"a":[{"constructor":{"prototype":{}}}]}', 'a.0.constructor.prototype'],
    ['{"name":"a","name":"b"}', 'name'],
    ['{"name":"a","n\\u0061me":"b"}', 'name'],
    ['{"a":[1,{"b":1,"c":{},"b":2}]}', 'a.1.b'],
    ['{"timeout_seconds":1e400}', 'timeout_seconds'],
    ['{"a":[0,-1E+999]}', 'a.1'],
    ['[1e400]', '0'],
    ['{"name":"\\ud800"}', 'name'],
    ['{"name":"a\\u0000b"}', 'name'],
    ['{"command":["x","\\udc00\\ud800"]}', 'command.1'],
  ])('%s is invalid and names its field', (text, field) => {
    expect(refusal(text)).toEqual({ code: 'invalid', field });
  });

  it.each(['', '{', '{"a":1}}', '[1,]', '{"a":01}', 'nul', '"\n"', '{"a":NaN}'])('%j is no JSON', (text) => {
    expect(refusal(text)).toEqual({ code: 'invalid_json', field: undefined });
  });

  it.each([
    '{}',
    'null',
    '"x"',
    '-0.5e-3',
    '{"a":{"b":1},"b":{"a":1},"c":[{"a":1},{"a":1}]}',
    '{"prototype":1,"constructor":"x"}',
    '{"a":["constructor","prototype",{"prototype":1}]}',
    '{"text":"[[[{{{\\"\\\\\\\\","n\\\\":"\\ud83d\\ude00 \\u4f60 1e400"}',
    '{"a":"","":[],"b":[[],{},[{}]],"x":1e308}',
    ' {\n "a" : [ 1 , 2 ] }\r\n',
  ])('%s passes', (text) => {
    expect(refusal(text)).toBeNull();
  });

  it('a top-level number out of range has no field', () => {
    expect(refusal('1e999')).toEqual({ code: 'invalid', field: undefined });
  });
});

describe('S19 depth', () => {
  it('allows 64 levels and not 65, brackets in strings not counted', () => {
    expect(refusal('['.repeat(64) + ']'.repeat(64))).toBeNull();
    expect(refusal('['.repeat(65) + ']'.repeat(65))).toEqual({ code: 'invalid_json', field: undefined });
    expect(refusal(`{"a":"${'['.repeat(100)}\\"{"}`)).toBeNull();
    expect(refusal(`${'[[],'.repeat(63)}1${']'.repeat(63)}`)).toBeNull();
  });

  it('stops at the first level too many, without looking at the rest', () => {
    let looked = 0;
    const brackets = {
      length: 100_000,
      charCodeAt() {
        looked += 1;
        return '['.charCodeAt(0);
      },
    };
    expect(isDeeperThan(brackets as unknown as string, 64)).toBe(true);
    expect(looked).toBe(65);
  });
});

describe('over the wire', () => {
  let door: OpenDoor;
  afterEach(() => door.server.close());
  const post = { method: 'POST', path: '/api/run' };

  it('S19 refuses 5 MB and one byte by its Content-Length, and takes 5 MB', async () => {
    door = await openDoor();
    const fits = `"${'x'.repeat(maxBodyBytes - 2)}"`;
    expect((await door.send({ ...post, body: fits })).status).toBe(200);
    const reply = await door.send({ ...post, body: `${fits} ` });
    expect([reply.status, reply.body.code]).toEqual([413, 'too_large']);
    expect(door.reached).toHaveLength(1);
  });

  it('S19 refuses a declared giant before a byte of it came', async () => {
    door = await openDoor();
    const head = `POST /api/run HTTP/1.1\r\nHost: 127.0.0.1:${door.port}\r\nAuthorization: Bearer admin-token\r\n`;
    const answer = await door.raw(
      `${head}Content-Type: application/json\r\nContent-Length: 99999999999\r\n\r\n`,
    );
    expect(answer).toMatch(/^HTTP\/1.1 413/);
  });

  it('S19 counts a body of unknown length and stops at the limit', async () => {
    door = await openDoor();
    const head = `POST /api/run HTTP/1.1\r\nHost: 127.0.0.1:${door.port}\r\nAuthorization: Bearer admin-token\r\n`;
    const chunk = `100000\r\n${'['.repeat(0x100000)}\r\n`;
    const first = await new Promise<string>((resolve, reject) => {
      const socket = connect(door.port, '127.0.0.1', () => {
        socket.write(`${head}Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`);
        for (let i = 0; i < 6; i += 1) socket.write(chunk);
      });
      socket.once('data', (part) => {
        resolve(part.toString());
        socket.destroy();
      });
      socket.on('error', reject);
    });
    expect(first).toMatch(/^HTTP\/1.1 413/);
    expect(door.reached).toEqual([]);
  });

  it('S19 S20 S21 answers 400 with the field; titles with CRLF and ESC pass untouched', async () => {
    door = await openDoor();
    expect((await door.send({ ...post, body: '['.repeat(100_000) })).body.code).toBe('invalid_json');
    const reply = await door.send({ ...post, body: '{"a":{"__proto__":{"polluted":1}}}' });
    expect([reply.status, reply.body.field]).toEqual([400, 'a.__proto__']);
    expect(({} as { polluted?: number }).polluted).toBeUndefined();
    const latin = await door.send({ ...post, body: Buffer.from([0x22, 0xe9, 0x22]) });
    expect([latin.status, latin.body.code]).toEqual([400, 'invalid_json']);
    const odd = await door.send({ ...post, body: '{"a\\r\\nX: y\\u001b[2J":1e999}' });
    expect([odd.status, odd.body.field, odd.headers['x']]).toEqual([400, 'a\r\nX: y\u001b[2J', undefined]);
    const title = JSON.stringify({ name: 'a\r\nX: y\u001b[2J' });
    expect((await door.send({ ...post, body: title })).status).toBe(200);
    expect(door.reached.map((one) => one.body)).toEqual([title]);
  });
});
