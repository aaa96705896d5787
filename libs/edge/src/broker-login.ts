/** How a service logs in to the broker: the credentials that `natriumctl init` made for its role. */
import { join } from 'node:path';
import { type NatsOptions, type NatsTransport, waitingForBroker } from '@natrium/bus';
import { shownAddress } from '@natrium/config';
import { KeyfileCorrupt, readCredentials } from '@natrium/keystore';
import { messageOf } from '@natrium/model';
import { inboxOf } from '@natrium/wire';
import type { Logger } from 'pino';
import type { RoleOptions } from './role-options.js';

/** Who a service is to the broker, and where its answers come. @throws {KeyfileCorrupt} When there are none. */
export function brokerLogin(path: string): Required<Pick<NatsOptions, 'user' | 'inbox'>> {
  const credentials = readCredentials(path);
  if (credentials === undefined) throw new KeyfileCorrupt(path, 'exist, though broker_auth is jwt');
  const { jwt, key, name } = credentials;
  return { user: { jwt: () => jwt, key }, inbox: inboxOf(name) };
}

/** A process that hears nothing any more is of no use: its supervisor starts it again. */
export function endWhenLost(
  { lost }: Pick<NatsTransport, 'lost'>,
  log: Pick<Logger, 'error'>,
  end: (status: number) => void = (status) => process.exit(status),
): void {
  void lost.then((why) => {
    log.error(`the broker is lost for good: ${why}`);
    end(1);
  });
}

export class BrokerRefused extends Error {
  override readonly name = 'BrokerRefused';
  readonly code = 'ERR_BROKER_REFUSED';
  constructor(where: string, why: string, options: ErrorOptions) {
    super(`the broker at ${where} refuses this service: ${why}`, options);
  }
}

/** The broker says little, and what it means for the operator depends on how this service came. undefined: it is no refusal. */
function whyRefused(said: string, credentials: string | undefined): string | undefined {
  if (/authentication timeout/i.test(said))
    return 'the login took longer than the broker waits for one; see that neither its host nor this one is overloaded, and start this service again';
  if (/authentication expired/i.test(said))
    return `${credentials ?? 'who it comes as'} has expired, by the clock of the broker's host; see that this clock is right, and put newer credentials there (tools/role-keys.mjs)`;
  if (!/authorization violation/i.test(said)) return undefined;
  return credentials === undefined
    ? 'it wants to know who comes: set broker_auth: jwt'
    : `it does not know ${credentials}; see that nats names the broker of this cluster, that it runs with the server.conf of this cluster, and that this file is of it, too (tools/role-keys.mjs)`;
}

/** As whom a service comes. */
export interface Coming {
  /** What the broker calls the connection. */
  readonly name: string;
  /** The file of them; undefined where the broker knows no users. */
  readonly credentials: string | undefined;
}

export function asRole({ role, brokerAuth, pkiDir }: Pick<RoleOptions, 'role' | 'brokerAuth' | 'pkiDir'>): Coming {
  const credentials = brokerAuth === 'jwt' ? join(pkiDir, 'broker', 'users', `${role}.creds`) : undefined;
  return { name: `natrium-${role}`, credentials };
}

/** A connection of a service, which waits for a broker that is not there yet. @throws {BrokerRefused} */
export async function connectBroker(
  { servers, tls, log }: Pick<RoleOptions, 'servers' | 'tls' | 'log'>,
  { name, credentials }: Coming,
): Promise<NatsTransport> {
  const where = servers.map(shownAddress).join(', ');
  const wanted: NatsOptions = {
    servers,
    name,
    tls,
    ...(credentials === undefined ? {} : brokerLogin(credentials)),
    outlivesRefusals: true,
    onNotice: (notice, cause) => {
      log.info({ err: cause }, notice);
    },
    onAlert: (alert, cause) => {
      log.error({ err: cause }, alert);
    },
    // A warning, though nothing is wrong any more: whoever saw the alert has to see this at the default log level, too.
    onOver: (sentence) => {
      log.warn(sentence);
    },
  };
  try {
    return await waitingForBroker(wanted, {
      where,
      tell: (why) => {
        log.warn(why);
      },
    });
  } catch (error) {
    const why = whyRefused(messageOf(error), credentials);
    throw why === undefined ? error : new BrokerRefused(where, why, { cause: error });
  }
}
