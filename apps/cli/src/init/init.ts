/**
 * `natriumctl init`: founds a cluster in a configuration folder: root, role keys, storage keys, the first account.
 *
 * Nothing that is there is overwritten; a master file is written only where there is none. Run again, it goes on where it was
 * interrupted, or makes only what a cluster of an earlier version lacks.
 */
import { existsSync, lstatSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isNativeError } from 'node:util/types';
import { BrokerKeys } from '@natrium/broker-auth';
import { loadMasterConfig, type MasterConfig, problemSentence } from '@natrium/config';
import { fingerprint, sodiumReady } from '@natrium/envelope';
import {
  FolderInUse,
  type FolderUse,
  KeyfileCorrupt,
  lockFolder,
  makeFolder,
  MasterKeys,
  mendOf,
  writeWhole,
} from '@natrium/keystore';
import { codeOf, messageOf } from '@natrium/model';
import { EXIT } from '../common/exit-codes.js';
import { UsageError } from '../common/options.js';
import { pathTrouble } from '../common/path-trouble.js';
import { pathOf, troubleOf } from '../keys/master-folder.js';
import type { InitOptions, Io } from '../ports.js';
import { makeBrokerTls, wrongHost } from './broker-tls.js';

const CONFIG_MODE = 0o640;
const OF_THE_PLACE = new Set(['EEXIST', 'ENOTDIR', 'ENOENT']);
const OF_THE_ACCOUNT = new Set(['EACCES', 'EPERM']);

/** Of a folder of keys: another would take the place of the keys that are being made. */
const ONE_INIT: FolderUse = {
  name: 'init',
  program: 'natriumctl init',
  mend: 'do it again when that one has ended; nothing was changed',
};

/** @throws {UsageError} When a host of the broker is none; nothing is made then. */
export async function runInit(options: InitOptions, io: Io): Promise<number> {
  const wrong = wrongHost(options.brokerTls ?? []);
  if (wrong !== undefined)
    throw new UsageError(`option --broker-tls: ${JSON.stringify(wrong)} is no name or address of a host`);
  await sodiumReady();
  try {
    return await founded(options, io);
  } catch (error) {
    const isLeftAlone = error instanceof FolderInUse || error instanceof KeyfileCorrupt;
    // What the host's disk refuses is the operator's to mend; anything else is a defect.
    if (!isLeftAlone && !(isNativeError(error) && 'syscall' in error)) throw error;
    io.err(`natriumctl: error: ${sentenceOf(error)}\n`);
    return isLeftAlone || mendOf(error) !== undefined ? EXIT.failed : EXIT.badConfig;
  }
}

/** Of a place that cannot be used the system's words say which call failed, and not what to do. */
function sentenceOf(error: unknown): string {
  const [code = '', path] = [codeOf(error), pathOf(error)];
  if (path !== undefined && OF_THE_PLACE.has(code)) return pathTrouble(path, error);
  if (OF_THE_ACCOUNT.has(code)) {
    const said = path === undefined ? messageOf(error) : pathTrouble(existsSync(path) ? path : dirname(path), error);
    return `${said}: run this as an account that may, or name another folder`;
  }
  return `${troubleOf(error)}${mendOf(error) === undefined ? '' : '; then run this again'}`;
}

async function founded(options: InitOptions, io: Io): Promise<number> {
  const { configDir, user, brokerAuth = 'jwt', brokerTls = [] } = options;
  makeFolder(configDir, 0o750);
  const file = join(configDir, 'master');
  // A link whose file is away for a while stays the operator's.
  if (lstatSync(file, { throwIfNoEntry: false }) === undefined)
    writeWhole(file, masterFile(user, brokerAuth), CONFIG_MODE);
  const loaded = loadMasterConfig(configDir);
  if (!loaded.ok) {
    for (const problem of loaded.error) io.err(`${problemSentence(problem)}\n`);
    return EXIT.badConfig;
  }
  const { config } = loaded.value;
  const differs = unlikeAsked(options, config, file) ?? saltsKeys(config, file);
  if (differs !== undefined) {
    io.err(`natriumctl: error: ${differs}; nothing was changed\n`);
    return EXIT.badConfig;
  }
  if (options.brokerAuth === undefined && config.broker_auth === 'none')
    io.err(`natriumctl: warning: the broker asks nobody who they are: ${mendAuth('jwt', file)}\n`);
  const folder = config.pki_dir;
  const place = { config, brokerTls, keys: new MasterKeys(folder), broker: new BrokerKeys(join(folder, 'broker')) };
  if (isFounded(place) && !isWanting(place)) return settled(place, io);
  makeFolder(folder, 0o700);
  const lock = await lockFolder(folder, ONE_INIT);
  try {
    // Another may have done it meanwhile.
    return await (isFounded(place) ? settled(place, io) : found(place, io));
  } finally {
    lock.release();
  }
}

/** A file that was there is not changed: what it says else than was asked would count without a word. */
function unlikeAsked({ user, brokerAuth }: InitOptions, config: MasterConfig, file: string): string | undefined {
  if (brokerAuth !== undefined && brokerAuth !== config.broker_auth)
    return `broker_auth is ${config.broker_auth}, not ${brokerAuth}: ${mendAuth(brokerAuth, file)}`;
  if (user !== undefined && user !== config.user)
    return `user is ${JSON.stringify(config.user)}, not ${JSON.stringify(user)}: change it in ${file}`;
  return undefined;
}

/** Its files have names that mean something here as well, as `minions/<id>`. */
function saltsKeys({ pki_dir: folder }: MasterConfig, file: string): string | undefined {
  if (new MasterKeys(folder).exists || !existsSync(join(folder, 'master.pem'))) return undefined;
  return `${folder} holds the keys of Salt's master: take pki_dir out of ${file}, or name another folder there`;
}

function mendAuth(auth: string, file: string): string {
  return `set "broker_auth: ${auth}" in ${file}`;
}

interface Place {
  readonly config: MasterConfig;
  readonly keys: MasterKeys;
  readonly broker: BrokerKeys;
  /** What the broker's certificate shall name; none: it is not asked for. */
  readonly brokerTls: readonly string[];
}

function isFounded({ keys, broker }: Place): boolean {
  const isLeft = broker.isBegun || existsSync(broker.folder);
  return keys.exists && (broker.exists || !isLeft);
}

/** Two that made what is missing at once would each leave a part of theirs: a key, and beside it the other's certificate or scopes. */
function isWanting({ broker, brokerTls }: Place): boolean {
  return brokerTls.length > 0 || (broker.exists && !broker.isComplete);
}

function settled({ keys, broker, brokerTls }: Place, io: Io): Promise<number> {
  return brokerTls.length > 0 ? certified(tlsOf(broker), brokerTls, io) : completed(broker, keys.folder, io);
}

/** Makes all that is missing. Of keys that were only begun nobody has one: they are made anew. */
async function found({ config, keys, broker, brokerTls }: Place, io: Io): Promise<number> {
  const isUnfinished = !keys.exists && broker.isOnlyBegun;
  // A part of what lay elsewhere and was put back, whose place a new cluster would take.
  const left = (keys.exists || isUnfinished ? [broker.folder] : [broker.folder, rootOf(keys)]).find((path) =>
    existsSync(path),
  );
  if (left !== undefined) {
    const mend = `put all of ${keys.folder} back; where there never was more of it, move it away`;
    io.err(`natriumctl: error: ${left} is there, and the rest of the cluster is not: ${mend}\n`);
    return EXIT.badConfig;
  }
  if (isUnfinished) keys.dropUnfinished();
  broker.begin();
  if (!keys.exists) keys.create(Date.now());
  await broker.create(config.cluster);
  io.out(aboutCluster(config, keys, broker));
  return brokerTls.length > 0 ? certified(tlsOf(broker), brokerTls, io) : EXIT.ok;
}

function tlsOf({ folder }: BrokerKeys): string {
  return join(folder, 'tls');
}

function rootOf({ folder }: MasterKeys): string {
  return join(folder, 'root.key');
}

function aboutCluster({ user, broker_auth: auth }: MasterConfig, keys: MasterKeys, broker: BrokerKeys): string {
  return [
    `A new cluster is in ${keys.folder}.`,
    `Its fingerprint, for master_finger in every minion's configuration:`,
    `  ${fingerprint(keys.chain()[0])}`,
    `The first account is ${user}; it has full access. Its key: ${keys.firstAccountPath}`,
    `Keep ${rootOf(keys)} offline: it is needed only to change role keys.`,
    ...(auth === 'jwt' ? aboutBroker(broker) : []),
    '',
  ].join('\n');
}

/** A cluster that is there gets a certificate for its broker, or the next one under the same CA. */
async function certified(folder: string, hosts: readonly string[], io: Io): Promise<number> {
  const isFirst = !existsSync(join(folder, 'ca.crt'));
  try {
    await makeBrokerTls(folder, hosts);
  } catch (error) {
    io.err(`natriumctl: error: ${messageOf(error)}\n`);
    return EXIT.badConfig;
  }
  io.out(
    [
      `A certificate for ${hosts.join(', ')} is in ${folder}.`,
      isFirst
        ? `Its CA is new: set broker_ca for the services, and copy ${join(folder, 'ca.crt')} to each minion.`
        : 'Its CA is the same: services and minions need nothing new.',
      'Give each broker node server.crt and server.key, then reload it (systemctl reload natrium-broker, or SIGHUP).',
      '',
    ].join('\n'),
  );
  return 0;
}

/** A cluster of an earlier version gets what has come since; nothing that is there is changed. */
async function completed(broker: BrokerKeys, folder: string, io: Io): Promise<number> {
  if (!broker.exists) {
    const mend = 'put it back from a backup; nothing was changed';
    io.err(`natriumctl: error: ${folder} holds a cluster without ${broker.folder}: ${mend}\n`);
    return EXIT.failed;
  }
  const made = await broker.complete();
  if (made.length === 0) {
    io.out(`${folder} holds a cluster that lacks nothing of this version; nothing was changed\n`);
    return EXIT.ok;
  }
  io.out(
    [
      `The cluster in ${folder} is of an earlier version. The broker's users that it had not were made: ${made.join(', ')}.`,
      `They count once each acl-service has the new ${join(broker.folder, 'acl')} and was started again.`,
      '',
    ].join('\n'),
  );
  return 0;
}

function aboutBroker(broker: BrokerKeys): readonly string[] {
  return [
    `The broker asks who comes: include ${join(broker.folder, 'server.conf')} in its configuration, and copy`,
    `${broker.credsPath('join')} to each minion as pki/join.creds. Keep ${broker.offlineFolder} offline too.`,
  ];
}

function masterFile(user: string | undefined, brokerAuth: string): string {
  const lines = [
    '# Natrium reads the keys of a Salt master file; docs/configuration.md lists them.',
    `broker_auth: ${brokerAuth}`,
  ];
  if (user !== undefined) lines.push(`user: ${JSON.stringify(user)}`);
  return `${lines.join('\n')}\n`;
}
