/**
 * What a client's address is where tries are counted: an IPv4 address itself, of an IPv6 one its /64. No line and no host is given
 * less than that, so that counting whole addresses would give each of them 2^64 budgets.
 */
const GROUPS = 8;
/** IPv4 in IPv6, as dual sockets (`::ffff:0:0/96`) and translators (`64:ff9b::/96`) have it: their /64 is everybody. */
const IPV4_IN_IPV6: readonly string[] = ['0:0:0:0:0:ffff', '64:ff9b:0:0:0:0'];

/** @returns What is no address as it is. */
export function countedAddress(address: string): string {
  const groups = groupsOf(address.replace(/%.*$/, ''));
  if (groups === undefined) return address;
  if (IPV4_IN_IPV6.includes(shown(groups.slice(0, 6)))) {
    return groups
      .slice(6)
      .flatMap((group) => [group >> 8, group & 255])
      .join('.');
  }
  return `${shown(groups.slice(0, 4))}::/64`;
}

function shown(groups: readonly number[]): string {
  return groups.map((group) => group.toString(16)).join(':');
}

/** @returns undefined when it is no IPv6 address. */
function groupsOf(address: string): readonly number[] | undefined {
  const [before, after, ...more] = address.split('::').map((half) => half.split(':').flatMap(groupsIn));
  const [head = [], tail = []] = [before, after];
  const missing = GROUPS - head.length - tail.length;
  if (more.length > 0 || (after === undefined ? missing !== 0 : missing < 1)) return undefined;
  const groups = [...head, ...Array<number>(missing).fill(0), ...tail];
  return groups.includes(Number.NaN) ? undefined : groups;
}

/** IPv4's way of writing is two of them. */
function groupsIn(part: string): readonly number[] {
  if (part === '') return [];
  if (/^[0-9a-f]{1,4}$/i.test(part)) return [Number.parseInt(part, 16)];
  const [a, b, c, d] = (/^\d{1,3}(?:\.\d{1,3}){3}$/.exec(part)?.[0] ?? '').split('.').map(Number);
  if (a === undefined || b === undefined || c === undefined || d === undefined) return [Number.NaN];
  return Math.max(a, b, c, d) > 255 ? [Number.NaN] : [a * 256 + b, c * 256 + d];
}
