/**
 * What this host is and what it was given: its grains, which it sends signed under a rising number, and the pillar that
 * comes back. Both live in memory only.
 *
 * Spec: spec/envelope.md#data.
 */
import { isDeepStrictEqual } from 'node:util';
import { BACK_MS } from '@natrium/bus';
import { encodedSize, type Signed, type SigningKey, signData } from '@natrium/envelope';
import {
  countValues,
  isMap,
  isReadable,
  MAX_KEPT_BYTES,
  MAX_KEPT_VALUES,
  toPlain,
  type ValueMap,
} from '@natrium/model';
import type { RefreshPort } from '@natrium/modules';
import { contracts } from '@natrium/wire';
import type { Logger } from 'pino';
import type { LiveLink } from '../link/live-link.js';

const DATA_MS = 5000;
/** How often the grains are compared with what was taken. */
const COMPARE_MS = 600_000;
/** Room in the document for its number, and for the heads around both. */
const AROUND_GRAINS = 64;

/** Why nobody would take them. */
function faultIn(grains: ValueMap): string | undefined {
  if (!isReadable(grains)) return 'the grains of this host are nested too deeply to be sent';
  const isTooMuch =
    countValues([grains], MAX_KEPT_VALUES) > MAX_KEPT_VALUES ||
    encodedSize(toPlain(grains)) > MAX_KEPT_BYTES - AROUND_GRAINS;
  return isTooMuch
    ? 'the grains of this host are more than 1 MiB, or than 100,000 values, which nobody takes'
    : undefined;
}

/** No acl-service has answered: none is there, or none knows this minion. */
export class Untaken extends Error {
  override readonly name = 'Untaken';
  readonly code = 'ERR_UNTAKEN';
}

export class HostData implements RefreshPort {
  #grains: ValueMap;
  /** The grains of the last exchange that was answered. */
  #taken: ValueMap | undefined;
  #pillar: ValueMap = {};
  #revision: number | undefined;
  #number = 0;
  /** One exchange after the other: the last answer is the newest. */
  #exchanges: Promise<unknown> = Promise.resolve();
  /** The one that has not begun yet: everyone who asks meanwhile shares it. */
  #next: Promise<void> | undefined;
  readonly #comparing: NodeJS.Timeout;

  constructor(
    private readonly link: LiveLink,
    /** Without the first grains an agent does not begin. @param onFault Hears that a part of them is as it was before. */
    private readonly gather: (onFault: () => void) => ValueMap,
    private readonly log: Logger,
    private readonly onUntaken: () => void = () => undefined,
  ) {
    this.#grains = gather(() => undefined);
    this.#comparing = setInterval(() => {
      this.#gatherAnew();
      if (this.#grains !== this.#taken) void this.#tried();
    }, COMPARE_MS).unref();
  }

  readonly currentGrains = (): ValueMap => this.#grains;
  readonly currentPillar = (): ValueMap => this.#pillar;

  /** @returns false when they could not all be gathered, or no acl-service took the data; the agent goes on with what it has. */
  async grains(): Promise<boolean> {
    const isGathered = this.#gatherAnew();
    return (await this.#tried()) && isGathered;
  }

  pillar(): Promise<boolean> {
    return this.#tried();
  }

  /**
   * The first data also tell the gateways where to seal this minion's jobs, as do those after a new epoch.
   *
   * @throws {Untaken}
   */
  send(): Promise<void> {
    if (this.#next !== undefined) return this.#next;
    const next = this.#exchanges.then(() => {
      this.#next = undefined;
      return this.link.steady(() => this.#exchange());
    });
    this.#exchanges = next.catch(() => undefined); // whoever asked hears of it
    this.#next = next;
    return next;
  }

  stop(): void {
    clearInterval(this.#comparing);
  }

  /**
   * Grains that have not changed stay the same object.
   *
   * @returns false when this host could not be looked at, as with too many open files, or has more than can be sent: an agent does not end for that.
   */
  #gatherAnew(): boolean {
    let isWhole = true;
    try {
      const grains = this.gather(() => (isWhole = false));
      const fault = faultIn(grains);
      if (fault !== undefined) throw new Error(fault);
      if (!isDeepStrictEqual(toPlain(grains), toPlain(this.#grains))) this.#grains = grains;
      return isWhole;
    } catch (error) {
      this.log.error({ err: error }, 'the grains of this host could not be gathered; those from before stay');
      return false;
    }
  }

  async #tried(): Promise<boolean> {
    try {
      await this.send();
      return true;
    } catch (error) {
      this.log.error({ err: error }, 'grains and pillar could not be refreshed');
      if (error instanceof Untaken) this.onUntaken();
      return false;
    }
  }

  /** What it would send now. */
  signedBy(signing: SigningKey): Signed {
    const { clock, roles } = this.link;
    this.#number = Math.max(this.#number + 1, clock.now());
    return signData(signing, roles.cluster, { number: this.#number, grains: toPlain(this.#grains) });
  }

  async #exchange(): Promise<void> {
    const { link } = this;
    const grains = this.#grains;
    const fault = faultIn(grains); // of the first ones
    if (fault !== undefined) throw new Error(fault);
    const data = this.signedBy(link.identity.signing);
    const answer = await link.bus.ask(
      {
        contract: contracts.data,
        body: { data, announcement: link.own.announced },
        subject: link.subjects.upAcl(link.own.fp, 'data'),
        to: () => link.services('acl'),
        backMs: BACK_MS,
      },
      contracts.pillar,
      DATA_MS,
    );
    if (!answer.ok) throw new Untaken(`the acl-service did not take this minion’s data (${answer.error})`);
    this.#taken = grains;
    const { pillar, revision } = answer.value.body;
    this.#pillar = isMap(pillar) ? pillar : {};
    if (revision !== this.#revision) this.log.info('new pillar');
    this.#revision = revision;
  }
}
