/**
 * Copies what one role needs of the master's `pki/`, and nothing else: `node tools/role-keys.mjs PKI ROLE TARGET`.
 *
 * Run it again after `natriumctl roles …` and `natriumctl keys rotate`: services read the new files while they run. Files
 * keep their modes and, where root runs this, belong to whoever owns the folder around TARGET: the service's account.
 */
import {
  chmodSync,
  copyFileSync,
  existsSync,
  lchownSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
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
  const owner = process.getuid() === 0 ? statSync(dirname(target)) : undefined;
  const give = (path) => {
    const { uid, gid } = lstatSync(path);
    if (owner !== undefined && (uid !== owner.uid || gid !== owner.gid)) lchownSync(path, owner.uid, owner.gid);
  };
  makeFolder(target, give);
  for (const path of [...SHARED, ...own]) {
    if (path.startsWith('broker/') && !existsSync(join(pki, path))) continue; // a broker without users, or without TLS
    dirname(path)
      .split('/')
      .forEach((_, n, all) => makeFolder(join(target, ...all.slice(0, n + 1)), give));
    copy(join(pki, path), join(target, path), give);
  }
}

function makeFolder(path, give) {
  mkdirSync(path, { recursive: true, mode: 0o700 });
  give(path);
}

/** A folder is made equal file by file: who watches it must not lose it from sight, nor find it without a key that stays. */
function copy(from, to, give) {
  if (!statSync(from).isDirectory()) return put(from, to, give);
  makeFolder(to, give);
  const names = readdirSync(from);
  for (const name of names) copy(join(from, name), join(to, name), give);
  for (const name of readdirSync(to)) if (!names.includes(name)) rmSync(join(to, name));
}

/** Whole and its owner's from the first moment on; one that is the same already is not touched. */
function put(from, to, give) {
  const isThere = existsSync(to) && readFileSync(to).equals(readFileSync(from));
  const path = isThere ? to : `${to}.handed`;
  if (!isThere) copyFileSync(from, path);
  if ((statSync(path).mode & 0o777) !== (statSync(from).mode & 0o777)) chmodSync(path, statSync(from).mode);
  give(path);
  if (!isThere) renameSync(path, to);
}

// An upgrade makes /opt/natrium a link: Node names this file as it is, and the word on the command line as it was written.
const program = process.argv[1] ?? '';
if (existsSync(program) && realpathSync(program) === fileURLToPath(import.meta.url)) {
  const [pki, role, target] = process.argv.slice(2);
  try {
    if (target === undefined) throw new Error('takes PKI ROLE TARGET, as /etc/natrium/pki acl /etc/natrium-acl/pki');
    handOut(pki, role, target);
  } catch (error) {
    process.stderr.write(`role-keys: ${error.message}\n`);
    process.exitCode = 1;
  }
}
