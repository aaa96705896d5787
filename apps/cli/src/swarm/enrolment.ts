/** Lets the minions of a swarm in, and takes them away again: the operator's signed requests, many keys in each. */
import type { MasterClient, SwarmKey } from '@natrium/client';
import { isList, type Value } from '@natrium/model';
import type { KeyPair } from '../ports.js';

/** As many as one request may name. */
const AT_ONCE = 256;

/** @param isOver Asked before each request. @throws {Error} When one is refused. */
export async function enrolKeys(client: MasterClient, keys: readonly SwarmKey[], isOver: () => boolean): Promise<void> {
  for (const some of inGroups(keys)) {
    if (isOver()) return;
    const answer = await client.admin(
      'key',
      'key.enrol',
      some.map((key) => ({ ...key })),
    );
    if (!answer.ok) throw new Error(`the minions could not be let in: ${answer.error.sentence}`);
  }
}

/** Those that are still there; who was taken away meanwhile is passed over. */
export async function deleteKeys(client: MasterClient, keys: readonly KeyPair[]): Promise<number> {
  const there = await listed(client);
  const left = keys.filter(({ id, fingerprint }) => there.has(`${fingerprint} ${id}`));
  for (const some of inGroups(left)) {
    const answer = await client.admin(
      'key',
      'key.delete',
      some.map((key) => ({ ...key })),
    );
    if (!answer.ok) throw new Error(`the keys of the swarm could not be deleted: ${answer.error.sentence}`);
  }
  return left.length;
}

async function listed(client: MasterClient): Promise<ReadonlySet<string>> {
  const answer = await client.admin('key', 'key.list', []);
  if (!answer.ok) throw new Error(answer.error.sentence);
  const entries: readonly Value[] = isList(answer.value) ? answer.value : [];
  return new Set(
    entries.map((entry) => {
      const { fingerprint, id } = entry as { readonly fingerprint?: unknown; readonly id?: unknown };
      return `${String(fingerprint)} ${String(id)}`;
    }),
  );
}

function inGroups<T>(items: readonly T[]): readonly (readonly T[])[] {
  return Array.from({ length: Math.ceil(items.length / AT_ONCE) }, (_, at) =>
    items.slice(at * AT_ONCE, (at + 1) * AT_ONCE),
  );
}
