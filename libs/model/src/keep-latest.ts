/**
 * Deletes the oldest entries of a set or map until there are no more than `most`. Called after each that is put in, it keeps what a
 * process remembers from growing for ever.
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
