/**
 * Requests and logins that were carried out, until their own end, in JetStream: the same bytes are carried out by one replica and once,
 * also after a restart.
 *
 * Spec: spec/wire.md#done-request.
 */
import { digestOf, isStoreFailure, type Store } from '@natrium/bus';
import { decode, encode, type Wire } from '@natrium/envelope';
import { ok, type Refusal, refuse, type Result } from '@natrium/model';
import { contracts, readAs, records, writeAs } from '@natrium/wire';

const PREFIX = 'o.';
const SWEEP_MS = 600_000;
/** How far the clock of another replica may be behind: there a request that is over here still counts. */
const SKEW_MS = 300_000;

/** As long as a message that asks for it may be opened. */
const NAMED_MS = contracts.auth.lifetimeMs;

/** What was asked, and is in order. */
interface Proved {
  readonly digest: string;
  readonly request: { readonly issued: number; readonly lifetime: number };
}

export class OnceOnly {
  constructor(
    private readonly store: Pick<Store, 'create' | 'list' | 'delete'>,
    private readonly now: () => number,
  ) {
    setInterval(() => void this.sweep().catch(() => undefined), SWEEP_MS).unref(); // what fails goes with the next one
  }

  /** Whoever gets the request back carries it out; from then on nobody else does, whatever becomes of it. */
  async take<P extends Proved>(proved: Result<P, Refusal>): Promise<Result<P, Refusal>> {
    if (!proved.ok) return proved;
    const { digest, request } = proved.value;
    try {
      const until = request.issued + request.lifetime;
      const value = encode(writeAs(records.DoneRequest, { until }) as Wire);
      const taken = await this.store.create(PREFIX + digest, value);
      if (taken !== undefined) return proved;
      return refuse('already_ran', 'this very request was carried out before');
    } catch (cause) {
      if (!isStoreFailure(cause)) throw cause;
      return refuse('store_unavailable', `nothing was done, since that could not be noted: ${cause.message}`);
    }
  }

  /**
   * The same for what nobody signs, a login: asked of a second one while the first stands still, its password is looked at once.
   *
   * @param name Made by its asker at random; with an empty one it is not taken.
   */
  async takeNamed(what: string, name: string): Promise<Result<unknown, Refusal>> {
    if (name === '') return ok(undefined);
    const request = { issued: this.now(), lifetime: NAMED_MS };
    return this.take(ok({ digest: digestOf(Buffer.from(`${what} ${name}`)), request }));
  }

  /** Deletes what is over: as long as a record stays, the storage key that sealed it cannot be deleted. */
  async sweep(): Promise<void> {
    const over = (await this.store.list(`${PREFIX}*`)).filter(({ value }) => this.#isOver(value));
    await Promise.all(over.map(({ key, revision }) => this.store.delete(key, revision)));
  }

  /** One that cannot be read, as another version may write it, counts. */
  #isOver(value: Uint8Array): boolean {
    try {
      return readAs(records.DoneRequest, decode(value)).until + SKEW_MS < this.now();
    } catch {
      return false;
    }
  }
}
