/** Who has taken which run: the instance that created its record, without which nothing runs. Spec: spec/envelope.md#durability. */
import { isStoreFailure, type Store } from '@natrium/bus';
import { decode, encode, fromHex, type Wire } from '@natrium/envelope';
import { type Refusal, refusal } from '@natrium/model';
import { readAs, records, writeAs } from '@natrium/wire';
import { createOwn, soon } from './own-record.js';

interface Taking {
  /** Of its request: the same request runs once, under whatever jid. */
  readonly digest: string;
  readonly instance: string;
  readonly jid: string;
  readonly started: number;
}

export class TakenRuns {
  constructor(
    private readonly store: Pick<Store, 'create' | 'get'>,
    private readonly pause: (ms: number) => Promise<unknown>,
  ) {}

  /** @returns A refusal when nobody knows whether it was written: then nothing may run. */
  async take({ digest, ...of }: Taking): Promise<'taken' | 'already' | Refusal> {
    const record = encode(writeAs(records.RunRecord, { digest: fromHex(digest), ...of }) as Wire);
    try {
      return (await createOwn(this.store, digest, record, soon(this.pause))) ? 'taken' : 'already';
    } catch (cause) {
      if (!isStoreFailure(cause)) throw cause;
      return refusal('store_unavailable', `the run could not be written, so nothing was run: ${cause.message}`);
    }
  }

  /** @returns undefined when that cannot be read. */
  async takenBy(digest: string): Promise<string | undefined> {
    try {
      const found = await this.store.get(digest);
      return found === undefined ? undefined : readAs(records.RunRecord, decode(found.value)).instance;
    } catch (cause) {
      if (!isStoreFailure(cause)) throw cause;
      return undefined;
    }
  }
}
