/**
 * What `up` writes below its state folder: `master/` and `minions/<id>/` are configuration folders like those of a real
 * host; what `up` itself decides stands in `master.d/up.conf` and the minion file, the operator's own master file is copied
 * (given-files.ts).
 */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, isAbsolute, join } from 'node:path';
import { compilePolicy } from '@natrium/acl';
import { BrokerKeys } from '@natrium/broker-auth';
import { type ConfigProblem, type LoadedConfig, type MasterConfig } from '@natrium/config';
import { fingerprint } from '@natrium/envelope';
import { compileReactor } from '@natrium/flow';
import { makeFolder, MasterKeys, writeWhole } from '@natrium/keystore';
import { ANY_PORT, freePort, isFree } from '@natrium/process';
import { isPair, makeBrokerTls } from '../init/broker-tls.js';
import type { UpOptions } from '../ports.js';
import { NO_KEYS } from './given-files.js';

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

/** With another broker, other keys or other folders, what is started would not be the cluster of this folder, or write into another's. */
const UPS_OWN = ['nats', 'pki_dir', 'broker_auth', 'root_dir', 'cachedir'] as const;

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

/** What an acl-service or a runner-service would end at, after all before it was started, and name by the copy's path. */
export function malformed({ config, locate }: LoadedConfig<MasterConfig>): readonly ConfigProblem[] {
  const problems = [...compilePolicy(config).problems, ...compileReactor(config.reactor).problems];
  return problems.map((problem) => ({ ...locate(problem.path), ...problem }));
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
