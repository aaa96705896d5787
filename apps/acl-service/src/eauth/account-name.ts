/** Names of accounts as directories and name services compare them. */

/** Tells whether a directory takes two names for the same: in any case, with any blanks. */
export function isSameName(one: string, other: string): boolean {
  return folded(one) === folded(other);
}

/** What is the same for every name that a directory takes for this one. */
export function folded(name: string): string {
  return name.normalize('NFKC').toLowerCase().replace(/\s+/g, ' ').trim();
}
