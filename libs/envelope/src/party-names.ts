/**
 * The texts by which tables know a party, made once for each: every one of its messages looks into half a dozen tables, and
 * making a text of a key costs as much as finding it.
 */
import { type KnownParty, ownerName } from './announcement.js';
import { mapKey, toHex } from './bytes.js';
import { fp } from './keys.js';

export interface PartyNames {
  /** `mapKey` of its key id. */
  readonly keyId: string;
  /** Its owner's key, hexadecimal. */
  readonly key: string;
  /** `ownerName` of its owner. */
  readonly owner: string;
  /** How subjects name its owner's key. */
  readonly fp: string;
}

class Names implements PartyNames {
  readonly keyId: string;
  readonly key: string;
  readonly owner: string;
  #fp: string | undefined;

  constructor(private readonly party: Pick<KnownParty, 'keyId' | 'owner'>) {
    this.keyId = mapKey(party.keyId);
    this.key = toHex(party.owner.key);
    this.owner = party.owner.type === 'identity' ? this.key : ownerName(party.owner); // one text in place of two
  }

  /** Made when it is asked for: it is a hash, and only parties with subjects of their own need it. */
  get fp(): string {
    return (this.#fp ??= fp(this.party.owner.key));
  }
}

const known = new WeakMap<KnownParty, PartyNames>();

/** The party that was asked about last: one message asks several times about its sender. */
let last: { readonly party: KnownParty; readonly names: PartyNames } | undefined;

export function namesOf(party: KnownParty): PartyNames {
  if (last?.party === party) return last.names;
  const names = known.get(party) ?? new Names(party);
  known.set(party, names);
  last = { party, names };
  return names;
}
