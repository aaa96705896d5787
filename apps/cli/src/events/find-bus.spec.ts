import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { jest } from '@jest/globals';
import { accountName } from '../accounts/own-identity.js';
import { findBus } from './find-bus.js';

const GROUP = execFileSync('id', ['-gn'], { encoding: 'utf8' }).trim();

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'nt-find-bus-'));
  writeFileSync(join(dir, 'master'), `sock_dir: ${dir}\n`);
  mkdirSync(join(dir, 'events'));
});
afterEach(() => {
  jest.restoreAllMocks();
  rmSync(dir, { recursive: true });
});

const OWN = 'master_event.sock';
const MINE = `events/${accountName()}.sock`;
const GROUPS = `events/group-${GROUP}.sock`;

it.each([
  [[OWN, MINE, GROUPS], OWN],
  [[MINE, GROUPS], MINE],
  [[GROUPS], GROUPS],
  [['events/group-nobody-is-in-it.sock', `events/${GROUP}-group.sock`], OWN],
])('of %j it is %s', (there, expected) => {
  for (const name of there) writeFileSync(join(dir, name), '');
  expect(findBus(dir)).toEqual({ ok: true, value: join(dir, expected) });
});

it('of an account that may not read the master file it is where accounts sync says, and root is told of the problem', () => {
  for (const name of ['master.d', 'client']) mkdirSync(join(dir, name));
  symlinkSync(join(dir, 'nowhere'), join(dir, 'master.d', 'part.conf'));
  writeFileSync(join(dir, 'client', 'master'), `sock_dir: ${dir}\n`);
  writeFileSync(join(dir, MINE), '');
  const asUid = (uid: number) => {
    jest.spyOn(process as Required<Pick<NodeJS.Process, 'geteuid'>>, 'geteuid').mockReturnValue(uid);
    return findBus(dir);
  };
  expect(asUid(1000)).toEqual({ ok: true, value: join(dir, MINE) });
  expect(asUid(0)).toMatchObject({ ok: false, error: expect.stringContaining('part.conf') as string });
});
