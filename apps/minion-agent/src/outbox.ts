/**
 * Sends returns until a gateway says that they are stored: to the instance that asked, and to any when that one is gone.
 *
 * Spec: spec/envelope.md#durability.
 */
import { fromHex } from '@natrium/envelope';
import type { MinionReturn } from '@natrium/flow';
import type { Link } from '@natrium/client';
import { contracts } from '@natrium/wire';
import type { RunRecord } from './run-record.js';
import type { Spool } from './spool.js';

const ANSWER_MS = 5000;
const AGAIN_MS = 5000;
/**
 * So many that nobody took the first time are under way at once, and the others wait in line: gateways and a broker that are
 * at their limit would never come to rest under all that a long trouble has left. In good times sixteen are some thousand a second.
 */
const AGAIN_AT_ONCE = 16;

/** Nobody has taken it yet; not to be sent again before `at`. */
interface Waiting {
  readonly ret: MinionReturn;
  readonly at: number;
}

export class Outbox {
  /** By digest, in the order in which they are sent again. */
  readonly #again = new Map<string, Waiting>();
  #underWay = 0;
  #timer: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(
    private readonly link: Link,
    private readonly spool: Pick<Spool, 'put' | 'drop' | 'all'>,
    private readonly record: Pick<RunRecord, 'finish'>,
    private readonly onFailure: (cause: unknown) => void,
  ) {}

  /** Spools the return, then sends it. A refusal is sent once and not kept: nothing ran. */
  deliver(ret: MinionReturn): void {
    if (ret.status !== 'done' && ret.status !== 'interrupted') {
      this.#sendTo(ret, this.#subjectOf(ret)).catch(this.onFailure);
      return;
    }
    this.spool.put(ret);
    this.#sendUntilStored(ret).catch(this.onFailure);
  }

  /** Everything that was left from before. */
  sendSpooled(): void {
    for (const ret of this.spool.all()) this.#again.set(ret.digest, { ret, at: performance.now() });
    this.#sendNext();
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
  }

  async #sendUntilStored(ret: MinionReturn): Promise<void> {
    let stored = false;
    try {
      stored =
        (ret.instance !== '' && (await this.#sendTo(ret, this.#subjectOf(ret)))) ||
        (await this.#sendTo(ret, this.link.subjects.up(this.link.own.fp, 'return')));
    } finally {
      if (stored) this.#stored(ret);
      else {
        this.#again.set(ret.digest, { ret, at: performance.now() + AGAIN_MS });
        this.#sendNext();
      }
    }
  }

  /** Until now the record says "begun": were the spool lost, the caller would hear "interrupted" and not wait for ever. */
  #stored({ digest }: MinionReturn): void {
    this.record.finish(digest);
    this.spool.drop(digest);
  }

  /** For all that wait, whoever set it off. */
  #sendNext(): void {
    this.link.bus.tracing.apart(() => {
      this.#sendDue();
    });
  }

  #sendDue(): void {
    clearTimeout(this.#timer);
    for (const [digest, { ret, at }] of this.#again) {
      if (this.#closed || this.#underWay >= AGAIN_AT_ONCE) return;
      const waitMs = at - performance.now();
      if (waitMs > 0) {
        this.#timer = setTimeout(() => {
          this.#sendNext();
        }, waitMs);
        return;
      }
      this.#again.delete(digest);
      this.#underWay += 1;
      this.#sendUntilStored(ret)
        .catch(this.onFailure)
        .finally(() => {
          this.#underWay -= 1;
          this.#sendNext();
        });
    }
  }

  #subjectOf({ instance }: MinionReturn): string {
    return this.link.subjects.upReturn(this.link.own.fp, instance);
  }

  async #sendTo({ jid, digest, status, code, outcome, instance }: MinionReturn, subject: string): Promise<boolean> {
    if (this.#closed) return false; // the spool keeps it for the next start
    const { directory } = this.link;
    const asker = subject.endsWith('.return') ? undefined : directory.instance('gateway', instance);
    const answer = await this.link.bus.ask(
      {
        contract: contracts.returned,
        body: { jid, digest: fromHex(digest), status, code, outcome },
        subject,
        to: () => (asker === undefined ? directory.role('gateway') : [asker]),
      },
      contracts.stored,
      ANSWER_MS,
    );
    return answer.ok;
  }
}
