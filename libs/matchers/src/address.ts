/**
 * Internet addresses and networks as Python's `ipaddress` reads them: no leading zeros, and a network has no host bits set.
 *
 * Spec: spec/targeting.md#ipcidr.
 */
import { keepLatest } from '@natrium/model';
import { parseFour } from './address-four.js';

export type Family = 'ipv4' | 'ipv6';

export interface Address {
  readonly family: Family;
  /** Normal form: what an element of the grain list must be, letter by letter. */
  readonly text: string;
}

export interface Network {
  readonly family: Family;
  /** Tells whether an element of the grain list is an address inside. */
  readonly contains: (text: string) => boolean;
}

export function parseAddress(text: string): Address | undefined {
  if (parseFour(text) !== undefined) return { family: 'ipv4', text };
  const six = parseScoped(text);
  if (six === undefined) return undefined;
  const normal = writeSix(six.groups);
  return { family: 'ipv6', text: six.scope === undefined ? normal : `${normal}%${six.scope}` };
}

/** `10.0.0.0/24`, `10.0.0.0/255.255.255.0`, `2001:db8::/32`; no host bits may be set. */
export function parseNetwork(text: string): Network | undefined {
  const [address = '', mask, more] = text.split('/');
  if (mask === undefined || more !== undefined) return undefined;
  const four = parseFour(address);
  return four === undefined ? networkOfSix(address, mask) : networkOfFour(four, mask);
}

function networkOfFour(first: number, mask: string): Network | undefined {
  const prefix = /^\d+$/.test(mask) ? Number(mask) : prefixOfMask(mask);
  if (prefix === undefined || prefix > 32) return undefined;
  const size = 2 ** (32 - prefix);
  if (first % size !== 0) return undefined;
  const contains = (text: string): boolean => {
    const own = parseFour(text);
    return own !== undefined && own >= first && own < first + size;
  };
  return { family: 'ipv4', contains };
}

/** A netmask, or the inverse of one. */
function prefixOfMask(text: string): number | undefined {
  const mask = parseFour(text);
  return mask === undefined ? undefined : (onesThenZeros(mask) ?? onesThenZeros(0xffffffff - mask));
}

function onesThenZeros(mask: number): number | undefined {
  const zeros = 0x100000000 - mask;
  const isPower = Number.isInteger(Math.log2(zeros));
  return isPower ? 32 - Math.log2(zeros) : undefined;
}

function networkOfSix(address: string, mask: string): Network | undefined {
  const six = parseScoped(address);
  if (six === undefined || !/^\d+$/.test(mask) || Number(mask) > 128) return undefined;
  const first = bitsOf(six.groups);
  const size = 1n << BigInt(128 - Number(mask));
  if (first % size !== 0n) return undefined;
  const contains = (text: string): boolean => {
    const bits = bitsOfSix(text);
    return bits !== undefined && bits >= first && bits < first + size;
  };
  return { family: 'ipv6', contains };
}

/** A compound asks for the same addresses, those of one minion, network after network. */
const MAX_RECENT = 64;
const recent = new Map<string, bigint | undefined>();

function bitsOfSix(text: string): bigint | undefined {
  if (recent.has(text)) return recent.get(text);
  const own = parseScoped(text);
  const bits = own === undefined ? undefined : bitsOf(own.groups);
  recent.set(text, bits);
  keepLatest(recent, MAX_RECENT);
  return bits;
}

function bitsOf(groups: readonly number[]): bigint {
  return groups.reduce((sum, group) => (sum << 16n) | BigInt(group), 0n);
}

interface ScopedGroups {
  readonly groups: readonly number[];
  readonly scope: string | undefined;
}

function parseScoped(text: string): ScopedGroups | undefined {
  const [bare = '', scope, more] = text.split('%');
  if (scope === '' || more !== undefined || text.includes('/')) return undefined;
  const groups = parseSix(bare);
  return groups === undefined ? undefined : { groups, scope };
}

/** @returns Its eight groups; undefined for what is no IPv6 address, or has a scope. */
export function parseSix(text: string): readonly number[] | undefined {
  const dotted = text.lastIndexOf(':') < text.indexOf('.') ? text.slice(text.lastIndexOf(':') + 1) : undefined;
  const four = dotted === undefined ? undefined : parseFour(dotted);
  if (dotted !== undefined && four === undefined) return undefined;
  const tail = four === undefined ? '' : `${Math.floor(four / 65_536).toString(16)}:${(four % 65_536).toString(16)}`;
  const plain = dotted === undefined ? text : text.slice(0, text.length - dotted.length) + tail;
  const halves = plain.split('::');
  if (halves.length > 2) return undefined;
  const [left, right] = halves.map((half) => (half === '' ? [] : half.split(':')));
  if (left === undefined || [...left, ...(right ?? [])].some((group) => !/^[0-9a-fA-F]{1,4}$/.test(group)))
    return undefined;
  const given = left.length + (right?.length ?? 0);
  if (right === undefined ? given !== 8 : given > 7) return undefined;
  return [...left, ...Array.from({ length: 8 - given }, () => '0'), ...(right ?? [])].map((group) =>
    parseInt(group, 16),
  );
}

/** The longest run of two zeros or more becomes `::`, the first of equals. */
function writeSix(groups: readonly number[]): string {
  const text = groups.map((group) => group.toString(16)).join(':');
  const runs = text.match(/\b0(?::0)+\b/g) ?? [];
  const longest = runs.reduce((best, run) => (run.length > best.length ? run : best), '');
  if (longest === '') return text;
  const at = text.search(new RegExp(`(?<![0-9a-f])${longest}(?![0-9a-f])`));
  const before = text.slice(0, at).replace(/:$/, '');
  return `${before}::${text.slice(at + longest.length).replace(/^:/, '')}`;
}
