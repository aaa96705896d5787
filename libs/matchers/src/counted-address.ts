/**
 * What a client's address is where tries are counted: an IPv4 address itself, of an IPv6 one its /64. No line and no host is given
 * less than that, so that counting whole addresses would give each of them 2^64 budgets.
 */
import { parseSix } from './address.js';

/** IPv4 in IPv6, as dual sockets (`::ffff:0:0/96`) and translators (`64:ff9b::/96`) have it: their /64 is everybody. */
const IPV4_IN_IPV6: readonly string[] = ['0:0:0:0:0:ffff', '64:ff9b:0:0:0:0'];

/** @returns What is no address as it is. */
export function countedAddress(address: string): string {
  const groups = parseSix(address.replace(/%.*$/, ''));
  if (groups === undefined) return address;
  if (!IPV4_IN_IPV6.includes(shown(groups.slice(0, 6)))) return `${shown(groups.slice(0, 4))}::/64`;
  return groups
    .slice(6)
    .flatMap((group) => [group >> 8, group & 255])
    .join('.');
}

function shown(groups: readonly number[]): string {
  return groups.map((group) => group.toString(16)).join(':');
}
