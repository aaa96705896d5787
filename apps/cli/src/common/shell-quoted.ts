/** Words as a shell takes them for one each: what is printed here is copied into one. */

/** In single quotes, whatever it holds. */
export function shellQuoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** As it stands where a shell takes that for one word, else quoted. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : shellQuoted(text);
}
