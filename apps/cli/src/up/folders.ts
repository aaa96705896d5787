/**
 * What `up` writes below its state folder: `master/` and `minions/<id>/` are configuration folders like those of a real
 * host; what `up` itself decides stands in `master.d/up.conf` and the minion file, the operator's own master file is copied.
 */
import { existsSync, readFileSync, rmSync, statSync } from 'node:fs';
import { dirname, isAbsolute, join, relative, resolve } from 'node:path';
import { BrokerKeys } from '@natrium/broker-auth';
import { type ConfigProblem, filesBeside, type LoadedConfig, type MasterConfig } from '@natrium/config';
import { fingerprint } from '@natrium/envelope';
import { makeFolder, MasterKeys, writeWhole } from '@natrium/keystore';
import { ANY_PORT, freePort, isFree } from '@natrium/process';
import { isPair, makeBrokerTls } from '../init/broker-tls.js';
import type { UpOptions } from '../ports.js';

const CONFIG_MODE = 0o640;
const FOLDER_MODE = 0o750;
const BROKER_PORT_FILE = 'port';
/** Below it, only root may listen. */
const FIRST_OF_USERS = 1024;
/** It listens on nothing else. */
const BROKER_HOSTS = ['localhost', '127.0.0.1'];

export interface Folders {
  readonly master: string;
  readonly broker: string;
  readonly brokerConfig: string;
  readonly natsPort: number;
  minion(id: string): string;
}

/** Makes the folders of a cluster, or takes up those that are there. */
export async function prepareFolders(options: UpOptions): Promise<Folders> {
  const state = options.state;
  if (!isAbsolute(state)) throw new Error(`${state} is not an absolute path`);
  const folders = {
    master: join(state, 'master'),
    broker: join(state, 'broker'),
    brokerConfig: join(state, 'broker', 'nats-server.conf'),
    minion: (id: string) => join(state, 'minions', id),
  };
  await checkFree(options);
  for (const folder of [folders.master, folders.broker]) makeFolder(folder, FOLDER_MODE);
  const natsPort = await portOf(options, folders.broker);
  writeMaster(options, folders.master, natsPort);
  return { ...folders, natsPort };
}

export interface OwnMinion {
  readonly id: string;
  /** As the master file names it. */
  readonly cluster: string;
}

export function writeMinion(folders: Folders, { id, cluster }: OwnMinion, { brokerAuth, tls }: UpOptions): void {
  const folder = folders.minion(id);
  const root = new MasterKeys(join(folders.master, 'pki')).chain()[0];
  makeFolder(folder, FOLDER_MODE);
  const joinCreds = new BrokerKeys(join(folders.master, 'pki', 'broker')).credsPath('join');
  const lines = [
    '# Written by natriumctl up at each start; your own keys belong into minion.d/*.conf beside it.',
    `id: ${JSON.stringify(id)}`,
    `cluster: ${JSON.stringify(cluster)}`,
    `nats: ${url(folders.natsPort)}`,
    `master_finger: '${fingerprint(root)}'`,
    ...(brokerAuth === 'none' ? [] : [`join_creds: ${JSON.stringify(joinCreds)}`]),
    ...(tls === true ? [`broker_ca: ${JSON.stringify(caPath(folders.master))}`] : []),
    '',
  ];
  writeWhole(join(folder, 'minion'), lines.join('\n'), CONFIG_MODE);
}

const NO_KEYS = '# The master file of this cluster: nobody may publish until `peer` says so.\n';

export interface MasterFile {
  readonly path: string;
  /** Where the one of last time is, which said something else. */
  readonly kept: string | undefined;
  undo(): void;
}

/**
 * A copy of the given file takes the place of the master file of last time, which somebody may have edited. Whenever this is
 * interrupted, `master` is the one or the other, whole.
 */
export function takeMasterFile(given: string, folder: string): MasterFile {
  const [path, old] = [join(folder, 'master'), join(folder, 'master.old')];
  const [before, next] = [held(path), held(given)];
  if (before.text.equals(next.text)) return { path, kept: undefined, undo: () => undefined };
  const isKept = before.text.toString() !== NO_KEYS;
  const older = isKept && existsSync(old) ? held(old) : undefined;
  if (isKept) put(old, before);
  put(path, next);
  const undo = () => {
    put(path, before);
    if (older !== undefined) put(old, older);
    else if (isKept) rmSync(old);
  };
  return { path, kept: isKept ? old : undefined, undo };
}

/**
 * Files that count with the given one where it stands, and of which its new place has neither them nor a copy: without them the
 * cluster would have another policy, perhaps one that forbids less.
 *
 * @param read Those that count in the new place. @param folder That place.
 */
export function leftBehind(given: string, read: readonly string[], folder: string): readonly ConfigProblem[] {
  const beside = filesBeside(resolve(given));
  if (!beside.ok) return beside.error;
  return beside.value.flatMap((file) => {
    const copy = join(folder, relative(dirname(resolve(given)), file));
    if (read.includes(file) || (read.includes(copy) && held(copy).text.equals(held(file).text))) return [];
    const reason = `it counts with ${given}, and no copy of it counts with the copy of that file in ${folder}`;
    return [{ file, path: [], reason, mend: `copy it to ${copy}` }];
  });
}

interface Held {
  readonly text: Buffer;
  readonly mode: number;
}

/** A copy of what only its owner may read is such a file too. */
function held(path: string): Held {
  return { text: readFileSync(path), mode: CONFIG_MODE & statSync(path).mode };
}

function put(path: string, { text, mode }: Held): void {
  writeWhole(path, text, mode);
}

/** With another broker, or other keys, what is started would not be the cluster of this folder. */
const UPS_OWN = ['nats', 'pki_dir', 'broker_auth'] as const;

/** Where a file says instead of `up` what is `up`'s to say, or has what `up` says not read at all. */
export function overruled({ locate }: LoadedConfig<MasterConfig>, folder: string): readonly ConfigProblem[] {
  const own = ownConfig(folder);
  const key = UPS_OWN.find((one) => locate([one]).file !== own);
  if (key === undefined) return [];
  // Its own file counts over the master file, where it is read.
  const isUnread = locate([key]).file === join(folder, 'master');
  const path = [isUnread ? 'default_include' : key];
  const reason = `natriumctl up says what ${key} is itself, in ${own}, and that would not count`;
  const mend = isUnread ? 'take default_include out, or let it name master.d/*.conf' : `take ${key} out`;
  return [{ ...locate(path), path, reason, mend }];
}

/** The cluster of the broker's keys in a master folder; undefined where there are none, or where nobody asks for them. */
export function foundedCluster(folder: string, { brokerAuth }: Pick<UpOptions, 'brokerAuth'>): string | undefined {
  const keys = new BrokerKeys(join(folder, 'pki', 'broker'));
  return brokerAuth === 'none' || !keys.exists ? undefined : keys.cluster;
}

/** Under those keys the broker lets nobody do anything in a cluster of another name. */
export function renamed(
  { config, locate }: LoadedConfig<MasterConfig>,
  founded: string | undefined,
): readonly ConfigProblem[] {
  if (founded === undefined || founded === config.cluster) return [];
  const path = ['cluster'];
  const reason = `the keys of this cluster are of ${founded}, and not of ${config.cluster}`;
  const mend = `set cluster: ${founded}, or found another cluster in a folder of its own, with --state`;
  return [{ ...locate(path), path, reason, mend }];
}

function ownConfig(folder: string): string {
  return join(folder, 'master.d', 'up.conf');
}

function writeMaster({ brokerAuth = 'jwt', tls }: UpOptions, folder: string, natsPort: number): void {
  const file = join(folder, 'master');
  if (!existsSync(file)) writeWhole(file, NO_KEYS, CONFIG_MODE);
  makeFolder(join(folder, 'master.d'), FOLDER_MODE);
  const own = {
    nats: url(natsPort),
    root_dir: folder,
    pki_dir: join(folder, 'pki'),
    sock_dir: join(folder, 'run'),
    cachedir: join(folder, 'cache'),
    broker_auth: brokerAuth,
    ...(tls === true ? { broker_ca: caPath(folder) } : {}),
  };
  const lines = Object.entries(own).map(([key, value]) => `${key}: ${JSON.stringify(value)}`);
  writeWhole(ownConfig(folder), ['# Written by natriumctl up at each start.', ...lines, ''].join('\n'), CONFIG_MODE);
}

/** Needs the keys of the cluster: the broker's own are among them. */
export function writeBroker({ brokerConfig, broker, master, natsPort }: Folders, { brokerAuth, tls }: UpOptions): void {
  const keys = new BrokerKeys(join(master, 'pki', 'broker'));
  const config = [
    `listen: "127.0.0.1:${String(natsPort)}"`,
    'max_payload: 8388608',
    'max_pending: 268435456',
    'jetstream {',
    `  store_dir: ${JSON.stringify(join(broker, 'jetstream'))}`,
    '  sync_interval: always',
    '}',
    ...(tls === true ? tlsLines(dirname(caPath(master))) : []),
    ...(brokerAuth === 'none' ? [''] : [keys.serverConfig(join(broker, 'jwt'))]),
  ];
  writeWhole(brokerConfig, config.join('\n'), CONFIG_MODE);
}

/** A cluster that was begun without TLS gets its certificate when it is first asked for; one that has it, with its key, keeps it. */
export async function certify(master: string): Promise<void> {
  const folder = dirname(caPath(master));
  if (!isPair(join(folder, 'server.crt'), join(folder, 'server.key'))) await makeBrokerTls(folder, BROKER_HOSTS);
}

function tlsLines(folder: string): readonly string[] {
  const file = (name: string) => JSON.stringify(join(folder, name));
  return ['tls {', `  cert_file: ${file('server.crt')}`, `  key_file: ${file('server.key')}`, '}'];
}

function caPath(master: string): string {
  return join(master, 'pki', 'broker', 'tls', 'ca.crt');
}

/** @throws {Error} When nothing can listen on a wanted port: a broker that answers there would be taken for ours. */
async function checkFree({ natsPort = ANY_PORT, httpPort = ANY_PORT }: UpOptions): Promise<void> {
  for (const [option, port] of Object.entries({ '--nats-port': natsPort, '--http-port': httpPort })) {
    if (port === ANY_PORT || (await isFree(port))) continue;
    const how = port < FIRST_OF_USERS ? 'taken, or for root only' : 'taken';
    throw new Error(`port ${String(port)} is ${how}: name another with ${option}, or end what listens there`);
  }
}

/** The wanted port, the one of last time, or a free one. */
async function portOf({ natsPort = ANY_PORT }: UpOptions, folder: string): Promise<number> {
  const file = join(folder, BROKER_PORT_FILE);
  const known = existsSync(file) ? Number(readFileSync(file, 'utf8')) : ANY_PORT;
  const last = known !== ANY_PORT && (await isFree(known)) ? known : await freePort();
  const port = natsPort === ANY_PORT ? last : natsPort;
  writeWhole(file, `${String(port)}\n`, CONFIG_MODE);
  return port;
}

function url(port: number): string {
  return `nats://127.0.0.1:${String(port)}`;
}
