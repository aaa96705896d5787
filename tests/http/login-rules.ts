/** Logins that are counted, so that nobody guesses: what that means for who knows the password. Budgets: tests/http/login-budget.spec.ts. */
import { jetstreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { operatorLogin } from '../support/broker-operator.js';
import type { HttpWorld } from './world.js';

export function loginRules(world: HttpWorld): void {
  const status = async () => (await world.login('carol')).status;

  it('scripts that log in at once with one account all come in: who would be a guess too many waits for the others', async () => {
    const all = await Promise.all(Array.from({ length: 24 }, status));
    expect(all).toEqual(new Array<number>(24).fill(200));
  });

  it('a login that cannot be counted is refused with the right password too, and works when it can be', async () => {
    const { brokerUrl, folder } = world.cluster;
    const authenticator = await operatorLogin(folder);
    const operator = await connect({ servers: brokerUrl, ...(authenticator === undefined ? {} : { authenticator }) });
    const { streams } = await jetstreamManager(operator);
    try {
      await streams.update('KV_NT_main_tokens', { max_msg_size: 10 });
      expect(await status()).toBe(503);
      await streams.update('KV_NT_main_tokens', { max_msg_size: -1 });
      expect(await status()).toBe(200);
    } finally {
      await operator.close();
    }
  });
}
