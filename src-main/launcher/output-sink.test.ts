import { expect, test } from 'vitest';
import type { Clock } from '../../src-shared/clock.ts';
import { outputSink } from './output-sink.ts';
import type { OutputChunk } from './protocol.ts';
import { tailRing } from './tail-ring.ts';

/** A clock that stands until it is told to go on. */
function standingClock() {
  let now = 1000;
  let timers: { at: number; fn: () => void }[] = [];
  const clock: Clock = {
    now: () => now,
    monotonic: () => now,
    timer(ms, fn) {
      const entry = { at: now + ms, fn };
      timers.push(entry);
      return () => {
        timers = timers.filter((other) => other !== entry);
      };
    },
  };
  return {
    clock,
    advance(ms: number): void {
      now += ms;
      const due = timers.filter(({ at }) => at <= now);
      timers = timers.filter(({ at }) => at > now);
      for (const { fn } of due) fn();
    },
  };
}

function rig(cap: number) {
  const time = standingClock();
  const emitted: { chunks: OutputChunk[]; bytes: number; dropped: number }[] = [];
  const sink = outputSink({
    clock: time.clock,
    cap,
    emit: (chunks, bytes, dropped) => emitted.push({ chunks, bytes, dropped }),
  });
  const text = (stream?: string) =>
    emitted
      .flatMap(({ chunks }) => chunks)
      .filter((chunk) => stream === undefined || chunk.stream === stream)
      .map((chunk) => chunk.text)
      .join('');
  return { ...time, emitted, sink, text, out: (words: string) => sink.write('stdout', Buffer.from(words)) };
}

test('text goes out after 100 ms or 64 KiB, neighbours of one stream as one chunk', () => {
  const { emitted, out, sink, advance } = rig(1_000_000);
  out('a');
  out('b');
  sink.write('stderr', Buffer.from('e'));
  out('c');
  expect(emitted).toEqual([]);
  advance(100);
  expect(emitted).toEqual([
    {
      bytes: 4,
      dropped: 0,
      chunks: [
        { seq: 0, at: 1000, stream: 'stdout', text: 'ab' },
        { seq: 1, at: 1000, stream: 'stderr', text: 'e' },
        { seq: 2, at: 1000, stream: 'stdout', text: 'c' },
      ],
    },
  ]);
  out('x'.repeat(65_536));
  expect(emitted).toHaveLength(2);
  advance(1000);
  expect(emitted).toHaveLength(2);
});

test('first and last half, the middle counted and named, counts while it is left out', () => {
  const { emitted, out, sink, advance, text } = rig(100);
  for (let n = 0; n < 100; n += 1) out(`${String(n).padStart(4, '0')}\n`);
  advance(1000);
  expect(emitted.at(-1)).toMatchObject({ bytes: 500, dropped: 400 });
  expect(sink.close()).toEqual({ output_bytes: 500, output_dropped_bytes: 400 });
  expect(text()).toBe(
    `${[0, 1, 2, 3, 4, 5, 6, 7, 8, 9].map((n) => `000${n}\n`).join('')}\n400 bytes of output were left out here\n` +
      [90, 91, 92, 93, 94, 95, 96, 97, 98, 99].map((n) => `00${n}\n`).join(''),
  );
});

test('exactly the cap is kept whole', () => {
  const { out, sink, text } = rig(100);
  out('x'.repeat(100));
  expect(sink.close()).toEqual({ output_bytes: 100, output_dropped_bytes: 0 });
  expect(text()).toBe('x'.repeat(100));
});

test('characters are never cut, and kept plus dropped is all', () => {
  for (let cap = 1; cap < 60; cap += 1) {
    const { out, sink, text } = rig(cap);
    for (let n = 0; n < 10; n += 1) out('a中😀é');
    const { output_bytes, output_dropped_bytes } = sink.close();
    const kept = text('stdout');
    expect(kept).not.toContain('\ufffd');
    expect(Buffer.byteLength(kept)).toBeLessThanOrEqual(cap);
    expect(Buffer.byteLength(kept) + output_dropped_bytes).toBe(output_bytes);
  }
});

test('notes of the launcher keep their place and are not counted', () => {
  const { out, sink, text } = rig(20);
  sink.system('begin\n');
  out('0123456789');
  out('abcdefghijklmnop');
  sink.system('end\n');
  expect(sink.close()).toEqual({ output_bytes: 26, output_dropped_bytes: 10 });
  expect(text()).toBe('begin\n0123456789\n10 bytes of output were left out here\nklmnopend\n');
});

test('the summary: last 16 KiB without escapes, stdout before stderr', () => {
  const { out, sink } = rig(1_000_000);
  out(`${'\x1b[31m中\x1b[0m\n'.repeat(20_000)}last`);
  sink.write('stderr', Buffer.from('warn\n'));
  const part = sink.endPart();
  expect(part.output.endsWith('中\n中\nlast')).toBe(true);
  expect(part.output).not.toMatch(/[^中\nlast]/);
  expect(Buffer.byteLength(part.output)).toBeLessThanOrEqual(16_384);
  expect(Buffer.byteLength(part.output)).toBeGreaterThan(16_000);
  expect(part).toMatchObject({ has_text: true, last_error: 'warn' });
  sink.write('stderr', Buffer.from('only errors\n\n'));
  expect(sink.endPart()).toEqual({ output: 'only errors\n\n', has_text: false, last_error: 'only errors' });
  expect(sink.endPart()).toEqual({ output: '', has_text: false, last_error: null });
});

test('what was cut inside an escape does not begin with its rest', () => {
  const { out, sink } = rig(1_000_000);
  for (let n = 0; n < 50_000; n += 1) out('\x1b[38;5;196mx\x1b[0m\n');
  expect(sink.endPart().output).toMatch(/^(x\n)+$/);
});

test('a ring with many changes of stream stays small', () => {
  const ring = tailRing(100_000);
  for (let n = 0; n < 50_000; n += 1) ring.push(n % 2 === 0 ? 'stdout' : 'stderr', Uint8Array.of(0x61));
  const pieces = ring.drain(65_536);
  expect(pieces.length).toBeLessThanOrEqual(4096);
  expect(pieces.reduce((sum, { text }) => sum + text.length, 0) + ring.dropped()).toBe(50_000);
});
