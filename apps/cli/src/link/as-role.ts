/**
 * The broker's users that only this host has, with the credentials that `natriumctl init` made: for what no account may read or write.
 *
 * Spec: spec/broker.md#users.
 */
import { join } from 'node:path';
import { type NatsOptions, NatsTransport } from '@natrium/bus';
import { brokerTls, type MasterConfig } from '@natrium/config';
import { readCredentials } from '@natrium/keystore';
import { inboxOf } from '@natrium/wire';
import { NoBroker, whyNot } from './why-not.js';

type Login = Pick<NatsOptions, 'user' | 'inbox'>;

/**
 * Does something over a connection of such a user; where the broker does not ask who comes, of anybody.
 *
 * @returns undefined, with nothing done, where the broker asks and there are no such credentials.
 * @throws {KeyfileCorrupt} When they are none of a user.
 * @throws {NoBroker} When the broker does not let it in, or leaves a question without an answer.
 */
export async function asRole<T>(
  role: 'auditor' | 'doctor' | 'keeper',
  config: MasterConfig,
  work: (transport: NatsTransport) => Promise<T>,
): Promise<T | undefined> {
  const login = config.broker_auth === 'none' ? {} : loginOf(role, config);
  if (login === undefined) return undefined;
  const transport = await connect(`natrium-${role}`, config, login);
  try {
    return await work(transport);
  } catch (error) {
    throw isTimeout(error) ? new NoBroker(whyNot(error, config), { cause: error }) : error;
  } finally {
    await transport.drain();
  }
}

async function connect(name: string, config: MasterConfig, login: Login): Promise<NatsTransport> {
  try {
    return await NatsTransport.connect({ servers: config.nats, name, tls: brokerTls(config), ...login });
  } catch (error) {
    throw new NoBroker(whyNot(error, config), { cause: error });
  }
}

/** As the client library calls it, whose classes are not known here. */
function isTimeout(error: unknown): boolean {
  return error instanceof Error && error.name === 'TimeoutError';
}

function loginOf(role: string, { pki_dir }: MasterConfig) {
  const credentials = readCredentials(join(pki_dir, 'broker', 'users', `${role}.creds`));
  if (credentials === undefined) return undefined;
  const { jwt, key, name } = credentials;
  return { user: { jwt: () => jwt, key }, inbox: inboxOf(name) };
}
