/** Grains of the operating system, from `os-release`, with Salt's names for the distributions that it knows. */
import type { ValueMap } from '@natrium/model';
import { arch, machine, release, type as kernelName, version } from 'node:os';
import { readText } from './read-text.js';

interface Distribution {
  readonly os: string;
  readonly family: string;
}

const DISTRIBUTIONS: Readonly<Record<string, Distribution>> = {
  debian: { os: 'Debian', family: 'Debian' },
  ubuntu: { os: 'Ubuntu', family: 'Debian' },
  raspbian: { os: 'Raspbian', family: 'Debian' },
  pop: { os: 'Pop', family: 'Debian' },
  linuxmint: { os: 'Mint', family: 'Debian' },
  kali: { os: 'Kali', family: 'Debian' },
  rhel: { os: 'RedHat', family: 'RedHat' },
  centos: { os: 'CentOS', family: 'RedHat' },
  fedora: { os: 'Fedora', family: 'RedHat' },
  rocky: { os: 'Rocky', family: 'RedHat' },
  almalinux: { os: 'AlmaLinux', family: 'RedHat' },
  ol: { os: 'OEL', family: 'RedHat' },
  amzn: { os: 'Amazon', family: 'RedHat' },
  sles: { os: 'SUSE', family: 'Suse' },
  'opensuse-leap': { os: 'SUSE', family: 'Suse' },
  'opensuse-tumbleweed': { os: 'SUSE', family: 'Suse' },
  arch: { os: 'Arch', family: 'Arch' },
  alpine: { os: 'Alpine', family: 'Alpine' },
  gentoo: { os: 'Gentoo', family: 'Gentoo' },
  void: { os: 'Void', family: 'Void' },
};

/** How Debian names the processor, as `osarch` has it. */
const DEBIAN_ARCH: Readonly<Record<string, string>> = {
  x64: 'amd64',
  arm64: 'arm64',
  arm: 'armhf',
  ia32: 'i386',
  ppc64: 'ppc64el',
  s390x: 's390x',
};

export function osGrains(): ValueMap {
  const kernel = { kernel: kernelName(), kernelrelease: release(), kernelversion: version(), cpuarch: machine() };
  return { ...kernel, ...distribution(readOsRelease(readText('/etc/os-release') || readText('/usr/lib/os-release'))) };
}

/** `KEY=value` lines; a value may be quoted. */
export function readOsRelease(text: string): ReadonlyMap<string, string> {
  const lines = text.split('\n').map((line) => /^\s*([A-Z0-9_]+)=(.*)$/.exec(line.trimEnd()));
  return new Map(
    lines.flatMap((match) => (match === null ? [] : [[match[1] ?? '', unquote(match[2] ?? '')] as const])),
  );
}

function unquote(text: string): string {
  const quoted = /^(["'])(.*)\1$/.exec(text);
  return quoted === null ? text : (quoted[2] ?? '').replace(/\\(["'\\$`])/g, '$1');
}

export function distribution(release: ReadonlyMap<string, string>): ValueMap {
  const id = release.get('ID') ?? '';
  const { os, family } = known(id, release) ?? unknownDistribution(release);
  const name = release.get('NAME') ?? os;
  const full = name === 'openSUSE Leap' ? 'Leap' : name;
  const version = release.get('VERSION_ID') ?? '';
  const info = version
    .split('.')
    .filter((part) => /^\d+$/.test(part))
    .map(Number);
  const [major] = info;
  return {
    os,
    os_family: family,
    osfullname: full,
    oscodename: release.get('VERSION_CODENAME') ?? codeName(id, release) ?? release.get('PRETTY_NAME') ?? '',
    osrelease: version,
    osrelease_info: info,
    ...(major === undefined ? {} : { osmajorrelease: major }),
    osfinger: `${['Debian', 'Raspbian'].includes(os) ? os : full}-${['Ubuntu', 'Pop'].includes(os) ? version : String(major ?? version)}`,
    osarch: family === 'Debian' ? (DEBIAN_ARCH[arch()] ?? arch()) : machine(),
    lsb_distrib_id: name,
    lsb_distrib_release: version,
    lsb_distrib_codename: release.get('VERSION_CODENAME') ?? '',
  };
}

/** Both kinds of CentOS have one id. */
function known(id: string, release: ReadonlyMap<string, string>): Distribution | undefined {
  const isStream = id === 'centos' && release.get('NAME') === 'CentOS Stream';
  return isStream ? { os: 'CentOS Stream', family: 'RedHat' } : DISTRIBUTIONS[id];
}

/** Of those that have it in the version alone: `8.5 (Green Obsidian)`. */
function codeName(id: string, release: ReadonlyMap<string, string>): string | undefined {
  if (id !== 'rocky' && id !== 'almalinux') return undefined;
  return /\(([^()]+)\)$/.exec(release.get('VERSION') ?? release.get('PRETTY_NAME') ?? '')?.[1];
}

/** A derivative says what it is like; its family is that of the first relative that is known. */
function unknownDistribution(release: ReadonlyMap<string, string>): Distribution {
  const os =
    release
      .get('NAME')
      ?.replaceAll(/\W(?:gnu\/)?linux/gi, '')
      .trim() ?? kernelName();
  const relatives = (release.get('ID_LIKE') ?? '').split(' ').map((id) => DISTRIBUTIONS[id]?.family);
  return { os, family: relatives.find((family) => family !== undefined) ?? os };
}
