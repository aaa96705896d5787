/**
 * The agent's epochs: a new key every `epoch_hours`, on demand (SIGUSR2), and after a newer roles document; hello is said
 * again each time, so that clock, roles and services are those of now, and the new key goes out with the data.
 *
 * Spec: spec/envelope.md#epochs.
 */
import type { Link } from '@natrium/client';
import type { Logger } from 'pino';
import type { ClusterTrust } from './cluster-trust.js';
import type { HostData } from './host-data.js';

export interface EpochParts {
  readonly epochMs: number;
  readonly trust: ClusterTrust;
  readonly data: HostData;
  readonly log: Logger;
}

const MAX_TIMER_MS = 0x7fffffff;
/** So that the minions of a large fleet do not all announce at once. */
const SPREAD_MS = 2000;

export class Epochs {
  readonly #timer: NodeJS.Timeout;
  #soon: NodeJS.Timeout | undefined;

  constructor(
    private readonly link: Link,
    private readonly parts: EpochParts,
  ) {
    this.#timer = setInterval(() => void this.begin(), Math.min(parts.epochMs, MAX_TIMER_MS));
    this.follow();
  }

  /** Hears of newer roles documents through the link of now. */
  follow(): void {
    const { link, parts } = this;
    link.roles.onNewer(() => {
      parts.trust.keep(link);
      parts.log.info({ serial: link.roles.document.serial }, 'a newer roles document is in force');
      this.#soon ??= setTimeout(() => void this.begin(), Math.random() * SPREAD_MS);
    });
  }

  /** Begins a new epoch now. Never fails: what could not be told is told with the next data. */
  async begin(): Promise<void> {
    const { link, parts } = this;
    clearTimeout(this.#soon);
    this.#soon = undefined;
    link.own.rotate(link.clock.now());
    parts.log.info('a new epoch');
    try {
      await parts.data.send();
    } catch (error) {
      parts.log.error({ err: error }, 'the new epoch could not be announced');
    }
    const before = link.clock.offsetMs;
    const problem = await link.greet();
    if (problem !== undefined) parts.log.warn(problem.sentence);
    if (link.clock.offsetMs !== before && link.clock.offsetMs !== 0)
      parts.log.error({ offsetMs: link.clock.offsetMs }, 'the clock of this host is wrong');
  }

  stop(): void {
    clearInterval(this.#timer);
    clearTimeout(this.#soon);
  }
}
