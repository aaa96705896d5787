/**
 * Which key has a name: an entry for each (`n.<keyed hash>`) that holds the key, changed by compare-and-swap alone, so that
 * one name never has two accepted keys. A name is claimed before its key is accepted, and freed after that is gone.
 *
 * Spec: spec/envelope.md#roster.
 */
import type { Store } from '@natrium/bus';
import { equalBytes, fp, keyedName, type StorageKey } from '@natrium/envelope';
import type { KeyRecord } from '@natrium/flow';

type Named = Pick<KeyRecord, 'kind' | 'name' | 'identity'>;

export class RosterNames {
  constructor(
    private readonly store: Store,
    private readonly nameKey: StorageKey,
    /** The record in a key's entry; undefined when it is nothing that we take. */
    private readonly recordIn: (entry: Uint8Array) => KeyRecord | undefined,
  ) {}

  /** @param isBack The key was deleted, and comes back. @returns false when the name is another key's. */
  async claim(record: Named, isBack: boolean): Promise<boolean> {
    const place = this.#placeOf(record);
    if ((await this.store.create(place, record.identity)) !== undefined) return true;
    const holder = await this.store.get(place);
    if (holder === undefined) return false;
    const isOwn = equalBytes(holder.value, record.identity);
    if (isOwn && !isBack) return true;
    // One that comes back writes its name again, too: who found it deleted, and would take the name, is too late then.
    if (!isOwn && !(await this.#isDeleted(holder.value))) return false;
    return (await this.store.update(place, record.identity, holder.revision)) !== undefined;
  }

  /**
   * A key that is deleted has its name still when the name could not be freed, or its process died before that. Its record is
   * written as it stands, so that it cannot come back meanwhile. A key without a record may be about to follow another.
   */
  async #isDeleted(identity: Uint8Array): Promise<boolean> {
    const place = `k.${fp(identity)}`;
    const entry = await this.store.get(place);
    if (entry === undefined || this.recordIn(entry.value)?.state !== 'deleted') return false;
    return (await this.store.update(place, entry.value, entry.revision)) !== undefined;
  }

  /** Gives the name of one key to the one that follows it. @returns false when the name is a third key's. */
  async pass(from: Named, to: Uint8Array): Promise<boolean> {
    const place = this.#placeOf(from);
    const holder = await this.store.get(place);
    if (holder === undefined) return false;
    if (equalBytes(holder.value, to)) return true;
    return (
      equalBytes(holder.value, from.identity) && (await this.store.update(place, to, holder.revision)) !== undefined
    );
  }

  /**
   * A key that is gone holds no name, whichever way it came by it: also in a race that it lost. Nor does one that should have
   * followed the accepted key, when nothing but the name was written of it: by a process that died then.
   */
  async free(record: Named, wasAccepted: boolean): Promise<void> {
    const place = this.#placeOf(record);
    const holder = await this.store.get(place);
    if (holder === undefined) return;
    const isNobodys = async () => wasAccepted && (await this.store.get(`k.${fp(holder.value)}`)) === undefined;
    // Whoever has claimed it meanwhile keeps it.
    if (equalBytes(holder.value, record.identity) || (await isNobodys()))
      await this.store.delete(place, holder.revision);
  }

  #placeOf({ kind, name }: Named): string {
    return `n.${keyedName(this.nameKey, `${kind}/${name}`)}`;
  }
}
