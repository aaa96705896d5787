/** Names of accounts as directories and name services compare them. */

/** Tells whether a directory takes two names for the same: in any case, with any blanks. */
export function isSameName(one: string, other: string): boolean {
  return folded(one) === folded(other);
}

/** What is the same for every name that a directory takes for this one. */
export function folded(name: string): string {
  return name.normalize('NFKC').toLowerCase().replace(/\s+/g, ' ').trim();
}

/** UTF-16 units: no grant and no record of the audit holds a longer name of a caller. */
const MAX_NAME = 255;

/** Whether an external user can be called so. */
export function isUserName(name: string): boolean {
  return name !== '' && name.length <= MAX_NAME && !/[\p{Cc}\p{Cs}]/u.test(name);
}
