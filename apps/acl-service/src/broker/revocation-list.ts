/**
 * Which users of the broker are cut off: everybody who was let in once, or might have been, and is not now.
 *
 * A joiner names its NATS key itself, and could name another's to have it revoked: so a key that an accepted party has is never on
 * the list, nor is that of a fixed user. The list is made from the whole roster, which is dear; `mayChangeWith` tells by one record
 * whether that is needed, and it is not for newcomers, of whom there may be thousands.
 *
 * Spec: spec/broker.md#revocation.
 */
import { nkeyText } from '@natrium/envelope';
import type { KeyRecord } from '@natrium/flow';

export class RevocationList {
  /** NATS keys of identities that were succeeded a moment ago, which are not cut off yet. */
  readonly #spared = new Set<string>();
  #last: ReadonlySet<string> = new Set();

  /** @param fixed The NATS keys of the broker's fixed users: of services, and of those who may only join or knock. */
  constructor(private readonly fixed: ReadonlySet<string>) {}

  /** The NATS keys, in order. @param kept Those that are in it whatever the records say. */
  of(records: readonly KeyRecord[], kept: readonly string[] = []): readonly string[] {
    const accepted = records.filter(({ state }) => state === 'accepted');
    const [keys, names] = [new Set(accepted.map(nameOf)), new Set(accepted.map(({ name }) => name))];
    const gone = records.filter(isGone);
    // A succeeded key is spared only as long as its minion has an accepted one; once that is gone, no other lets it in again.
    for (const record of gone) if (!names.has(record.name)) this.#spared.delete(nameOf(record));
    const cut = gone.filter((record) => !keys.has(nameOf(record)) && !this.#spared.has(nameOf(record)));
    this.#last = new Set([...kept, ...cut.map(nameOf)].filter((name) => !this.fixed.has(name)));
    return [...this.#last].sort();
  }

  /** Whether the list may have changed with a record. @param before The one of the same identity whose place it takes. */
  mayChangeWith(now: KeyRecord, before: KeyRecord | undefined): boolean {
    if (this.#spared.size > 0 || isGone(now) || (before !== undefined && isGone(before))) return true;
    // Nobody is gone by it; but an accepted party keeps its NATS key off the list, whoever else has named that.
    const kept = before?.state === 'accepted' ? nameOf(before) : undefined;
    const keeps = now.state === 'accepted' ? nameOf(now) : undefined;
    return kept !== keeps && (kept !== undefined || this.#last.has(nameOf(now)));
  }

  spare(name: string): void {
    this.#spared.add(name);
  }

  spareNoMore(name: string): void {
    this.#spared.delete(name);
  }
}

function isGone({ state }: KeyRecord): boolean {
  return state === 'deleted' || state === 'rejected';
}

/** Spelling a key is dear, and each list spells all: kept by the bytes of the key, which live as long as their record. */
const nkeyNames = new WeakMap<Uint8Array, string>();

/** The NATS key as the broker writes it. */
export function nameOf({ nkey }: Pick<KeyRecord, 'nkey'>): string {
  const known = nkeyNames.get(nkey);
  if (known !== undefined) return known;
  const name = nkeyText('user', nkey);
  nkeyNames.set(nkey, name);
  return name;
}
