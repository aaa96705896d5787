/**
 * What a run answered is its runner-service's until a gateway has kept it: the one that granted it is asked whether it has, and
 * where that is gone any other keeps it. So also a run that nobody waits for is found by its jid, and its end is on the event bus.
 *
 * Spec: spec/envelope.md#durability.
 */
import { setImmediate as soon } from 'node:timers/promises';
import type { Opened } from '@natrium/bus';
import type { RoleLink } from '@natrium/edge';
import type { KnownParty } from '@natrium/envelope';
import { UnderWay } from '@natrium/process';
import { type Body, contracts } from '@natrium/wire';
import type { Logger } from 'pino';

type Ran = Body<typeof contracts.ran>;
type Run = Body<typeof contracts.run>;

/** A gateway that is connected and says nothing for so long is stopped or cut off. */
const GONE_MS = 10_000;
const ASK_MS = 1500;
const ASK_AGAIN_MS = 500;
/** A gateway writes to the broker, and that may be busy. */
const HAND_MS = 10_000;
/** No gateway at all: an operator has to start one. */
const GIVE_UP_MS = 600_000;

export interface Waits {
  /** Milliseconds that only rise. */
  readonly now: () => number;
  readonly pause: (ms: number) => Promise<unknown>;
}

export class RunEnds {
  readonly #underWay = new UnderWay();

  constructor(
    private readonly link: Pick<RoleLink, 'bus' | 'subjects' | 'directory'>,
    private readonly log: Pick<Logger, 'warn' | 'error'>,
    private readonly waits: Waits,
  ) {}

  /** Resolves when every end so far is kept, or was given up. */
  settled(): Promise<void> {
    return this.#underWay.settled();
  }

  /** @returns Whether its own gateway was gone. */
  see({ body, party }: Pick<Opened<typeof contracts.run>, 'body' | 'party'>, running: Promise<Ran>): Promise<boolean> {
    return this.#underWay.during(async () => {
      const ran = await running.catch(() => undefined);
      // A run that could not be written down has not begun, and its gateway hears nothing of it.
      if (ran === undefined) return false;
      // The answer itself leaves first.
      await soon();
      if (await this.#isKept(party, body)) return false;
      await this.#handOver(body, ran);
      return true;
    });
  }

  async #isKept(gateway: KnownParty, { jid }: Run): Promise<boolean> {
    if (gateway.owner.type !== 'role') return true;
    const { bus, subjects } = this.link;
    const subject = subjects.svcGwHere(gateway.owner.instance);
    for (let heardAt = this.waits.now(); ;) {
      const question = { contract: contracts.presence, body: { jids: [jid] }, subject, to: () => [gateway] };
      const answer = await bus.ask(question, contracts.here, ASK_MS);
      if (answer.ok && !answer.value.body.running.includes(jid)) return true;
      if (answer.ok) heardAt = this.waits.now();
      else if (answer.error === 'no_responders' || this.waits.now() - heardAt >= GONE_MS) return false;
      await this.waits.pause(ASK_AGAIN_MS);
    }
  }

  async #handOver({ request, grant, jid }: Run, { refusal, outcome }: Ran): Promise<void> {
    const { bus, subjects, directory } = this.link;
    const question = {
      contract: contracts.ended,
      body: { request, grant, jid, refusal, outcome },
      subject: subjects.svcGw('ended'),
      to: () => directory.role('gateway'),
    };
    for (const until = this.waits.now() + GIVE_UP_MS; ;) {
      const answer = await bus.ask(question, contracts.answer, HAND_MS);
      if (answer.ok) {
        const { refusal: no } = answer.value.body;
        if (no !== null) this.log.error({ jid, refusal: no.code }, `what a run answered is not kept: ${no.sentence}`);
        return;
      }
      if (this.waits.now() >= until) {
        this.log.error({ jid, failure: answer.error }, 'what a run answered is lost: no gateway was there to keep it');
        return;
      }
      await this.waits.pause(ASK_AGAIN_MS);
    }
  }
}
