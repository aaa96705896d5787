/** The routes of this host and its neighbours, as `/proc/net` has them. */
import { readFile } from 'node:fs/promises';
import type { ValueMap } from '@natrium/model';
import { fromProc, fromProc6 } from './addresses.js';

const FLAGS: readonly (readonly [bit: number, letter: string])[] = [
  [1, 'U'],
  [2, 'G'],
  [4, 'H'],
  [16, 'D'],
  [32, 'M'],
  [512, '!'],
];

export async function routes4(): Promise<readonly ValueMap[]> {
  return (await rowsOf('/proc/net/route')).slice(1).map((words) => {
    const [name = '', destination = '', gateway = '', flags = '', , , metric = '', mask = ''] = words;
    return {
      addr_family: 'inet',
      destination: fromProc(destination),
      gateway: fromProc(gateway),
      netmask: fromProc(mask),
      flags: letters(flags),
      metric: Number(metric),
      interface: name,
    };
  });
}

export async function routes6(): Promise<readonly ValueMap[]> {
  return (await rowsOf('/proc/net/ipv6_route')).map((words) => {
    const [destination = '', bits = '', , , gateway = '', metric = '', , , flags = '', name = ''] = words;
    return {
      addr_family: 'inet6',
      destination: `${fromProc6(destination)}/${Number.parseInt(bits, 16)}`,
      gateway: fromProc6(gateway),
      netmask: '',
      flags: letters(flags),
      metric: Number.parseInt(metric, 16),
      interface: name,
    };
  });
}

/** From hardware address to IPv4 address, of those that answered: the others have no flags and only zeros. */
export async function neighbours(path = '/proc/net/arp'): Promise<ValueMap> {
  const rows = (await rowsOf(path, 4)).slice(1).filter(([, , flags]) => flags !== '0x0');
  return Object.fromEntries(rows.map(([address = '', , , mac = '']) => [mac, address]));
}

async function rowsOf(path: string, least = 8): Promise<readonly (readonly string[])[]> {
  const text = await readFile(path, 'utf8').catch(() => '');
  return text
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter((words) => words.length >= least);
}

function letters(hex: string): string {
  const bits = Number.parseInt(hex, 16);
  return FLAGS.filter(([bit]) => (bits & bit) !== 0)
    .map(([, letter]) => letter)
    .join('');
}
