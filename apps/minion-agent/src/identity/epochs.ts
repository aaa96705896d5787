/**
 * The agent's epochs: a new key every `epoch_hours`, on demand (SIGUSR2), and after a newer roles document; hello is said
 * again each time, so that clock, roles and services are those of now, and the new key goes out with the data.
 *
 * Timers stand still while a host sleeps: whether an epoch is over by the clock is looked at each minute, and when the broker is back.
 * So is whether the clock was set: then what hello told of it says nothing any more, and hello is said again first. The acl-service's own may
 * have been set too: then what it announces counts here no more, and hello is said until it does. Hello says as well why somebody speaks
 * whom nobody here knows, as after a restore of an older roles document.
 *
 * Spec: spec/envelope.md#epochs, #time.
 */
import { rolesEnded } from '@natrium/bus';
import type { Logger } from 'pino';
import type { ClusterTrust } from './cluster-trust.js';
import type { HostData } from '../host/host-data.js';
import type { LiveLink } from '../link/live-link.js';

export interface EpochParts {
  readonly epochMs: number;
  readonly trust: Pick<ClusterTrust, 'keep' | 'aheadOf' | 'takeDoubt'>;
  readonly data: Pick<HostData, 'send'>;
  readonly log: Logger;
}

const MAX_TIMER_MS = 0x7fffffff;
const LOOK_MS = 60_000;
/** So that the minions of a large fleet do not all announce at once. */
const SPREAD_MS = 2000;

export class Epochs {
  readonly #looking: NodeJS.Timeout;
  #timer: NodeJS.Timeout;
  #soon: NodeJS.Timeout | undefined;
  /** Whether an acl-service has taken the key in force: until then no jobs are sealed to it. */
  #isTold = true;
  /** Whether it was told that the roles document has ended. */
  #endIsTold = false;
  /** What was wrong with the last hello: it may be so for long. */
  #problem: string | undefined;
  #isStopped = false;

  constructor(
    private readonly link: LiveLink,
    private readonly parts: EpochParts,
  ) {
    this.#timer = this.#untilNext();
    this.#looking = setInterval(() => void this.look(), LOOK_MS);
    this.follow();
  }

  /** Hears of newer roles documents, and of the broker, through the link of now. */
  follow(): void {
    const { link, parts } = this;
    link.roles.onNewer(() => {
      parts.trust.keep(link);
      parts.log.info({ serial: link.roles.document.serial }, 'a newer roles document is in force');
      this.#soon ??= setTimeout(() => void this.begin(), Math.random() * SPREAD_MS);
    });
    link.transport.whenBack(() => void this.look());
  }

  /** Begins a new epoch if the one in force is over, and tells of it if nobody has taken it yet. */
  async look(): Promise<void> {
    const { link } = this;
    const isInDoubt = this.parts.trust.takeDoubt();
    if (isInDoubt || link.clock.wasSet() || link.services('acl').length === 0) await this.#greet();
    this.#tellOfEnd();
    if (link.own.isOver(link.clock.now())) await this.begin();
    else if (!this.#isTold) await this.#tell();
  }

  /** From then on no job runs here, until a newer document comes. */
  #tellOfEnd(): void {
    const { roles, clock } = this.link;
    const ended = rolesEnded(roles.document, clock.now());
    if (ended !== undefined && !this.#endIsTold) this.parts.log.error(ended);
    this.#endIsTold = ended !== undefined;
  }

  /** Begins a new epoch now. Never fails: what could not be told is told again. */
  async begin(): Promise<void> {
    if (this.#isStopped) return;
    const { link, parts } = this;
    clearTimeout(this.#soon);
    this.#soon = undefined;
    clearTimeout(this.#timer);
    this.#timer = this.#untilNext();
    // A key that is announced for the time to come is nobody's until then.
    if (link.clock.wasSet()) await this.#greet();
    link.own.rotate(link.clock.now());
    parts.log.info('a new epoch');
    await this.#tell();
  }

  stop(): void {
    this.#isStopped = true; // what is being looked at now begins nothing after this
    clearTimeout(this.#timer);
    clearInterval(this.#looking);
    clearTimeout(this.#soon);
  }

  #untilNext(): NodeJS.Timeout {
    return setTimeout(() => void this.begin(), Math.min(this.parts.epochMs, MAX_TIMER_MS));
  }

  /** Hello comes first: whoever slept no longer knows which services there are. */
  async #tell(): Promise<void> {
    const { data, log } = this.parts;
    await this.#greet();
    try {
      await data.send();
      this.#isTold = true;
    } catch (error) {
      this.#isTold = false;
      log.error({ err: error }, 'the new epoch could not be announced');
    }
  }

  async #greet(): Promise<void> {
    const { link, parts } = this;
    const before = link.clock.offsetMs;
    const problem = await link.greet();
    if (problem !== undefined && problem.sentence !== this.#problem)
      parts.log[problem.code === 'no_answer' ? 'warn' : 'error'](problem.sentence);
    this.#problem = problem?.sentence;
    const ahead = problem === undefined ? parts.trust.aheadOf(link.clock) : undefined;
    if (ahead !== undefined) parts.log.error(ahead);
    if (link.clock.offsetMs !== before && link.clock.offsetMs !== 0)
      parts.log.error({ offsetMs: link.clock.offsetMs }, 'the clock of this host is wrong');
  }
}
