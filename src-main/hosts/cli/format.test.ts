import { describe, expect, it } from 'vitest';
import {
  durationText,
  fitWidth,
  localTime,
  localTimeExact,
  renderPairs,
  renderTable,
  shortIds,
  textWidth,
} from './format.ts';
import { sharedWordsOf } from './words.ts';

describe('textWidth', () => {
  it.each([
    ['abc', 3],
    ['每日', 4],
    ['ｶﾅ', 2],
    ['カナ', 4],
    ['한글', 4],
    ['ＡＢ', 4],
    ['，。', 4],
    ['é', 1],
    ['e\u0301', 1],
    ['👩‍💻', 2],
    ['❤️', 2],
    ['✓', 1],
    ['', 0],
  ])('%s is %i wide', (text, width) => {
    expect(textWidth(text)).toBe(width);
  });
});

describe('fitWidth', () => {
  it('cuts between characters and never past the width', () => {
    expect(fitWidth('abcdef', 4)).toBe('abc…');
    expect(fitWidth('每日新闻', 8)).toBe('每日新闻');
    expect(fitWidth('每日新闻', 6)).toBe('每日…');
    expect(textWidth(fitWidth('每日新闻', 7))).toBeLessThanOrEqual(7);
  });
});

describe('renderTable', () => {
  it('cuts the last flexible column first', () => {
    const rows = [[{ text: 'a'.repeat(20) }, { text: 'b'.repeat(20) }, { text: 'c' }]];
    const table = renderTable({ header: ['A', 'B', 'C'], rows, columns: 30, flexible: [0, 1] });
    expect(table.split('\n')[1]).toBe(`${'a'.repeat(16)}…  ${'b'.repeat(7)}…  c`);
  });
});

describe('renderPairs', () => {
  it('leaves out what is not there and hangs lines', () => {
    expect(
      renderPairs([
        ['名称', 'x'],
        ['ID', null],
        ['a', '1\n2'],
      ]),
    ).toBe('名称  x\na     1\n      2');
  });
});

describe('times', () => {
  it('are local and ISO-like', () => {
    const at = Date.UTC(2026, 2, 29, 1, 0, 5);
    expect(localTime('Europe/Berlin', at)).toBe('2026-03-29 03:00');
    expect(localTimeExact('Europe/Berlin', at)).toBe('2026-03-29 03:00:05 +02:00');
  });

  it.each([
    [940, '0.9 s', '0.9 秒'],
    [12_345, '12 s', '12 秒'],
    [61_000, '1 min 1 s', '1 分 1 秒'],
    [7_260_000, '2 h 1 min', '2 小时 1 分'],
    [180_000_000, '2 d 2 h', '2 天 2 小时'],
  ])('%i ms', (ms, en, zh) => {
    expect(durationText(ms, sharedWordsOf('en').time)).toBe(en);
    expect(durationText(ms, sharedWordsOf('zh').time)).toBe(zh);
  });
});

describe('shortIds', () => {
  it('gives each the shortest start that no other has', () => {
    const ids = ['run-12345678-aa', 'run-12345678-ab', 'run-99999999-aa', 'x'];
    expect([...shortIds(ids).values()]).toEqual(['run-12345678-aa', 'run-12345678-ab', 'run-99999999', 'x']);
  });
});
