/**
 * Tells the event bus what becomes of keys: `salt/auth` when a minion asks to be let in, `salt/key` when an operator decides.
 *
 * Spec: docs/event-bus.md#what-the-master-fires.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { RoleLink } from '@natrium/edge';
import { pemOf } from '@natrium/envelope';
import type { JoinState, KeyState } from '@natrium/flow';
import type { ValueMap } from '@natrium/model';
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
const ANSWER_MS = 3000;
const AGAIN_MS = 1000;
const TRIES = 20;
const MAX_WAITING = 1000;

export class KeyEvents {
  #waiting = 0;

  constructor(
    private readonly link: RoleLink,
    private readonly log: Logger,
  ) {}

  asked(id: string, key: Uint8Array, state: JoinState): void {
    const result = state === 'accepted' || state === 'pending';
    this.#tell('salt/auth', { act: ACTS[state], id, pub: `${pemOf(key)}\n`, result });
  }

  decided(id: string, state: KeyState): void {
    const act = CHANGES[state];
    if (act !== undefined) this.#tell('salt/key', { act, id, result: true });
  }

  /** A minion has a new identity; nobody had to decide. */
  succeeded(id: string): void {
    this.#tell('salt/key', { act: 'succeed', id, result: true });
  }

  /** Kept for as long as a gateway may take to come back; the decision itself waits for nothing. */
  #tell(tag: string, data: ValueMap): void {
    if (this.#waiting >= MAX_WAITING) {
      this.log.error(`the event ${tag} was dropped: no gateway has taken the last ${String(MAX_WAITING)}`);
      return;
    }
    this.#waiting += 1;
    void this.#tellUntilTaken(tag, data).then((taken) => {
      this.#waiting -= 1;
      if (!taken) this.log.error({ data }, `no gateway took the event ${tag}`);
    });
  }

  async #tellUntilTaken(tag: string, data: ValueMap): Promise<boolean> {
    const { bus, subjects, directory } = this.link;
    for (let attempt = 0; attempt < TRIES; attempt += 1) {
      const answer = await bus.ask(
        {
          contract: contracts.fire,
          body: { tag, data, grantRun: null },
          subject: subjects.svcGw('fire'),
          to: () => directory.role('gateway'),
        },
        contracts.fired,
        ANSWER_MS,
      );
      if (answer.ok) return answer.value.body.refusal === null;
      // A question without an answer may have been carried out: it is not asked again.
      if (answer.error === 'timeout') return false;
      await pause(AGAIN_MS, undefined, { ref: false });
    }
    return false;
  }
}
