/**
 * How the directory itself spells the name that somebody typed: it takes that in any case, but rules, the blacklist and the
 * revocation of tokens are about one name.
 */
import { folded, isSameName } from './account-name.js';
import { type Found, valuesOf } from './ldap-directory.js';

/** An attribute that a filter or a distinguished name sets to the name, with the text around it. */
export interface Place {
  readonly attribute: string;
  readonly before: string;
  readonly after: string;
}

const PLACE = /([A-Za-z][A-Za-z0-9-]*)(?::[^()=]*)?[~<>]?=([^(){},+*=]*)\{\{\s*username\s*\}\}([^(){},+*]*)/g;

export function placesIn(template: string): readonly Place[] {
  return [...template.matchAll(PLACE)].map(([, attribute = '', before = '', after = '']) => ({
    attribute,
    before: before.trimStart(),
    after: after.trimEnd(),
  }));
}

/**
 * Looks nowhere else than in `places`: other attributes are often the user's own to write.
 *
 * @returns undefined when the entry has another name there. Where nothing there can be read only one spelling is taken, in
 *   lower case.
 */
export function ownSpelling(entry: Found | undefined, places: readonly Place[], typed: string): string | undefined {
  const names = entry === undefined ? [] : places.flatMap((place) => namesAt(place, entry));
  if (names.length === 0) return typed === folded(typed) ? typed : undefined;
  return names.find((name) => isSameName(name, typed));
}

function namesAt({ attribute, before, after }: Place, entry: Found): readonly string[] {
  return valuesOf(entry, attribute).map((value) => {
    const name = value.slice(before.length, value.length - after.length);
    return isSameName(`${before}${name}${after}`, value) ? name : value;
  });
}
