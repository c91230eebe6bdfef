import { expect, test } from 'vitest';
import { streamDecoder } from './decoder.ts';

function decode(pieces: number[][]): string {
  const decoder = streamDecoder();
  return pieces.map((piece) => decoder.write(Uint8Array.from(piece))).join('') + decoder.end();
}

/** All ways to cut a few bytes into pieces. */
function cuts(bytes: number[]): number[][][] {
  if (bytes.length === 0) return [[]];
  return bytes.flatMap((_, index) =>
    cuts(bytes.slice(index + 1)).map((rest) => [bytes.slice(0, index + 1), ...rest]),
  );
}

test('UTF-8 cut anywhere', () => {
  for (const text of ['a😀b', '中文', 'é\u0800x', '\ufeffx']) {
    for (const pieces of cuts([...Buffer.from(text)])) expect(decode(pieces)).toBe(text);
  }
});

test('GB18030 cut anywhere', () => {
  for (const pieces of cuts([0xc4, 0xe3, 0xba, 0xc3])) expect(decode(pieces)).toBe('你好');
  for (const pieces of cuts([0x61, 0x95, 0x32, 0x82, 0x36, 0x0a]))
    expect(decode(pieces)).toBe('a\u{20000}\n');
});

test('the stream stays GB18030, also where bytes would be UTF-8 again', () => {
  expect(
    decode([
      [0x6f, 0x6b, 0x20],
      [0xc4, 0xe3],
      [0xc2, 0xa9],
    ]),
  ).toBe('ok 你漏');
});

test('a stray byte after real UTF-8 does not garble what follows', () => {
  expect(decode([[...Buffer.from('中文 ')], [0xff], [...Buffer.from(' 中文')]])).toBe('中文 \ufffd 中文');
});

test('an unfinished character at the end', () => {
  expect(decode([[...Buffer.from('中')], [0xe4, 0xb8]])).toBe('中\ufffd');
  expect(decode([[0x61], [0xc4]])).toBe('a\ufffd');
});
