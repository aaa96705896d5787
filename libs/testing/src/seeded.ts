/** Numbers that look random and are the same in every run (mulberry32): a failure can be repeated. */
export function seeded(seed: number): (below: number) => number {
  let state = seed >>> 0;
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 0x1_0000_0000) * below);
  };
}

/** The same bytes but for one, which is another. */
export function withOneByteEdited(bytes: Uint8Array, at: number): Uint8Array {
  const edited = new Uint8Array(bytes);
  edited[at] = (edited[at] ?? 0) ^ 1;
  return edited;
}
