import type { OutputChunk } from './protocol.ts';

type Stream = OutputChunk['stream'];

/** Alternating one-byte writes would otherwise make the bookkeeping larger than the bytes. */
const mostSegments = 4096;

const isContinuation = (byte: number | undefined) => byte !== undefined && (byte & 0xc0) === 0x80;

/** The largest cut at or before `at` that does not divide a UTF-8 character. */
export function characterCut(bytes: Uint8Array, at: number): number {
  let cut = Math.min(at, bytes.length);
  while (cut > 0 && isContinuation(bytes[cut])) cut -= 1;
  return cut;
}

interface Piece {
  stream: Stream;
  text: string;
}

function split(stream: Stream, segment: Buffer, size: number): Piece[] {
  const pieces: Piece[] = [];
  for (let at = 0; at < segment.length; ) {
    const rest = segment.subarray(at);
    const cut = rest.length <= size ? rest.length : characterCut(rest, size);
    pieces.push({ stream, text: rest.toString('utf8', 0, cut) });
    at += cut;
  }
  return pieces;
}

/**
 * The last `capacity` bytes of UTF-8 text with the stream each came from. Memory is `capacity` plus a bounded
 * list, whatever is written.
 */
export function tailRing(capacity: number) {
  let ring: Buffer | null = null;
  let start = 0;
  let used = 0;
  let dropped = 0;
  let segments: { stream: Stream; bytes: number }[] = [];

  function dropFront(count: number): void {
    let left = count;
    let gone = 0;
    while (left > 0) {
      const first = segments[gone];
      if (first === undefined) break;
      const bytes = Math.min(left, first.bytes);
      if (first.stream !== 'system') dropped += bytes;
      first.bytes -= bytes;
      left -= bytes;
      start = (start + bytes) % capacity;
      used -= bytes;
      if (first.bytes === 0) gone += 1;
    }
    if (gone > 0) segments = segments.slice(gone);
  }

  function copyIn(bytes: Uint8Array): void {
    ring ??= Buffer.allocUnsafeSlow(capacity);
    const at = (start + used) % capacity;
    const first = bytes.subarray(0, capacity - at);
    ring.set(first, at);
    ring.set(bytes.subarray(first.length), 0);
    used += bytes.length;
  }

  function takeFront(count: number): Buffer {
    if (ring === null) return Buffer.alloc(0);
    const end = start + count;
    const bytes =
      end <= capacity
        ? Buffer.from(ring.subarray(start, end))
        : Buffer.concat([ring.subarray(start), ring.subarray(0, end - capacity)]);
    start = end % capacity;
    used -= count;
    return bytes;
  }

  return {
    /** Bytes of the children's output (not of system notes) that were pushed out. */
    dropped: () => dropped,
    push(stream: Stream, all: Uint8Array): void {
      const surplus = Math.max(0, all.length - capacity);
      const bytes = all.subarray(surplus);
      dropFront(Math.max(0, used + bytes.length - capacity));
      if (stream !== 'system') dropped += surplus;
      if (bytes.length === 0) return;
      copyIn(bytes);
      const last = segments.at(-1);
      if (last?.stream === stream) last.bytes += bytes.length;
      else segments.push({ stream, bytes: bytes.length });
      if (segments.length > mostSegments) dropFront(segments[0]?.bytes ?? 0);
    },
    /** Takes everything out, oldest first, in pieces of at most `size` bytes that end at a character. */
    drain(size: number): Piece[] {
      const first = segments[0];
      while (first !== undefined && first.bytes > 0 && isContinuation(ring?.[start])) dropFront(1);
      const pieces = segments.flatMap(({ stream, bytes }) => split(stream, takeFront(bytes), size));
      segments = [];
      ring = null;
      return pieces;
    },
  };
}
