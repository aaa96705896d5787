/** A job as a gateway sends it to one minion, and what the minion makes of it. */
import { digestOf } from '@natrium/bus';
import { decode, encode, leafOf, MerkleTree, readStaleKey, type Signed, toHex, type Wire } from '@natrium/envelope';
import type { Value } from '@natrium/model';
import type { Body, contracts } from '@natrium/wire';
import type { TestMinion } from './test-minion.js';

export type Returned = Body<typeof contracts.returned>;

/** What a minion made of one message: its return, or the reason why it did not even open it. */
export interface Verdict {
  readonly heard: Returned['status'] | 'turned_away' | 'stale_key' | 'no_responders';
  readonly code: string | null;
  readonly jid: string | null;
  readonly ret: Value;
}

export interface Member {
  readonly id: string;
  readonly key: Uint8Array;
}

export interface JobOrder {
  readonly request: Uint8Array;
  readonly grant: Signed;
  /** The minions whose tree the place is taken from. */
  readonly members: readonly Member[];
  /** Another private part than the right one. */
  readonly place?: Uint8Array;
  readonly instance?: string;
}

/** The private part of a job: the minion's index and proof in the tree of these members. */
export function placeOf(members: readonly Member[], { id, key }: Member): Uint8Array {
  const tree = MerkleTree.of(members.map((member) => leafOf(member.key, member.id)));
  const index = Math.max(tree.indexOf(leafOf(key, id)), 0);
  return encode([index, [...tree.proof(index)]]);
}

/** A return names the request that was granted, or the one that came when the grant cannot be trusted. */
export function digestsIn({ request, grant }: Pick<JobOrder, 'request' | 'grant'>): readonly string[] {
  const came = digestOf(request);
  try {
    const granted = (decode(grant.bytes) as readonly Wire[])[1];
    return granted instanceof Uint8Array ? [came, toHex(granted)] : [came];
  } catch {
    return [came]; // an edited grant may be no object at all
  }
}

/** The minion says nothing of why; its own log does. */
export async function whyNotOpened(minion: TestMinion, payload: Uint8Array): Promise<Verdict> {
  const code = await minion.log.turnedAway.next();
  return unheard(readStaleKey(payload) === undefined ? 'turned_away' : 'stale_key', code);
}

export function verdictOf({ status, code, jid, outcome }: Returned): Verdict {
  return { heard: status, code, jid, ret: outcome.ret };
}

export function unheard(heard: Verdict['heard'], code: string | null): Verdict {
  return { heard, code, jid: null, ret: null };
}
