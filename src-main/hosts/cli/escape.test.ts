import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createNeutraliser, neutralise, oneLine, safeJson } from './escape.ts';

const esc = '\u001b';

describe('neutralise', () => {
  it.each([
    ['plain text\twith tab\nand lines\n', 'plain text\twith tab\nand lines\n'],
    [`${esc}[31mred${esc}[0m`, 'red'],
    [`${esc}]0;title\u0007after`, 'after'],
    [`${esc}]8;;http://x${esc}\\link${esc}]8;;${esc}\\`, 'link'],
    [`${esc}]52;c;ZXZpbA==${esc}\\x`, 'x'],
    [`${esc}P1;2q#sixel${esc}\\x`, 'x'],
    ['\u009b31mred\u009d0;t\u009cx', 'redx'],
    [`${esc}(Bx${esc}7y${esc}cz`, 'xyz'],
    [`${esc}]0;never closed\nnext line`, '\nnext line'],
    ['10%\r20%\r\ndone', '10%\n20%\ndone'],
    ['bo\bold', 'bold'],
    ['a\u0000b\u0007c\u007fd', 'abcd'],
    ['user\u202egnp.exe\u200b', 'usergnp.exe'],
    ['中文 👩‍💻 é', '中文 👩‍💻 é'],
    [`${esc}[3${esc}[1mx`, 'x'],
    [`${esc}\nx`, '\nx'],
  ])('%j', (text, safe) => {
    expect(neutralise(text)).toBe(safe);
  });

  it('gives the same however the text is cut, and never a control character', () => {
    const piece = fc.constantFrom(
      esc,
      '[',
      ']',
      '31m',
      'm',
      '\u0007',
      '\\',
      '\n',
      'P',
      '\u009b',
      '\u009d',
      ';',
      'text',
      '中',
      '\r',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 20 }), (pieces) => {
        const push = createNeutraliser();
        const whole = neutralise(pieces.join(''));
        expect(pieces.map(push).join('')).toBe(whole);
        for (const character of whole) expect(character === '\n' || character >= ' ').toBe(true);
        expect(whole).not.toMatch(/[\u007f-\u009f]/);
      }),
    );
  });
});

describe('oneLine', () => {
  it('joins lines', () => {
    expect(oneLine(`  a\n\tb ${esc}[2J c `)).toBe('a b c');
  });
});

describe('safeJson', () => {
  it('shows what a terminal would obey as escapes, and means the same', () => {
    const value = { text: `${esc}[31m\u009b\u007f\u202e中` };
    const text = safeJson(value, 0);
    expect(text).toBe('{"text":"\\u001b[31m\\u009b\\u007f\\u202e中"}');
    expect(JSON.parse(text)).toEqual(value);
  });
});
