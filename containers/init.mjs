/**
 * Founds the cluster of `docker-compose.yml`, once: `node init.mjs --broker HOST,…`.
 *
 * `natriumctl init` makes all keys in the volume `offline`, which no other container has; what each role needs is copied
 * into that role's own volume. A second run finds the cluster and only copies again what may have changed (roles, storage);
 * one without the keys, since they lie on a medium that is not connected, changes nothing.
 */
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { handOut, roleKeys } from '../tools/role-keys.mjs';

const { values } = parseArgs({
  options: {
    broker: { type: 'string', default: 'nats-1,nats-2,nats-3' },
    volumes: { type: 'string', default: '/volumes' },
  },
});
const hosts = values.broker.split(',');
const { volumes } = values;
const offline = join(volumes, 'offline');
const pki = join(offline, 'pki');
const token = join(offline, 'join-token');
const FOUNDER = `user: natrium\nbroker_auth: jwt\nroot_dir: ${offline}\n`;

function natriumctl(...words) {
  const program = join(import.meta.dirname, '../dist/cli/natriumctl.mjs');
  return execFileSync(process.execPath, [program, ...words], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

/** Whole or not at all: a full disk would leave an empty file, which the next run would take for what was made. */
function write(path, text, mode) {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  writeFileSync(`${path}.new`, text, { mode });
  chmodSync(`${path}.new`, mode);
  renameSync(`${path}.new`, path);
}

function urlOf(host) {
  return `nats://${host}:4222`;
}

function found() {
  // All of it: a founding that was cut short is gone on with.
  if ([join(pki, 'roles'), join(pki, 'broker/tls/server.crt')].every((path) => existsSync(path))) return false;
  write(join(offline, 'master'), FOUNDER, 0o600);
  natriumctl('init', '-c', offline, '--broker-tls', [...hosts, 'localhost'].join(','));
  return true;
}

/** The word that lets a minion in. An empty one lets nobody in. */
function makeToken() {
  if (existsSync(token) && readFileSync(token, 'utf8').trim() !== '') return;
  write(token, `${randomBytes(24).toString('hex')}\n`, 0o600);
}

function minionFile() {
  const finger = natriumctl('fingerprint', '-c', offline).trim();
  const own = {
    nats: hosts.map(urlOf),
    master_finger: finger,
    root_dir: '/var/lib/natrium',
    join_creds: '/etc/natrium/join.creds',
    broker_ca: '/etc/natrium/ca.crt',
    grains: { join_token: readFileSync(token, 'utf8').trim() },
    autosign_grains: ['join_token'],
  };
  return Object.entries(own)
    .map(([key, value]) => `${key}: ${JSON.stringify(value)}\n`)
    .join('');
}

if (!existsSync(join(pki, 'roles')) && existsSync(join(volumes, 'acl', 'roles'))) {
  process.stdout.write(
    'the roles have the keys of a cluster, and the volume keys-offline has none: nothing is changed. ' +
      'Put its content back to hand out keys anew; to found another cluster, remove all volumes.\n',
  );
  process.exit(0);
}
const isNew = found();
// Users of the broker that this version needs and the cluster has not.
if (!isNew) process.stdout.write(natriumctl('init', '-c', offline));
makeToken();
// For what an operator does with all keys and the broker at once, as `natriumctl keys rotate` (docs/operations.md#with-containers).
const servers = JSON.stringify(hosts.map(urlOf));
write(join(offline, 'master'), `${FOUNDER}nats: ${servers}\nbroker_ca: ${join(pki, 'broker/tls/ca.crt')}\n`, 0o600);
for (const role of Object.keys(roleKeys)) handOut(pki, role, join(volumes, role));
mkdirSync(join(volumes, 'acl/autosign_grains'), { recursive: true, mode: 0o700 });
cpSync(token, join(volumes, 'acl/autosign_grains/join_token'));
for (const name of ['server.crt', 'server.key']) cpSync(join(pki, 'broker/tls', name), join(volumes, 'broker', name));
// For `natriumctl doctor`, which warns before it ends.
cpSync(join(pki, 'broker/tls/server.crt'), join(volumes, 'cli/broker/tls/server.crt'));
// The account's JWT changes while the cluster runs: each broker keeps it in its own folder.
const config = readFileSync(join(pki, 'broker/server.conf'), 'utf8').replace(
  '/var/lib/nats/jwt',
  '/var/lib/natrium/jwt',
);
write(join(volumes, 'broker/server.conf'), config, 0o600);
cpSync(join(pki, 'broker/join.creds'), join(volumes, 'minion/join.creds'));
cpSync(join(pki, 'broker/tls/ca.crt'), join(volumes, 'minion/ca.crt'));
write(join(volumes, 'minion/minion'), minionFile(), 0o600);
// Where an operator mounts what else a minion's configuration says: no container can make a folder in this volume.
mkdirSync(join(volumes, 'minion/minion.d'), { recursive: true, mode: 0o700 });
process.stdout.write(`${isNew ? 'a new cluster' : 'the cluster that was there'}; each role has its keys\n`);
