/** Names of minions. They never become a path or a subject unescaped; the grammar keeps them printable and bounded all the same. */
declare const brand: unique symbol;
export type MinionId = string & { readonly [brand]: 'MinionId' };

const MAX_LENGTH = 255;

/**
 * Reads a minion id: 1 to 255 characters, no `/`, `\`, control character or line separator, not `.` or `..`, in valid UTF-16.
 *
 * @returns undefined when `text` is not an acceptable id.
 */
export function parseMinionId(text: unknown): MinionId | undefined {
  if (typeof text !== 'string' || text.length === 0 || text.length > MAX_LENGTH) return undefined;
  // `__proto__` could not be a key of a map of minions.
  if (text === '.' || text === '..' || text === '__proto__' || /[/\\\p{Cc}\p{Cs}\p{Zl}\p{Zp}]/u.test(text))
    return undefined;
  return text as MinionId;
}
