/** Lets the minions of a swarm in, and takes them away again: the operator's signed requests, many keys in each. */
import type { MasterClient, SwarmKey } from '@natrium/client';
import type { Refusal, Result } from '@natrium/model';
import { inGroups } from '../common/in-groups.js';
import { keyPort } from '../link/key-port.js';
import type { KeyPair } from '../ports.js';

const TRIES = 12;

/** @param isOver Asked before each request. @returns How many of them are let in. @throws {Error} When one is refused. */
export async function enrolKeys(
  client: Pick<MasterClient, 'admin'>,
  keys: readonly SwarmKey[],
  isOver: () => boolean,
): Promise<number> {
  let count = 0;
  for (const some of inGroups(keys)) {
    if (isOver()) break;
    const cards = some.map(({ id, identity, nkey }) => ({ id, identity, nkey }));
    const answer = await patiently(() => client.admin('key', 'key.enrol', cards));
    if (!answer.ok) throw new Error(`the minions could not be let in: ${answer.error.sentence}`);
    count += some.length;
  }
  return count;
}

/** Those that are still there; who was taken away meanwhile is passed over. @returns How many of them there were. */
export async function deleteKeys(client: MasterClient, keys: readonly KeyPair[]): Promise<number> {
  const port = keyPort(client, '');
  let first: number | undefined;
  const gone = await patiently(async () => {
    const list = await port.list();
    if (!list.ok) return list;
    const there = new Set(list.value.entries.map(nameOf));
    const left = keys.filter((key) => there.has(nameOf(key)));
    first ??= left.length;
    return port.remove(left);
  });
  if (!gone.ok) throw new Error(`the keys of the swarm could not be deleted: ${gone.error.sentence}`);
  return first ?? 0;
}

/** A busy acl-service may take longer than one question waits. Each try looks anew at what is left to do. */
async function patiently<T>(ask: () => Promise<Result<T, Refusal>>): Promise<Result<T, Refusal>> {
  for (let attempt = 1; ; attempt += 1) {
    const answer = await ask();
    if (answer.ok || answer.error.code !== 'master_unreachable' || attempt === TRIES) return answer;
  }
}

function nameOf({ id, fingerprint }: KeyPair): string {
  return `${fingerprint} ${id}`;
}
