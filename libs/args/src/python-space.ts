/** White space as Python trims and splits at it, as a class for a `RegExp`: it differs from JavaScript's in a few characters, a byte order mark is none. */
export const BLANK = '[\\t-\\r\\x1c-\\x20\\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000]';
export const SPACE = `${BLANK}+`;

const SPACES = new RegExp(SPACE);

/** The words of a text, as Python's `str.split()` gives them. */
export function splitAtSpace(text: string): readonly string[] {
  return text.split(SPACES).filter((word) => word !== '');
}
