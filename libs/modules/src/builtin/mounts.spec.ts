/** Rules of file systems whose server hangs: whoever asks how full they are must leave the agent its threads. */
import { isRemote, type Usage, Usages } from './mounts.js';

const USAGE: Usage = { bytes: 4096, total: 100, free: 50, available: 40, inodes: 10, inodesFree: 5 };
const NOW_MS = 20;

/** A host with some mounts that hang, until their server is `back`. */
function aHost(hanging: readonly string[], limitMs = NOW_MS) {
  const asked: string[] = [];
  const returns: (() => void)[] = [];
  const look = (point: string): Promise<Usage | undefined> => {
    asked.push(point);
    if (!hanging.includes(point)) return Promise.resolve(USAGE);
    return new Promise((resolve) => returns.push(() => resolve(USAGE)));
  };
  return { usages: new Usages(look, limitMs), asked, back: () => returns.splice(0).forEach((come) => come()) };
}

const nfs = (...points: readonly string[]) => points.map((point) => ({ point, type: 'nfs4' }));
const disk = { point: '/', type: 'ext4' };

it('a mount that hangs is left out in time, and the others are told', async () => {
  const { usages } = aHost(['/dead']);
  expect(await usages.of([disk, ...nfs('/dead', '/home', '/srv')])).toEqual([USAGE, undefined, USAGE, USAGE]);
});

it('one that hangs is asked once, however often somebody wants to know', async () => {
  const { usages, asked } = aHost(['/dead']);
  for (let times = 0; times < 5; times += 1) await usages.of(nfs('/dead'));
  expect(asked).toEqual(['/dead']);
});

it('of those that hang two are asked at a time, whatever path leads there, and a disk is asked all the same', async () => {
  const { usages, asked } = aHost(['/a', '/b', '/c', '/d']);
  expect(await usages.of([...nfs('/a', '/b', '/c'), { point: '/d', type: '' }, disk])).toEqual([
    ...Array<undefined>(4).fill(undefined),
    USAGE,
  ]);
  expect(await usages.of([disk])).toEqual([USAGE]);
  expect(asked).toEqual(['/a', '/b', '/', '/']);
});

it('once its server is back it is told, and what nobody waits for any more is not asked', async () => {
  const { usages, asked, back } = aHost(['/a', '/b', '/c']);
  await usages.of(nfs('/a', '/b', '/c'));
  back();
  await new Promise((resolve) => setImmediate(resolve));
  expect(asked).toEqual(['/a', '/b']);
  const again = usages.of(nfs('/a'));
  back();
  expect(await again).toEqual([USAGE]);
});

it('more mounts than are asked at a time are all told where none hangs', async () => {
  const points = Array.from({ length: 50 }, (_, at) => `/m${String(at)}`);
  expect(await aHost([], 5_000).usages.of(nfs(...points))).toEqual(points.map(() => USAGE));
});

it.each([
  ['nas:/home', true],
  ['[2001:db8::1]:/home', true],
  ['//nas/home', true],
  ['/dev/sda1', false],
  ['tmpfs', false],
])('df and disk.usage l take %s for a file system of elsewhere: %s', (device, elsewhere) => {
  expect(isRemote({ device })).toBe(elsewhere);
});
