import { checkDisks, checkSpace, disksHere } from './space-checks.js';

const node = (name: string, stored: number, atMost = 10 * 2 ** 30) => ({ name, stored, atMost, folder: '' });
const [seventy, most] = [7 * 2 ** 30, 8.5 * 2 ** 30];
const levels = (findings: ReturnType<typeof checkSpace>) => findings.map(({ check, level }) => `${level} ${check}`);

it.each([
  ['nearly nothing', [node('a', 0)], ['ok jetstream space']],
  ['less than 70 %', [node('a', seventy - 1), node('b', 0)], ['ok jetstream space']],
  ['70 %, at one of two', [node('a', 0), node('b', seventy)], ['warning jetstream space']],
  ['less than 85 %', [node('a', most - 2 ** 27)], ['warning jetstream space']],
  ['85 %', [node('a', most)], ['problem jetstream space']],
  ['more than it may, after it was set lower', [node('a', 12 * 2 ** 30)], ['problem jetstream space']],
  ['something, and no node says how much it may', [node('a', seventy, 0)], []],
  ['what nobody told', [], []],
])('of a broker that holds %s', (_, nodes, expected) => {
  expect(levels(checkSpace(nodes))).toEqual(expected);
});

it('says which node, how full it is, and what to do', () => {
  const [found] = checkSpace([node('broker-1', most)]);
  expect(found?.what).toContain('JetStream on broker-1 holds 8.5 GiB of the 10.0 GiB that it may (85 %)');
  expect(found?.mend).toMatch(/keep_jobs_seconds.*max_file/);
});

it.each([
  [84, 16, 'ok'],
  [85, 15, 'warning'],
  [94, 6, 'warning'],
  [95, 5, 'problem'],
  [0, 0, 'ok'],
])('of a disk with %i used and %i free', (used, free, level) => {
  expect(checkDisks([{ path: '/d', used, free }]).map((one) => one.level)).toEqual([level]);
});

it('looks at a folder of this host once, and at none of another', () => {
  const at = (folder: string) => ({ ...node('a', 0), folder });
  const [disk, ...more] = disksHere([at('/'), at('/'), at('/nowhere/that/is'), at('')]);
  expect([disk?.path, more]).toEqual(['/', []]);
  expect(disk?.used).toBeGreaterThan(0);
});
