/** Names inside filters and distinguished names: what a user types stays a value, whatever characters it has. */

const USERNAME = /\{\{\s*username\s*\}\}/g;

/** Tells whether a text has no other template than `{{ username }}`. */
export function isTemplate(text: string): boolean {
  return !/\{\{|\}\}|\{%|%\}|\{#/.test(text.replace(USERNAME, ''));
}

export function namesUser(text: string): boolean {
  return text.search(USERNAME) >= 0;
}

/** @returns A filter in brackets, as the protocol has it. */
export function filterOf(template: string, username: string): string {
  const filter = template.trim().replace(USERNAME, () => filterValue(username));
  return filter.startsWith('(') ? filter : `(${filter})`;
}

export function dnOf(template: string, username: string): string {
  return template.replace(USERNAME, () => dnValue(username));
}

/**
 * What is bound for a name: a distinguished name, or what Active Directory takes besides (`{{ username }}@example.com`), where
 * nothing has to be spelled otherwise.
 *
 * @returns undefined for a name that would be of another domain than the template says, or be a whole distinguished name.
 */
export function bindNameOf(template: string, username: string): string | undefined {
  if (isDn(template)) return dnOf(template, username);
  const namesDomain = template.replace(USERNAME, '').trim() !== '';
  const others = namesDomain ? /[\\@\p{Cc}]/u : /[\\=\p{Cc}]/u;
  return others.test(username) ? undefined : template.replace(USERNAME, () => username);
}

/** Tells whether a template has the name as a part of a distinguished name. */
export function isDn(template: string): boolean {
  return template.slice(0, template.search(USERNAME)).includes('=');
}

/** RFC 4515: all that is not a plain character is spelled by its bytes. */
export function filterValue(text: string): string {
  return [...text].map((char) => (/[\w.@ -]/.test(char) ? char : spelled(char))).join('');
}

/** RFC 4514. */
export function dnValue(text: string): string {
  const isEdge = (at: number, all: readonly string[]) => at === 0 || at === all.length - 1;
  return [...text]
    .map((char, at, all) => (/[\w.@-]/.test(char) || (char === ' ' && !isEdge(at, all)) ? char : spelled(char)))
    .join('');
}

/** The value of a name's first part: `cn=admins,ou=Groups` → `admins`. */
export function firstValue(dn: string): string {
  const [, value = ''] = /^[^=]*=((?:[^,\\]|\\.)*)/.exec(dn) ?? [];
  // Bytes that follow each other are those of one character.
  return value.replace(/((?:\\[0-9A-Fa-f]{2})+)|\\(.)/g, (_, bytes: string | undefined, char: string | undefined) =>
    bytes === undefined ? (char ?? '') : Buffer.from(bytes.replaceAll('\\', ''), 'hex').toString(),
  );
}

function spelled(char: string): string {
  return [...Buffer.from(char)].map((byte) => `\\${byte.toString(16).padStart(2, '0')}`).join('');
}
