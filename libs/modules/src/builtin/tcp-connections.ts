/** The TCP connections that are open, as `/proc/net` has them. */
import { readFile } from 'node:fs/promises';
import type { ValueMap } from '@natrium/model';
import { fromProc, fromProc6, unmapped } from './addresses.js';

const ESTABLISHED = '01';
const LIMIT = 10_000;

/** By a number from 0: both ends, each as address and port. */
export async function activeTcp(tcp = '/proc/net/tcp', tcp6 = '/proc/net/tcp6'): Promise<ValueMap> {
  const all = [...(await connections(tcp, fromProc)), ...(await connections(tcp6, addressIn6))];
  return Object.fromEntries(all.slice(0, LIMIT).map((one, index) => [String(index), one]));
}

async function connections(file: string, show: (hex: string) => string): Promise<readonly ValueMap[]> {
  const text = await readFile(file, 'utf8').catch(() => '');
  const rows = text.split('\n').map((line) => line.trim().split(/\s+/));
  return rows
    .filter((words) => words[3] === ESTABLISHED)
    .map(([, local = '', remote = '']) => {
      const [localAddress = '', localPort = ''] = local.split(':');
      const [remoteAddress = '', remotePort = ''] = remote.split(':');
      return {
        local_addr: show(localAddress),
        local_port: Number.parseInt(localPort, 16),
        remote_addr: show(remoteAddress),
        remote_port: Number.parseInt(remotePort, 16),
      };
    });
}

/** The bytes of each group of four stand in the order of the machine. */
function addressIn6(hex: string): string {
  const reversed = (word: string): string => (word.match(/../g) ?? []).reverse().join('');
  return unmapped(fromProc6((hex.match(/.{8}/g) ?? []).map(reversed).join('')));
}
