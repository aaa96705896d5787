/**
 * Copies what one role needs of the master's `pki/`, and nothing else: `node tools/role-keys.mjs PKI ROLE TARGET`.
 *
 * Run it again after `natriumctl roles …` and `natriumctl keys rotate`: services read the new files while they run. Files
 * keep their modes and, where root runs this, belong to whoever owns the folder around TARGET: the service's account.
 */
import { cpSync, existsSync, lchownSync, lstatSync, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const service = (role) => [`roles.d/${role}.key`, `broker/users/${role}.creds`];
const storage = (...classes) => classes.map((name) => `storage/${name}`);

/** Below `pki/`; what ends in a name of a folder is all of it. */
export const roleKeys = {
  acl: [
    ...service('acl'),
    ...storage('inventory', 'roster', 'tokens', 'audit'),
    'names.key',
    'first-account.pub',
    'broker/acl',
    'broker/jwt',
    'broker/account',
  ],
  gateway: [...service('gateway'), ...storage('jobs', 'events', 'roster')],
  runner: [...service('runner'), ...service('reactor'), ...storage('roster', 'events')],
  sink: [...service('sink'), ...storage('events')],
  cli: [
    ...['account.key', 'first-account.pub', 'broker/join.creds', 'broker/knock.creds'],
    ...['broker/users/doctor.creds', 'broker/users/auditor.creds'],
  ],
};
/** Everybody has these; the second only where the broker speaks TLS. */
const SHARED = ['roles', 'broker/tls/ca.crt'];

/** @throws {Error} When the role is none, or a file that it needs is not there. */
export function handOut(pki, role, target) {
  const own = roleKeys[role];
  if (own === undefined) throw new Error(`no role "${role}"; there are ${Object.keys(roleKeys).join(', ')}`);
  for (const path of [...SHARED, ...own]) {
    if (path.startsWith('broker/') && !existsSync(join(pki, path))) continue; // a broker without users, or without TLS
    copy(join(pki, path), join(target, path));
  }
  if (process.getuid() === 0) giveTo(statSync(dirname(target)), target);
}

function giveTo(owner, path) {
  lchownSync(path, owner.uid, owner.gid);
  if (lstatSync(path).isDirectory()) for (const name of readdirSync(path)) giveTo(owner, join(path, name));
}

/** A folder is made equal file by file: who watches it must not lose it from sight. */
function copy(from, to) {
  mkdirSync(dirname(to), { recursive: true, mode: 0o700 });
  cpSync(from, to, { recursive: true, preserveTimestamps: true });
  const kept = new Set(namesIn(from));
  for (const name of namesIn(to)) if (!kept.has(name)) rmSync(join(to, name));
}

function namesIn(folder) {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (error.code === 'ENOTDIR') return [];
    throw error;
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [pki, role, target] = process.argv.slice(2);
  try {
    if (target === undefined) throw new Error('takes PKI ROLE TARGET, as /etc/natrium/pki acl /etc/natrium-acl/pki');
    handOut(pki, role, target);
  } catch (error) {
    process.stderr.write(`role-keys: ${error.message}\n`);
    process.exitCode = 1;
  }
}
