/** `natrium-key`'s way to the acl-service: signed requests that name id and fingerprint. */
import type { MasterClient } from '@natrium/client';
import { fromHex, pemOf } from '@natrium/envelope';
import { isList, isMap, ok, type Refusal, type Result, type Value } from '@natrium/model';
import { inGroups } from '../common/in-groups.js';
import type { KeyEntry, KeyPair, KeyPort, KeyState } from '../ports.js';

const STATES: readonly KeyState[] = ['accepted', 'pending', 'rejected', 'denied'];

/** Many keys are several requests: what was done before one that is refused stays done. */
export function keyPort(client: Pick<MasterClient, 'admin'>, masterFinger: string): KeyPort {
  const change =
    (fun: string) =>
    async (entries: readonly KeyPair[]): Promise<Result<readonly string[], Refusal>> => {
      const done: string[] = [];
      for (const some of inGroups(entries)) {
        const answer = await client.admin(
          'key',
          fun,
          some.map(({ id, fingerprint }) => ({ id, fingerprint })),
        );
        if (!answer.ok) return answer;
        done.push(...texts(answer.value));
      }
      return ok(done);
    };
  return {
    list: async () => {
      const answer = await client.admin('key', 'key.list', []);
      return answer.ok ? ok({ entries: entriesIn(answer.value), local: { 'master.pub': masterFinger } }) : answer;
    },
    accept: change('key.accept'),
    reject: change('key.reject'),
    remove: change('key.delete'),
  };
}

function entriesIn(value: Value): readonly KeyEntry[] {
  if (!isList(value)) return [];
  return value.flatMap((item) => {
    if (!isMap(item)) return [];
    const { id, fingerprint, state: word, publicKey } = item;
    const state = STATES.find((one) => one === word);
    return typeof id === 'string' && typeof fingerprint === 'string' && state !== undefined
      ? [{ id, fingerprint, state, ...(typeof publicKey === 'string' ? { publicKey: pemOf(fromHex(publicKey)) } : {}) }]
      : [];
  });
}

function texts(value: Value): readonly string[] {
  return isList(value) ? value.filter((item) => typeof item === 'string') : [];
}
