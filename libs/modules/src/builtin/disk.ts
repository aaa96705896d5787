/** `disk.*`: how full the file systems of this host are. Only what `/proc`, `/dev` and `statfs` tell. */
import { readdir, readlink } from 'node:fs/promises';
import { basename } from 'node:path';
import type { Value, ValueMap } from '@natrium/model';
import { defineModule } from '../loader/declaration.js';
import { ExecutionError, InvocationError } from '../loader/errors.js';
import { fn } from '../minion-registry.js';
import { isRemote, type Mount, mounts, percentInodes, percentUsed, type Usage, usages } from './mounts.js';

const ARGS = {
  name: 'args',
  type: 'str',
  default: '',
  doc: 'Letters as `df` takes them: h sizes for people, a all file systems, l local ones.',
} as const;

type Show = (mount: Mount, usage: Usage, letters: string) => Value;

async function each(letters: string, show: Show, only: (mount: Mount) => boolean = () => true): Promise<ValueMap> {
  const wanted = letters.replace(/^-/, '');
  if (/[^hHalPkT]/.test(wanted))
    throw new InvocationError(`args=${letters} holds a letter other than h, H, a, l, P, k, T`);
  const all = (await mounts()).filter((mount) => only(mount) && !(wanted.includes('l') && isRemote(mount)));
  const found = await usages.of(all);
  const rows = all.flatMap((mount, at) => {
    const usage = found[at];
    return usage === undefined ? [] : [[mount.point, show(mount, usage, wanted)] as const];
  });
  return Object.fromEntries(rows);
}

export const diskModule = defineModule('disk', {
  usage: fn(
    {
      doc: 'Size and free space of each mounted file system, in KiB.',
      params: [ARGS],
      returns: 'a map from the mount point to filesystem, 1K-blocks, used, available and capacity',
      examples: ['disk.usage', 'disk.usage h'],
    },
    ({ args }) =>
      each(args, ({ device }, usage, letters) => {
        const { bytes, total, free, available } = usage;
        const show = (blocks: number): string => sizeText(blocks * bytes, letters);
        const head = /h/i.test(letters) ? 'size' : '1K-blocks';
        return {
          filesystem: device,
          [head]: show(total),
          used: show(total - free),
          available: show(available),
          capacity: percentUsed(usage),
        };
      }),
  ),
  inodeusage: fn(
    {
      doc: 'How many files each mounted file system has and may have.',
      params: [ARGS],
      returns: 'a map from the mount point to filesystem, inodes, used, free and use',
      examples: ['disk.inodeusage'],
    },
    ({ args }) =>
      each(args, ({ device }, usage) => ({
        filesystem: device,
        inodes: String(usage.inodes),
        used: String(usage.inodes - usage.inodesFree),
        free: String(usage.inodesFree),
        use: percentInodes(usage),
      })),
  ),
  percent: fn(
    {
      doc: 'How full each mounted file system is.',
      params: [{ name: 'args', type: 'str', default: '', doc: 'One mount point; all when not given.' }],
      returns: 'a map from the mount point to the percentage, or the percentage of one',
      examples: ['disk.percent', 'disk.percent /var'],
    },
    async ({ args: point }) => {
      const percents = await each(
        '',
        (_, usage) => percentUsed(usage),
        (mount) => point === '' || mount.point === point,
      );
      if (point === '') return percents;
      const percent = percents[point];
      if (percent !== undefined) return percent;
      if ((await mounts()).some((mount) => mount.point === point))
        throw new ExecutionError(`${point} cannot be looked at`);
      throw new InvocationError(`nothing is mounted at ${point}`);
    },
  ),
  blkid: fn(
    {
      doc: 'Names and labels of the file systems on block devices, as `/dev/disk` has them; no device is read.',
      params: [{ name: 'device', type: 'str', default: '', doc: 'Only this one.' }],
      returns: 'a map from the device to UUID, LABEL, PARTUUID and PARTLABEL, and to TYPE where it is mounted',
      examples: ['disk.blkid', 'disk.blkid /dev/sda1'],
    },
    ({ device }) => blockNames(device),
  ),
});

function sizeText(bytes: number, letters: string): string {
  if (!/h/i.test(letters)) return String(Math.round(bytes / 1024));
  const step = letters.includes('h') ? 1024 : 1000;
  let [size, unit] = [bytes, 0];
  while (size >= step && unit < 5) [size, unit] = [size / step, unit + 1];
  const shown = unit === 0 || size >= 10 ? Math.ceil(size) : Math.ceil(size * 10) / 10;
  return `${shown}${'BKMGTP'.charAt(unit).replace('B', '')}`;
}

const NAMES = {
  'by-uuid': 'UUID',
  'by-label': 'LABEL',
  'by-partuuid': 'PARTUUID',
  'by-partlabel': 'PARTLABEL',
} as const;

async function blockNames(only: string): Promise<ValueMap> {
  const found = new Map<string, Record<string, string>>();
  const put = (device: string, key: string, value: string): void => {
    found.set(device, { ...found.get(device), [key]: value });
  };
  for (const [folder, key] of Object.entries(NAMES)) {
    for (const name of await readdir(`/dev/disk/${folder}`).catch(() => [])) {
      const target = await readlink(`/dev/disk/${folder}/${name}`).catch(() => '');
      if (target !== '') put(`/dev/${basename(target)}`, key, name.replace(/\\x20/g, ' '));
    }
  }
  for (const { device, type } of await mounts()) if (device.startsWith('/dev/')) put(device, 'TYPE', type);
  return Object.fromEntries([...found].filter(([device]) => only === '' || device === only));
}
