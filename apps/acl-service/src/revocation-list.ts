/**
 * Which users of the broker are cut off: everybody who was let in once, or might have been, and is not now. A key that an accepted
 * party also has stays out, and so does that of a fixed user: a joiner names its NATS key itself, and could name another's to have it revoked.
 *
 * The list is made from the whole roster. Thousands of newcomers do not change it, and are told apart without that.
 *
 * Spec: spec/broker.md#revocation.
 */
import { nkeyText } from '@natrium/envelope';
import type { KeyRecord } from '@natrium/flow';

export class RevocationList {
  /** NATS keys of identities that were succeeded a moment ago. */
  readonly #spared = new Set<string>();
  #last: ReadonlySet<string> = new Set();

  /** @param fixed The NATS keys of the broker's fixed users: of services, and of those who may only join or knock. */
  constructor(private readonly fixed: ReadonlySet<string>) {}

  /** The NATS keys, in order. @param kept Those that are in it whatever the records say. */
  of(records: readonly KeyRecord[], kept: readonly string[] = []): readonly string[] {
    const accepted = records.filter(({ state }) => state === 'accepted');
    const [keys, names] = [new Set(accepted.map(nameOf)), new Set(accepted.map(({ name }) => name))];
    const gone = records.filter(isGone);
    // What was spared goes at once when what came after it goes too.
    const cut = gone.filter(
      (record) => !keys.has(nameOf(record)) && !(this.#spared.has(nameOf(record)) && names.has(record.name)),
    );
    this.#last = new Set([...kept, ...cut.map(nameOf)].filter((name) => !this.fixed.has(name)));
    return [...this.#last].sort();
  }

  /** Whether it may be another one now that this record has taken the place of one of the same identity. */
  mayChangeWith(now: KeyRecord, before: KeyRecord | undefined): boolean {
    if (this.#spared.size > 0 || isGone(now) || (before !== undefined && isGone(before))) return true;
    // Nobody comes or goes; but who is accepted keeps another's equal key out.
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

/** By the bytes of the record, which live as long as that: the whole roster is looked at. */
const nkeyNames = new WeakMap<Uint8Array, string>();

/** The NATS key as the broker writes it. */
export function nameOf({ nkey }: Pick<KeyRecord, 'nkey'>): string {
  const known = nkeyNames.get(nkey);
  if (known !== undefined) return known;
  const name = nkeyText('user', nkey);
  nkeyNames.set(nkey, name);
  return name;
}
