/** Turns the bytes of one stream into text. Chunks may end anywhere, also inside a character. */
export interface StreamDecoder {
  write(bytes: Uint8Array): string;
  /** What was left of an unfinished character. */
  end(): string;
}

/** How many bytes at the end belong to a UTF-8 character whose rest has not come yet (0 to 3). */
function unfinished(bytes: Uint8Array): number {
  for (let back = 1; back <= 3 && back <= bytes.length; back += 1) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (byte < 0x80) return 0;
    if (byte >= 0xc0) {
      const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
      return length > back ? back : 0;
    }
  }
  return 0;
}

/**
 * UTF-8 until a byte proves otherwise, then GB18030 for the rest of the stream: Chinese Windows programs and old
 * scripts write that. A stream that has already shown real UTF-8 characters stays UTF-8 and gets replacement
 * characters instead: one stray byte must not garble everything after it.
 */
export function streamDecoder(): StreamDecoder {
  const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  let lenient: InstanceType<typeof TextDecoder> | null = null;
  let seenUtf8 = false;
  let pending = new Uint8Array(0);

  function switchOver(bytes: Uint8Array): string {
    lenient = seenUtf8
      ? new TextDecoder('utf-8', { ignoreBOM: true })
      : new TextDecoder('gb18030', { ignoreBOM: true });
    pending = new Uint8Array(0);
    return lenient.decode(bytes, { stream: true });
  }

  return {
    write(chunk) {
      if (lenient !== null) return lenient.decode(chunk, { stream: true });
      const bytes = pending.length === 0 ? chunk : Buffer.concat([pending, chunk]);
      const whole = bytes.length - unfinished(bytes);
      try {
        const text = strict.decode(bytes.subarray(0, whole));
        pending = Uint8Array.from(bytes.subarray(whole));
        seenUtf8 ||= text.length !== whole;
        return text;
      } catch {
        return switchOver(bytes);
      }
    },
    end() {
      const rest = lenient === null && pending.length > 0 ? switchOver(pending) : '';
      return rest + (lenient?.decode() ?? '');
    },
  };
}
