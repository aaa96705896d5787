/** So many of these, each at most once, in any order. @param random From 0 to below 1, as `Math.random`. */
export function sample<T>(items: readonly T[], count: number, random: () => number): T[] {
  const left = [...items];
  const most = Math.max(0, Math.min(count, left.length));
  for (let at = 0; at < most; at += 1) {
    // Two change places: to take one out moves all that are behind it, which is too long where there are thousands.
    const from = at + Math.floor(random() * (left.length - at));
    left.splice(at, 1, ...left.splice(from, 1, ...left.slice(at, at + 1)));
  }
  return left.slice(0, most);
}
