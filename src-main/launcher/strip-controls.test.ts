import { expect, test } from 'vitest';
import { stripControls } from './strip-controls.ts';

test.each([
  ['plain text', 'a\tb\nc 中文 😀', 'a\tb\nc 中文 😀'],
  ['colours', '\x1b[1;31mred\x1b[0m', 'red'],
  ['CSI with intermediates and private parameters', '\x1b[?25l\x1b[>0;1$qx\x1b[2 q', 'x'],
  ['OSC 0 title, BEL', '\x1b]0;title\x07x', 'x'],
  ['OSC 52 clipboard, ST', 'a\x1b]52;c;aGk=\x1b\\b', 'ab'],
  ['OSC 8 link', '\x1b]8;;http://evil\x1b\\text\x1b]8;;\x1b\\', 'text'],
  ['DCS body', 'a\x1bPq#0;2;0\nbody\x1b\\b', 'ab'],
  ['SOS, PM, APC', '\x1bXsos\x1b\\\x1b^pm\x1b\\\x1b_apc\x1b\\x', 'x'],
  ['C1 CSI, OSC, DCS', '\x9b31mred\x9d0;t\x07\x90body\x9cx', 'redx'],
  ['other C1', 'a\x85b\x9cc', 'abc'],
  ['a string aborted by CAN or a new sequence', '\x1b]0;t\x18a\x1b]0;t\x1b[31mb', 'ab'],
  ['unterminated OSC up to the line end', 'a\x1b]0;title\nb', 'a\nb'],
  ['unterminated at the end', 'a\x1b]0;title', 'a'],
  ['trailing ESC and unfinished CSI', 'a\x1b', 'a'],
  ['unfinished CSI', 'a\x1b[31', 'a'],
  ['two-character sequences and charset', '\x1b7a\x1b8\x1b(Bb\x1bc', 'ab'],
  ['CR overwrite', '10%\r55%\r100%\nok', '100%\nok'],
  ['CRLF', 'a\r\nb\r\n', 'a\nb\n'],
  ['CR keeps what is not overwritten', 'abc\rX', 'Xbc'],
  ['CR with erase line', 'long text\r\x1b[Kshort', 'short'],
  ['erase the whole line', 'long text\r\x1b[2Kx', 'x'],
  ['backspace', 'abd\b\bXY', 'aXY'],
  ['backspace at the start', '\b\ba', 'a'],
  ['NUL, BEL, VT, FF, DEL', 'a\0b\x07c\vd\fe\x7ff', 'abcdef'],
  ['bidi overrides and isolates', 'a\u202eb\u202cc\u2066d\u2069', 'abcd'],
  ['emoji joined by ZWJ stay', '👩\u200d💻', '👩\u200d💻'],
  ['an astral character is overwritten as one', '😀x\rab', 'ab'],
])('%s', (_, text, plain) => {
  expect(stripControls(text)).toBe(plain);
});

test('never lets a control through, whatever is put together', () => {
  const bits = [
    '\x1b',
    '[',
    ']',
    'P',
    '\\',
    '\x07',
    '\x9b',
    '\x9d',
    '\x9c',
    '\r',
    '\b',
    '\n',
    '0',
    ';',
    'K',
    'a',
    '\0',
  ];
  for (let seed = 1; seed < 20_000; seed += 1) {
    let text = '';
    for (let rest = seed * 7919; rest > 0; rest = Math.floor(rest / bits.length))
      text += bits[rest % bits.length];
    for (const character of stripControls(text)) expect(character === '\n' || character >= ' ').toBe(true);
  }
});

test('many unterminated openers are not searched again and again', () => {
  expect(stripControls(`${'\x9d\n'.repeat(200_000)}\x1b[m`)).toBe('\n'.repeat(200_000));
  expect(stripControls('\x1b]'.repeat(200_000))).toBe('');
  expect(stripControls(`${'\x1b]x\n'.repeat(200_000)}end`)).toBe(`${'\n'.repeat(200_000)}end`);
});
