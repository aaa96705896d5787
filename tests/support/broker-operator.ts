/** The broker's own operator: whoever holds the account's key sees and may send everything, as a hostile broker could. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Authenticator } from '@nats-io/transport-node';
import { BrokerKeys, plainUserJwt } from '@natrium/broker-auth';
import { NatsKey, sodiumReady } from '@natrium/envelope';

const EVERYTHING = { pub: { allow: ['>'] }, sub: { allow: ['>'] } };

/** @param state The state folder of a cluster. @returns undefined when its broker asks for nobody. */
export async function operatorLogin(state: string): Promise<Authenticator | undefined> {
  const keys = brokerKeysOf(state);
  if (!keys.exists) return undefined;
  await sodiumReady();
  const user = NatsKey.generate('user');
  const jwt = await plainUserJwt(keys.offlineAccount, {
    name: 'operator',
    user: user.publicKey,
    permissions: EVERYTHING,
  });
  return loginAs(jwt, user);
}

/** The same for the broker's own account, where it tells who comes and goes. */
export async function systemLogin(state: string): Promise<Authenticator> {
  await sodiumReady();
  const user = NatsKey.generate('user');
  const jwt = await plainUserJwt(brokerKeysOf(state).offlineSystem, {
    name: 'system-operator',
    user: user.publicKey,
    permissions: EVERYTHING,
  });
  return loginAs(jwt, user);
}

export function loginAs(jwt: string, key: NatsKey): Authenticator {
  return (nonce = '') => {
    const signature = key.sign(new TextEncoder().encode(nonce));
    return { jwt, nkey: key.name, sig: Buffer.from(signature).toString('base64url') };
  };
}

export function brokerKeysOf(state: string): BrokerKeys {
  return new BrokerKeys(join(state, 'master', 'pki', 'broker'));
}

/** Whether `up` has made the keys of this cluster. */
export function isFounded(state: string): boolean {
  return existsSync(join(state, 'master', 'pki', 'roles')) && brokerKeysOf(state).exists;
}
