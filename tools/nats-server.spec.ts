/** The order in which a broker is looked for, as far as it needs no network: with programs that only tell a version. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inRoot } from './programs.mjs';

const made: string[] = [];
afterAll(() => {
  made.forEach((folder) => rmSync(folder, { recursive: true }));
});

/** A folder with a `nats-server` that says this version. */
function aServer(version: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'natrium-spec-'));
  made.push(folder);
  writeFileSync(join(folder, 'nats-server'), `#!/bin/sh\necho "nats-server: v${version}"\n`, { mode: 0o755 });
  return folder;
}

function find(env: Readonly<Record<string, string>>, program = inRoot('tools/nats-server.mjs')) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [program], {
    encoding: 'utf8',
    env,
  });
  return { status, path: stdout.trim(), said: stderr };
}

it('takes the one that the setting names, before any on PATH', () => {
  const named = join(aServer('2.11.3'), 'nats-server');
  expect(find({ NATRIUM_NATS_SERVER: named, PATH: aServer('2.12.0') })).toMatchObject({ status: 0, path: named });
});

it('is asked through a link, too', () => {
  const [folder, named] = [aServer('2.11.3'), aServer('2.11.3')];
  symlinkSync(inRoot('tools'), join(folder, 'tools'));
  const found = find({ NATRIUM_NATS_SERVER: join(named, 'nats-server') }, join(folder, 'tools/nats-server.mjs'));
  expect(found).toMatchObject({ status: 0, path: join(named, 'nats-server') });
});

it.each([
  ['too old', '2.9.10', 'is version 2.9.10; Natrium needs 2.10 or newer'],
  ['no broker', 'unknown', 'is no nats-server that runs here'],
])('refuses a setting that is %s, instead of looking further', (_, version, reason) => {
  const named = join(aServer(version), 'nats-server');
  const { status, path, said } = find({ NATRIUM_NATS_SERVER: named, PATH: aServer('2.12.0') });
  expect({ status, path }).toEqual({ status: 1, path: '' });
  expect(said).toContain(reason);
});

it('passes over an old one on PATH and takes a newer one further on', () => {
  const [old, newer] = [aServer('2.9.25'), aServer('2.10.0')];
  const { path, said } = find({ PATH: `${old}:${newer}` });
  expect(path).toBe(join(newer, 'nats-server'));
  expect(said).toContain(`${join(old, 'nats-server')} is 2.9.25, older than 2.10`);
});
