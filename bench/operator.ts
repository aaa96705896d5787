/** How the benches log in to the broker of their cluster: as its operator. */
import type { ConnectionOptions } from '@nats-io/transport-node';
import { operatorLogin } from '../tests/support/broker-operator.js';

/** @param state The cluster's folder. */
export async function asOperator(state: string): Promise<Pick<ConnectionOptions, 'authenticator'>> {
  const authenticator = await operatorLogin(state);
  return authenticator === undefined ? {} : { authenticator };
}
