/**
 * A runner-service answers for what a run returned until a gateway has stored it: it asks the gateway that sent the run whether it
 * has, and hands the end to any gateway where it has not. So the end of a run that nobody waits for is found by its jid as well,
 * and is on the event bus.
 *
 * Spec: spec/envelope.md#durability.
 */
import type { Opened } from '@natrium/bus';
import type { RoleLink } from '@natrium/edge';
import { encodedSize, type KnownParty, type Wire } from '@natrium/envelope';
import { endUnder, sendable } from '@natrium/flow';
import { UnderWay } from '@natrium/process';
import { type Body, contracts } from '@natrium/wire';
import type { Logger } from 'pino';
import type { Patience } from './asked-while-away.js';

type Ran = Body<typeof contracts.ran>;
type Run = Body<typeof contracts.run>;

/** By then a gateway has nearly always stored an end. */
const LOOK_MS = 300;
/** A gateway that has not stored it by then is stopped or cut off, or cannot store it. */
const GONE_MS = 10_000;
const ASK_MS = 1500;
/** Ends that one question asks about. */
const MOST_ASKED = 256;
/** A gateway writes to the broker, and that may be busy. */
const HAND_MS = 10_000;
const AGAIN_MS = 500;
const MOST_AGAIN_MS = 5000;
/** So long an end is offered while there is no gateway at all; an operator has to start one meanwhile. */
const GIVE_UP_MS = 600_000;
/** So long a stop waits when no gateway is there. */
const STOPPING_MS = 2000;
/** Of a return and what is around it, in bytes: a message of the broker is at most 8 MiB. */
export const MAX_ANSWER = 8_126_464;
const LEAST_ANSWER = 1 << 20;

/** A gateway could not write it: it may soon. */
const UNSTORED = 'store_unavailable';

interface Open {
  readonly began: number;
  readonly settle: (isKept: boolean) => void;
}

export class RunEnds {
  readonly #underWay = new UnderWay();
  /** By the instance of a gateway and by jid: the ends that it is to store. */
  readonly #open = new Map<string, Map<string, Open>>();
  #hurriesSince = Infinity;

  constructor(
    private readonly link: Pick<RoleLink, 'bus' | 'subjects' | 'directory'>,
    private readonly log: Pick<Logger, 'warn' | 'error'>,
    private readonly waits: Pick<Patience, 'now' | 'pause'>,
  ) {}

  /** Resolves when every end so far is kept, or was given up. */
  settled(): Promise<void> {
    return this.#underWay.settled();
  }

  /** The process is to end: what no gateway says that it keeps is given up soon, and the log says so. */
  hurry(): void {
    this.#hurriesSince = this.waits.now();
  }

  /** Sees to it that the end of a run is stored. @returns Whether its own gateway had not stored it. Never fails. */
  see({ body, party }: Pick<Opened<typeof contracts.run>, 'body' | 'party'>, running: Promise<Ran>): Promise<boolean> {
    return this.#underWay.during(async () => {
      const ran = await running.catch(() => undefined);
      // A run that could not be written down has not begun, and its gateway hears nothing of it.
      if (ran === undefined) return false;
      try {
        if (await this.#isKept(party, body)) return false;
        await this.#handOver(body, ran);
      } catch (cause) {
        this.log.error({ err: cause, jid: body.jid }, 'what a run answered is lost: it could not be sent');
      }
      return true;
    });
  }

  /** Whether its gateway has stored it; one gateway is asked about all of its ends at once. */
  #isKept(gateway: KnownParty, { jid }: Run): Promise<boolean> {
    const { owner } = gateway;
    if (owner.type !== 'role') return Promise.resolve(true);
    const began = this.waits.now();
    return new Promise((settle) => {
      const open = this.#open.get(owner.instance);
      if (open !== undefined) {
        // The gateway may have sent this very run twice.
        const before = open.get(jid)?.settle;
        open.set(jid, {
          began,
          settle: (isKept) => {
            before?.(isKept);
            settle(isKept);
          },
        });
        return;
      }
      const opened = new Map([[jid, { began, settle }]]);
      this.#open.set(owner.instance, opened);
      void this.#look(gateway, owner.instance, opened);
    });
  }

  /** Asks again and again, until of each end it is known whether this gateway has kept it. */
  async #look(gateway: KnownParty, instance: string, open: Map<string, Open>): Promise<void> {
    const settle = (jid: string, isKept: boolean) => {
      open.get(jid)?.settle(isKept);
      open.delete(jid);
    };
    while (open.size > 0) {
      await this.waits.pause(LOOK_MS);
      const { kept, isGone } = await this.#ask(gateway, instance, [...open.keys()].slice(0, MOST_ASKED));
      for (const jid of kept) settle(jid, true);
      for (const [jid, { began }] of open) if (isGone || this.#isOver(began, GONE_MS)) settle(jid, false);
    }
    this.#open.delete(instance);
  }

  async #ask(gateway: KnownParty, instance: string, jids: readonly string[]) {
    const { bus, subjects } = this.link;
    const subject = subjects.svcGwKept(instance);
    const question = { contract: contracts.kept, body: { jids: [...jids] }, subject, to: () => [gateway] };
    try {
      const answer = await bus.ask(question, contracts.keeps, ASK_MS);
      return answer.ok
        ? { kept: answer.value.body.kept, isGone: false }
        : { kept: [], isGone: answer.error === 'no_responders' };
    } catch (cause) {
      this.log.error({ err: cause }, 'a gateway could not be asked what it has kept');
      return { kept: [], isGone: true };
    }
  }

  async #handOver(run: Run, ran: Ran): Promise<void> {
    const { bus, subjects, directory } = this.link;
    const { jid } = run;
    const to = { contract: contracts.ended, subject: subjects.svcGw('ended'), to: () => directory.role('gateway') };
    const body = endOf(run, ran);
    let againMs = AGAIN_MS;
    for (const began = this.waits.now(); ;) {
      const answer = await bus.ask({ ...to, body }, contracts.answer, HAND_MS);
      const no = answer.ok ? answer.value.body.refusal : undefined;
      if (no === null) return;
      if (no !== undefined && no.code !== UNSTORED) {
        this.log.error({ jid, refusal: no.code }, `what a run answered is not kept: ${no.sentence}`);
        return;
      }
      if (this.#isOver(began, GIVE_UP_MS)) {
        const failure = answer.ok ? UNSTORED : answer.error;
        this.log.error({ jid, failure }, 'what a run answered may be lost: no gateway has said that it keeps it');
        return;
      }
      await this.waits.pause(againMs);
      againMs = Math.min(againMs * 2, MOST_AGAIN_MS);
    }
  }

  #isOver(began: number, ms: number): boolean {
    return this.waits.now() >= Math.min(began + ms, Math.max(began, this.#hurriesSince) + STOPPING_MS);
  }
}

type End = Body<typeof contracts.ended>;

/** Beside a large request there is less room for what was returned. */
function endOf({ request, grant, jid }: Run, ran: Ran): End {
  const { refusal, outcome } = endUnder(jid, ran);
  const room = Math.max(LEAST_ANSWER, MAX_ANSWER - request.length - grant.bytes.length);
  const told = outcome === null ? null : sendable(outcome, (plain) => encodedSize(plain as Wire), { maxBytes: room });
  return { request, grant, jid, refusal, outcome: told };
}
