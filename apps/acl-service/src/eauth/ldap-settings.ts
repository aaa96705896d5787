/** The settings `auth.ldap.*` with Salt's names and defaults, checked once: what would let in who should not be is refused here. */
import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import type { ConnectionOptions } from 'node:tls';
import { Float, isList, type Value } from '@natrium/model';
import { BackEndInvalid } from './back-end.js';
import { isTemplate, namesUser } from './ldap-text.js';

export interface LdapSettings {
  /** In their order: the next one is for when nobody answers at those before. */
  readonly addresses: readonly [Address, ...Address[]];
  readonly starttls: boolean;
  readonly basedn: string;
  readonly scope: 'base' | 'one' | 'sub';
  /** How the user's entry is found. */
  readonly find:
    | { readonly by: 'search'; readonly filter: string; readonly as: ServiceAccount | undefined }
    | { readonly by: 'name'; readonly dn: string };
  readonly groups: GroupSettings;
}

export interface Address {
  readonly url: string;
  readonly tls: ConnectionOptions;
}

/** Who searches; undefined: nobody, the search is anonymous. */
export interface ServiceAccount {
  readonly dn: string;
  readonly password: string;
}

export interface GroupSettings {
  readonly kind: 'openldap' | 'activedirectory' | 'freeipa';
  /** Where groups are searched. */
  readonly base: string;
  readonly accountAttribute: string;
  readonly groupAttribute: string;
  readonly groupClass: string;
  readonly personType: string;
  /** FreeIPA's own. */
  readonly filter: string;
}

type Given = Readonly<Record<string, unknown>>;

const PREFIX = 'auth.ldap.';
const KNOWN = new Set([
  'uri', 'server', 'port', 'tls', 'starttls', 'no_verify', 'cacert', 'basedn', 'scope', 'binddn', 'bindpw', 'filter',
  'anonymous', 'auth_by_group_membership_only', 'groupou', 'groupclass', 'accountattributename', 'persontype',
  'groupattribute', 'group_basedn', 'group_filter', 'activedirectory', 'freeipa',
]); // prettier-ignore
const SCOPES = ['base', 'one', 'sub'] as const;
/** Names of attributes and classes come into filters as they are. */
const WORD = /^[A-Za-z][A-Za-z0-9-]{0,63}$/;
/** What the distributions call the authorities that the host trusts. */
const BUNDLES = ['/etc/ssl/certs/ca-certificates.crt', '/etc/pki/tls/certs/ca-bundle.crt'];

/** @param warn Hears what works and should not stay so. @throws {BackEndInvalid} */
export function ldapSettings(given: Given, warn: (sentence: string) => void): LdapSettings {
  const read = new Reader(given);
  for (const key of Object.keys(given).filter((name) => !KNOWN.has(name))) {
    warn(`${PREFIX}${key} is not a setting of the ldap back end; it has no effect`);
  }
  if (read.flag('auth_by_group_membership_only')) {
    warn(`${PREFIX}auth_by_group_membership_only has no effect: the password is always checked`);
  }
  const basedn = read.text('basedn', '');
  return {
    ...connection(read, warn),
    basedn,
    scope: scopeOf(read),
    find: findOf(read),
    groups: groupsOf(read, basedn),
  };
}

function connection(read: Reader, warn: (sentence: string) => void): Pick<LdapSettings, 'addresses' | 'starttls'> {
  const [isTls, starttls, unverified] = [read.flag('tls'), read.flag('starttls'), read.flag('no_verify')];
  const urls = urlsOf(read, isTls);
  for (const { isTls: isLdaps, isLocal, host } of urls) {
    if (starttls && (isTls || isLdaps)) throw invalid('tls', 'and starttls exclude each other; choose one');
    if (!starttls && !isLdaps && !isLocal) {
      warn(`${PREFIX}*: passwords go to ${host} without encryption; set ${PREFIX}starttls or ${PREFIX}tls`);
    }
    if (unverified) warn(`${PREFIX}no_verify: anybody between here and ${host} can read every password`);
  }
  const ca = authorities(read);
  const [first, ...others] = urls;
  const addressOf = ({ text, host }: Url): Address => ({
    url: text,
    tls: { host, ...(isIP(host) === 0 ? { servername: host } : {}), ...ca, rejectUnauthorized: !unverified },
  });
  return { addresses: [addressOf(first), ...others.map(addressOf)], starttls };
}

/** As the library that Salt asks: several stand there with blanks or commas between. */
function urlsOf(read: Reader, isTls: boolean): readonly [Url, ...Url[]] {
  const [server, port] = [read.text('server', 'localhost'), read.text('port', isTls ? '636' : '389')];
  const given = read.text('uri', '').split(/[\s,]+/);
  const [first = `${isTls ? 'ldaps' : 'ldap'}://${server}:${port}`, ...others] = given.filter((one) => one !== '');
  return [urlOf(first), ...others.map(urlOf)];
}

interface Url {
  readonly text: string;
  readonly host: string;
  readonly isTls: boolean;
  readonly isLocal: boolean;
}

function urlOf(given: string): Url {
  const [, scheme, named, port] = /^(ldaps?):\/\/(\[[0-9A-Fa-f:.]+\]|[\w.-]+)(?::(\d{1,5}))?\/?$/.exec(given) ?? [];
  if (scheme === undefined || named === undefined) {
    throw invalid('uri', 'or server and port make no address such as ldaps://ldap.example.com:636');
  }
  const [isTls, host] = [scheme === 'ldaps', named.replace(/^\[|\]$/g, '')];
  return {
    text: `${scheme}://${named}:${port ?? (isTls ? '636' : '389')}`,
    host,
    isTls,
    isLocal: host === 'localhost' || host === '::1' || /^127\.\d+\.\d+\.\d+$/.test(host),
  };
}

function authorities(read: Reader): Pick<ConnectionOptions, 'ca'> {
  const path = read.text('cacert', '');
  for (const file of path === '' ? BUNDLES : [path]) {
    try {
      return { ca: readFileSync(file, 'utf8') };
    } catch {
      if (path !== '') throw invalid('cacert', `names ${path}, which cannot be read`);
    }
  }
  return {};
}

function findOf(read: Reader): LdapSettings['find'] {
  const [dn, password] = [read.text('binddn', ''), read.text('bindpw', '')];
  const filter = read.text('filter', '');
  for (const [key, template] of [
    ['binddn', dn],
    ['filter', filter],
  ] as const) {
    if (!isTemplate(template)) throw invalid(key, "may hold '{{ username }}' and nothing else in braces");
  }
  const isAnonymous = read.flag('anonymous');
  // As in Salt: with `anonymous`, too.
  if (password === '' && namesUser(dn)) return { by: 'name', dn };
  if (password === '' && !isAnonymous) {
    throw invalid(
      'binddn',
      "without bindpw is the user's own name and holds '{{ username }}'; or set bindpw and filter",
    );
  }
  // Without the name in it, one entry would stand for everybody.
  if (!namesUser(filter)) throw invalid('filter', "has to hold '{{ username }}', as in uid={{ username }}");
  if (password !== '' && (dn === '' || namesUser(dn))) {
    throw invalid('binddn', "with bindpw is the account that searches, without '{{ username }}'");
  }
  return { by: 'search', filter, as: password === '' ? undefined : { dn, password } };
}

function groupsOf(read: Reader, basedn: string): GroupSettings {
  // Salt's manual has it left blank where there is no such unit.
  const ou = read.isBlank('groupou') ? '' : read.text('groupou', 'Groups');
  const isAd = read.flag('activedirectory');
  const isIpa = !isAd && read.flag('freeipa');
  const filter = read.text('group_filter', '');
  if (isIpa && (!isTemplate(filter) || filter === '')) throw invalid('group_filter', 'is needed with freeipa');
  return {
    kind: isAd ? 'activedirectory' : isIpa ? 'freeipa' : 'openldap',
    base: isIpa ? read.text('group_basedn', basedn) : isAd || ou === '' ? basedn : `ou=${ou},${basedn}`,
    accountAttribute: read.word('accountattributename', 'memberUid'),
    groupAttribute: read.word('groupattribute', 'memberOf'),
    groupClass: read.word('groupclass', 'posixGroup'),
    personType: read.word('persontype', 'person'),
    filter,
  };
}

/** Salt's 0, 1 and 2 are those of the protocol. */
function scopeOf(read: Reader): LdapSettings['scope'] {
  const found = SCOPES[Number(read.text('scope', '2'))];
  if (found === undefined) throw invalid('scope', 'is 0 (the entry), 1 (one level) or 2 (the whole tree)');
  return found;
}

class Reader {
  constructor(private readonly given: Given) {}

  text(key: string, usual: string): string {
    const value = this.given[key];
    if (value === undefined || value === null) return usual;
    if (value instanceof Float) return String(value.value);
    if (typeof value === 'string') return value;
    if (typeof value === 'number' || typeof value === 'bigint') return String(value);
    throw invalid(key, `takes a text, not ${isList(value as Value) ? 'a list' : typeof value}`);
  }

  /** Tells whether a key is there and says nothing: null, or false. */
  isBlank(key: string): boolean {
    const value = this.given[key];
    return value === null || value === false;
  }

  word(key: string, usual: string): string {
    const value = this.text(key, usual);
    if (!WORD.test(value)) throw invalid(key, 'is not a name of the directory');
    return value;
  }

  flag(key: string): boolean {
    const value = this.given[key] ?? false;
    if (typeof value !== 'boolean') throw invalid(key, 'takes yes or no');
    return value;
  }
}

/** Never with the value: it might be the password. */
function invalid(key: string, what: string): BackEndInvalid {
  return new BackEndInvalid(`external_auth.ldap: ${PREFIX}${key} ${what}`);
}
