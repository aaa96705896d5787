/** Packages are got in one place, which waits for whoever installs some just then. */
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { installed } from '../system/host.js';
import { getPackages } from './apt.js';

const PATH = process.env['PATH'] ?? '';
const WAITING = 'noninteractive: -o DPkg::Lock::Timeout=60 install -y --no-install-recommends';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'nt-apt-'));
  says('echo "$DEBIAN_FRONTEND: $*"');
  process.env['PATH'] = `${folder}:${PATH}`;
});
afterEach(() => {
  process.env['PATH'] = PATH;
  rmSync(folder, { recursive: true, force: true });
});

/** An `apt-get` that installs nothing. */
function says(line: string): void {
  writeFileSync(join(folder, 'apt-get'), `#!/bin/sh\n${line} >> ${join(folder, 'asked')}\n`);
  chmodSync(join(folder, 'apt-get'), 0o755);
}
const asked = () => readFileSync(join(folder, 'asked'), 'utf8').split('\n').slice(0, -1);

it.each([
  ['what a machine lacks', () => { installed('slapd', join(folder, 'no such file')); }, 'slapd'],
  ['some at once', () => { getPackages('docker.io', 'iptables'); }, 'docker.io iptables'],
] as const)('%s is got with its lock waited for, after a look at what there is', (_about, get, names) => {
  get();
  expect(asked()).toEqual(['noninteractive: update -q', `${WAITING} ${names}`]);
}); // prettier-ignore

it('what a machine has is not got', () => {
  installed('slapd', join(folder, 'apt-get'));
  expect(asked).toThrow('ENOENT');
});

it('what apt-get says of its failure is told', () => {
  says('echo "E: no such package" >&2; exit 100');
  expect(() => {
    getPackages('none');
  }).toThrow('E: no such package');
});
