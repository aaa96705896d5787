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
    this.owner = ownerName(party.owner);
  }

  /** A hash, which only those need that are met on subjects of their own. */
  get fp(): string {
    return (this.#fp ??= fp(this.party.owner.key));
  }
}

const known = new WeakMap<KnownParty, PartyNames>();

export function namesOf(party: KnownParty): PartyNames {
  const found = known.get(party);
  if (found !== undefined) return found;
  const made = new Names(party);
  known.set(party, made);
  return made;
}
