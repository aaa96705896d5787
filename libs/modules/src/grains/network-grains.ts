/**
 * Grains of names and addresses. Names come from the host name and `/etc/hosts`; DNS is never asked, since a resolver
 * that hangs must not keep a minion from starting.
 */
import type { ValueMap } from '@natrium/model';
import { hostname, type NetworkInterfaceInfo, networkInterfaces } from 'node:os';
import { readText } from './read-text.js';

type Interfaces = readonly (readonly [name: string, addresses: readonly NetworkInterfaceInfo[]])[];

export function networkGrains(): ValueMap {
  const interfaces: Interfaces = Object.entries(networkInterfaces()).map(([name, list]) => [name, list ?? []]);
  const hosts = readHosts(readText('/etc/hosts'));
  const fqdn = fullName(hostname(), hosts);
  return {
    ...nameGrains(fqdn),
    ...addressGrains(interfaces),
    ...fqdnAddresses(fqdn, hosts, interfaces),
    dns: dnsGrains(readText('/etc/resolv.conf')),
  };
}

interface Host {
  readonly address: string;
  readonly names: readonly string[];
}

export function readHosts(text: string): readonly Host[] {
  return text.split('\n').flatMap((line) => {
    const [address, ...names] = line.replace(/#.*/, '').trim().split(/\s+/);
    return address === undefined || address === '' ? [] : [{ address, names }];
  });
}

/** The host name where it has a domain; else the first name with one on a line of `/etc/hosts` that holds it. */
export function fullName(name: string, hosts: readonly Host[]): string {
  if (name.includes('.')) return name;
  const lines = hosts.filter(({ names }) => names.includes(name));
  return lines.flatMap(({ names }) => names).find((other) => other.startsWith(`${name}.`)) ?? name;
}

function nameGrains(fqdn: string): ValueMap {
  const [host = fqdn, ...domain] = fqdn.split('.');
  return { fqdn, host, domain: domain.join('.'), nodename: hostname(), localhost: hostname() };
}

function addressGrains(interfaces: Interfaces): ValueMap {
  const of = (family?: string): ValueMap =>
    Object.fromEntries(
      interfaces.map(([name, list]) => [
        name,
        list.filter((one) => family === undefined || one.family === family).map((one) => one.address),
      ]),
    );
  const all = (family: string): readonly string[] =>
    [
      ...new Set(
        interfaces.flatMap(([, list]) => list.filter((one) => one.family === family).map((one) => one.address)),
      ),
    ].sort();
  return {
    ip_interfaces: of(),
    ip4_interfaces: of('IPv4'),
    ip6_interfaces: of('IPv6'),
    hwaddr_interfaces: Object.fromEntries(interfaces.map(([name, list]) => [name, list[0]?.mac ?? ''])),
    ipv4: all('IPv4'),
    ipv6: all('IPv6'),
  };
}

/** The addresses that `/etc/hosts` gives the full name; those of the interfaces where it gives none but loopback. */
function fqdnAddresses(fqdn: string, hosts: readonly Host[], interfaces: Interfaces): ValueMap {
  const named = hosts
    .filter(({ names, address }) => names.includes(fqdn) && !isLoopback(address))
    .map(({ address }) => address);
  const own = interfaces.flatMap(([, list]) => list.filter((one) => !one.internal).map((one) => one.address));
  const outward = own.filter((address) => !address.startsWith('fe80:'));
  const addresses = named.length > 0 ? named : outward;
  return {
    fqdn_ip4: addresses.filter((address) => !address.includes(':')),
    fqdn_ip6: addresses.filter((address) => address.includes(':')),
  };
}

function isLoopback(address: string): boolean {
  return address.startsWith('127.') || address === '::1';
}

function dnsGrains(resolvConf: string): ValueMap {
  const lines = resolvConf.split('\n').map((line) => line.trim().split(/\s+/));
  const after = (word: string): readonly string[] =>
    lines.filter(([first]) => first === word).flatMap(([, ...rest]) => rest);
  const servers = after('nameserver');
  return {
    nameservers: servers,
    ip4_nameservers: servers.filter((address) => !address.includes(':')),
    ip6_nameservers: servers.filter((address) => address.includes(':')),
    search: after('search'),
    domain: after('domain')[0] ?? '',
  };
}
