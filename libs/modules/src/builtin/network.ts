/** `network.*`: interfaces, addresses and routes of this host. But for `ping`, nothing is sent, and no name server is asked. */
import { hostname, type NetworkInterfaceInfo, networkInterfaces } from 'node:os';
import { readFile } from 'node:fs/promises';
import { pyStr, type Value, type ValueMap } from '@natrium/model';
import type { CallContext } from '../call-context.js';
import { fullName, readHosts } from '../grains/network-grains.js';
import { readNames, readText } from '../grains/read-text.js';
import { defineModule } from '../loader/declaration.js';
import { InvocationError } from '../loader/errors.js';
import { matchesGlob } from '../loader/glob.js';
import { fn } from '../minion-registry.js';
import { runTool } from '../process/run-tool.js';
import { broadcastOf, familyOf, fromProc, fromProc6, isInNetwork, isPrivate, networkOf } from './addresses.js';
import { routes4, routes6 } from './routes.js';

const SELECTION = [
  { name: 'interface', type: 'list', default: null, doc: 'Only of interfaces whose names match one of these globs.' },
  { name: 'include_loopback', type: 'bool', default: false },
  { name: 'cidr', type: 'str', default: '', doc: 'Only in this network, such as 10.0.0.0/8.' },
] as const;
const TYPE = { name: 'type', type: 'str', default: '', doc: 'public or private; both when not given.' } as const;
const NAME = [{ name: 'iface', type: 'str', doc: 'Name of the interface.' }] as const;
const FAMILY = { name: 'family', type: 'str', default: '', doc: 'inet or inet6; both when not given.' } as const;

interface Selection {
  readonly interface: readonly Value[] | null;
  readonly include_loopback: boolean;
  readonly cidr: string;
}

type Family = 'IPv4' | 'IPv6';

const ipAddrs = fn(
  {
    doc: 'The IPv4 addresses.',
    params: [...SELECTION, TYPE],
    returns: 'a list',
    examples: ['network.ip_addrs', "network.ip_addrs 'eth*,ens3' type=private"],
  },
  ({ type, ...chosen }) => addresses('IPv4', chosen).filter((address) => isOfType(address, type)),
);
const ipAddrs6 = fn(
  { doc: 'The IPv6 addresses.', params: SELECTION, returns: 'a list', examples: ['network.ip_addrs6'] },
  (chosen) => addresses('IPv6', chosen),
);
const hwAddr = fn(
  { doc: 'The hardware address of one interface.', params: NAME, examples: ['network.hw_addr eth0'] },
  ({ iface }) => oneOf(iface)['hwaddr'] ?? '',
);

export const networkModule = defineModule('network', {
  ip_addrs: ipAddrs,
  ipaddrs: ipAddrs,
  ip_addrs6: ipAddrs6,
  ipaddrs6: ipAddrs6,
  hw_addr: hwAddr,
  hwaddr: hwAddr,
  interfaces: fn(
    { doc: 'All interfaces with their addresses.', returns: 'a map by name', examples: ['network.interfaces'] },
    () => interfaces(),
  ),
  interface: fn(
    {
      doc: 'The IPv4 addresses of one interface.',
      params: NAME,
      returns: 'a list',
      examples: ['network.interface eth0'],
    },
    ({ iface }) => oneOf(iface)['inet'] ?? [],
  ),
  interface_ip: fn(
    { doc: 'The first IPv4 address of one interface.', params: NAME, examples: ['network.interface_ip eth0'] },
    ({ iface }) => {
      oneOf(iface);
      return listed('IPv4').find(([name]) => name === iface)?.[1].address ?? '';
    },
  ),
  subnets: fn({ doc: 'The IPv4 networks this host is in.', returns: 'a list', examples: ['network.subnets'] }, () => [
    ...new Set(
      listed('IPv4')
        .filter(([, info]) => !info.internal)
        .map(([, info]) => networkOf(info.cidr ?? `${info.address}/32`)),
    ),
  ]),
  in_subnet: fn(
    {
      doc: 'Tells whether this host has an address in a network.',
      params: [{ name: 'cidr', type: 'str', doc: 'Such as 10.0.0.0/8.' }],
      examples: ['network.in_subnet 10.0.0.0/16'],
    },
    ({ cidr }) =>
      addresses(cidr.includes(':') ? 'IPv6' : 'IPv4', { interface: null, include_loopback: true, cidr }).length > 0,
  ),
  is_loopback: fn(
    {
      doc: 'Tells whether an address leads back to the host itself.',
      params: [{ name: 'ip_addr', type: 'str' }],
      examples: ['network.is_loopback 127.0.0.1'],
    },
    ({ ip_addr: address }) => {
      if (familyOf(address) === undefined) throw new InvocationError(`${address} is no address`);
      return address.includes(':') ? fits(address, '::1/128') : fits(address, '127.0.0.0/8');
    },
  ),
  routes: fn(
    {
      doc: 'The routes of this host.',
      params: [FAMILY],
      returns: 'a list of maps',
      examples: ['network.routes', 'network.routes family=inet'],
    },
    ({ family }) => routes(family),
  ),
  default_route: fn(
    {
      doc: 'The routes for all that no other is for.',
      params: [FAMILY],
      returns: 'a list of maps',
      examples: ['network.default_route'],
    },
    async ({ family }) =>
      (await routes(family)).filter(
        ({ destination, netmask, interface: name }) =>
          name !== 'lo' && ((destination === '0.0.0.0' && netmask === '0.0.0.0') || destination === '::/0'),
      ),
  ),
  active_tcp: fn(
    {
      doc: 'The TCP connections that are open.',
      returns: 'a map from a number to both ends',
      examples: ['network.active_tcp'],
    },
    () => activeTcp(),
  ),
  ping: fn(
    {
      doc: 'Sends four echo requests to a host.',
      params: [
        { name: 'host', type: 'str', doc: 'Name or address.' },
        { name: 'timeout', type: 'int', default: 10, doc: 'Seconds for all of them, 1 to 60.' },
        { name: 'return_boolean', type: 'bool', default: false, doc: 'Only whether an answer came.' },
      ],
      returns: 'what ping prints, or whether an answer came',
      examples: ['network.ping 127.0.0.1', 'network.ping db1 return_boolean=True'],
    },
    ({ host, timeout, return_boolean: asBoolean }, context) => ping(host, timeout, asBoolean, context),
  ),
  arp: fn(
    {
      doc: 'The hardware addresses of neighbours that this host knows.',
      returns: 'a map from hardware address to IPv4 address',
      examples: ['network.arp'],
    },
    async () => {
      const rows = (await readFile('/proc/net/arp', 'utf8').catch(() => '')).split('\n').slice(1);
      return Object.fromEntries(
        rows
          .map((row) => row.split(/\s+/))
          .flatMap(([address = '', , , mac = '']) => (mac === '' ? [] : [[mac, address]])),
      );
    },
  ),
  get_hostname: fn({ doc: 'The name of this host.', examples: ['network.get_hostname'] }, () => hostname()),
  get_fqdn: fn(
    { doc: 'The full name of this host, from its name and /etc/hosts.', examples: ['network.get_fqdn'] },
    () => fullName(hostname(), readHosts(readText('/etc/hosts'))),
  ),
});

/** Never a word that ping could read as an option. */
const HOST = /^[A-Za-z0-9:][A-Za-z0-9._:%-]{0,254}$/;

async function ping(host: string, seconds: number, asBoolean: boolean, context: CallContext): Promise<Value> {
  if (!HOST.test(host)) throw new InvocationError(`'${host}' is no name or address of a host`);
  if (seconds < 1 || seconds > 60) throw new InvocationError('timeout must be 1 to 60 seconds');
  const { retcode, stdout, stderr } = await runTool(
    'ping',
    ['-c', '4', '-i', '0.2', '-w', String(seconds), '--', host],
    context,
  );
  return asBoolean ? retcode === 0 : (stdout + stderr).trim();
}

function listed(family: Family): readonly (readonly [name: string, info: NetworkInterfaceInfo])[] {
  return Object.entries(networkInterfaces()).flatMap(([name, list]) =>
    (list ?? []).filter((info) => info.family === family).map((info) => [name, info] as const),
  );
}

function addresses(
  family: Family,
  { interface: only, include_loopback: loopback, cidr }: Selection,
): readonly string[] {
  const isMeant = (name: string): boolean => only === null || only.some((glob) => matchesGlob(pyStr(glob), name));
  return listed(family)
    .filter(([name, info]) => isMeant(name) && (loopback || !info.internal))
    .map(([, { address }]) => address)
    .filter((address) => cidr === '' || fits(address, cidr));
}

/** Any other word means both, as in Salt. */
function isOfType(address: string, type: string): boolean {
  return !['public', 'private'].includes(type) || isPrivate(address) === (type === 'private');
}

function fits(address: string, cidr: string): boolean {
  const found = isInNetwork(address, cidr);
  if (found === undefined) throw new InvocationError(`${cidr} is no network such as 10.0.0.0/8`);
  return found;
}

function interfaces(): ValueMap {
  const names = new Set([...readNames('/sys/class/net'), ...Object.keys(networkInterfaces())]);
  return Object.fromEntries([...names].sort().map((name) => [name, described(name)]));
}

function oneOf(name: string): ValueMap {
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
  const inet6 = of('IPv6').map(({ address, cidr }): Value => ({
    address,
    prefixlen: (cidr ?? '').split('/')[1] ?? '',
  }));
  const flags = Number(readText(`/sys/class/net/${name}/flags`));
  return {
    hwaddr: list[0]?.mac ?? readText(`/sys/class/net/${name}/address`),
    up: (flags & 1) === 1,
    ...(inet.length === 0 ? {} : { inet }),
    ...(inet6.length === 0 ? {} : { inet6 }),
  };
}

async function routes(family: string): Promise<readonly ValueMap[]> {
  if (!['', 'inet', 'inet6'].includes(family)) throw new InvocationError(`Invalid address family ${family}`);
  return [...(family === 'inet6' ? [] : await routes4()), ...(family === 'inet' ? [] : await routes6())];
}

const ESTABLISHED = '01';
const CONNECTIONS_LIMIT = 10_000;

async function activeTcp(): Promise<ValueMap> {
  const read = async (file: string, show: (hex: string) => string): Promise<readonly ValueMap[]> => {
    const text = await readFile(file, 'utf8').catch(() => '');
    const rows = text.split('\n').map((line) => line.trim().split(/\s+/));
    return rows
      .filter((words) => words[3] === ESTABLISHED)
      .map(([, local = '', remote = '']) => ({
        local_addr: show(local.split(':')[0] ?? ''),
        local_port: String(Number.parseInt(local.split(':')[1] ?? '', 16)),
        remote_addr: show(remote.split(':')[0] ?? ''),
        remote_port: String(Number.parseInt(remote.split(':')[1] ?? '', 16)),
      }));
  };
  const words = (hex: string): string => (hex.match(/.{8}/g) ?? []).map(reversed).join('');
  const all = [
    ...(await read('/proc/net/tcp', fromProc)),
    ...(await read('/proc/net/tcp6', (hex) => fromProc6(words(hex)))),
  ];
  return Object.fromEntries(all.slice(0, CONNECTIONS_LIMIT).map((one, index) => [String(index), one]));
}

function reversed(word: string): string {
  return (word.match(/../g) ?? []).reverse().join('');
}
