/** How a service logs in to the broker: the credentials that `natriumctl init` made for its role. */
import { join } from 'node:path';
import { type NatsOptions, type NatsTransport, waitingForBroker } from '@natrium/bus';
import { shownAddress } from '@natrium/config';
import { KeyfileCorrupt, readCredentials } from '@natrium/keystore';
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

/** The connection of a service, which waits for a broker that is not there yet. */
export async function connectBroker(options: RoleOptions): Promise<NatsTransport> {
  const { servers, role, tls, brokerAuth, pkiDir, log } = options;
  const wanted: NatsOptions = {
    servers,
    name: `natrium-${role}`,
    tls,
    ...(brokerAuth === 'jwt' ? brokerLogin(join(pkiDir, 'broker', 'users', `${role}.creds`)) : {}),
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
  return waitingForBroker(wanted, {
    where: servers.map(shownAddress).join(', '),
    tell: (why) => {
      log.warn(why);
    },
  });
}
