import type { Clock } from '../../src-shared/clock.ts';
import type { AgentReader, AgentText } from '../../src-shared/executors/agent-stream.ts';
import { type StreamDecoder, streamDecoder } from './decoder.ts';
import { type MaskedStream, type Masker, masker } from './masking.ts';
import type { OutputChunk } from './protocol.ts';
import { stripControls } from './strip-controls.ts';
import { characterCut, tailRing } from './tail-ring.ts';

type Stream = OutputChunk['stream'];
type ChildStream = 'stdout' | 'stderr';

const batchBytes = 65_536;
const batchMs = 100;
/** While the middle is being left out only the counts are reported, and less often. */
const progressMs = 1000;
const summaryBytes = 16_384;
/** Text kept for the summary before escapes are stripped; escapes may be most of it. */
const summarySource = 65_536;
const smallPiece = 4096;
/** The kept end lives in memory until the run ends, so it is bounded also when the cap is set to a gigabyte. */
const largestTail = 16 * 1024 * 1024;

/** What one sub-run wrote. */
export interface PartText {
  /** Last text (stdout, else stderr), at most 16 KiB of UTF-8, escapes stripped. */
  output: string;
  /** stdout had more than white space; an agent whose stream is read said something. */
  has_text: boolean;
  /** Last line of stderr, at most 300 characters; null when there is none. */
  last_error: string | null;
}

export interface SinkOptions {
  clock: Clock;
  /** Most bytes (of UTF-8 text) to pass on. */
  cap: number;
  /** Texts that are shown as `***` wherever they occur, also when they come in pieces. */
  secrets?: readonly string[];
  /** Called at most 100 ms after text came; `chunks` is empty when only the counts changed. */
  emit(chunks: OutputChunk[], output_bytes: number, dropped_bytes: number): void;
}

/** The last `bytes` bytes of UTF-8 of a text, beginning at a character. */
function lastBytes(text: string, bytes: number): string {
  const all = Buffer.from(text.slice(-bytes));
  if (all.length <= bytes) return all.toString();
  let start = all.length - bytes;
  while (characterCut(all, start) !== start) start += 1;
  return all.toString('utf8', start);
}

/** Plain text out of the kept end of a stream. */
function plain(kept: { text: string; cut: boolean }): string {
  let text = kept.text;
  if (kept.cut) {
    // The cut may lie inside an escape sequence, whose rest would read as text: begin at the next line.
    const newline = text.indexOf('\n');
    if (newline !== -1 && newline < summarySource / 4) text = text.slice(newline + 1);
  }
  return lastBytes(stripControls(text), summaryBytes);
}

/** The last 64 KiB or a little more of a stream, kept as pieces: joining them for each chunk would cost more. */
function lastPieces() {
  let pieces: string[] = [];
  let length = 0;
  let cut = false;
  return {
    add(text: string): void {
      const last = pieces.at(-1);
      if (last !== undefined && last.length < smallPiece) pieces[pieces.length - 1] = last + text;
      else pieces.push(text);
      length += text.length;
      let gone = 0;
      for (const piece of pieces) {
        if (length - piece.length < summarySource) break;
        length -= piece.length;
        gone += 1;
      }
      if (gone === 0) return;
      pieces = pieces.slice(gone);
      cut = true;
    },
    kept: () => ({ text: pieces.join(''), cut }),
  };
}

/** What is kept of the streams of one sub-run for its summary. */
function partKeeper() {
  const kept = { stdout: lastPieces(), stderr: lastPieces() };
  let hasText = false;
  return {
    add(stream: ChildStream, text: string): void {
      kept[stream].add(text);
      if (stream === 'stdout') hasText ||= text.trim() !== '';
    },
    text(): PartText {
      const out = plain(kept.stdout.kept());
      const errors = plain(kept.stderr.kept());
      return {
        output: out.trim() === '' ? errors : out,
        has_text: hasText,
        last_error: errors.trimEnd().split('\n').at(-1)?.trim().slice(0, 300) || null,
      };
    },
  };
}

/** Collects chunks and hands them on when 64 KiB are together or 100 ms have passed. */
function batcher({ clock, emit }: SinkOptions, counts: () => { bytes: number; dropped: number }) {
  let chunks: OutputChunk[] = [];
  let size = 0;
  let seq = 0;
  let cancelTimer: (() => void) | null = null;

  function flush(): void {
    cancelTimer?.();
    cancelTimer = null;
    const ready = chunks;
    chunks = [];
    size = 0;
    const { bytes, dropped } = counts();
    emit(ready, bytes, dropped);
  }

  return {
    flush,
    flushWithin(ms: number): void {
      cancelTimer ??= clock.timer(ms, flush);
    },
    add(stream: Stream, text: string): void {
      const last = chunks.at(-1);
      if (last?.stream === stream) {
        last.text += text;
      } else {
        chunks.push({ seq, at: clock.now(), stream, text });
        seq += 1;
      }
      size += text.length;
      if (size >= batchBytes) flush();
      else cancelTimer ??= clock.timer(batchMs, flush);
    },
  };
}

/**
 * Turns the bytes of one child after the other into text. With a reader, stdout is a stream of events: the answer is
 * the output, and what an agent did meanwhile is noted beside it (and counts against the cap).
 */
function childIntake(take: (stream: ChildStream, text: string) => void, note: (text: string) => void) {
  const fresh = (): Record<ChildStream, StreamDecoder> => ({
    stdout: streamDecoder(),
    stderr: streamDecoder(),
  });
  let decoders = fresh();
  let reader: AgentReader | null = null;

  function takeRead(texts: readonly AgentText[]): void {
    for (const { kind, text } of texts) {
      if (kind === 'answer') take('stdout', text);
      else note(text);
    }
  }

  function hear(stream: ChildStream, text: string): void {
    if (reader !== null && stream === 'stdout') {
      takeRead(reader.read(text));
      return;
    }
    reader?.readErrors(text);
    take(stream, text);
  }

  return {
    write: (stream: ChildStream, data: Uint8Array): void => hear(stream, decoders[stream].write(data)),
    readWith(own: AgentReader | null): void {
      reader = own;
    },
    /** Ends a child; whether it said something, as its reader tells, null without one. */
    end(): boolean | null {
      hear('stdout', decoders.stdout.end());
      hear('stderr', decoders.stderr.end());
      takeRead(reader?.end() ?? []);
      const said = reader?.report().said ?? null;
      decoders = fresh();
      reader = null;
      return said;
    },
  };
}

function masksOf(mask: Masker): Record<ChildStream, MaskedStream> {
  return { stdout: mask.stream(), stderr: mask.stream() };
}

/**
 * Takes the bytes of a run's children and gives numbered text chunks. Under half the cap text is passed on at
 * once; beyond it the last half is kept in a ring and passed on by `close`, after a system chunk that says how
 * many bytes were left out. Counts are bytes of UTF-8 text.
 */
export function outputSink(options: SinkOptions) {
  const tailCap = Math.max(1, Math.min(Math.floor(options.cap / 2), largestTail));
  const headCap = Math.max(0, options.cap - tailCap);
  const ring = tailRing(tailCap);
  let headBytes = 0;
  let headFull = false;
  let bytes = 0;
  let part = partKeeper();
  const batch = batcher(options, () => ({ bytes, dropped: ring.dropped() }));

  function pass(stream: Stream, text: string, counted = stream !== 'system'): void {
    if (headFull) {
      ring.push(stream, Buffer.from(text));
      batch.flushWithin(progressMs);
      return;
    }
    const size = counted ? Buffer.byteLength(text) : 0;
    if (headBytes + size <= headCap) {
      headBytes += size;
      batch.add(stream, text);
      return;
    }
    headFull = true;
    const encoded = Buffer.from(text);
    const cut = characterCut(encoded, headCap - headBytes);
    if (cut > 0) batch.add(stream, encoded.toString('utf8', 0, cut));
    ring.push(stream, encoded.subarray(cut));
  }

  const mask = masker(options.secrets ?? []);
  let masks = masksOf(mask);

  function take(stream: ChildStream, text: string): void {
    if (text === '') return;
    bytes += Buffer.byteLength(text);
    part.add(stream, text);
    pass(stream, text);
  }

  const intake = childIntake(
    (stream, text) => take(stream, masks[stream].write(text)),
    (text) => {
      const masked = mask.text(text);
      bytes += Buffer.byteLength(masked);
      pass('system', masked, true);
    },
  );

  return {
    write: intake.write,
    /** Begins a sub-run whose stdout is a stream of events; lasts until `endPart`. */
    readWith: intake.readWith,
    /** A text with the secrets of the run masked. */
    mask: mask.text,
    /** A note of the launcher itself; not counted as output. */
    system: (text: string): void => pass('system', text),
    /** Ends a sub-run: the next bytes belong to another child. */
    endPart(): PartText {
      const said = intake.end();
      take('stdout', masks.stdout.end());
      take('stderr', masks.stderr.end());
      masks = masksOf(mask);
      const text = part.text();
      if (said !== null) text.has_text = said;
      part = partKeeper();
      return text;
    },
    /** Passes on what is still held back and gives the totals. */
    close(): { output_bytes: number; output_dropped_bytes: number } {
      const pieces = ring.drain(batchBytes);
      const dropped = ring.dropped();
      if (dropped > 0) batch.add('system', `\n${dropped} bytes of output were left out here\n`);
      for (const { stream, text } of pieces) batch.add(stream, text);
      batch.flush();
      return { output_bytes: bytes, output_dropped_bytes: dropped };
    },
  };
}
export type OutputSink = ReturnType<typeof outputSink>;
