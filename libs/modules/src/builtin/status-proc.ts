/** What `/proc` counts, as maps; each function names its file. A file that is not there is an answer of its own. */
import { readFile } from 'node:fs/promises';
import type { Value, ValueMap } from '@natrium/model';
import { ExecutionError } from '../loader/errors.js';

/** @throws {ExecutionError} When this kernel does not tell it. */
export async function procText(name: string): Promise<string> {
  return readFile(`/proc/${name}`, 'utf8').catch(() => {
    throw new ExecutionError(`this host has no /proc/${name}`);
  });
}

/** `/proc/meminfo`: `MemTotal: {value: '…', unit: 'kB'}`. */
export function memoryFields(text: string): ValueMap {
  const fields = [...text.matchAll(/^(\S+):\s+(\d+)(?: (\w+))?$/gm)];
  return Object.fromEntries(
    fields.map(([, name = '', value = '', unit]) => [name, unit === undefined ? { value } : { value, unit }]),
  );
}

/** `/proc/cpuinfo`: the last processor's values, its flags as a list. */
export function processorFields(text: string): ValueMap {
  const fields = [...text.matchAll(/^([^\t:\n]+)\t*: ?(.*)$/gm)];
  return Object.fromEntries(
    fields.map(([, name = '', value = '']) => [name, /^(flags|Features)$/.test(name) ? value.split(' ') : value]),
  );
}

const CPU = ['user', 'nice', 'system', 'idle', 'iowait', 'irq', 'softirq', 'steal', 'guest', 'guest_nice'];

/** `/proc/stat`: times of each processor by name, the first number of the rest. */
export function processorTimes(text: string): ValueMap {
  const rows = text
    .trim()
    .split('\n')
    .map((line) => line.split(/\s+/));
  return Object.fromEntries(
    rows.map(([name = '', ...words]): [string, Value] => {
      const numbers = words.map(Number);
      if (name.startsWith('cpu')) return [name, Object.fromEntries(CPU.map((key, at) => [key, numbers[at] ?? 0]))];
      return [name, numbers[0] ?? 0];
    }),
  );
}

const RECEIVED = ['bytes', 'packets', 'errs', 'drop', 'fifo', 'frame', 'compressed', 'multicast'];
const SENT = ['bytes', 'packets', 'errs', 'drop', 'fifo', 'colls', 'carrier', 'compressed'];

/** `/proc/net/dev`: what each interface received (`rx_…`) and sent (`tx_…`). */
export function interfaceCounters(text: string): ValueMap {
  const keys = [...RECEIVED.map((key) => `rx_${key}`), ...SENT.map((key) => `tx_${key}`)];
  const rows = [...text.matchAll(/^\s*([^\s:]+):\s*(.*)$/gm)];
  return Object.fromEntries(
    rows.map(([, name = '', rest = '']) => {
      const numbers = rest.trim().split(/\s+/).map(Number);
      return [name, Object.fromEntries(keys.map((key, at) => [key, numbers[at] ?? 0]))];
    }),
  );
}

/** `/proc/diskstats`: counters of each block device. */
export function diskCounters(text: string): ValueMap {
  const keys = [
    'major',
    'minor',
    'device',
    ...'reads_issued reads_merged sectors_read ms_spent_reading writes_completed writes_merged sectors_written ms_spent_writing io_in_progress ms_spent_in_io weighted_ms_spent_in_io'.split(
      ' ',
    ),
  ];
  const rows = text
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/\s+/));
  return Object.fromEntries(
    rows
      .filter((words) => words.length > 10)
      .map((words) => [
        words[2] ?? '',
        Object.fromEntries(
          keys.map((key, at): [string, Value] => [key, at === 2 ? (words[2] ?? '') : Number(words[at] ?? 0)]),
        ),
      ]),
  );
}

/** `/proc/vmstat`: a number for each name. */
export function plainCounters(text: string): ValueMap {
  return Object.fromEntries([...text.matchAll(/^(\S+) (\d+)$/gm)].map(([, name = '', value]) => [name, Number(value)]));
}
