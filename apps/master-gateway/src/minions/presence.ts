/** Who is there now: a question that runs no module, answered by the agent itself or, for the absent, by the broker. */
import { type KnownParty, namesOf } from '@natrium/envelope';
import type { Seen } from '@natrium/flow';
import type { RoleLink } from '@natrium/edge';
import { contracts } from '@natrium/wire';
import type { Minions } from './minions.js';
import { type Found, type LookHearing, PatientLook } from '../patient-look.js';

/** A minion that is connected and silent this long counts as not there, where nobody says for how long it may be: a host that stalls is not gone. */
const SILENCE_MS = 5000;
/** Whatever a runner says: each second the silent ones are asked again. */
const LEAST_SILENCE_MS = 1000;
const MOST_SILENCE_MS = 300_000;
/** The broker says at once which minions are not connected; a caller who does not wait for those at work waits no longer than this for the others. */
const GONE_MS = 200;

/** Asked about no job, a minion tells of all that it runs. */
const ANY_JOB: readonly string[] = [];

export interface Present {
  readonly id: string;
  /** Jids. */
  readonly running: readonly string[];
}

/** Ids of those who are connected. */
export interface Connected {
  readonly answering: readonly string[];
  /** The broker does not say that they are gone, and neither did they say anything. */
  readonly silent: readonly string[];
}

interface Patience {
  /** For how long one that is connected may say nothing. */
  readonly silenceMs: number;
  /** How often the broker has to say that nobody listens; as usual when it is left out. */
  readonly goneRounds?: number;
}

interface Target {
  /** Its index among those who are looked at. */
  readonly place: number;
  readonly party: KnownParty;
  readonly subject: string;
}

export class Presence {
  constructor(
    private readonly link: RoleLink,
    private readonly minions: Minions,
  ) {}

  /**
   * Who is there and what runs there. Resolves as soon as every accepted minion has answered or is known not to be connected.
   *
   * @param silenceMs For how long one that is connected may say nothing; a second at least, five minutes at most.
   */
  async ask(silenceMs = SILENCE_MS): Promise<readonly Present[]> {
    const all = this.minions.all();
    const keys = all.map(({ key }) => key);
    const patience = { silenceMs: Math.min(Math.max(silenceMs, LEAST_SILENCE_MS), MOST_SILENCE_MS), goneRounds: 1 };
    const { here } = await this.#look(keys, ANY_JOB, patience);
    return all.flatMap(({ id }, index) => {
      const running = here.get(index);
      return running === undefined ? [] : [{ id, running }];
    });
  }

  /** Who is connected: in a busy cluster many answer late, and a host that stalls is not gone. */
  async connected(): Promise<Connected> {
    const all = this.minions.all();
    const keys = all.map(({ key }) => key);
    const { here, gone } = await this.#look(keys, ANY_JOB, { silenceMs: SILENCE_MS });
    const idsAt = (places: readonly number[]) => places.flatMap((place) => all[place]?.id ?? []);
    const asked = this.#targets(keys).map(({ place }) => place);
    return {
      answering: idsAt([...here.keys()]),
      silent: idsAt(asked.filter((place) => !here.has(place) && !gone.has(place))),
    };
  }

  /**
   * Of these minions, by identity key (hexadecimal): whom the broker no longer knows, and who is at work on the job.
   *
   * @param silenceMs For how long one that is there may say nothing; where it is left out nobody is waited for.
   */
  async lookAt(jid: string, keys: readonly string[], silenceMs?: number): Promise<Pick<Seen, 'gone' | 'running'>> {
    const now = keys.map((key) => this.minions.keyNow(key));
    const patience = silenceMs === undefined ? { silenceMs: GONE_MS, goneRounds: 1 } : { silenceMs };
    const { here, gone } = await this.#look(now, [jid], patience);
    return {
      gone: keys.filter((_, index) => gone.has(index)),
      running: keys.filter((_, index) => here.get(index)?.includes(jid)),
    };
  }

  #look(keys: readonly string[], jids: readonly string[], { silenceMs, goneRounds }: Patience): Promise<Found> {
    const { transport } = this.link;
    const targets = new Map(this.#targets(keys).map((target) => [target.place, target]));
    const look = new PatientLook(
      {
        ask: (places, hear) => {
          const asked = places.flatMap((place) => targets.get(place) ?? []);
          return this.#ask(asked, jids, silenceMs, hear);
        },
        taken: () => transport.flush(),
        isClosed: () => transport.isClosed,
      },
      [...targets.keys()],
      goneRounds,
    );
    return look.find(silenceMs);
  }

  /** Those of whom nobody here knows where to ask are left out. */
  #targets(keys: readonly string[]): readonly Target[] {
    const { link } = this;
    return keys.flatMap((key, place) => {
      const party = link.directory.jobsOf(key);
      return party === undefined ? [] : [{ place, party, subject: link.subjects.job(namesOf(party).fp) }];
    });
  }

  #ask(targets: readonly Target[], jids: readonly string[], timeoutMs: number, hear: LookHearing): () => void {
    const placeOf = (index: number) => targets[index]?.place ?? Number.NaN;
    return this.link.bus.fanOut(
      { contract: contracts.presence, body: { jids: [...jids] }, targets, answers: contracts.here, timeoutMs },
      {
        onAnswer: (index, { running }) => {
          hear.onAnswer(placeOf(index), running);
        },
        onNoResponders: (index) => {
          hear.onNoResponders(placeOf(index));
        },
      },
    );
  }
}
