/** Names of minions. They never become a path or a subject unescaped; the grammar keeps them printable and bounded all the same. */
declare const brand: unique symbol;
export type MinionId = string & { readonly [brand]: 'MinionId' };

const MAX_LENGTH = 255;
/** What could not be a name in a path, or would look like another one on a screen. */
const NEVER = /[/\\\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u;

/**
 * Reads a minion id: 1 to 255 characters in valid UTF-16, none of them `/`, `\`, a control character, a line separator or one that is
 * not seen; not `.` or `..`.
 *
 * @returns undefined when `text` is not an acceptable id.
 */
export function parseMinionId(text: unknown): MinionId | undefined {
  if (typeof text !== 'string' || text.length === 0 || text.length > MAX_LENGTH) return undefined;
  // `__proto__` could not be a key of a map of minions.
  if (text === '.' || text === '..' || text === '__proto__' || NEVER.test(text)) return undefined;
  return text as MinionId;
}
