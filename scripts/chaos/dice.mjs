/**
 * Chance that can be repeated: the same seed gives the same numbers.
 * @param {number} seed any whole number
 */
export function dice(seed) {
  let state = seed >>> 0;
  /** A number from 0 up to, not including, 1 (mulberry32). */
  function next() {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  }
  /** A whole number between both, both included. */
  const between = (low, high) => low + Math.floor(next() * (high - low + 1));
  return {
    next,
    between,
    chance: (share) => next() < share,
    /** One of `[weight, value]` pairs, heavier ones more often. */
    weighted(pairs) {
      let left = next() * pairs.reduce((sum, [weight]) => sum + weight, 0);
      for (const [weight, value] of pairs) {
        left -= weight;
        if (left < 0) return value;
      }
      return pairs.at(-1)[1];
    },
  };
}
