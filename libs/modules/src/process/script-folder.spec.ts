/** Rules of what is left of scripts in a place that every account has: whose it is is known, or it stays. */
import { spawnSync } from 'node:child_process';
import {
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { removeLeftScripts, withScriptFolder } from './script-folder.js';

let place: string;
beforeEach(() => (place = mkdtempSync(join(tmpdir(), 'nt-left-'))));
afterEach(() => {
  rmSync(place, { recursive: true });
});

const here = /\d+/.exec(readlinkSync('/proc/self/ns/pid'))?.[0] ?? '';
/** Of a process that has ended. */
const gone = spawnSync('true').pid;

function left(name: string): string {
  mkdirSync(join(place, name));
  writeFileSync(join(place, name, 'script'), '#!/bin/sh\n');
  return name;
}

it('what a process that is gone has left is taken away, also one of this process’s own number', () => {
  left(`natrium-script-${here}-${String(gone)}-aaaaaa`);
  left(`natrium-script-${here}-${String(process.pid)}-aaaaaa`);
  removeLeftScripts(place);
  expect(readdirSync(place)).toEqual([]);
});

it('what is in use, or nobody can tell whose it is, stays', async () => {
  const stays = [
    left(`natrium-script-${here}-${String(process.ppid)}-aaaaaa`),
    left(`natrium-script-${here}-1-aaaaaa`),
    left(`natrium-script-1${here}-${String(gone)}-aaaaaa`),
    left('natrium-script-aaaaaa'),
    left(`other-${here}-${String(gone)}-aaaaaa`),
  ];
  await withScriptFolder((folder) => {
    removeLeftScripts(place);
    expect(readdirSync(place).sort()).toEqual([...stays, basename(folder)].sort());
    return Promise.resolve();
  }, place);
  expect(readdirSync(place).sort()).toEqual(stays.sort());
});

it('what is another account’s stays, and so does what a link leads to', () => {
  const name = left(`natrium-script-${here}-${String(gone)}-aaaaaa`);
  const isMine = process.getuid?.() !== 0;
  if (!isMine) chownSync(join(place, name), 1, 1);
  removeLeftScripts(place);
  expect(existsSync(join(place, name))).toBe(!isMine);
});
