/** Ids in the order in which Salt lists keys: whatever their case; those that differ in it alone stand as their characters do. */
export function sortedIgnoringCase(ids: Iterable<string>): readonly string[] {
  const byCase = [...ids].sort().map((id) => ({ id, folded: id.toLowerCase() }));
  return byCase.sort((a, b) => (a.folded < b.folded ? -1 : Number(a.folded > b.folded))).map(({ id }) => id);
}
