/**
 * Tells the event bus what becomes of keys: `salt/auth` when a minion asks to be let in, `salt/key` when an operator decides.
 *
 * The decision itself waits for nothing. What no gateway takes waits in memory and is told again, of each minion in its order. A
 * gateway that is only slow may have told it already: it is told again at its place, so the bus hears it once.
 *
 * Spec: docs/event-bus.md#what-the-master-fires.
 */
import { Lanes, type Place, type RoleLink } from '@natrium/edge';
import { pemOf } from '@natrium/envelope';
import type { JoinState, KeyState } from '@natrium/flow';
import { NOT_NOW, type ValueMap } from '@natrium/model';
import { within } from '@natrium/process';
import { contracts } from '@natrium/wire';
import type { Logger } from 'pino';

const ACTS: Readonly<Record<JoinState, string>> = {
  accepted: 'accept',
  pending: 'pend',
  rejected: 'reject',
  denied: 'denied',
  full: 'full',
};
const CHANGES: Readonly<Partial<Record<KeyState, string>>> = {
  accepted: 'accept',
  rejected: 'reject',
  deleted: 'delete',
};

export interface KeyEventTimes {
  /** How long an answer is waited for; twice as long after each silence, so that a slow gateway is not told too often. */
  readonly answerMs: number;
  readonly mostAnswerMs: number;
  readonly againMs: number;
  /** Of what waits when the service stops. */
  readonly closeMs: number;
}
const TIMES: KeyEventTimes = { answerMs: 15_000, mostAnswerMs: 60_000, againMs: 1000, closeMs: 1000 };
/** A whole fleet that comes in at once; about 4 MB. */
export const MAX_WAITING = 10_000;
const MAX_UNDER_WAY = 64;
const MAX_NAMED = 20;
const LATER = Symbol('later');

interface KeyEvent {
  readonly tag: 'salt/auth' | 'salt/key';
  readonly data: ValueMap & { readonly act: string; readonly id: string };
  /** Since it was told for the first time. */
  place?: Place;
}

type Link = Pick<RoleLink, 'bus' | 'subjects' | 'directory'>;

export class KeyEvents {
  /** In their order, until they are taken. */
  readonly #events = new Set<KeyEvent>();
  readonly #underWay = new Set<KeyEvent>();
  readonly #lanes = new Lanes();
  #answerMs: number;
  /** Nobody took the last one: the next is told alone. */
  #isAway = false;
  #again: NodeJS.Timeout | undefined;
  #dropped = 0;
  #isClosed = false;
  #whenEmpty: () => void = () => undefined;

  constructor(
    private readonly link: Link,
    private readonly log: Pick<Logger, 'error'>,
    private readonly times = TIMES,
  ) {
    this.#answerMs = times.answerMs;
  }

  asked(id: string, key: Uint8Array, state: JoinState): void {
    const result = state === 'accepted' || state === 'pending';
    this.#tell({ tag: 'salt/auth', data: { act: ACTS[state], id, pub: `${pemOf(key)}\n`, result } });
  }

  decided(id: string, state: KeyState): void {
    const act = CHANGES[state];
    if (act !== undefined) this.#tell({ tag: 'salt/key', data: { act, id, result: true } });
  }

  /** A minion has a new identity; nobody had to decide. */
  succeeded(id: string): void {
    this.#tell({ tag: 'salt/key', data: { act: 'succeed', id, result: true } });
  }

  /** Gateways that take what waits get a moment for it; the rest is dropped, and what comes later: the log says what. */
  async close(): Promise<void> {
    if (this.#events.size > 0 && !this.#isAway) {
      const empty = new Promise<void>((resolve) => (this.#whenEmpty = resolve));
      await within(this.times.closeMs, empty);
    }
    this.#isClosed = true;
    clearTimeout(this.#again);
    const left = [...this.#events];
    this.#events.clear();
    if (left.length > 0) this.#drop(left);
  }

  #drop(left: readonly KeyEvent[]): void {
    const events = left.slice(0, MAX_NAMED).map(({ tag, data: { act, id } }) => `${tag} ${act} ${id}`);
    this.log.error(
      { dropped: this.#dropped + left.length, events },
      'it stops, and drops the events of keys that no gateway has taken',
    );
    this.#dropped = 0;
  }

  #tell(event: KeyEvent): void {
    if (this.#isClosed) {
      this.#drop([event]);
      return;
    }
    if (this.#events.size >= MAX_WAITING) this.#dropOldest();
    this.#events.add(event);
    this.#tellNext();
  }

  #dropOldest(): void {
    for (const event of this.#events) {
      if (this.#underWay.has(event)) continue;
      this.#over(event);
      if (this.#dropped === 0)
        this.log.error(
          `no gateway takes the events of keys: of more than ${String(MAX_WAITING)} the oldest are dropped`,
        );
      this.#dropped += 1;
      return;
    }
  }

  /** Of one minion only one is under way, and none is before its predecessor. */
  #tellNext(): void {
    if (this.#again !== undefined) return;
    const most = this.#isAway ? 1 : MAX_UNDER_WAY;
    const ids = new Set<string>();
    for (const event of this.#events) {
      const isUnderWay = this.#underWay.has(event);
      if (!isUnderWay && (this.#underWay.size >= most || ids.has(event.data.id))) return;
      ids.add(event.data.id);
      if (!isUnderWay) void this.#send(event);
    }
  }

  async #send(event: KeyEvent): Promise<void> {
    this.#underWay.add(event);
    const isOver = await this.#isOver(event);
    this.#underWay.delete(event);
    if (isOver) this.#over(event);
    if (this.#events.size === 0) this.#whenEmpty();
    if (isOver) this.#isTaken();
    else this.#tryAgain();
    this.#tellNext();
  }

  #over(event: KeyEvent): void {
    this.#events.delete(event);
    if (event.place !== undefined) this.#lanes.free(event.place);
  }

  /** @returns false when it has to be told again. */
  async #isOver(event: KeyEvent): Promise<boolean> {
    try {
      const problem = await this.#ask(event);
      if (problem === undefined || problem === LATER) return problem === undefined;
      this.log.error({ data: event.data }, `no gateway takes the event ${event.tag}: ${problem}`);
    } catch (cause) {
      this.log.error({ err: cause, data: event.data }, `the event ${event.tag} could not be told`);
    }
    return true;
  }

  async #ask(event: KeyEvent): Promise<string | typeof LATER | undefined> {
    const { bus, subjects, directory } = this.link;
    const { tag, data } = event;
    const { lane, number } = (event.place ??= this.#lanes.take());
    const answerMs = this.#answerMs;
    const question = {
      contract: contracts.fire,
      body: { tag, data, grantRun: null, lane, number },
      subject: subjects.svcGw('fire'),
      to: () => directory.role('gateway'),
    };
    const answer = await bus.ask(question, contracts.fired, answerMs);
    if (!answer.ok) {
      const isSilent = answer.error === 'timeout';
      this.#answerMs = isSilent ? Math.min(2 * answerMs, this.times.mostAnswerMs) : this.times.answerMs;
      return LATER;
    }
    const { refusal } = answer.value.body;
    return NOT_NOW.some((code) => code === refusal?.code) ? LATER : refusal?.sentence;
  }

  #isTaken(): void {
    this.#answerMs = this.times.answerMs;
    this.#isAway = false;
    if (this.#dropped === 0 || this.#events.size > MAX_WAITING / 2) return;
    this.log.error(
      { dropped: this.#dropped },
      'the events of keys are taken again; so many of the oldest were dropped',
    );
    this.#dropped = 0;
  }

  #tryAgain(): void {
    this.#isAway = true;
    if (this.#again !== undefined) return;
    this.#again = setTimeout(() => {
      this.#again = undefined;
      this.#tellNext();
    }, this.times.againMs).unref();
  }
}
