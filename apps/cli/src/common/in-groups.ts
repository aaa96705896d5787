/** As many arguments as one signed request holds. */
const AT_ONCE = 256;

/** What goes into one request after the other. */
export function inGroups<T>(items: readonly T[]): readonly (readonly T[])[] {
  const count = Math.ceil(items.length / AT_ONCE);
  return Array.from({ length: count }, (_, at) => items.slice(at * AT_ONCE, (at + 1) * AT_ONCE));
}
