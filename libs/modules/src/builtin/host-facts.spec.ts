/** `disk`, `status` and `network` against what the system's own programs say of this machine. */
import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { isMap, type Value } from '@natrium/model';
import { hasTool } from '../process/run-tool.js';
import { call, named } from '../testing/call-context.js';
import { broadcastOf, fromProc, fromProc6, isInNetwork, isPrivate, networkOf } from './addresses.js';

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
    expect(JSON.stringify(await ret('status.cpustats'))).toContain('"cpu0":{"user":');
    expect(JSON.stringify(await ret('status.netdev'))).toContain('"lo":{"rx_bytes":');
    expect(JSON.stringify(await ret('status.cpuinfo'))).toContain('"processor":');
  });

  it('lists processes with their accounts, and disks with their room', async () => {
    const procs = await ret('status.procs');
    const user = tool('id', '-un').trim();
    expect(isMap(procs) ? procs[String(process.pid)] : {}).toMatchObject({ user });
    expect(await ret('status.pid', 'no such process anywhere')).toBe('');
    const usage = await ret('status.diskusage', '/');
    expect(Object.keys(isMap(usage) ? usage : {})).toEqual(['/']);
  });
});

describe('network.*', () => {
  it('says what /proc and the host say', async () => {
    expect(await ret('network.get_hostname')).toBe(hostname());
    expect(await ret('network.ip_addrs', named({ include_loopback: true, interface: 'lo' }))).toEqual(['127.0.0.1']);
    expect(await ret('network.ip_addrs')).not.toContain('127.0.0.1');
    expect(await ret('network.in_subnet', '127.0.0.0/8')).toBe(true);
    expect(await ret('network.in_subnet', '203.0.113.0/24')).toBe(false);
    expect(await ret('network.is_loopback', '::1')).toBe(true);
    expect(await ret('network.interfaces')).toMatchObject({ lo: { up: true, inet: [{ address: '127.0.0.1' }] } });
    expect(await ret('network.interface_ip', 'lo')).toBe('127.0.0.1');
    expect(await ret('network.hwaddr', 'lo')).toBe('00:00:00:00:00:00');
    const lines = readFileSync('/proc/net/route', 'utf8').trim().split('\n').length - 1;
    expect(await ret('network.routes', 'inet')).toHaveLength(lines);
    expect(isMap(await ret('network.active_tcp'))).toBe(true);
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
  });

  it('names the interfaces there are when asked for another, and refuses what is no network', async () => {
    expect(await ret('network.hwaddr', 'eth99')).toContain('Interface "eth99" not in available interfaces: "');
    expect(await ret('network.in_subnet', '10.0.0.0/99')).toContain('is no network');
    expect(await ret('network.routes', 'ipx')).toContain('Invalid address family ipx');
  });

  it('reckons with addresses', () => {
    expect(isInNetwork('10.1.2.3', '10.0.0.0/8')).toBe(true);
    expect(isInNetwork('::1', '10.0.0.0/8')).toBe(false);
    expect(isInNetwork('x', '10.0.0.0/8')).toBeUndefined();
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
  const { ret } = await call('network.ping', ['127.0.0.1', 5, true]);
  expect(ret === true || ret === 'ERROR: this host has no ping').toBe(true);
});
