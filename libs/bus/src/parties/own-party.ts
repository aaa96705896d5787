/**
 * This process as others know it: who it is, the key that signs for it, its epoch keys, and its announcement in force.
 */
import {
  announce,
  type Cluster,
  EpochKeyring,
  fp,
  type Owner,
  randomBytes,
  type Signed,
  type SigningKey,
  toHex,
} from '@natrium/envelope';
import { inboxOf } from '@natrium/wire';

export interface OwnPartyOptions {
  readonly owner: Owner;
  readonly signing: SigningKey;
  readonly cluster: Cluster;
  readonly use: 'jobs' | 'session' | 'service';
  readonly rolesSerial: number;
  /** What the own inbox begins with; derived from the key when it is missing. */
  readonly inbox?: string | undefined;
}

/** How long an epoch key seals (`epochMs`), how long its predecessor still opens (`overlapMs`), and how long one announcement holds. */
export interface Lifetimes {
  readonly epochMs: number;
  readonly overlapMs: number;
  readonly announcementMs: number;
}

export class OwnParty {
  readonly keyring: EpochKeyring;
  readonly fp: string;
  /** Distinguishes the processes of one identity or role; answers to this process arrive under it. */
  readonly instance: string;
  /** Of the newest roles document that this party knows. */
  rolesSerial: number;
  #announced: Signed | undefined;
  #overlap: NodeJS.Timeout | undefined;

  constructor(
    private readonly options: OwnPartyOptions,
    private readonly lifetimes: Lifetimes,
  ) {
    this.rolesSerial = options.rolesSerial;
    this.keyring = new EpochKeyring(options.owner.key);
    this.fp = fp(options.owner.key);
    this.instance = options.owner.type === 'role' ? options.owner.instance : toHex(randomBytes(5));
  }

  get owner(): Owner {
    return this.options.owner;
  }

  get cluster(): Cluster {
    return this.options.cluster;
  }

  get signing(): SigningKey {
    return this.options.signing;
  }

  get inbox(): string {
    return `${this.options.inbox ?? inboxOf(this.fp)}.${this.instance}`;
  }

  /** The announcement in force. @throws {Error} Before the first `rotate`. */
  get announced(): Signed {
    if (this.#announced === undefined) throw new Error('this party has not announced itself yet');
    return this.#announced;
  }

  /** Starts a new epoch; the key before is wiped when the overlap ends. */
  rotate(nowMs: number): Signed {
    this.keyring.rotate(nowMs, this.lifetimes.epochMs, this.lifetimes.overlapMs);
    this.#wipeAfterOverlap(nowMs);
    return this.announce(nowMs);
  }

  /** Starts a new epoch, and wipes every key before it at once. */
  startAnew(nowMs: number): Signed {
    this.rotate(nowMs);
    return this.rotate(nowMs);
  }

  /** Whether the epoch in force is over by the clock, which goes on while a host sleeps and its timers do not. */
  isOver(nowMs: number): boolean {
    return nowMs >= this.keyring.current.notBefore + this.lifetimes.epochMs;
  }

  /** By the elapsed time: the clock may be set meanwhile, and the key must not outlive that. */
  #wipeAfterOverlap(nowMs: number): void {
    clearTimeout(this.#overlap);
    const overlapMs = Math.min(this.lifetimes.overlapMs, this.lifetimes.epochMs);
    this.#overlap = setTimeout(() => {
      this.keyring.expire(nowMs + overlapMs);
    }, overlapMs).unref();
  }

  /** Signs the announcement of the epoch in force anew. `jobs` holds to the epoch's end and its overlap, others are short-lived. */
  announce(nowMs: number): Signed {
    const { owner, use, signing, cluster } = this.options;
    const { publicKey, notAfter } = this.keyring.current;
    // The epoch key's own end includes the overlap.
    const end = use === 'jobs' ? notAfter : nowMs + this.lifetimes.announcementMs;
    this.#announced = announce(signing, cluster, {
      owner,
      use,
      epochKey: publicKey,
      notBefore: nowMs,
      notAfter: end,
      rolesSerial: this.rolesSerial,
    });
    return this.#announced;
  }
}
