/**
 * Finds a `nats-server` of at least 2.10, or gets one, and prints its path (no npm package ships it).
 *
 * The order is a promise of the README: an explicit setting, what the machine has, what we got before, the machine's own
 * package system, Homebrew, the official release. Needs nothing but Node: it runs before `npm ci`. Never a mirror's name
 * in here: apt is asked for the one that this machine uses.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  accessSync,
  chmodSync,
  constants,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { arch, platform, tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { inRoot, isStarted } from './programs.mjs';

const cacheDir = inRoot('.cache', 'nats-server');
const needed = [2, 10];
/** The official release, for machines whose package system has none that is new enough. */
const release = 'v2.10.27';

const say = (text) => process.stderr.write(`nats-server: ${text}\n`);
const lines = (text) => text.split('\n').map((line) => line.trim());

/** Runs a program and gives its output, or undefined when it is missing or fails. */
function ask(program, args, options = {}) {
  try {
    return execFileSync(program, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'], ...options });
  } catch {
    return undefined;
  }
}

/** The version in a text like `nats-server: v2.10.27` or `2.9.10-1+b3`. */
function versionIn(text) {
  const found = /(\d+)\.(\d+)(?:\.(\d+))?/.exec(text ?? '');
  return found ? [Number(found[1]), Number(found[2]), Number(found[3] ?? 0)] : undefined;
}

const isEnough = (version) =>
  version !== undefined && (version[0] > needed[0] || (version[0] === needed[0] && version[1] >= needed[1]));

const versionOf = (path) => versionIn(ask(path, ['-v'], { timeout: 10_000 }));

function isExecutable(path) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function fromSetting() {
  const path = process.env.NATRIUM_NATS_SERVER;
  if (!path) return undefined;
  const version = versionOf(path);
  if (isEnough(version)) return path;
  const is = version ? `is version ${version.join('.')}` : 'is no nats-server that runs here';
  throw new Error(`NATRIUM_NATS_SERVER: ${path} ${is}; Natrium needs ${needed.join('.')} or newer`);
}

function fromMachine() {
  const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin', '/usr/local/sbin', '/opt/homebrew/bin'];
  for (const path of new Set(folders.filter(Boolean).map((folder) => join(folder, 'nats-server')))) {
    if (!isExecutable(path)) continue;
    const version = versionOf(path);
    if (isEnough(version)) return path;
    say(
      `${path} is ${version ? `${version.join('.')}, older than ${needed.join('.')}` : 'not usable'}; looking further`,
    );
  }
  return undefined;
}

function fromCache() {
  if (!existsSync(cacheDir)) return undefined;
  const paths = readdirSync(cacheDir).map((name) => join(cacheDir, name, 'nats-server'));
  return paths.find((path) => isExecutable(path) && isEnough(versionOf(path)));
}

/** Puts an unpacked program into the cache in one step, so that two runs at once do no harm. */
function keep(program) {
  chmodSync(program, 0o755);
  const version = versionOf(program);
  if (!isEnough(version)) return undefined;
  const folder = join(cacheDir, version.join('.'));
  mkdirSync(folder, { recursive: true });
  const path = join(folder, 'nats-server');
  copyFileSync(program, `${path}.${process.pid}`);
  renameSync(`${path}.${process.pid}`, path);
  return path;
}

/** Runs `work` with a scratch folder that apt's own unprivileged user can read as well. */
async function withScratch(work) {
  const scratch = mkdtempSync(join(tmpdir(), 'natrium-nats-'));
  chmodSync(scratch, 0o755);
  try {
    return await work(scratch);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

function unpackDeb(scratch) {
  const deb = readdirSync(scratch).find((name) => name.endsWith('.deb'));
  if (!deb || ask('dpkg', ['-x', join(scratch, deb), join(scratch, 'root')]) === undefined) return undefined;
  const program = ['usr/sbin', 'usr/bin'].map((at) => join(scratch, 'root', at, 'nats-server')).find(isExecutable);
  return program && keep(program);
}

const osRelease = () =>
  Object.fromEntries(
    lines(existsSync('/etc/os-release') ? readFileSync('/etc/os-release', 'utf8') : '')
      .map((line) => /^(\w+)="?([^"]*)"?$/.exec(line))
      .filter(Boolean)
      .map(([, key, value]) => [key, value]),
  );

/** The distribution's own package, by the machine's own apt lists: a download needs no root. */
function fromOwnLists() {
  const candidate = /Candidate: (.*)/.exec(ask('apt-cache', ['policy', 'nats-server'], { env: plainEnv() }) ?? '')?.[1];
  if (!isEnough(versionIn(candidate))) return undefined;
  say(`downloading the distribution's package ${candidate}`);
  return withScratch((scratch) =>
    ask('apt-get', ['download', 'nats-server'], { cwd: scratch }) === undefined ? undefined : unpackDeb(scratch),
  );
}

const plainEnv = () => ({ ...process.env, LC_ALL: 'C' });

/** The mirror and the keyring that this machine's apt uses for its own release. */
function ownMirror(codename) {
  const format = '$(RELEASE)\t$(COMPONENT)\t$(REPO_URI)\t$(SOURCESENTRY)';
  const rows = lines(ask('apt-get', ['indextargets', '--format', format, 'Created-By: Packages']) ?? '');
  const row = rows.map((line) => line.split('\t')).find(([suite, part]) => suite === codename && part === 'main');
  if (!row) return undefined;
  const [, , uri, entry] = row;
  const file = entry?.replace(/:\d+$/, '') ?? '';
  const source = existsSync(file) ? readFileSync(file, 'utf8') : '';
  return { uri, keyring: /signed-by\s*[:=]\s*(\/[^\s\],]+)/i.exec(source)?.[1] };
}

/** apt's lists and cache in a folder of our own, so that it needs no root and the machine's stay as they are. */
function writeAptFiles(scratch, mirror, suite, components) {
  const options = ['target=Packages', ...(mirror.keyring ? [`signed-by=${mirror.keyring}`] : [])].join(' ');
  const file = (name) => join(scratch, name);
  for (const folder of ['lists/partial', 'cache/archives/partial']) mkdirSync(file(folder), { recursive: true });
  writeFileSync(file('sources.list'), `deb [${options}] ${mirror.uri} ${suite} ${components}\n`);
  writeFileSync(
    file('apt.conf'),
    `Dir::Etc::sourcelist "${file('sources.list')}";\nDir::Etc::sourceparts "-";\n` +
      `Dir::State::lists "${file('lists')}";\nDir::Cache "${file('cache')}";\nAcquire::Languages "none";\n` +
      '#clear APT::Update::Pre-Invoke;\n#clear APT::Update::Post-Invoke;\n#clear APT::Update::Post-Invoke-Success;\n',
  );
  return file('apt.conf');
}

/**
 * Downloads a package of this machine's release, of Debian 13 where the machine has Debian 11 or 12, and hands `use` the
 * folder that it is in. Nothing is installed. undefined: no such machine, or no such package.
 */
export function withPackage(name, use) {
  const { ID: id, VERSION_CODENAME: codename } = osRelease();
  const mirror = codename && ownMirror(codename);
  if (!mirror) return undefined;
  const isOldDebian = id === 'debian' && ['bullseye', 'bookworm'].includes(codename);
  const suite = isOldDebian ? 'trixie' : codename;
  return withScratch((scratch) => {
    const config = writeAptFiles(scratch, mirror, suite, id === 'ubuntu' ? 'main universe' : 'main');
    say(`asking this machine's own package mirror for ${name} of ${suite}`);
    if (ask('apt-get', ['-c', config, '-qq', 'update']) === undefined) return undefined;
    if (ask('apt-get', ['-c', config, '-qq', 'download', name], { cwd: scratch }) === undefined) return undefined;
    return use(scratch);
  });
}

/** Debian 12 has 2.9, so it takes the package of Debian 13 (it runs there); others get their own release's. */
const fromPrivateLists = () => withPackage('nats-server', unpackDeb);

function fromHomebrew() {
  if (platform() !== 'darwin' || ask('brew', ['--version']) === undefined) return undefined;
  say('installing with Homebrew');
  if (ask('brew', ['install', 'nats-server']) === undefined) return undefined;
  const path = join((ask('brew', ['--prefix', 'nats-server']) ?? '').trim(), 'bin', 'nats-server');
  return isExecutable(path) && isEnough(versionOf(path)) ? path : undefined;
}

async function fetched(url) {
  const answer = await fetch(url, { signal: AbortSignal.timeout(120_000) });
  if (!answer.ok) throw new Error(`${url}: ${String(answer.status)}`);
  return Buffer.from(await answer.arrayBuffer());
}

/**
 * The official release over https. Its checksum is the release's own `SHA256SUMS`, fetched beside it: that finds a broken
 * download, not a forged release. A pinned checksum would; nobody could confirm one when this was written.
 */
async function fromRelease() {
  const machine = { x64: 'amd64', arm64: 'arm64' }[arch()];
  if (!machine || !['linux', 'darwin'].includes(platform())) return undefined;
  const base = `https://github.com/nats-io/nats-server/releases/download/${release}`;
  const name = `nats-server-${release}-${platform()}-${machine}`;
  say(`downloading the official release ${release}`);
  const [sums, archive] = await Promise.all([fetched(`${base}/SHA256SUMS`), fetched(`${base}/${name}.tar.gz`)]);
  const expected = lines(sums.toString('utf8'))
    .find((line) => line.endsWith(`${name}.tar.gz`))
    ?.split(/\s+/)[0];
  const got = createHash('sha256').update(archive).digest('hex');
  if (expected !== got)
    throw new Error(`${name}.tar.gz: its SHA-256 is ${got}, the release says ${expected ?? 'nothing'}`);
  return withScratch((scratch) => {
    writeFileSync(join(scratch, 'it.tar.gz'), archive);
    if (ask('tar', ['-xzf', join(scratch, 'it.tar.gz'), '-C', scratch]) === undefined) return undefined;
    return keep(join(scratch, name, 'nats-server'));
  });
}

const help = `no nats-server ${needed.join('.')} or newer was found, and none could be fetched. Any of these mends it:
  - set NATRIUM_NATS_SERVER to the path of one
  - put one on PATH, or as ${join('.cache', 'nats-server', 'own', 'nats-server')} into this folder
  - Debian 13 or newer, Ubuntu 24.04 or newer: apt-get install nats-server
  - Debian 12: make its apt sources reachable; the package of Debian 13 (trixie) is then fetched and unpacked by itself
  - macOS: brew install nats-server
  - the official release from https://github.com/nats-io/nats-server/releases`;

/**
 * Gives the path of a `nats-server` ≥ 2.10, fetching one when there is none.
 *
 * @throws {Error} When the explicit setting is unusable, or no way works; the message names the ways.
 */
export async function findNatsServer() {
  const ways = [fromSetting, fromMachine, fromCache, fromOwnLists, fromPrivateLists, fromHomebrew, fromRelease];
  const failures = [];
  for (const way of ways) {
    try {
      const path = await way();
      if (path) return path;
    } catch (error) {
      if (way === fromSetting) throw error;
      failures.push(`\n  (${way.name}: ${error.message})`);
    }
  }
  throw new Error(help + failures.join(''));
}

if (isStarted(import.meta.url)) {
  try {
    process.stdout.write(`${await findNatsServer()}\n`);
  } catch (error) {
    say(error.message);
    process.exitCode = 1;
  }
}
