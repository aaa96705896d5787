/**
 * `natriumctl init`: founds a cluster in a configuration folder: root, role keys, storage keys, the first account.
 *
 * Nothing that is there is overwritten; a master file is written only where there is none. Run again, it goes on where it was
 * interrupted, or makes only what a cluster of an earlier version lacks.
 */
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { isNativeError } from 'node:util/types';
import { BrokerKeys } from '@natrium/broker-auth';
import { loadMasterConfig, type MasterConfig, problemSentence } from '@natrium/config';
import { fingerprint, sodiumReady } from '@natrium/envelope';
import { MasterKeys, writeWhole } from '@natrium/keystore';
import { EXIT } from '../common/exit-codes.js';
import type { InitOptions, Io } from '../ports.js';
import { makeBrokerTls } from './broker-tls.js';

const CONFIG_MODE = 0o640;

export async function runInit(options: InitOptions, io: Io): Promise<number> {
  await sodiumReady();
  try {
    return await founded(options, io);
  } catch (error) {
    // What the host's disk refuses is the operator's to mend; anything else is a defect.
    if (!isNativeError(error) || !('syscall' in error)) throw error;
    io.err(`natriumctl: error: ${error.message}\n`);
    return EXIT.badConfig;
  }
}

async function founded({ configDir, user, brokerAuth = 'jwt', brokerTls = [] }: InitOptions, io: Io): Promise<number> {
  mkdirSync(configDir, { recursive: true, mode: 0o750 });
  const file = join(configDir, 'master');
  if (!existsSync(file)) writeWhole(file, masterFile(user, brokerAuth), CONFIG_MODE);
  const loaded = loadMasterConfig(configDir);
  if (!loaded.ok) {
    for (const problem of loaded.error) io.err(`${problemSentence(problem)}\n`);
    return EXIT.badConfig;
  }
  const { pki_dir: folder, cluster } = loaded.value.config;
  const keys = new MasterKeys(folder);
  const broker = new BrokerKeys(join(folder, 'broker'));
  const tls = join(folder, 'broker', 'tls');
  const isLeft = broker.isBegun || existsSync(broker.folder);
  const isFounded = keys.exists && (broker.exists || !isLeft);
  if (isFounded) return brokerTls.length > 0 ? certified(tls, brokerTls, io) : completed(broker, folder, io);
  const left = leftOver(keys, broker);
  if (left !== undefined) {
    const mend = `put all of ${folder} back; where there never was more of it, move it away`;
    io.err(`natriumctl: error: ${left} is there, and the rest of the cluster is not: ${mend}\n`);
    return EXIT.badConfig;
  }
  broker.begin();
  if (!keys.exists) keys.create(Date.now());
  await broker.create(cluster);
  if (brokerTls.length > 0) await makeBrokerTls(tls, brokerTls);
  io.out(aboutCluster(loaded.value.config, keys, broker));
  return 0;
}

function rootOf({ folder }: MasterKeys): string {
  return join(folder, 'root.key');
}

/** A part of what lay elsewhere and was put back, whose place a new cluster would take. */
function leftOver(keys: MasterKeys, broker: BrokerKeys): string | undefined {
  const parts = keys.exists ? [broker.folder] : [broker.folder, rootOf(keys)];
  return parts.find((path) => existsSync(path));
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
    io.err(`natriumctl: error: ${error instanceof Error ? error.message : String(error)}\n`);
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
  const made = broker.exists ? await broker.complete() : [];
  if (made.length === 0) {
    io.err(`natriumctl: error: ${folder} already holds a cluster; nothing was changed\n`);
    return EXIT.failed;
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
