/**
 * The audit: one hash chain for this instance. A record gets its place at once and is on its way to the stream before the
 * grant leaves; records are committed in groups and not awaited.
 *
 * Spec: spec/envelope.md#audit.
 */
import { GroupCommit, type Store } from '@natrium/bus';
import { AuditChain, type AuditEntry as AuditFields, type ChainEnd, encode, fromHex } from '@natrium/envelope';
import type { AuditEntry } from '@natrium/flow';
import type { Principal, RefusalCode } from '@natrium/model';

/** How long records are gathered before they are written together. */
const WINDOW_MS = 50;

/** The longest records in one group still fit into one message of the broker: else nobody's would be written. */
const MAX_GROUP = 100;

interface Written {
  readonly number: number;
  readonly bytes: Uint8Array;
}

interface Place {
  readonly chain: string;
  readonly number: number;
}

/** What is recorded without a request: a policy, a newcomer. */
export type AuditNote = Pick<AuditFields, 'what' | 'verdict' | 'rule' | 'detail'>;

/** A refusal before there was anything to decide. */
export interface EarlyRefusal {
  readonly caller: Principal | null;
  /** Of the request, hexadecimal. */
  readonly digest: string | null;
  readonly code: RefusalCode;
  readonly detail?: AuditFields['detail'];
}

export interface AuditOptions {
  readonly instance: string;
  /** Where the other chains end. */
  readonly heads: readonly ChainEnd[];
  now(): number;
  onFailure(cause: unknown): void;
}

const MAX_HEADS = 1024;

export class AuditLog {
  readonly #commit: GroupCommit<Written>;
  readonly #chain: AuditChain;
  #written: Promise<void> = Promise.resolve();

  /** Begins this instance's chain; its first record names where the others end. */
  constructor(
    store: Store,
    private readonly options: AuditOptions,
  ) {
    this.#chain = new AuditChain(options.instance, options.heads.slice(-MAX_HEADS));
    this.#commit = new GroupCommit(
      async (group) => {
        const first = String(group[0]?.number ?? 0);
        await store.put(`a.${options.instance}.${first}`, encode(group.map(({ bytes }) => bytes)));
      },
      WINDOW_MS,
      MAX_GROUP,
    );
  }

  /** The last record; number -1 while there is none. */
  get end(): ChainEnd {
    return this.#chain.end;
  }

  /** A decision about a grant. @param policy The revision that decided, hexadecimal. @param about The HTTP request that it came with, or the event that caused it. */
  append(entry: AuditEntry, policy: string, about: Readonly<Record<string, string>> = {}): Place {
    return this.write({
      time: this.options.now(),
      what: entry.what,
      caller: entry.caller,
      digest: fromHex(entry.digest),
      jid: entry.jid === '' ? null : entry.jid,
      verdict: entry.what === 'grant' ? 'allow' : 'refuse',
      rule: entry.reason,
      detail: {
        form: entry.form,
        funs: [...entry.funs],
        target: entry.target,
        tgt_type: entry.tgtType,
        minions: entry.minions,
        policy,
        ...about,
      },
    });
  }

  note(fields: AuditNote): Place {
    return this.write({ time: this.options.now(), caller: null, digest: null, jid: null, ...fields });
  }

  refuse({ caller, digest, code, detail = {} }: EarlyRefusal): Place {
    return this.write({
      time: this.options.now(),
      what: 'refusal',
      caller,
      digest: digest === null ? null : fromHex(digest),
      jid: null,
      verdict: 'refuse',
      rule: code,
      detail,
    });
  }

  write(fields: AuditFields): Place {
    const { bytes, number } = this.#chain.append(fields);
    this.#written = this.#commit.add({ number, bytes }).catch((cause: unknown) => {
      this.options.onFailure(cause);
    });
    return { chain: this.options.instance, number };
  }

  /** Resolves when all that has been recorded so far is durable, or has failed. */
  async settled(): Promise<void> {
    await this.#written;
  }
}
