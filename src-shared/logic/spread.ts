/**
 * A number in [0, range) that depends only on `key` (FNV-1a, 32 bits). Jitter drawn this way is the same after a
 * restart, so that it needs no luck and no memory.
 */
export function spread(key: string, range: number): number {
  if (range <= 0) return 0;
  let hash = 0x811c9dc5;
  for (let index = 0; index < key.length; index += 1) {
    hash ^= key.charCodeAt(index);
    hash = Math.imul(hash, 0x01000193);
  }
  return Math.floor(((hash >>> 0) / 0x1_0000_0000) * range);
}
