/** So many of these, each at most once, in any order. @param random From 0 to below 1, as `Math.random`. */
export function sample<T>(items: readonly T[], count: number, random: () => number): T[] {
  const left = [...items];
  const chosen: T[] = [];
  while (chosen.length < count && left.length > 0) {
    chosen.push(...left.splice(Math.floor(random() * left.length), 1));
  }
  return chosen;
}
