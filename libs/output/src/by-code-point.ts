/** The order of Python's texts: by character. JavaScript compares halves of those beyond U+FFFF, and puts them before U+E000. */
export function byCodePoint(a: string, b: string): number {
  let at = 0;
  while (at < a.length && a[at] === b[at]) at += 1;
  return (a.codePointAt(at) ?? -1) - (b.codePointAt(at) ?? -1);
}
