/** Grains of the machine: processors, memory, disks, and whether it is a virtual one. */
import type { ValueMap } from '@natrium/model';
import { readNames, readText } from './read-text.js';
import { virtualGrains } from './virtual-grains.js';

export function hardwareGrains(): ValueMap {
  const dmi = dmiGrains();
  const cpuinfo = readText('/proc/cpuinfo');
  return {
    ...cpuGrains(cpuinfo),
    ...memoryGrains(readText('/proc/meminfo')),
    ...diskGrains(),
    ...dmi,
    ...virtualGrains(dmi, cpuinfo),
  };
}

function cpuGrains(cpuinfo: string): ValueMap {
  const lines = cpuinfo.split('\n');
  const first = (key: string): string => valueOf(lines.find((line) => line.startsWith(`${key}\t`)));
  const flags = first('flags') || first('Features');
  return {
    num_cpus: lines.filter((line) => line.startsWith('processor')).length,
    cpu_model: first('model name') || first('Processor'),
    cpu_flags: flags === '' ? [] : flags.split(' '),
  };
}

function valueOf(line: string | undefined): string {
  return line === undefined ? '' : line.slice(line.indexOf(':') + 1).trim();
}

/** Whole mebibytes, as Salt's. */
function memoryGrains(meminfo: string): ValueMap {
  const mebibytes = (key: string): number =>
    Math.floor(Number(new RegExp(`^${key}:\\s+(\\d+)`, 'm').exec(meminfo)?.[1] ?? 0) / 1024);
  return { mem_total: mebibytes('MemTotal'), swap_total: mebibytes('SwapTotal') };
}

function diskGrains(): ValueMap {
  const names = readNames('/sys/block');
  const solid = (name: string): boolean => readText(`/sys/block/${name}/queue/rotational`) === '0';
  return { disks: names.filter((name) => !solid(name)), ssds: names.filter(solid) };
}

const DMI: Readonly<Record<string, string>> = {
  biosversion: 'bios_version',
  biosreleasedate: 'bios_date',
  manufacturer: 'sys_vendor',
  productname: 'product_name',
  serialnumber: 'product_serial',
  uuid: 'product_uuid',
};

function dmiGrains(): ValueMap {
  const entries = Object.entries(DMI).map(([grain, file]) => [grain, readText(`/sys/class/dmi/id/${file}`)] as const);
  return Object.fromEntries(entries.filter(([, text]) => text !== ''));
}
