/** Addresses and networks as numbers: parsing and belonging, for IPv4 and IPv6, without asking anybody. */
import { BlockList, isIPv4, isIPv6 } from 'node:net';

export function familyOf(address: string): 'ipv4' | 'ipv6' | undefined {
  if (isIPv4(address)) return 'ipv4';
  return isIPv6(address) ? 'ipv6' : undefined;
}

/** Tells whether an address lies in a network written `10.0.0.0/8`; undefined when either makes no sense. */
export function isInNetwork(address: string, network: string): boolean | undefined {
  const [base = '', bits = ''] = network.split('/');
  const [family, own] = [familyOf(base), familyOf(address)];
  const most = family === 'ipv4' ? 32 : 128;
  const length = bits === '' ? most : Number(bits);
  if (family === undefined || own === undefined || !/^\d*$/.test(bits) || length > most) return undefined;
  if (own !== family) return false;
  const list = new BlockList();
  list.addSubnet(base, length, family);
  return list.check(address, family);
}

/** As Python's `ipaddress` has them: for private networks, the host itself, documentation and tests. */
const PRIVATE = [
  ...['0.0.0.0/8', '10.0.0.0/8', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12', '192.0.0.0/29', '192.0.0.170/31'],
  ...['192.0.2.0/24', '192.168.0.0/16', '198.18.0.0/15', '198.51.100.0/24', '203.0.113.0/24', '240.0.0.0/4'],
  ...['::/127', '::ffff:0:0/96', '100::/64', '2001::/23', '2001:db8::/32', 'fc00::/7', 'fe80::/10'],
] as const;

/** Tells whether nobody on the Internet can reach this address. */
export function isPrivate(address: string): boolean {
  return PRIVATE.some((network) => isInNetwork(address, network) === true);
}

/** Tells whether an address leads back to the host itself. */
export function isLoopback(address: string): boolean {
  return isInNetwork(address, address.includes(':') ? '::1/128' : '127.0.0.0/8') === true;
}

/** How far an IPv6 address reaches, in the words of iproute2. */
export function scopeOf(address: string): string {
  if (isLoopback(address)) return 'host';
  if (isInNetwork(address, 'fe80::/10') === true) return 'link';
  return isInNetwork(address, 'fec0::/10') === true ? 'site' : 'global';
}

/** Each address or network of one family once, in the order of their numbers. */
export function inOrder(addresses: readonly string[]): readonly string[] {
  const keyed = [...new Set(addresses)].map((address) => [sortable(address), address] as const);
  return keyed.sort(([a], [b]) => (a < b ? -1 : 1)).map(([, address]) => address);
}

/** A text that sorts as the address or the network does. */
function sortable(address: string): string {
  const [base = '', bits = ''] = address.split('/');
  const parts = isIPv4(base) ? base.split('.') : groupsOf(base);
  return [...parts, bits].map((part) => part.padStart(4, '0')).join(':');
}

/** The eight groups of an IPv6 address. */
function groupsOf(address: string): readonly string[] {
  const [head = '', tail = ''] = short(address).split('::');
  const [before, after] = [head, tail].map((text) => text.split(':').filter((group) => group !== ''));
  const zeros = Array<string>(8 - (before?.length ?? 0) - (after?.length ?? 0)).fill('0');
  return [...(before ?? []), ...zeros, ...(after ?? [])];
}

/** An IPv4 address that stands in an IPv6 one, as itself. */
export function unmapped(address: string): string {
  const [, high, low] = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/.exec(address) ?? [];
  if (high === undefined || low === undefined) return address;
  return dotted(Number.parseInt(high, 16) * 65_536 + Number.parseInt(low, 16));
}

/** The network of an address with a prefix: `10.1.2.3/8` is in `10.0.0.0/8`. */
export function networkOf(cidr: string): string {
  if (cidr.includes(':')) return networkOf6(cidr);
  const [address = '', bits = '32'] = cidr.split('/');
  const mask = Number(bits) === 0 ? 0 : (0xffffffff << (32 - Number(bits))) >>> 0;
  return `${dotted((numberOf(address) & mask) >>> 0)}/${bits}`;
}

function networkOf6(cidr: string): string {
  const [address = '', bits = '128'] = cidr.split('/');
  const groups = groupsOf(address).map((group, index) => {
    const kept = Math.min(Math.max(Number(bits) - 16 * index, 0), 16);
    return (Number.parseInt(group, 16) & (0xffff << (16 - kept)) & 0xffff).toString(16);
  });
  return `${short(groups.join(':'))}/${bits}`;
}

/** Null where there is nobody else to be reached: the host itself, a single address, two ends of a line. */
export function broadcastOf(cidr: string): string | null {
  const [address = '', bits = '32'] = cidr.split('/');
  if (isLoopback(address) || Number(bits) > 30) return null;
  return dotted((numberOf(address) | (0xffffffff >>> Number(bits))) >>> 0);
}

function dotted(number: number): string {
  return [24, 16, 8, 0].map((shift) => (number >>> shift) & 255).join('.');
}

function numberOf(address: string): number {
  return address.split('.').reduce((all, part) => all * 256 + Number(part), 0);
}

/** `/proc/net/route` has the bytes of an address in the order of the machine, which is little-endian wherever this runs. */
export function fromProc(hex: string): string {
  return (hex.match(/../g) ?? [])
    .reverse()
    .map((byte) => Number.parseInt(byte, 16))
    .join('.');
}

/** `/proc/net/ipv6_route` has 32 digits; shown in the short form. */
export function fromProc6(hex: string): string {
  return short((hex.match(/.{4}/g) ?? []).join(':'));
}

function short(address: string): string {
  return new URL(`http://[${address}]`).hostname.slice(1, -1);
}
