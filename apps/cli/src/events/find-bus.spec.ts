import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
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
