/** Who is there now: a question that runs no module, answered by the agent itself or, for the absent, by the broker. */
import { namesOf, toHex } from '@natrium/envelope';
import type { Seen } from '@natrium/flow';
import type { RoleLink } from '@natrium/edge';
import { contracts } from '@natrium/wire';
import type { Minions } from './minions.js';

/** A minion that is connected and silent this long counts as not there. */
const SILENCE_MS = 1000;
/** The broker says at once who is not there; this bounds the wait for the others, who are busy. */
const GONE_MS = 200;

/** Asked about no job, a minion tells of all that it runs. */
const ANY_JOB: readonly string[] = [];

export interface Present {
  readonly id: string;
  /** Jids. */
  readonly running: readonly string[];
}

interface Probed {
  /** Jobs that are running there, by the place of who answered. */
  readonly here: ReadonlyMap<number, readonly string[]>;
  /** Places of those who the broker says are not connected. */
  readonly gone: ReadonlySet<number>;
}

export class Presence {
  constructor(
    private readonly link: RoleLink,
    private readonly minions: Minions,
  ) {}

  /** Who is there and what runs there. Resolves as soon as every accepted minion has answered or is known not to be connected. */
  async ask(): Promise<readonly Present[]> {
    const all = this.minions.all();
    const { here } = await this.#probe(
      all.map(({ key }) => toHex(key)),
      ANY_JOB,
      SILENCE_MS,
    );
    return all.flatMap(({ id }, index) => {
      const running = here.get(index);
      return running === undefined ? [] : [{ id, running }];
    });
  }

  /** Of these minions, by identity key (hexadecimal): whom the broker no longer knows, and who is at work on the job. */
  async lookAt(jid: string, keys: readonly string[]): Promise<Pick<Seen, 'gone' | 'running'>> {
    const { here, gone } = await this.#probe(
      keys.map((key) => this.minions.keyNow(key)),
      [jid],
      GONE_MS,
    );
    return {
      gone: keys.filter((_, index) => gone.has(index)),
      running: keys.filter((_, index) => here.get(index)?.includes(jid)),
    };
  }

  #probe(keys: readonly string[], jids: readonly string[], timeoutMs: number): Promise<Probed> {
    const { link } = this;
    const targets = keys.flatMap((key, place) => {
      const party = link.directory.jobsOf(key);
      return party === undefined ? [] : [{ place, party, subject: link.subjects.job(namesOf(party).fp) }];
    });
    const here = new Map<number, readonly string[]>();
    const gone = new Set<number>();
    return new Promise((resolve) => {
      const finish = () => {
        clearTimeout(timer);
        end();
        resolve({ here, gone });
      };
      const settle = (index: number, note: (place: number) => void) => {
        const target = targets[index];
        if (target === undefined) return;
        note(target.place);
        if (here.size + gone.size === targets.length) finish();
      };
      const end = link.bus.fanOut(
        { contract: contracts.presence, body: { jids: [...jids] }, targets, answers: contracts.here, timeoutMs },
        {
          onAnswer: (index, { running }) => {
            settle(index, (place) => here.set(place, running));
          },
          onNoResponders: (index) => {
            settle(index, (place) => gone.add(place));
          },
        },
      );
      const timer = setTimeout(finish, timeoutMs);
      if (targets.length === 0) finish();
    });
  }
}
