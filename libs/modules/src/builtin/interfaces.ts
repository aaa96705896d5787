/** Interfaces of this host with their addresses, as the kernel tells them. */
import { type NetworkInterfaceInfo, networkInterfaces } from 'node:os';
import { pyStr, type Value, type ValueMap } from '@natrium/model';
import { readNames, readText } from '../grains/read-text.js';
import { InvocationError } from '../loader/errors.js';
import { matchesGlob } from '../loader/glob.js';
import { broadcastOf, inOrder, isInNetwork, isLoopback, networkOf, scopeOf } from './addresses.js';

type Family = 'IPv4' | 'IPv6';

interface Selection {
  readonly interface: readonly Value[] | null;
  readonly include_loopback: boolean;
  readonly cidr: string;
}

export function listed(family: Family): readonly (readonly [name: string, info: NetworkInterfaceInfo])[] {
  return Object.entries(networkInterfaces()).flatMap(([name, list]) =>
    (list ?? []).filter((info) => info.family === family).map((info) => [name, info] as const),
  );
}

/**
 * Each address once, in the order of their numbers: scripts take the first.
 *
 * @throws {InvocationError} When the network is none, also where no address is compared with it.
 */
export function addresses(
  family: Family,
  { interface: only, include_loopback: loopback, cidr }: Selection,
): readonly string[] {
  if (cidr !== '' && isInNetwork('127.0.0.1', cidr) === undefined)
    throw new InvocationError(`${cidr} is no network such as 10.0.0.0/8`);
  const isMeant = (name: string): boolean => only === null || only.some((glob) => matchesGlob(pyStr(glob), name));
  const found = listed(family)
    .filter(([name, { address }]) => isMeant(name) && (loopback || !isLoopback(address)))
    .map(([, { address }]) => address)
    .filter((address) => cidr === '' || isInNetwork(address, cidr) === true);
  return inOrder(found);
}

/** The networks that this host is in, by the interfaces of those names; all when null. */
export function subnets(family: Family, only: readonly Value[] | null = null): readonly string[] {
  const found = listed(family)
    .filter(([name, { address }]) => (only === null || only.map(pyStr).includes(name)) && !isLoopback(address))
    .map(([, { address, cidr }]) => networkOf(cidr ?? address));
  return inOrder(found);
}

export function interfaces(): ValueMap {
  const names = new Set([...readNames('/sys/class/net'), ...Object.keys(networkInterfaces())]);
  return Object.fromEntries([...names].sort().map((name) => [name, described(name)]));
}

/** @throws {InvocationError} When there is none of that name. */
export function oneOf(name: string): ValueMap {
  const all = interfaces();
  const found = Object.hasOwn(all, name) ? described(name) : undefined;
  if (found === undefined)
    throw new InvocationError(`Interface "${name}" not in available interfaces: "${Object.keys(all).join('", "')}"`);
  return found;
}

function described(name: string): ValueMap {
  const list = networkInterfaces()[name] ?? [];
  const of = (family: Family): readonly NetworkInterfaceInfo[] => list.filter((info) => info.family === family);
  const inet = of('IPv4').map(({ address, netmask, cidr }): Value => {
    return { address, netmask, broadcast: broadcastOf(cidr ?? `${address}/32`), label: name };
  });
  const inet6 = of('IPv6').map(({ address, cidr }): Value => {
    return { address, prefixlen: (cidr ?? '').split('/')[1] ?? '', scope: scopeOf(address) };
  });
  const flags = Number(readText(`/sys/class/net/${name}/flags`));
  return {
    hwaddr: list[0]?.mac ?? readText(`/sys/class/net/${name}/address`),
    up: (flags & 1) === 1,
    ...(inet.length === 0 ? {} : { inet }),
    ...(inet6.length === 0 ? {} : { inet6 }),
  };
}
