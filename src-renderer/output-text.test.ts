import { describe, expect, it } from 'vitest';
import { addOutput, type Chunk, noOutput, plainText } from './output-text.ts';

const esc = '\u001b';
const chunk = (seq: number, text: string, stream = 'stdout'): Chunk => ({ seq, at: seq, stream, text });
const shown = (...chunks: Chunk[]) =>
  addOutput(noOutput, chunks).segments.map((one) => [one.stream, one.text]);

describe('plain text', () => {
  it.each([
    ['colours', `${esc}[1;31mred${esc}[0m`, 'red'],
    ['the clipboard', `a${esc}]52;c;ZXZpbA==\u0007b`, 'ab'],
    ['a link', `${esc}]8;;http://evil/${esc}\\text${esc}]8;;${esc}\\`, 'text'],
    ['the title', `${esc}]0;title\u0007x`, 'x'],
    ['a device string', `a${esc}Pq#0${esc}\\b`, 'ab'],
    ['8-bit controls', 'a\u009b31mb\u009d0;t\u009cc', 'abc'],
    ['clearing the screen', `${esc}[2J${esc}[Hx${esc}c`, 'x'],
    ['bell, NUL, form feed', 'a\u0007b\u0000c\fd', 'abcd'],
    ['backspace', 'abc\b\bX', 'aX'],
    ['carriage return', '10%\r50%\r100%', '100%'],
    ['line ends of Windows', 'a\r\nb', 'a\nb'],
    ['reordering marks', 'a\u202egpj.exe\u2066', 'agpj.exe'],
    ['a lone escape at the end', `x${esc}`, 'x'],
    ['an unfinished string', `x${esc}]52;c;zzz`, 'x52;c;zzz'],
  ])('without %s', (_name, raw, expected) => {
    expect(plainText(raw)).toBe(expected);
  });

  it('keeps tabs, lines, emoji and Chinese', () => {
    const text = '\t一行\n👩‍💻 two\n';
    expect(plainText(text)).toBe(text);
  });

  it('takes a long line without returns in linear time', () => {
    expect(plainText('x'.repeat(2_000_000))).toHaveLength(2_000_000);
  });
});

describe('output', () => {
  it('joins chunks of one stream and parts those of two', () => {
    expect(shown(chunk(0, 'a'), chunk(1, 'b\n'), chunk(2, 'oops\n', 'stderr'), chunk(3, 'c\n'))).toEqual([
      ['stdout', 'ab\n'],
      ['stderr', 'oops\n'],
      ['stdout', 'c\n'],
    ]);
  });

  it('finds an escape that is torn between chunks, also with the other stream in between', () => {
    expect(shown(chunk(0, `a${esc}[3`), chunk(1, 'err', 'stderr'), chunk(2, '1mb'))).toEqual([
      ['stdout', 'a'],
      ['stderr', 'err'],
      ['stdout', 'b'],
    ]);
  });

  it('rewrites a line over chunks and keeps a line end that is torn', () => {
    expect(shown(chunk(0, 'x\n10%'), chunk(1, '\r20%'), chunk(2, '\r'), chunk(3, '\nend'))).toEqual([
      ['stdout', 'x\n20%\nend'],
    ]);
  });

  it('passes over what it knows already', () => {
    const once = addOutput(noOutput, [chunk(0, 'a'), chunk(1, 'b')]);
    expect(addOutput(once, [chunk(0, 'a'), chunk(1, 'b')]).segments).toEqual(once.segments);
    expect(once.next).toBe(2);
  });

  it('does not swallow everything after a string that never ends', () => {
    const output = addOutput(noOutput, [
      chunk(0, `${esc}]0;`),
      chunk(1, 'x'.repeat(5000)),
      chunk(2, 'after'),
    ]);
    expect(output.segments.map((one) => one.text).join('')).toContain('after');
  });

  it('stays bounded and says how much it let go', () => {
    let output = noOutput;
    for (let seq = 0; seq < 100; seq += 1)
      output = addOutput(output, [chunk(seq, `${'x'.repeat(19_999)}\n`)]);
    const kept = output.segments.reduce((sum, one) => sum + one.text.length, 0);
    expect(kept).toBeLessThanOrEqual(512 * 1024);
    expect(kept + output.trimmed).toBe(2_000_000);
    expect(output.segments.at(-1)?.text.endsWith('x\n')).toBe(true);
  });
});
