import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inRoot } from '../tests/support/places.js';

let volumes: string;
beforeEach(() => {
  volumes = mkdtempSync(join(tmpdir(), 'nt-init-'));
  for (const name of ['offline', 'acl']) mkdirSync(join(volumes, name));
});
afterEach(() => {
  rmSync(volumes, { recursive: true });
});

it('who has taken the root key away is not given another cluster at the next start', () => {
  writeFileSync(join(volumes, 'acl', 'roles'), 'the roles of a cluster');
  const said = execFileSync(process.execPath, [inRoot('containers/init.mjs'), '--volumes', volumes], {
    encoding: 'utf8',
  });
  expect(said).toMatch(/the volume keys-offline has none: nothing is changed/);
  expect(readdirSync(join(volumes, 'offline'))).toEqual([]);
  expect(readdirSync(join(volumes, 'acl'))).toEqual(['roles']);
});
