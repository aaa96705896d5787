/**
 * Completes package-lock.json: `node tools/lock.mjs [--check]`, after each `npm install` of a new dependency.
 *
 * npm leaves an optional package that its registry does not have out of the lock (builds for other platforms, where the
 * registry is a partial mirror), and `npm ci` then refuses that very lock (npm/cli#9846). So each of them is written down
 * here, with the platform that its name says; npm never fetches those of other platforms. It also refuses a lock that
 * names the registry it was made with: any registry must do.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { inRoot } from './programs.mjs';

const file = inRoot('package-lock.json');
const systems = ['aix', 'android', 'darwin', 'freebsd', 'linux', 'netbsd', 'openbsd', 'openharmony', 'sunos', 'win32'];
const processors = ['arm64', 'arm', 'ia32', 'loong64', 'ppc64', 'riscv64', 's390x', 'x64'];

/** The lock's entry for a name like `@swc/core-linux-arm64-musl`, its fields in npm's order. */
function entryOf(name, version, dev) {
  const words = name.split(/[/-]/);
  const os = systems.filter((system) => words.includes(system));
  const cpu = processors.filter((processor) => words.includes(processor));
  if (os.length !== 1 || cpu.length !== 1) throw new Error(`${name} is not in the lock and its name says no platform`);
  const musl = words.some((word) => word.startsWith('musl'));
  const gnu = words.some((word) => word.startsWith('gnu'));
  const libc = os[0] === 'linux' && (musl ? ['musl'] : gnu ? ['glibc'] : undefined);
  return { version, cpu, ...(dev ? { dev } : {}), ...(libc ? { libc } : {}), optional: true, os };
}

/** Tells whether the package at `path` finds `name`, by Node's way up through the folders. */
function finds(packages, path, name) {
  for (let at = path; ; at = at.slice(0, Math.max(0, at.lastIndexOf('/node_modules/')))) {
    if (`${at ? `${at}/` : ''}node_modules/${name}` in packages) return true;
    if (at === '' || !at.includes('/node_modules/')) return `node_modules/${name}` in packages;
  }
}

/** The optional packages that the lock misses, as its entries. */
function missingFrom(packages) {
  const missing = {};
  for (const [path, { optionalDependencies = {}, dev }] of Object.entries(packages)) {
    for (const [name, version] of Object.entries(optionalDependencies)) {
      if (finds(packages, path, name)) continue;
      if (!/^\d+\.\d+\.\d+[\w.+-]*$/.test(version)) throw new Error(`${name}: "${version}" is not one version`);
      missing[`node_modules/${name}`] = entryOf(name, version, dev);
    }
  }
  return missing;
}

const lock = JSON.parse(readFileSync(file, 'utf8'));
const named = Object.entries(lock.packages).filter(([, { resolved }]) => /^\w+:\/\//.test(resolved ?? ''));
if (named.length > 0) {
  process.stderr.write(`package-lock.json names a registry (${String(named.length)} times); see .npmrc\n`);
  process.exit(1);
}
const missing = missingFrom(lock.packages);
const count = Object.keys(missing).length;
if (count > 0 && process.argv.includes('--check')) {
  process.stderr.write(`package-lock.json misses ${Object.keys(missing).join(', ')}: node tools/lock.mjs\n`);
  process.exit(1);
}
if (count > 0) {
  const [first, ...rest] = Object.entries({ ...lock.packages, ...missing });
  lock.packages = Object.fromEntries([first, ...rest.sort(([a], [b]) => a.localeCompare(b, 'en'))]);
  writeFileSync(file, `${JSON.stringify(lock, null, 2)}\n`);
  process.stdout.write(`package-lock.json: ${String(count)} optional packages of other platforms written down\n`);
}
