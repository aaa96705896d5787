/**
 * Sends returns until a gateway says that they are stored: to the instance that asked, and to any when that one is gone.
 *
 * Each time that nobody says so, it waits longer: gateways and a broker that are at their limit would never come to rest under
 * what is sent again, and a return that no gateway has a job for is sent for as long as jobs are kept, or `keep_returns` says.
 * When the broker is back after it was away, all that waits is sent, and what was lost with the connection before.
 *
 * Spec: spec/envelope.md#durability.
 */
import { fromHex } from '@natrium/envelope';
import type { MinionReturn } from '@natrium/flow';
import type { Link } from '@natrium/client';
import { InFlight } from '@natrium/model';
import { contracts } from '@natrium/wire';
import { afterNow, type Pace, PacedLines } from './paced-lines.js';
import type { RunRecord } from '../disk/run-record.js';
import type { Spool } from '../disk/spool.js';

/** How long the first two answers are waited for, since most trouble is short; then twice as long each time. */
const ANSWER_MS = 5000;
/** All minions of a job answer at once, and a gateway stores some thousand in a second: so much longer for each that was asked. */
const ANSWER_MS_EACH = 2;
/** From the third time on, twice as long. */
const PATIENT_TRIES = 2;
/**
 * When the broker is back, what waited for it has just left and is answered soon, and what was sent before on a connection that
 * went silently never is: so long an answer is waited for then, and so much longer for each that was asked.
 */
const BACK_ANSWER_MS = 1000;

type Sent = 'stored' | 'unanswered' | 'nobody' | 'lost';

interface Again {
  readonly digest: string;
  /** How many minions were asked with this one. */
  readonly asked: number;
}

export class Outbox {
  readonly #again: PacedLines<Again>;
  /** What is to happen to each question that waits for its answer when the broker is back. */
  readonly #asking = new InFlight<number, () => void>();
  #asked = 0;
  #closed = false;

  constructor(
    private readonly link: Link,
    private readonly spool: Pick<Spool, 'put' | 'drop' | 'all' | 'get' | 'beginSending' | 'endSending'>,
    private readonly record: Pick<RunRecord, 'finish'>,
    private readonly onFailure: (cause: unknown) => void,
    private readonly pace: Pace = afterNow,
  ) {
    // For all that wait, whoever set it off.
    this.#again = new PacedLines(pace, (again, tries) =>
      link.bus.tracing.apart(() => this.#sendUntilStored(again, tries)),
    );
  }

  /**
   * Spools the return, then sends it. A refusal is sent once and not kept: nothing ran.
   *
   * @param asked How many minions were asked with this one.
   */
  deliver(ret: MinionReturn, asked = 1): void {
    if (ret.status !== 'done' && ret.status !== 'interrupted') {
      this.#sendTo(ret, this.#subjectOf(ret), ANSWER_MS).catch(this.onFailure);
      return;
    }
    this.spool.put(ret);
    void this.#sendUntilStored({ digest: ret.digest, asked }, 0);
  }

  /** Everything that was left from before. */
  sendSpooled(): void {
    for (const { digest } of this.spool.all()) this.#again.now(digest, { digest, asked: 1 });
  }

  /** Those that are being sent are left alone for a moment: nothing is sent twice that is answered then. */
  brokerIsBack(): void {
    for (const onBack of this.#asking.values()) onBack();
    this.#again.allDue();
  }

  close(): void {
    this.#closed = true;
    this.#again.close();
  }

  async #sendUntilStored(again: Again, tries: number): Promise<void> {
    const { digest, asked } = again;
    const ret = this.spool.beginSending(digest);
    if (ret === undefined) return; // stored meanwhile, or dropped
    let sent: Sent = 'unanswered'; // also where it throws: it is tried again more and more seldom
    try {
      // In the same turn: one that was tried often keeps its place.
      do sent = await this.#send(ret, asked, tries);
      while (sent === 'lost' && this.spool.get(digest) !== undefined);
      if (sent === 'stored') this.#stored(digest);
    } catch (cause) {
      this.onFailure(cause);
    } finally {
      this.spool.endSending(digest);
    }
    // It may have been sent twice at a time, and the other one is stored.
    if (this.spool.get(digest) !== undefined) this.#again.later(digest, again, sent === 'nobody' ? tries : tries + 1);
  }

  async #send(ret: MinionReturn, asked: number, tries: number): Promise<Sent> {
    const ms = (ANSWER_MS + asked * ANSWER_MS_EACH) * (tries < PATIENT_TRIES ? 1 : 2);
    const backMs = BACK_ANSWER_MS + asked * ANSWER_MS_EACH;
    const sendTo = (subject: string) => this.#unlessLost(this.#sendTo(ret, subject, ms), backMs);
    const toAsker = ret.instance === '' ? 'nobody' : await sendTo(this.#subjectOf(ret));
    if (toAsker === 'stored' || toAsker === 'lost') return toAsker;
    const toAny = await sendTo(this.link.subjects.up(this.link.own.fp, 'return'));
    return toAny === 'nobody' ? toAsker : toAny;
  }

  /** @param backMs How long the answer may take once the broker is back. */
  #unlessLost(sending: Promise<Sent>, backMs: number): Promise<Sent> {
    this.#asked += 1;
    const name = this.#asked;
    let cancel: () => void = () => undefined;
    return new Promise<Sent>((resolve, reject) => {
      this.#asking.set(name, () => {
        cancel();
        cancel = this.pace.after(backMs, () => {
          resolve('lost');
        });
      });
      sending.then(resolve, reject);
    }).finally(() => {
      cancel();
      this.#asking.delete(name);
    });
  }

  /** Until now the record says "begun": were the spool lost, the caller would hear "interrupted" and not wait for ever. */
  #stored(digest: string): void {
    this.#again.forget(digest);
    this.record.finish(digest);
    this.spool.drop(digest);
  }

  #subjectOf({ instance }: MinionReturn): string {
    return this.link.subjects.upReturn(this.link.own.fp, instance);
  }

  async #sendTo(
    { jid, digest, status, code, outcome, instance }: MinionReturn,
    subject: string,
    answerMs: number,
  ): Promise<Sent> {
    if (this.#closed) return 'nobody'; // the spool keeps it for the next start
    const { directory } = this.link;
    const asker = subject.endsWith('.return') ? undefined : directory.instance('gateway', instance);
    const answer = await this.link.bus.deliver(
      {
        contract: contracts.returned,
        body: { jid, digest: fromHex(digest), status, code, outcome },
        subject,
        to: () => (asker === undefined ? directory.role('gateway') : [asker]),
      },
      answerMs,
    );
    if (answer.ok) return 'stored';
    return answer.error === 'no_responders' || answer.error === 'nobody_known' ? 'nobody' : 'unanswered';
  }
}
