/** What kind of machine this is: `physical`, a container, or a guest of a hypervisor that leaves its name somewhere. */
import { pyStr, type ValueMap } from '@natrium/model';
import { existsSync } from 'node:fs';
import { readText } from './read-text.js';

const HYPERVISORS: readonly (readonly [words: RegExp, virtual: string])[] = [
  [/VMware/, 'VMware'],
  [/VirtualBox|innotek/, 'VirtualBox'],
  [/Microsoft Corporation.*Virtual Machine/, 'VirtualPC'],
  [/Parallels/, 'Parallels'],
  [/OpenStack|KVM|QEMU|RHEV|oVirt|Google/, 'kvm'],
  [/Amazon EC2/, 'Nitro'],
  [/Xen|HVM domU/, 'xen'],
  [/BHYVE/, 'bhyve'],
];

export function virtualGrains(dmi: ValueMap, cpuinfo: string): ValueMap {
  const container = containerKind();
  if (container !== undefined) return { virtual: 'container', virtual_subtype: container };
  const words = ['manufacturer', 'productname', 'biosversion'].map((name) => pyStr(dmi[name] ?? '')).join(' ');
  const known = HYPERVISORS.find(([pattern]) => pattern.test(words))?.[1];
  if (known !== undefined) return { virtual: known };
  return { virtual: /^flags\t.*\bhypervisor\b/m.test(cpuinfo) ? 'kvm' : 'physical' };
}

function containerKind(): string | undefined {
  const named = /(?:^|\0)container=([\w-]+)/.exec(readText('/proc/1/environ'))?.[1];
  if (existsSync('/.dockerenv') || named === 'docker') return 'Docker';
  if (existsSync('/run/.containerenv') || named === 'podman') return 'Podman';
  if (readText('/proc/1/cgroup').includes('/kubepods')) return 'Docker';
  return named === undefined ? undefined : named.toUpperCase().startsWith('LXC') ? 'LXC' : named;
}
