/**
 * A new identity for this minion while it runs. It is kept on disk before anybody hears of it, the old one signs it, and it is
 * on the bus and heard before it is accepted; then everything goes over to it at once.
 *
 * What was on its way to the old one is still heard for a minute. A change that gets no answer is gone on with until it has
 * one. Whenever the agent dies in between, `identityAtStart` finds out which of the two it is.
 *
 * Spec: spec/envelope.md#succession.
 */
import { joinRequest, type Link } from '@natrium/client';
import { BACK_MS, OwnParty } from '@natrium/bus';
import { equalBytes, fingerprint, type Identity, type Signed } from '@natrium/envelope';
import type { NextIdentity } from '@natrium/keystore';
import type { Refusal } from '@natrium/model';
import { ExecutionError, type IdentityPort } from '@natrium/modules';
import { type Body, contracts } from '@natrium/wire';
import { type AboutHost, comeInBeside } from './coming-in.js';
import type { HostData } from '../host/host-data.js';
import { pause } from '@natrium/process';
import type { CameIn, LiveLink } from '../link/live-link.js';

export interface SuccessionParts {
  readonly about: AboutHost;
  readonly files: NextIdentity;
  readonly live: LiveLink;
  readonly data: HostData;
  /** Listens for jobs under another identity too. */
  readonly hear: (link: Link) => void;
  /** Everything goes through the new identity now. */
  readonly onChanged: () => void;
}

type Answered = Body<typeof contracts.succeeded>;

const ANSWER_MS = 5000;
const AGAIN_MS = 1000;
/** How soon what was begun is tried again. */
const RESUME_MS = 30_000;
/** How long what is being asked may hold up the change. */
const PATIENCE_MS = 3000;
/** How long the old identity still hears what was on its way: no job is granted for longer. */
const OVERLAP_MS = 60_000;
/** Refusals after which the same new identity may still be accepted. */
const PASSING = new Set(['slow_down', 'request_expired', 'request_from_future']);

/** No acl-service has answered: whether the change is decided is not known. */
class NoAnswer extends ExecutionError {}

export class Succession implements IdentityPort {
  #underWay: Promise<string> | undefined;
  #again: NodeJS.Timeout | undefined;
  readonly #leaving = new Map<CameIn, NodeJS.Timeout>();

  constructor(
    private readonly parts: SuccessionParts,
    private readonly comeIn = comeInBeside,
  ) {}

  /** Whoever asks while one is under way gets that one. One that fails is gone on with later, unless it was refused for good. */
  renew(): Promise<string> {
    this.#underWay ??= this.#renew()
      .catch((cause: unknown) => {
        clearTimeout(this.#again);
        this.#again = setTimeout(() => void this.resume(), RESUME_MS).unref();
        throw cause;
      })
      .finally(() => {
        this.#underWay = undefined;
      });
    return this.#underWay;
  }

  /** What was begun, in this life of the agent or an earlier one, is finished, or refused for good. */
  async resume(): Promise<void> {
    const { files, about } = this.parts;
    try {
      if (files.read() !== undefined && !about.signal.aborted) await this.renew();
    } catch (cause) {
      if (about.signal.aborted) return;
      about.log.error({ err: cause }, 'the new identity that was begun is not accepted yet');
    }
  }

  async close(): Promise<void> {
    clearTimeout(this.#again);
    const leaving = [...this.#leaving];
    this.#leaving.clear();
    for (const [{ transport }, timer] of leaving) {
      clearTimeout(timer);
      await transport.drain();
    }
  }

  async #renew(): Promise<string> {
    const { about, files, live } = this.parts;
    const next = files.readOrMake();
    if (equalBytes(next.publicKey, live.identity.publicKey)) {
      files.takeOver(); // it was decided before, and the disk did not take it then
      return fingerprint(next.publicKey);
    }
    const { user } = await this.#ask('prepare', next, this.#firstWord(next));
    const came = await this.comeIn({ ...about, identity: next }, user);
    const old = live.came;
    try {
      await this.#ask('prepare', next, came.link.own.announced);
      this.parts.hear(came.link);
      await came.transport.flush();
      await this.#goOver(next, came);
    } catch (error) {
      await came.transport.drain();
      throw error;
    }
    this.#leave(old);
    this.parts.onChanged();
    await this.#renewUser(came);
    about.log.info({ fingerprint: fingerprint(next.publicKey) }, 'a new identity');
    return fingerprint(next.publicKey);
  }

  /**
   * Until now it is there as the user that it had for the change. It is decided, so nothing that fails here undoes it: when the broker ends
   * that user, within a minute, the connection comes back as the one that it has now.
   */
  async #renewUser({ transport }: CameIn): Promise<void> {
    try {
      await transport.renew();
    } catch (cause) {
      this.parts.about.log.warn(
        { err: cause },
        'the new identity is not connected with its own user of the broker yet',
      );
    }
  }

  /** Until the acl-service has decided: from the first time that it is asked, the change may have happened. */
  async #goOver(next: Identity, came: CameIn): Promise<void> {
    const { live, about } = this.parts;
    for (;;) {
      try {
        await live.alone(() => this.#commit(next, came), PATIENCE_MS);
        return;
      } catch (error) {
        if (!(error instanceof NoAnswer)) throw error;
        about.log.warn(error.message);
      }
      await pause(AGAIN_MS, about.signal);
      about.signal.throwIfAborted();
    }
  }

  async #commit(next: Identity, came: CameIn): Promise<void> {
    const { user } = await this.#ask('commit', next, came.link.own.announced);
    this.parts.live.goOver(came);
    try {
      if (user !== null) came.user?.take(user);
      this.parts.files.takeOver();
    } catch (cause) {
      // The next start finds both, and asks which one it is.
      this.parts.about.log.error(
        { err: cause },
        'the new identity could not be put in the place of the old one on disk',
      );
    }
  }

  async #ask(what: 'prepare' | 'commit', next: Identity, announcement: Signed): Promise<Answered> {
    const { live, about, data } = this.parts;
    const { bus, subjects, own, roles, identity } = live.came.link;
    const join = joinRequest(live, about.config.id, next, announcement);
    const signature = identity.signing.sign('succession', roles.cluster, join.bytes);
    const answer = await bus.ask(
      {
        contract: contracts.succeed,
        body: { what, join, signature, data: data.signedBy(next.signing) },
        subject: subjects.upAcl(own.fp, 'succeed'),
        to: () => live.services('acl'),
        backMs: BACK_MS,
      },
      contracts.succeeded,
      ANSWER_MS,
    );
    if (!answer.ok) throw new NoAnswer(`the acl-service did not answer for the new identity (${answer.error})`);
    const { refusal } = answer.value.body;
    if (refusal !== null) this.#refused(refusal);
    return answer.value.body;
  }

  #refused({ code, sentence }: Pick<Refusal, 'sentence'> & { readonly code: string }): never {
    if (!PASSING.has(code)) this.parts.files.drop();
    throw new ExecutionError(`the new identity is refused (${code}): ${sentence}`);
  }

  /** Before it has a link of its own: it shows that its key is its own, and nothing is sealed to it. */
  #firstWord({ publicKey: key, signing }: Identity): Signed {
    const { roles, clock } = this.parts.live;
    const own = new OwnParty(
      {
        owner: { type: 'identity', key },
        signing,
        cluster: roles.cluster,
        use: 'jobs',
        rolesSerial: roles.document.serial,
      },
      { epochMs: OVERLAP_MS, overlapMs: 0, announcementMs: OVERLAP_MS },
    );
    return own.rotate(clock.now());
  }

  #leave(old: CameIn): void {
    const timer = setTimeout(() => {
      this.#leaving.delete(old);
      void old.transport.drain();
    }, OVERLAP_MS).unref();
    this.#leaving.set(old, timer);
  }
}
