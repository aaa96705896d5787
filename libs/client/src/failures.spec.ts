/** Rules of what a caller hears who had no answer: it names the service that was to give one. */
import type { AskFailure, Hearing, SealedBus } from '@natrium/bus';
import { SigningKey, sodiumReady } from '@natrium/envelope';
import { MasterClient } from './master-client.js';

beforeAll(sodiumReady);

/** A bus on which nobody answers, for this reason. */
function client(error: AskFailure): MasterClient {
  const bus = {
    ask: () => Promise.resolve({ ok: false, error }),
    converse: (_question: unknown, _answers: unknown, _timeoutMs: number, hear: Hearing<never>) => {
      queueMicrotask(() => {
        hear.onFailure(error);
      });
      return () => undefined;
    },
    sealer: { clock: { now: () => 0 }, roles: { cluster: new Uint8Array(32) } },
  } as unknown as SealedBus;
  const subjects = { publish: '', runner: '', admin: '', auth: '' };
  return new MasterClient({ bus, signing: SigningKey.generate(), subjects, grantRun: null });
}

it.each<[AskFailure, string]>([
  ['no_responders', 'no acl-service is connected to the broker'],
  ['nobody_known', 'no acl-service is known; is one running?'],
  ['timeout', 'the master did not answer in time'],
])('of keys, the audit and logins the acl-service is asked: %s', async (failure, sentence) => {
  const error = { code: 'master_unreachable', sentence };
  expect(await client(failure).admin('key', 'key.list', [])).toEqual({ ok: false, error });
  for (const what of ['login', 'check'] as const)
    expect(await client(failure).auth({ what })).toEqual({ ok: false, error });
});
