/** Newcomers: what `decideJoin` decides is written, and whoever waited hears of it. Spec: spec/envelope.md#join. */
import type { Opened } from '@natrium/bus';
import { equalBytes, fingerprint, readJoin, type Signed, toHex } from '@natrium/envelope';
import { type Admission, Budget, decideJoin, type Joiner, type JoinState, type KeyRecord } from '@natrium/flow';
import type { RoleLink } from '@natrium/edge';
import { isMap, keepLatest, parseMinionId } from '@natrium/model';
import { type Body, contracts } from '@natrium/wire';
import type { AuditLog } from '../audit/audit-log.js';
import type { BrokerUsers } from '../broker/broker-users.js';
import type { KeyEvents } from './key-events.js';
import type { Room } from './room.js';
import type { Roster, Waiting } from '../roster/roster.js';

type Joined = Body<typeof contracts.joined>;

const JOIN_AGE_MS = 60_000;
const RACES = 8;
const NEWCOMERS = 'join';
const DENIED = { state: 'denied', record: null, user: null } as const;
/** Of whom it is remembered what the audit and the event bus have heard: whoever asks again and again is told of once. */
const MAX_TOLD = 10_000;
/** What the bus hears of those that are turned away, all together: new keys cost nothing, and sinks and reactions work for each event. */
const TURNED_AWAY = { rate: 1, burst: 60 };

export class Joining {
  readonly #told = new Set<string>();
  readonly #turnedAway = new Budget(TURNED_AWAY);

  constructor(
    private readonly link: RoleLink,
    private readonly roster: Roster,
    private readonly admission: Admission,
    private readonly parts: {
      readonly audit: AuditLog;
      readonly room: Room;
      readonly users: BrokerUsers | undefined;
      readonly events: KeyEvents;
      /** Of each that is accepted, and of all newcomers together: whoever makes new keys has as many names as he likes. */
      readonly budget: Budget;
    },
  ) {}

  /**
   * The bus keeps nothing of whoever may be a stranger; of whom the roster knows it does.
   *
   * @returns undefined for a request that proves nothing: a stranger hears nothing.
   */
  async handle(opened: Opened<typeof contracts.join>): Promise<Joined | undefined> {
    const joined = await this.#joined(opened);
    const { party } = opened;
    if (this.roster.byKey(party.owner.key) !== undefined) this.link.directory.learn(party);
    return joined;
  }

  async #joined(opened: Opened<typeof contracts.join>): Promise<Joined | undefined> {
    const { clock, roles, bus } = this.link;
    if (!this.parts.budget.take(this.#payer(opened.party.owner.key), clock.own()))
      return { state: 'full', record: null, user: null };
    const [now, skewMs] = [clock.now(), clock.skewMs];
    const join = readJoin(opened.body.request, roles.cluster, {
      now,
      skewMs,
      maxAgeMs: JOIN_AGE_MS,
      readAnnouncement: (announcement) => bus.sealer.read(announcement),
    });
    if (!join.ok) return undefined;
    const id = parseMinionId(join.value.id);
    if (id === undefined) return undefined;
    // An account was enrolled by another way, and comes here only for its user of the broker.
    if (this.roster.callerOf(join.value.identity)?.kind === 'account') return this.#answer('accepted', join.value);
    const { reply } = opened;
    const waiting: Waiting | undefined =
      reply === undefined ? undefined : { reply, question: opened.messageId, announcement: join.value.announcement };
    const { identity, nkey } = join.value;
    // Who came to ask and not to work is nobody's minion: an account, by a key that is not accepted.
    if (join.value.party.use !== 'jobs' || this.#namesAnothers(join.value)) {
      this.#recordOnce({ id, identity }, DENIED.state);
      return DENIED;
    }
    // What another sends along with a captured join is not the joiner's word.
    const grains = equalBytes(opened.party.owner.key, identity) ? opened.body.grains : {};
    return this.#decide({ id, identity, nkey, grains: isMap(grains) ? grains : {} }, waiting);
  }

  /** Whether a newcomer names the NATS key of somebody else as its own. */
  #namesAnothers(join: Pick<Joiner, 'identity' | 'nkey'>): boolean {
    return this.roster.callerOf(join.identity) === undefined && this.parts.users?.isAnothers(join) === true;
  }

  /** Who is let in already is no newcomer: a fleet that starts again does not wait for the strangers, nor they for it. */
  #payer(key: Uint8Array): string {
    return this.roster.callerOf(key) === undefined ? NEWCOMERS : toHex(key);
  }

  /** Tells a joiner that waits what became of its key. */
  async tellWaiting(record: KeyRecord, signed: Signed, waiting: Waiting | undefined): Promise<void> {
    if (waiting === undefined || record.state === 'pending' || record.state === 'deleted') return;
    const { bus } = this.link;
    const party = bus.sealer.read(waiting.announcement);
    if (!party.ok) return;
    bus.answerLater(party.value, waiting.reply, waiting.question, contracts.joined, {
      state: record.state,
      record: signed,
      user: (await this.parts.users?.userOf(record)) ?? null,
    });
  }

  async #decide(joiner: Joiner, waiting: Waiting | undefined): Promise<Joined> {
    for (let race = 0; race < RACES; race += 1) {
      const decision = decideJoin(joiner, this.roster, this.admission);
      if (decision.write === undefined) {
        if (decision.state === 'pending') this.#waitHere(joiner, waiting);
        else if (decision.state !== 'accepted') this.#recordOnce(joiner, decision.state);
        this.#tellOf(decision.state, joiner, false);
        return this.#answer(decision.state, joiner);
      }
      const { state } = decision.write;
      const record = { kind: 'minion', name: joiner.id, identity: joiner.identity, nkey: joiner.nkey, state } as const;
      const write = () => this.roster.write(record, state === 'pending' ? waiting : undefined);
      const written = await (state === 'accepted' ? this.parts.room.accepting(write) : write());
      if (written !== undefined) {
        this.#record(joiner, state);
        this.#tellOf(decision.state, joiner, true);
        return this.#answer(decision.state, joiner);
      }
    }
    return { state: 'pending', record: null, user: null };
  }

  /** Each question of a joiner comes with another place for the answer. One that was deleted is not told: it has to ask. */
  #waitHere({ identity }: Joiner, waiting: Waiting | undefined): void {
    if (waiting !== undefined && !this.roster.wasDeleted(identity)) this.roster.waiting.hear(identity, waiting);
  }

  async #answer(state: JoinState, { identity }: Pick<Joiner, 'identity'>): Promise<Joined> {
    const record = this.roster.byKey(identity);
    const user = record === undefined ? undefined : await this.parts.users?.userOf(record);
    return { state, record: this.roster.signedOf(identity) ?? null, user: user ?? null };
  }

  /**
   * A minion that waits asks again and again; the bus hears of it once, and of one that it does not hear of now when that asks again.
   *
   * @param isWritten Its record is another now: one that was deleted, and asks again, is news.
   */
  #tellOf(state: JoinState, joiner: Joiner, isWritten: boolean): void {
    const isTurnedAway = state !== 'accepted' && state !== 'pending';
    const now = this.link.clock.own();
    if (isTurnedAway && this.#turnedAway.isSpent(NEWCOMERS, now)) return;
    const isNew = this.#isFirst('event', state, joiner) || isWritten;
    if (isTurnedAway && isNew) this.#turnedAway.take(NEWCOMERS, now);
    if (isNew || state === 'accepted') this.parts.events.asked(joiner.id, joiner.identity, state);
  }

  #recordOnce(joiner: Pick<Joiner, 'id' | 'identity'>, state: string): void {
    if (this.#isFirst('record', state, joiner)) this.#record(joiner, state);
  }

  #isFirst(told: 'event' | 'record', state: string, { id, identity }: Pick<Joiner, 'id' | 'identity'>): boolean {
    const key = `${told} ${state} ${id} ${fingerprint(identity)}`;
    if (this.#told.has(key)) return false;
    this.#told.add(key);
    keepLatest(this.#told, MAX_TOLD);
    return true;
  }

  #record(joiner: Pick<Joiner, 'id' | 'identity'>, state: string): void {
    this.parts.audit.write({
      time: this.link.clock.now(),
      what: 'join',
      caller: null,
      digest: null,
      jid: null,
      verdict: state,
      rule: null,
      detail: { id: joiner.id, fingerprint: fingerprint(joiner.identity) },
    });
  }
}
