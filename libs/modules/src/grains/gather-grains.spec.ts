import { execFileSync } from 'node:child_process';
import { quickest } from '@natrium/testing';
import { gatherGrains } from './gather-grains.js';
import { fullName, readHosts } from './network-grains.js';
import { distribution, readOsRelease } from './os-grains.js';
import { serverId } from './process-grains.js';

describe('grains of this machine', () => {
  const grains = gatherGrains('web1', { master: 'salt', grains: { role: 'web' } });

  it('agree with what the system says', () => {
    const uname = (flag: string): string => execFileSync('uname', [flag], { encoding: 'utf8' }).trim();
    expect(grains).toMatchObject({
      id: 'web1',
      master: 'salt',
      role: 'web',
      kernel: uname('-s'),
      kernelrelease: uname('-r'),
      cpuarch: uname('-m'),
      nodename: uname('-n'),
      num_cpus: Number(execFileSync('nproc', ['--all'], { encoding: 'utf8' })),
      uid: process.getuid?.(),
      pid: process.pid,
      saltversion: 'Natrium-0.1.0',
    });
  });

  it('have every name that clients look for', () => {
    const names =
      'os os_family osfullname osrelease osmajorrelease oscodename osfinger cpu_model mem_total fqdn host domain localhost ipv4 ipv6 fqdn_ip4 ip_interfaces ip4_interfaces hwaddr_interfaces virtual path shell ps natriumversion nodeversion timezone init machine_id server_id username groupname locale_info dns';
    expect(Object.keys(grains)).toEqual(expect.arrayContaining(names.split(' ')));
    expect(grains['ipv4']).toContain('127.0.0.1');
  });

  it('are gathered in a blink', () => {
    expect(quickest(() => gatherGrains('web1', {}), 20)).toBeLessThan(20);
  });
});

describe('grains from files', () => {
  it('name distributions as Salt does', () => {
    const ubuntu = readOsRelease(
      'NAME="Ubuntu"\nVERSION_ID="22.04"\nID=ubuntu\nID_LIKE=debian\nVERSION_CODENAME=jammy\n',
    );
    expect(distribution(ubuntu)).toMatchObject({
      os: 'Ubuntu',
      os_family: 'Debian',
      osrelease: '22.04',
      osmajorrelease: 22,
      oscodename: 'jammy',
      osfinger: 'Ubuntu-22.04',
    });
    const rocky = readOsRelease(
      "NAME='Rocky Linux'\nVERSION_ID='9.4'\nID='rocky'\nPRETTY_NAME='Rocky Linux 9.4 (Blue Onyx)'",
    );
    expect(distribution(rocky)).toMatchObject({
      os: 'Rocky',
      os_family: 'RedHat',
      osmajorrelease: 9,
      osfinger: 'Rocky Linux-9',
    });
    expect(distribution(readOsRelease('NAME=Foo\nID=foo\nID_LIKE="bar fedora"'))).toMatchObject({
      os: 'Foo',
      os_family: 'RedHat',
    });
  });

  it.each([
    ['CentOS Linux', 'centos', '8', '', { os: 'CentOS', os_family: 'RedHat', osfinger: 'CentOS Linux-8' }],
    ['CentOS Stream', 'centos', '9', '', { os: 'CentOS Stream', os_family: 'RedHat', osfinger: 'CentOS Stream-9' }],
    ['Rocky Linux', 'rocky', '8.5', '8.5 (Green Obsidian)', { os: 'Rocky', oscodename: 'Green Obsidian' }],
    ['AlmaLinux', 'almalinux', '8.5', '8.5 (Arctic Sphynx)', { os: 'AlmaLinux', oscodename: 'Arctic Sphynx' }],
    ['Red Hat Enterprise Linux', 'rhel', '9.3', '9.3 (Plow)', { os: 'RedHat', oscodename: 'as it is shown' }],
    ['openSUSE Leap', 'opensuse-leap', '15.6', '15.6', { os: 'SUSE', osfullname: 'Leap', osfinger: 'Leap-15' }],
    ['SLES', 'sles', '15.5', '15-SP5', { os: 'SUSE', osfullname: 'SLES', osfinger: 'SLES-15' }],
    ['Pop!_OS', 'pop', '21.10', '21.10', { os: 'Pop', os_family: 'Debian', osfinger: 'Pop!_OS-21.10' }],
    ['Devuan GNU/Linux', 'devuan', '5', '5', { os: 'Devuan', osfinger: 'Devuan GNU/Linux-5' }],
    ['Linux Mint', 'linuxmint', '20.3', '20.3 (Una)', { os: 'Mint', osfinger: 'Linux Mint-20' }],
  ])('name a host with %s (%s) as targets for Salt do', (name, id, number, version, grains) => {
    const lines = { NAME: name, ID: id, VERSION_ID: number, VERSION: version, PRETTY_NAME: 'as it is shown' };
    expect(distribution(new Map(Object.entries(lines)))).toMatchObject(grains);
  });

  it('find the full name of a host without asking anybody', () => {
    const hosts = readHosts('127.0.0.1 localhost # web1.wrong\n10.0.0.5 web1.example.com web1\n');
    expect(fullName('web1', hosts)).toBe('web1.example.com');
    expect(fullName('db1', hosts)).toBe('db1');
    expect(fullName('db1.foo.org', hosts)).toBe('db1.foo.org');
  });

  it('give each id the number that Salt gives it', () => {
    // int(hashlib.sha256(b'web1').hexdigest(), 16) % 2**31
    expect(serverId('web1')).toBe(1_826_842_219);
  });
});
