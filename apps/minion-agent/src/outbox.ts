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

export class Outbox {
  readonly #timers = new Set<NodeJS.Timeout>();
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
    this.#send(ret);
  }

  /** Everything that was left from before. */
  sendSpooled(): void {
    for (const ret of this.spool.all()) this.#send(ret);
  }

  close(): void {
    this.#closed = true;
    for (const timer of this.#timers) clearTimeout(timer);
  }

  #send(ret: MinionReturn): void {
    this.#sendUntilStored(ret).catch((cause: unknown) => {
      this.onFailure(cause);
      if (!this.#closed) this.#sendAgain(ret);
    });
  }

  async #sendUntilStored(ret: MinionReturn): Promise<void> {
    const stored =
      (ret.instance !== '' && (await this.#sendTo(ret, this.#subjectOf(ret)))) ||
      (await this.#sendTo(ret, this.link.subjects.up(this.link.own.fp, 'return')));
    if (stored) this.#stored(ret);
    else if (!this.#closed) this.#sendAgain(ret);
  }

  /** Until now the record says "begun": were the spool lost, the caller would hear "interrupted" and not wait for ever. */
  #stored({ digest }: MinionReturn): void {
    this.record.finish(digest);
    this.spool.drop(digest);
  }

  #sendAgain(ret: MinionReturn): void {
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      this.#send(ret);
    }, AGAIN_MS);
    this.#timers.add(timer);
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
