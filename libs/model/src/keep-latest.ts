/**
 * Lets the oldest go until there are no more than `most`: called after each that is put in, nothing that is remembered grows for ever.
 *
 * @returns Whether any went.
 */
export function keepLatest<K>(kept: Set<K> | Map<K, unknown>, most: number): boolean {
  const before = kept.size;
  for (const oldest of kept.keys()) {
    if (kept.size <= most) break;
    kept.delete(oldest);
  }
  return kept.size < before;
}
