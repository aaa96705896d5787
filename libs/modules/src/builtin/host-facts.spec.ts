/** `disk`, `status` and `network` against what the system's own programs say of this machine. */
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { isList, isMap, type Value, type ValueMap } from '@natrium/model';
import { hasTool } from '../process/run-tool.js';
import { call, named } from '../testing/call-context.js';
import { broadcastOf, fromProc, fromProc6, inOrder, isInNetwork, isPrivate, networkOf, scopeOf } from './addresses.js';
import { neighbours } from './routes.js';
import { hoursText, processorFields, processorTimes } from './status-proc.js';
import { activeTcp } from './tcp-connections.js';

const ret = async (fun: string, ...sent: Value[]) => (await call(fun, sent)).ret;
const lines = (text: string): readonly string[] => text.split('\n').filter((line) => line !== '');
const tool = (name: string, ...args: string[]): string => execFileSync(name, args, { encoding: 'utf8' });

describe('disk.*', () => {
  it('says what df says', async () => {
    const [, line = ''] = tool('df', '-P', '/').trim().split('\n');
    const [filesystem, total, , , capacity] = line.split(/\s+/);
    const usage = await ret('disk.usage');
    const root = isMap(usage) ? usage['/'] : undefined;
    expect(root).toMatchObject({ filesystem, '1K-blocks': total });
    const percent = Number.parseInt(capacity ?? '', 10);
    expect(
      Math.abs(Number.parseInt(JSON.stringify(await ret('disk.percent', '/')).slice(1), 10) - percent),
    ).toBeLessThan(2);
    const inodes = tool('df', '-Pi', '/').trim().split('\n')[1]?.split(/\s+/)[1];
    expect(await ret('disk.inodeusage')).toMatchObject({ '/': { filesystem, inodes } });
    expect(JSON.stringify(await ret('disk.usage', 'h'))).toContain('"size":');
  });

  it('says what makes no sense, and lists devices without reading them', async () => {
    expect(await ret('disk.percent', '/nowhere')).toBe(
      "ERROR executing 'disk.percent': nothing is mounted at /nowhere",
    );
    expect(await ret('disk.usage', '; rm')).toContain('holds a letter other than');
    expect(await ret('disk.blkid', '/dev/nothing')).toEqual({});
  });
});

describe('status.*', () => {
  it('says what /proc says', async () => {
    expect(await ret('status.version')).toBe(readFileSync('/proc/version', 'utf8').trim());
    const total = /MemTotal:\s+(\d+)/.exec(readFileSync('/proc/meminfo', 'utf8'))?.[1];
    expect(await ret('status.meminfo')).toMatchObject({ MemTotal: { value: total, unit: 'kB' } });
    const load = await ret('status.loadavg');
    expect(Object.keys(isMap(load) ? load : {})).toEqual(['1-min', '5-min', '15-min']);
    const up = await ret('status.uptime');
    const seconds = Number(readFileSync('/proc/uptime', 'utf8').split(' ')[0]);
    expect(Math.abs(Number(isMap(up) ? up['seconds'] : 0) - seconds)).toBeLessThan(10);
    const users = isMap(up) ? up['users'] : undefined;
    if (await hasTool('who')) expect(users).toBe(lines(spawnSync('who', { encoding: 'utf8' }).stdout).length);
    else expect(users).toBeUndefined();
    expect(isMap(up) ? up['time'] : '').toMatch(/^(\d|1\d|2[0-3]):(\d|[1-5]\d)$/);
    expect(await ret('status.cpustats')).toMatchObject({ cpu: { user: expect.any(Number) as number } });
    expect(await ret('status.netdev')).toMatchObject({ lo: { iface: 'lo', rx_bytes: expect.any(Number) as number } });
    expect(JSON.stringify(await ret('status.cpuinfo'))).toContain('"processor":');
  });

  it('reads /proc into the shapes that Salt has', () => {
    expect([59, 3 * 3600 + 5 * 60, 86_399, 86_400 + 60].map(hoursText)).toEqual(['0:0', '3:5', '23:59', '0:1']);
    const stat = 'cpu  1 2 3 4 5 6 7 8 9 10\ncpu0 11 2 3\nintr 30 10 20\nctxt 5\nsoftirq 7 3 4\n';
    expect(processorTimes(stat)).toEqual({
      cpu: { user: 1, nice: 2, system: 3, idle: 4, iowait: 5, irq: 6, softirq: 7, steal: 8 },
      cpu0: 11,
      intr: { total: 30, irqs: [10, 20] },
      ctxt: 5,
      softirq: { total: 7, softirqs: [3, 4] },
    });
    expect(processorFields('processor\t: 0\nFeatures\t: fp asimd\nflags\t\t: fpu vme\n\n')).toEqual({
      processor: '0',
      Features: 'fp asimd',
      flags: ['fpu', 'vme'],
    });
  });

  it('lists processes with their accounts, and disks with their room', async () => {
    const procs = await ret('status.procs');
    const user = tool('id', '-un').trim();
    expect(isMap(procs) ? procs[String(process.pid)] : {}).toMatchObject({ user });
    expect(await ret('status.pid', 'no such process anywhere')).toBe('');
    const usage = async (...words: string[]) => Object.keys((await ret('status.diskusage', ...words)) ?? {});
    expect(await usage('/')).toEqual(['/']);
    expect(await usage('/etc')).toEqual(['/etc']);
    expect(await usage('no-such-type?')).toEqual([]);
    expect(await usage()).toContain('/');
    expect(await call('status.diskusage', ['/nowhere'])).toMatchObject({
      ret: 'ERROR: /nowhere cannot be looked at',
      retcode: 1,
    });
  });

  it('finds a process by a regular expression, and says what is none', async () => {
    const seconds = `63.${String(process.pid)}`;
    const child = spawn('sleep', [seconds], { stdio: 'ignore' });
    await once(child, 'spawn');
    expect(await ret('status.pid', `^sle{2}p 63\\.${String(process.pid)}$`)).toBe(String(child.pid));
    expect(await ret('status.pid', `sleep 6[01]\\.${String(process.pid)}`)).toBe('');
    child.kill();
    await once(child, 'exit');
    expect(await ret('status.pid', '(')).toMatch(/^ERROR executing 'status.pid': the pattern does not compile/);
  });
});

describe('network.*', () => {
  it('says what /proc and the host say', async () => {
    expect(await ret('network.get_hostname')).toBe(hostname());
    expect(await ret('network.ip_addrs', named({ include_loopback: true, interface: 'lo' }))).toEqual(['127.0.0.1']);
    expect(await ret('network.ip_addrs')).not.toContain('127.0.0.1');
    // As Salt: what leads back to the host itself does not count.
    for (const network of ['127.0.0.0/8', '::1/128', '203.0.113.0/24'])
      expect(await ret('network.in_subnet', network)).toBe(false);
    const [own] = (await ret('network.ip_addrs')) as readonly string[];
    if (own !== undefined) expect(await ret('network.in_subnet', `${own}/32`)).toBe(true);
    expect(await ret('network.is_loopback', '::1')).toBe(true);
    expect(await ret('network.interfaces')).toMatchObject({ lo: { up: true, inet: [{ address: '127.0.0.1' }] } });
    expect(await ret('network.interface_ip', 'lo')).toBe('127.0.0.1');
    expect(await ret('network.hwaddr', 'lo')).toBe('00:00:00:00:00:00');
    const lines = readFileSync('/proc/net/route', 'utf8').trim().split('\n').length - 1;
    expect(await ret('network.routes', 'inet')).toHaveLength(lines);
    expect(isMap(await ret('network.active_tcp'))).toBe(true);
  });

  it('tells of each interface what Salt tells', async () => {
    const all = (await ret('network.interfaces')) as ValueMap;
    for (const [name, one] of Object.entries(all))
      expect(await ret('network.interface', name)).toEqual(isMap(one) ? (one['inet'] ?? '') : undefined);
    expect(all['lo']).toMatchObject({ inet: [{ netmask: '255.0.0.0', broadcast: null, label: 'lo' }] });
    const six = Object.values(all).flatMap((one) => (isMap(one) && isList(one['inet6']) ? one['inet6'] : []));
    for (const address of six) expect(address).toMatchObject({ scope: expect.stringMatching(/^(host|link|site|global)$/) as string }); // prettier-ignore
    expect(['::1', 'fe80::1', 'fec0::1', '2001:db8::1', 'fd00::1'].map(scopeOf)).toEqual(['host', 'link', 'site', 'global', 'global']); // prettier-ignore
    expect([broadcastOf('10.0.0.1/32'), broadcastOf('10.0.0.1/31'), broadcastOf('127.0.0.1/8')]).toEqual([null, null, null]); // prettier-ignore
  });

  it('names networks by the interfaces that are asked for, and none of the host itself', async () => {
    const all = (await ret('network.subnets')) as readonly string[];
    expect(all.filter((network) => network.startsWith('127.'))).toEqual([]);
    for (const none of ['lo', ['lo'], 'eth99', 'e*', []]) expect(await ret('network.subnets', none)).toEqual([]);
    const names = Object.keys((await ret('network.interfaces')) ?? {});
    expect(await ret('network.subnets', named({ interfaces: names }))).toEqual(all);
  });

  it('names the IPv6 networks of the interfaces, each once and in order, and none of the host itself', async () => {
    const all = Object.values((await ret('network.interfaces')) as Readonly<Record<string, ValueMap>>);
    const own = all.flatMap(({ inet6 = [] }) => inet6 as readonly Readonly<Record<string, string>>[]);
    const outward = own.filter(({ scope }) => scope !== 'host');
    const networks = outward.map(({ address = '', prefixlen = '' }) => networkOf(`${address}/${prefixlen}`));
    expect(await ret('network.subnets6')).toEqual(inOrder(networks));
  });

  it.each([
    ['fe80::a1b2:3ff:fe04:5/64', 'fe80::/64'],
    ['2001:db8:ffff::1/33', '2001:db8:8000::/33'],
    ['::1', '::1/128'],
    ['2001:db8::1/0', '::/0'],
    ['10.1.2.3/12', '10.0.0.0/12'],
  ])('%s lies in %s', (address, network) => {
    expect(networkOf(address)).toBe(network);
  });

  it('a network says more than the type of an address', async () => {
    expect(await ret('network.ip_addrs', 'lo', true, '127.0.0.0/8', 'public')).toEqual(['127.0.0.1']);
    expect(await ret('network.ip_addrs', 'lo', true, '10.0.0.0/8', 'private')).toEqual([]);
  });

  it('reads neighbours and connections as the kernel writes them', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'natrium-net-'));
    const file = (name: string, text: string): string => {
      writeFileSync(join(folder, name), text);
      return join(folder, name);
    };
    try {
      const arp = `IP address HW type Flags HW address Mask Device
192.0.2.1 0x1 0x2 02:00:00:00:00:01 * eth0
192.0.2.9 0x1 0x0 00:00:00:00:00:00 * eth0
`;
      expect(await neighbours(file('arp', arp))).toEqual({ '02:00:00:00:00:01': '192.0.2.1' });
      const [head, tail] = ['  sl  local_address remote_address st', '00000000:00000000 00:00000000 00000000 0 0 1 1'];
      const tcp = file('tcp', `${head}\n 0: 0100007F:0016 0200007F:D431 01 ${tail}\n 1: 0100007F:0016 00000000:0000 0A ${tail}\n`); // prettier-ignore
      const mapped = '0000000000000000FFFF00000100000A:01BB';
      const tcp6 = file('tcp6', `${head}\n 0: ${mapped} 000080FE000000000000000001000000:0050 01 ${tail}\n`);
      expect(await activeTcp(tcp, tcp6)).toEqual({
        0: { local_addr: '127.0.0.1', local_port: 22, remote_addr: '127.0.0.2', remote_port: 54_321 },
        1: { local_addr: '10.0.0.1', local_port: 443, remote_addr: 'fe80::1', remote_port: 80 },
      });
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('reads an interface as globs with commas, and has no address of one that is not there', async () => {
    const of = (only: Value) => ret('network.ip_addrs', named({ include_loopback: true, interface: only }));
    for (const globs of ['l?', 'eth99,lo', 'eth99, l*', ['eth99', 'lo']])
      expect(await of(globs)).toEqual(['127.0.0.1']);
    for (const globs of ['eth99', 'l', '', []]) expect(await of(globs)).toEqual([]);
    expect(await ret('network.ip_addrs6', 'eth99')).toEqual([]);
    expect(await of(null)).toContain('127.0.0.1');
  });

  it('has the functions under both of their names, and tells private from public addresses', async () => {
    const alike = [
      ['network.ip_addrs', 'network.ipaddrs'],
      ['network.ip_addrs6', 'network.ipaddrs6'],
    ] as const;
    for (const [one, other] of alike) expect(await ret(other)).toEqual(await ret(one));
    expect(await ret('network.hw_addr', 'lo')).toBe('00:00:00:00:00:00');
    const of = (type: string) => ret('network.ip_addrs', 'lo', true, '', type);
    expect(await of('private')).toEqual(['127.0.0.1']);
    expect(await of('public')).toEqual([]);
    expect(['10.1.1.1', '172.31.0.1', '192.0.0.7', '255.255.255.255'].filter((address) => !isPrivate(address))).toEqual(
      [],
    );
    expect(['9.9.9.9', '172.32.0.1', '192.0.0.8', '100.64.0.1'].filter((address) => isPrivate(address))).toEqual([]);
    for (const own of ['10.0.0.3', '::1', 'fe80::1', 'fd00::1', '2001:db8::1'])
      expect(await ret('network.is_private', own)).toBe(true);
    for (const open of ['9.9.9.9', '2620:fe::fe', '2001:200::1'])
      expect(await ret('network.is_private', open)).toBe(false);
    expect(await ret('network.is_private', 'web1')).toContain('web1 is no address');
  });

  it('names the interfaces there are when asked for another, and refuses what is no network', async () => {
    expect(await ret('network.hwaddr', 'eth99')).toContain('Interface "eth99" not in available interfaces: "');
    expect(await ret('network.in_subnet', '10.0.0.0/99')).toContain('is no network');
    expect(await ret('network.ip_addrs', 'eth99', false, '10.0.0.0/99')).toContain('is no network');
    expect(await ret('network.ip_addrs', 'lo', true, '127.0.0.9/8')).toEqual(['127.0.0.1']);
    expect(await ret('network.routes', 'ipx')).toContain('Invalid address family ipx');
  });

  it('reckons with addresses', () => {
    expect(isInNetwork('10.1.2.3', '10.0.0.0/8')).toBe(true);
    expect(isInNetwork('::1', '10.0.0.0/8')).toBe(false);
    expect(isInNetwork('x', '10.0.0.0/8')).toBeUndefined();
    const four = ['10.0.0.10', '9.9.9.9', '10.0.0.9', '10.0.0.9', '100.0.0.1'];
    expect(inOrder(four)).toEqual(['9.9.9.9', '10.0.0.9', '10.0.0.10', '100.0.0.1']);
    expect(inOrder(['10.0.0.0/16', '10.0.0.0/8', '9.0.0.0/24'])).toEqual(['9.0.0.0/24', '10.0.0.0/8', '10.0.0.0/16']);
    expect(inOrder(['fe80::a', '2001:db8::1', 'fe80::9', '::1'])).toEqual(['::1', '2001:db8::1', 'fe80::9', 'fe80::a']);
    expect(networkOf('192.168.77.5/20')).toBe('192.168.64.0/20');
    expect(networkOf('1.2.3.4/0')).toBe('0.0.0.0/0');
    expect(broadcastOf('192.168.77.5/24')).toBe('192.168.77.255');
    expect(fromProc('010200C0')).toBe('192.0.2.1');
    expect(fromProc6('fe800000000000000000000000000001')).toBe('fe80::1');
  });
});

it('network.ping takes a host and no option, and says when there is no ping here', async () => {
  for (const host of ['-f', '--help', 'a b', '$(id)', '']) {
    expect((await call('network.ping', [host])).ret).toMatch(/is no name or address of a host/);
  }
  expect((await call('network.ping', ['127.0.0.1', 99])).ret).toMatch(/timeout must be 1 to 60/);
  if (!(await hasTool('ping'))) {
    expect((await call('network.ping', ['127.0.0.1'])).ret).toBe('ERROR: this host has no ping');
    return;
  }
  expect(await call('network.ping', ['127.0.0.1', 5, true])).toMatchObject({ ret: true, retcode: 0 });
  // As in Salt the job fails as ping does: 2, since there is no such interface.
  const nobody = 'fe80::1%eth99';
  expect(await call('network.ping', [nobody, 5, true])).toMatchObject({ ret: false, retcode: 2, success: false });
  expect(await call('network.ping', [nobody, 5])).toMatchObject({ retcode: 2 });
});
