import { execFileSync } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BUILT, inRoot } from '../tests/support/places.js';

let volumes: string;
beforeEach(() => {
  volumes = mkdtempSync(join(tmpdir(), 'nt-init-'));
  for (const name of ['offline', 'acl', 'minion', 'broker', 'cli']) mkdirSync(join(volumes, name));
});
afterEach(() => {
  rmSync(volumes, { recursive: true });
});

const natriumctl = (...words: readonly string[]) =>
  execFileSync(process.execPath, [join(BUILT, 'cli/natriumctl.mjs'), ...words], { encoding: 'utf8' });
const init = () =>
  execFileSync(process.execPath, [inRoot('containers/init.mjs'), '--volumes', volumes], { encoding: 'utf8' });

it('a second run hands out anew, and so brings the broker a certificate with more names', () => {
  expect(init()).toBe('a new cluster; each role has its keys\n');
  const root = readFileSync(join(volumes, 'acl', 'roles'));
  const hosts = ['nats-1', 'nats-2', 'nats-3', 'localhost', 'broker.example.com'];
  natriumctl('init', '-c', join(volumes, 'offline'), '--broker-tls', hosts.join(','));
  expect(init()).toMatch(/nothing was changed\nthe cluster that was there; each role has its keys\n$/);
  const { subjectAltName } = new X509Certificate(readFileSync(join(volumes, 'broker', 'server.crt')));
  expect(subjectAltName).toBe(hosts.map((host) => `DNS:${host}`).join(', '));
  expect(readFileSync(join(volumes, 'acl', 'roles'))).toEqual(root);
});

it('a word to join with that a full disk has left empty is made anew: without it no minion would ever be let in', () => {
  init();
  const token = join(volumes, 'offline', 'join-token');
  for (const [left, kept] of [['', /^[0-9a-f]{48}$/], ['our own', /^our own$/]] as const) {
    writeFileSync(token, left);
    expect(init()).toMatch(/the cluster that was there; each role has its keys\n$/);
    const word = readFileSync(token, 'utf8').trim();
    expect(word).toMatch(kept);
    expect(readFileSync(join(volumes, 'minion', 'minion'), 'utf8')).toContain(`"join_token":"${word}"`);
    expect(readFileSync(join(volumes, 'acl', 'autosign_grains', 'join_token'), 'utf8').trim()).toBe(word);
  }
}); // prettier-ignore

it('who has taken the root key away is not given another cluster at the next start', () => {
  writeFileSync(join(volumes, 'acl', 'roles'), 'the roles of a cluster');
  expect(init()).toMatch(/the volume keys-offline has none: nothing is changed/);
  expect(readdirSync(join(volumes, 'offline'))).toEqual([]);
  expect(readdirSync(join(volumes, 'acl'))).toEqual(['roles']);
});
