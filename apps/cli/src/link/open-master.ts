/**
 * An account comes onto the bus: configuration, its own key, one connection, one session.
 *
 * The account's key and the cluster's roots are read from the configuration folder, so that nothing has to be trusted on
 * first use.
 */
import { accessSync, constants, existsSync } from 'node:fs';
import { isNativeError } from 'node:util/types';
import type { NatsTransport } from '@natrium/bus';
import { identityAsker, keepRenewed, type Link, MasterClient } from '@natrium/client';
import { type MasterConfig, problemSentence } from '@natrium/config';
import { fingerprint, type Identity, identityFrom, newIdentitySecret, sodiumReady } from '@natrium/envelope';
import { MasterKeys, readIdentity } from '@natrium/keystore';
import { err, messageOf, ok, type Result } from '@natrium/model';
import { type LiveTracing, NOT_TRACED } from '@natrium/tracing';
import { loadClientConfig } from '../accounts/client-config.js';
import { callingAccount, claimOf, type HostAccount, keyFilesOf } from '../accounts/own-identity.js';
import { EXIT } from '../common/exit-codes.js';
import { noCluster } from '../keys/no-cluster.js';
import type { ConnectProblem } from '../ports.js';
import { doorPath, openSession } from './broker-session.js';

/** A session of the calling account. */
export interface OpenMaster {
  readonly client: MasterClient;
  readonly link: Link;
  readonly transport: NatsTransport;
  readonly config: MasterConfig;
  readonly keys: MasterKeys;
  /** Of the cluster's first root: its name for ever. */
  readonly fingerprint: string;
  readonly traces: LiveTracing;
}

export interface OpenOptions {
  readonly account?: HostAccount;
  /** Where this account has no key it comes under one that nobody knows, as a guest: something else proves who asks. */
  readonly keyless?: boolean;
  /** Where the steps of what is asked are told; nowhere when it is left out. */
  readonly openTracing?: (config: MasterConfig) => Promise<LiveTracing>;
  /** Told when the broker is away for longer than a moment, and when it is back. */
  readonly tell?: ((sentence: string) => void) | undefined;
}

export async function openMaster(
  configDir: string,
  options: OpenOptions = {},
): Promise<Result<OpenMaster, ConnectProblem>> {
  try {
    return await opened(configDir, options);
  } catch (error) {
    // A file of keys that is damaged, or not for this account, is no defect of a command.
    if (isNativeError(error) && 'path' in error) return problem(error.message, EXIT.badConfig);
    throw error;
  }
}

async function opened(
  configDir: string,
  { account = callingAccount(process.env), keyless = false, openTracing, tell }: OpenOptions,
): Promise<Result<OpenMaster, ConnectProblem>> {
  const loaded = loadClientConfig(configDir);
  if (!loaded.ok) return problem(loaded.error.map(problemSentence).join('\n'), EXIT.badConfig);
  const { config } = loaded.value;
  await sodiumReady();
  const keys = new MasterKeys(config.pki_dir);
  if (!keys.exists) return err({ ...noCluster(keys), exit: EXIT.badConfig });
  const own = ownIdentity(account, config, keys);
  const identity = own.ok || !keyless ? own : guestInstead(config, own.error);
  if (!identity.ok) return identity;
  const traces = (await openTracing?.(config)) ?? NOT_TRACED;
  return connect({ config, keys, traces, tell, claim: claimOf(account, config.user) }, identity.value);
}

interface OwnIdentity {
  readonly identity: Identity;
  /** undefined: made for the occasion. */
  readonly path: string | undefined;
}

function guestInstead(config: MasterConfig, { sentence, exit }: ConnectProblem): Result<OwnIdentity, ConnectProblem> {
  const door = doorPath(config, 'knock');
  if (config.broker_auth === 'none' || isReadable(door))
    return ok({ identity: identityFrom(newIdentitySecret()), path: undefined });
  // Shut on purpose: then only who has a key may log in.
  if (existsSync(door)) return problem(sentence, exit);
  return problem(`${sentence}. A login needs none where ${door} is: natriumctl init, run again, makes it`, exit);
}

function ownIdentity(
  account: HostAccount,
  config: MasterConfig,
  keys: MasterKeys,
): Result<OwnIdentity, ConnectProblem> {
  const first = keys.firstAccountPath;
  const places = { pkiDir: config.pki_dir, firstAccount: first, masterAccount: config.user };
  const paths = keyFilesOf(account, places);
  let unreadable: string | undefined;
  for (const path of paths) {
    try {
      const identity = readIdentity(path);
      if (identity !== undefined) return ok({ identity, path });
    } catch (error) {
      unreadable ??= messageOf(error);
    }
  }
  if (unreadable !== undefined && !unreadable.startsWith('EACCES')) return problem(unreadable, EXIT.badConfig);
  // A sync makes no key for who has the first one, and needs that itself.
  const why =
    paths[0] === first && unreadable === undefined
      ? `: ${first} is not there, which natriumctl init made with the cluster; bring it from that host or from a backup`
      : ` in ${config.pki_dir}; natriumctl accounts sync makes them, as root`;
  return problem(`account ${account.name} has no key${why}`, EXIT.noKey);
}

function isReadable(path: string): boolean {
  try {
    accessSync(path, constants.R_OK);
    return true;
  } catch {
    return false;
  }
}

interface Connecting {
  readonly config: MasterConfig;
  readonly keys: MasterKeys;
  readonly traces: LiveTracing;
  readonly claim: string | undefined;
  readonly tell: OpenOptions['tell'];
}

async function connect(
  { config, keys, traces, claim, tell }: Connecting,
  { identity, path }: OwnIdentity,
): Promise<Result<OpenMaster, ConnectProblem>> {
  const { firstRoot, document } = keys.roles();
  const cluster = { firstRoot, rolesSerial: document.serial, newest: keys.chain()[1].at(-1) };
  const session = await openSession({ config, identity, keyPath: path, ...cluster, tracing: traces.tracing, tell });
  if (!session.ok) return session;
  const { link, transport, user } = session.value;
  if (user !== undefined) keepRenewed({ ...link, transport }, user, 'usr', () => undefined);
  const claims = claim === undefined ? {} : { claims: { as: claim } };
  const client = new MasterClient({ ...identityAsker(link, 'usr'), ...claims });
  return ok({ client, link, transport, config, keys, fingerprint: fingerprint(firstRoot), traces });
}

function problem(sentence: string, exit: number): Result<never, ConnectProblem> {
  return err({ sentence, exit });
}
