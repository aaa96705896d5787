/** `network.*`: interfaces, addresses and routes of this host. But for `ping`, nothing is sent, and no name server is asked. */
import { hostname } from 'node:os';
import type { ValueMap } from '@natrium/model';
import type { CallContext } from '../call-context.js';
import { fullName, readHosts } from '../grains/network-grains.js';
import { readText } from '../grains/read-text.js';
import { defineModule } from '../loader/declaration.js';
import { InvocationError } from '../loader/errors.js';
import { type Reply, reply } from '../loader/reply.js';
import { fn } from '../minion-registry.js';
import { runTool } from '../process/run-tool.js';
import { familyOf, isLoopback, isPrivate } from './addresses.js';
import { addresses, interfaces, listed, oneOf, subnets } from './interfaces.js';
import { neighbours, routes4, routes6 } from './routes.js';
import { activeTcp } from './tcp-connections.js';

const SELECTION = [
  { name: 'interface', type: 'list', default: null, doc: 'Only of interfaces whose names match one of these globs.' },
  { name: 'include_loopback', type: 'bool', default: false },
  { name: 'cidr', type: 'str', default: '', doc: 'Only in this network, such as 10.0.0.0/8.' },
] as const;
const TYPE = { name: 'type', type: 'str', default: '', doc: 'public or private; both when not given.' } as const;
const NAME = [{ name: 'iface', type: 'str', doc: 'Name of the interface.' }] as const;
const ADDRESS = [{ name: 'ip_addr', type: 'str' }] as const;
const FAMILY = { name: 'family', type: 'str', default: '', doc: 'inet or inet6; both when not given.' } as const;

const ipAddrs = fn(
  {
    doc: 'The IPv4 addresses.',
    params: [...SELECTION, TYPE],
    returns: 'a list in the order of the numbers',
    examples: ['network.ip_addrs', "network.ip_addrs 'eth*,ens3' type=private"],
  },
  // As in Salt: a network says more than the type, which then means nothing.
  ({ type, ...chosen }) => addresses('IPv4', chosen).filter((address) => chosen.cidr !== '' || isOfType(address, type)),
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
      returns: 'a list; an empty text when it has none',
      examples: ['network.interface eth0'],
    },
    ({ iface }) => oneOf(iface)['inet'] ?? '',
  ),
  interface_ip: fn(
    { doc: 'The first IPv4 address of one interface.', params: NAME, examples: ['network.interface_ip eth0'] },
    ({ iface }) => {
      oneOf(iface);
      return listed('IPv4').find(([name]) => name === iface)?.[1].address ?? '';
    },
  ),
  subnets: fn(
    {
      doc: 'The IPv4 networks this host is in.',
      params: [{ name: 'interfaces', type: 'list', default: null, doc: 'Only by the interfaces of these names.' }],
      returns: 'a list in the order of the numbers',
      examples: ['network.subnets', 'network.subnets eth1'],
    },
    (args) => subnets('IPv4', args.interfaces),
  ),
  subnets6: fn(
    {
      doc: 'The IPv6 networks this host is in.',
      returns: 'a list in the order of the numbers',
      examples: ['network.subnets6'],
    },
    () => subnets('IPv6'),
  ),
  in_subnet: fn(
    {
      doc: 'Tells whether this host has an address in a network, other than those that lead back to itself.',
      params: [{ name: 'cidr', type: 'str', doc: 'Such as 10.0.0.0/8.' }],
      examples: ['network.in_subnet 10.0.0.0/16'],
    },
    ({ cidr }) =>
      addresses(cidr.includes(':') ? 'IPv6' : 'IPv4', { interface: null, include_loopback: false, cidr }).length > 0,
  ),
  is_loopback: fn(
    {
      doc: 'Tells whether an address leads back to the host itself.',
      params: ADDRESS,
      examples: ['network.is_loopback 127.0.0.1'],
    },
    ({ ip_addr: address }) => isLoopback(anAddress(address)),
  ),
  is_private: fn(
    {
      doc: 'Tells whether an address is one that nobody on the Internet can reach.',
      params: ADDRESS,
      examples: ['network.is_private 10.0.0.3'],
    },
    ({ ip_addr: address }) => isPrivate(anAddress(address)),
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
      returns: 'what ping prints, or whether an answer came; the job fails as ping does',
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
    () => neighbours(),
  ),
  get_hostname: fn({ doc: 'The name of this host.', examples: ['network.get_hostname'] }, () => hostname()),
  get_fqdn: fn(
    { doc: 'The full name of this host, from its name and /etc/hosts.', examples: ['network.get_fqdn'] },
    () => fullName(hostname(), readHosts(readText('/etc/hosts'))),
  ),
});

/** Never a word that ping could read as an option. */
const HOST = /^[A-Za-z0-9:][A-Za-z0-9._:%-]{0,254}$/;

async function ping(host: string, seconds: number, asBoolean: boolean, context: CallContext): Promise<Reply> {
  if (!HOST.test(host)) throw new InvocationError(`'${host}' is no name or address of a host`);
  if (seconds < 1 || seconds > 60) throw new InvocationError('timeout must be 1 to 60 seconds');
  const { retcode, stdout, stderr } = await runTool(
    'ping',
    ['-c', '4', '-i', '0.2', '-w', String(seconds), '--', host],
    context,
  );
  return reply(asBoolean ? retcode === 0 : (stdout + stderr).trim(), { retcode });
}

function anAddress(text: string): string {
  if (familyOf(text) === undefined) throw new InvocationError(`${text} is no address`);
  return text;
}

/** Any other word means both, as in Salt. */
function isOfType(address: string, type: string): boolean {
  return !['public', 'private'].includes(type) || isPrivate(address) === (type === 'private');
}

async function routes(family: string): Promise<readonly ValueMap[]> {
  if (!['', 'inet', 'inet6'].includes(family)) throw new InvocationError(`Invalid address family ${family}`);
  return [...(family === 'inet6' ? [] : await routes4()), ...(family === 'inet' ? [] : await routes6())];
}
