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

/** Hours and minutes of the day that has begun, as Salt writes them: `3:5`. */
export function hoursText(seconds: number): string {
  const minutes = Math.floor((seconds % 86_400) / 60);
  return `${Math.floor(minutes / 60)}:${minutes % 60}`;
}

/** `/proc/meminfo`: `MemTotal: {value: '…', unit: 'kB'}`. */
export function memoryFields(text: string): ValueMap {
  const fields = [...text.matchAll(/^(\S+):\s+(\d+)(?: (\w+))?$/gm)];
  return Object.fromEntries(
    fields.map(([, name = '', value = '', unit]) => [name, unit === undefined ? { value } : { value, unit }]),
  );
}

/** `/proc/cpuinfo`: the last processor's values as text, `flags` as a list. */
export function processorFields(text: string): ValueMap {
  const fields = [...text.matchAll(/^([^\t:\n]+)\t*: ?(.*)$/gm)];
  return Object.fromEntries(
    fields.map(([, name = '', value = '']) => [name, name === 'flags' ? value.split(' ') : value]),
  );
}

const CPU = ['user', 'nice', 'system', 'idle', 'iowait', 'irq', 'softirq', 'steal'];
/** Rows of which the first number is the sum of the others. */
const SUMMED: Readonly<Record<string, string>> = { intr: 'irqs', softirq: 'softirqs' };

/** `/proc/stat`: the times of all processors by name, sums with their parts, the first number of every other row. */
export function processorTimes(text: string): ValueMap {
  const rows = text
    .trim()
    .split('\n')
    .map((line) => line.split(/\s+/));
  return Object.fromEntries(
    rows.map(([name = '', ...words]): [string, Value] => {
      const [first = 0, ...others] = words.map(Number);
      if (name === 'cpu') return [name, Object.fromEntries(CPU.map((key, at) => [key, [first, ...others][at] ?? 0]))];
      const parts = SUMMED[name];
      return [name, parts === undefined ? first : { total: first, [parts]: others }];
    }),
  );
}

const RECEIVED = ['bytes', 'packets', 'errs', 'drop', 'fifo', 'frame', 'compressed', 'multicast'];
const SENT = ['bytes', 'packets', 'errs', 'drop', 'fifo', 'colls', 'carrier', 'compressed'];

/** `/proc/net/dev`: the name of each interface, what it received (`rx_…`) and sent (`tx_…`). */
export function interfaceCounters(text: string): ValueMap {
  const keys = [...RECEIVED.map((key) => `rx_${key}`), ...SENT.map((key) => `tx_${key}`)];
  const rows = [...text.matchAll(/^\s*([^\s:]+):\s*(.*)$/gm)];
  return Object.fromEntries(
    rows.map(([, name = '', rest = '']) => {
      const numbers = rest.trim().split(/\s+/).map(Number);
      return [name, { iface: name, ...Object.fromEntries(keys.map((key, at) => [key, numbers[at] ?? 0])) }];
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
