import { describe, expect, it } from 'vitest';
import { pageEn } from '../src-shared/words/page-en.ts';
import { pageZhCN } from '../src-shared/words/page-zh-CN.ts';
import {
  bytes,
  duration,
  elapsed,
  exactTime,
  relative,
  roughDuration,
  scriptOf,
  shortTime,
  usableZone,
} from './format.ts';

const second = 1000;
const hour = 3_600_000;
const zone = 'Asia/Shanghai';
const at = Date.UTC(2026, 10, 29, 6, 14, 5);

describe('durations', () => {
  it.each([
    [-5, '0 s'],
    [8400, '8 s'],
    [59_600, '1 min'],
    [125 * second, '2 min 5 s'],
    [hour - 1, '1 h 0 min'],
    [3 * hour + 600 * second, '3 h 10 min'],
    [52 * hour, '2 d 4 h'],
  ])('%d ms is %s', (ms, text) => {
    expect(duration(ms, pageEn.time)).toBe(text);
  });

  it('are said in Chinese', () => {
    expect(duration(125 * second, pageZhCN.time)).toBe('2 分 5 秒');
  });

  it('that are estimates are round', () => {
    expect(roughDuration(3 * second, pageEn.time)).toBe('10 s');
    expect(roughDuration(61 * second, pageEn.time)).toBe('2 min');
    expect(roughDuration(hour + 1, pageEn.time)).toBe('1 h 10 min');
  });

  it.each([
    [-1, '00:00'],
    [8 * second, '00:08'],
    [761 * second, '12:41'],
    [hour + 161 * second, '1:02:41'],
  ])('%d ms elapsed is %s', (ms, text) => {
    expect(elapsed(ms)).toBe(text);
  });
});

describe('instants', () => {
  it('of today are a time, of this year a day, else with the year', () => {
    expect(shortTime(at, at, 'en', zone)).toBe('14:14');
    expect(shortTime(at - 24 * hour, at, 'en', zone)).toBe('Nov 28, 14:14');
    expect(shortTime(at - 24 * hour, at, 'zh-CN', zone)).toBe('11月28日 14:14');
    expect(shortTime(Date.UTC(2025, 0, 2), at, 'en', zone)).toBe('Jan 2, 2025, 08:00');
  });

  it('go by the day of the zone, not of UTC', () => {
    const evening = Date.UTC(2026, 10, 29, 17);
    expect(shortTime(evening, at, 'en', zone)).toBe('Nov 30, 01:00');
    expect(shortTime(evening, at, 'en', 'UTC')).toBe('17:00');
  });

  it('are exact to the second in details', () => {
    expect(exactTime(at, 'zh-CN', zone)).toBe('2026年11月29日 14:14:05');
  });

  it('are told by their distance', () => {
    expect(relative(at + 22 * hour, at, 'en', 'now')).toBe('in 22 hr.');
    expect(relative(at - 3 * 60 * second, at, 'zh-CN', '现在')).toBe('3分钟前');
    expect(relative(at + 2 * second, at, 'en', 'now')).toBe('now');
  });

  it('fall back to a zone that the browser knows', () => {
    expect(usableZone('Mars/Base')).toBe(usableZone(undefined));
    expect(usableZone(zone)).toBe(zone);
  });
});

describe('sizes and scripts', () => {
  it.each([
    [0, '0 B'],
    [1023, '1023 B'],
    [1229, '1.2 KB'],
    [20_480, '20 KB'],
    [8_388_608, '8.0 MB'],
  ])('%d is %s', (count, text) => {
    expect(bytes(count)).toBe(text);
  });

  it('see Chinese', () => {
    expect(scriptOf('12 stories')).toBe('en');
    expect(scriptOf('12 条 news')).toBe('zh');
  });
});

describe('words', () => {
  const shape = (value: unknown): unknown =>
    typeof value === 'object' && value !== null
      ? Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, shape(inner)]))
      : typeof value;

  it('have the same keys in both languages', () => {
    expect(shape(pageZhCN)).toEqual(shape(pageEn));
  });
});
