/**
 * Who is known to this process, by key id: the live services of each role, each accepted identity's newest `jobs` announcement,
 * and a bounded cache of sessions and of whoever else has sent something. Everything in it was verified; an eviction costs
 * one `stale_key`.
 */
import { equalBytes, type KnownParty, mapKey, namesOf, type RoleName } from '@natrium/envelope';

const MAX_PASSING = 10_000;
/** Announcements that have ended are kept so long, so that a clock that was far ahead for a while loses nobody. */
const ENDED_KEPT_MS = 24 * 3_600_000;
/** Nobody's clock may differ by more: what is for a later time was announced while a clock was ahead. */
const MAX_SKEW_MS = 300_000;

export class Directory {
  readonly #byKeyId = new Map<string, KnownParty>();
  readonly #services = new Map<string, KnownParty>();
  readonly #jobs = new Map<string, KnownParty>();
  /** Key ids of the epoch before, by service or identity: messages that were sealed under it may still be on their way; under an older one, none. */
  readonly #before = new Map<string, string>();
  /** Key ids that a service has replaced, and when the last announcement of each ends. */
  readonly #replaced = new Map<string, number>();
  /** Key ids of sessions, and of senders that nobody vouches for; the one that was heard from longest ago is first. */
  readonly #passing = new Set<string>();

  constructor(private readonly now: () => number) {}

  /** Takes over a party that the acl-service or the roles document vouches for. For a sender who may be anybody there is `hear`. */
  learn(party: KnownParty): void {
    this.#learn(party, party.use === 'session');
  }

  /**
   * Takes over the sender of a message. An identity that nobody vouches for may be a stranger, so no jobs are sealed to it. Nor is anything
   * to one whose clock was ahead when it announced itself, and has been set back: but what it sends is understood.
   */
  hear(party: KnownParty): void {
    const isPassing = party.use === 'session' || (party.use === 'jobs' && !this.#jobs.has(namesOf(party).key));
    if (!this.#learn(party, isPassing) && !this.#byKeyId.has(namesOf(party).keyId)) this.#learn(party, true);
  }

  byKeyId(keyId: Uint8Array): KnownParty | undefined {
    const party = this.#byKeyId.get(mapKey(keyId));
    return party !== undefined && counts(party, this.now()) ? party : undefined;
  }

  /** The live services of a role, in no order. */
  role(role: RoleName): readonly KnownParty[] {
    const now = this.now();
    return [...this.#services.values()].filter(
      (party) => party.owner.type === 'role' && party.owner.role === role && counts(party, now),
    );
  }

  services(): readonly KnownParty[] {
    const now = this.now();
    return [...this.#services.values()].filter((party) => counts(party, now));
  }

  /** One instance of a role, while it lives. */
  instance(role: RoleName, instance: string): KnownParty | undefined {
    return this.role(role).find((party) => party.owner.type === 'role' && party.owner.instance === instance);
  }

  /**
   * Where jobs for an identity are sealed to: the newest of its announcements for that use.
   *
   * @param identityKey Hexadecimal.
   */
  jobsOf(identityKey: string): KnownParty | undefined {
    const party = this.#jobs.get(identityKey);
    return party !== undefined && counts(party, this.now()) ? party : undefined;
  }

  /** Forgets a service that said good-bye or whose instance nobody answers for. */
  forget(party: KnownParty): void {
    const { keyId, owner } = namesOf(party);
    this.#byKeyId.delete(keyId);
    if (party.owner.type !== 'role') return;
    this.#services.delete(owner);
    this.#forgetBefore(owner);
  }

  /** Forgets every party that `keeps` says no of: its role key is gone, or its identity is shut out. */
  retain(keeps: (party: KnownParty) => boolean): void {
    for (const [keyId, party] of this.#byKeyId) {
      if (keeps(party)) continue;
      this.#byKeyId.delete(keyId);
      this.#passing.delete(keyId);
    }
    for (const table of [this.#services, this.#jobs]) {
      for (const [key, party] of table) {
        if (keeps(party)) continue;
        table.delete(key);
        this.#forgetBefore(key);
      }
    }
  }

  /** Forgets whose announcement ended long ago. */
  forgetEnded(): void {
    const now = this.now();
    const isKept = (notAfter: number) => notAfter + ENDED_KEPT_MS > now;
    this.retain(({ notAfter }) => isKept(notAfter));
    for (const [keyId, notAfter] of this.#replaced) if (!isKept(notAfter)) this.#replaced.delete(keyId);
  }

  /** @returns false for an announcement older than the one in force, which is not learned. */
  #learn(party: KnownParty, isPassing: boolean): boolean {
    const { keyId } = namesOf(party);
    if (isPassing) this.#learnPassing(keyId);
    else if (this.#byKeyId.get(keyId) === party && !this.#passing.has(keyId))
      return true; // as after each of its messages but the first
    else if (!this.#learnLasting(party)) return false;
    this.#byKeyId.set(keyId, party);
    return true;
  }

  #learnPassing(keyId: string): void {
    this.#passing.delete(keyId);
    this.#passing.add(keyId);
    if (this.#passing.size <= MAX_PASSING) return;
    for (const oldest of this.#passing) {
      this.#passing.delete(oldest);
      this.#byKeyId.delete(oldest);
      return;
    }
  }

  /** @returns false for an announcement that does not follow on the one in force. */
  #learnLasting(party: KnownParty): boolean {
    const table = party.owner.type === 'role' ? this.#services : this.#jobs;
    const key = party.owner.type === 'role' ? namesOf(party).owner : namesOf(party).key;
    const known = table.get(key);
    if (known === party) return true;
    if (known !== undefined && !this.#follows(party, known)) return false;
    table.set(key, party);
    this.#passing.delete(namesOf(party).keyId);
    if (known !== undefined && !equalBytes(known.keyId, party.keyId)) {
      this.#forgetBefore(key);
      this.#before.set(key, namesOf(known).keyId);
      if (known.owner.type === 'role') this.#replaced.set(namesOf(known).keyId, known.notAfter);
    }
    return true;
  }

  /**
   * `not_before` only rises. But a service that is announced for a time to come, as while the cluster's clock was ahead, goes by what it
   * announces now; and a key that it has replaced never comes back, also not when the time has come for which that was announced.
   */
  #follows(party: KnownParty, known: KnownParty): boolean {
    const isRising = known.notBefore <= party.notBefore;
    if (party.owner.type !== 'role') return isRising;
    if (this.#replaced.has(namesOf(party).keyId)) return false;
    const latest = this.now() + MAX_SKEW_MS;
    const [isTime, wasTime] = [party.notBefore <= latest, known.notBefore <= latest];
    return isTime === wasTime ? isRising : isTime;
  }

  #forgetBefore(key: string): void {
    this.#byKeyId.delete(this.#before.get(key) ?? '');
    this.#before.delete(key);
  }
}

/** As `spec/envelope.md` says of an announcement: in its last millisecond as well. */
function counts({ notAfter }: KnownParty, now: number): boolean {
  return now <= notAfter;
}
