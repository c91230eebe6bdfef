import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { masker } from './masking.ts';

const canary = 'p@ss wörd/+"42';

function streamed(secrets: string[], pieces: string[]): string {
  const stream = masker(secrets).stream();
  return pieces.map((piece) => stream.write(piece)).join('') + stream.end();
}

describe('forms', () => {
  const { text } = masker([canary]);
  test.each([
    ['as it is', canary],
    ['base64', Buffer.from(canary).toString('base64')],
    ['base64url', Buffer.from(canary).toString('base64url')],
    ['URL-encoded', encodeURIComponent(canary)],
    ['URL-encoded in lower case', encodeURIComponent(canary).replace(/%../g, (code) => code.toLowerCase())],
    ['in a form', String(new URLSearchParams({ k: canary })).slice(2)],
    ['in JSON', JSON.stringify(canary).slice(1, -1)],
  ])('%s', (_, form) => {
    expect(text(`<${form}>`)).toBe('<***>');
  });

  test.each(['', 'u', 'us', 'use:', 'user:'])('base64 after %j', (before) => {
    const encoded = Buffer.from(`${before}${canary}!`).toString('base64');
    const masked = text(encoded);
    expect(masked).toContain('***');
    // Only what the neighbours have a part in may be left of it.
    expect(masked.replace('***', '').length).toBeLessThanOrEqual(Math.ceil(before.length * (4 / 3)) + 6);
  });

  test('what is too short is left', () => {
    expect(masker(['short', '']).text('a short text')).toBe('a short text');
    expect(masker(['longer']).text('a longer text, longerlonger')).toBe('a *** text, ******');
  });
});

describe('pieces', () => {
  test('one character at a time', () => {
    expect(streamed([canary], [...`before ${canary} after`])).toBe('before *** after');
  });

  test('a secret that begins like another one, and two that overlap', () => {
    const pair = ['abcdef', 'abcdefXYZ123'];
    expect(streamed(pair, [...'-abcdefXYZ123-abcdefXYZ-'])).toBe('-***-***XYZ-');
    expect(streamed(['abcdef', 'defghi'], [...'-abcdefghi-'])).toBe('-***-');
  });

  test('what can be no secret is passed on at once; no more is held than a beginning', () => {
    const stream = masker(['abcdefgh']).stream();
    expect(stream.write('Continue? ')).toBe('Continue? ');
    expect(stream.write('abc')).toBe('');
    expect(stream.write('x')).toBe('abcx');
    expect(stream.write('abcdefg')).toBe('');
    expect(stream.end()).toBe('abcdefg');
  });

  test('a stream that repeats the secret’s beginning for ever is not kept', () => {
    const stream = masker(['aaaaaa']).stream();
    let given = '';
    for (let round = 0; round < 1000; round += 1) given += stream.write('a'.repeat(100));
    given += stream.end();
    expect(given).toBe('***');
  });

  test('however a text is cut, it reads as if it had come whole', () => {
    const secrets = ['ababab', 'abababc', 'bcbcbc', 'cabcab'];
    const word = fc.array(fc.constantFrom('a', 'b', 'c', 'ab', 'abab', '.'), { maxLength: 40 });
    fc.assert(
      fc.property(word, (pieces) => {
        const given = streamed(secrets, pieces);
        expect(given).toBe(masker(secrets).text(pieces.join('')));
        expect(secrets.some((secret) => given.includes(secret))).toBe(false);
      }),
    );
  });
});
