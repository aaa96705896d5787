/**
 * The other gateways: which of them are there, and who has gone and left jobs behind.
 *
 * Each is asked every second on its own subject. One that does not answer three times in a row is taken for cut off or stopped. Three
 * times also where the broker says that nobody listens there: a gateway that connects anew is not heard for a moment, and its callers
 * would wait at it while their returns went elsewhere. A gateway that has said good-bye, or was never heard, is gone at once.
 *
 * Spec: spec/envelope.md#durability.
 */
import type { RoleLink } from '@natrium/edge';
import { err, messageOf } from '@natrium/model';
import { contracts } from '@natrium/wire';

const EVERY_MS = 1000;
const SILENT_TIMES = 3;

export interface FellowPorts {
  readonly link: RoleLink;
  /** Instances that the job cache knows: those at work, and those that are gone and not taken care of yet. */
  instances(): Promise<readonly string[]>;
  /** Takes care of all that an instance has left; may be called again for the same one. */
  adopt(instance: string, isGone: boolean): Promise<void>;
  /** The instance answers again: it takes care of its own jobs. */
  back(instance: string): Promise<void>;
  onProblem(problem: string, cause: unknown): void;
}

export class Fellows {
  /** How often in a row each was silent. */
  readonly #silent = new Map<string, number>();
  /** Those who are being asked, or taken care of: that of one holds up no look at the others. */
  readonly #busy = new Set<string>();
  /** What was said last of those whose jobs could not be taken over. */
  readonly #said = new Map<string, string>();
  readonly #timer: NodeJS.Timeout;
  #isStopped = false;

  private constructor(private readonly ports: FellowPorts) {
    this.#timer = setInterval(() => {
      this.#askAll();
    }, EVERY_MS).unref();
  }

  static async watch(ports: FellowPorts): Promise<Fellows> {
    const fellows = new Fellows(ports);
    for (const instance of await ports.instances()) fellows.#know(instance);
    return fellows;
  }

  /** What is left undone then is for those who stay. */
  stop(): void {
    this.#isStopped = true;
    clearInterval(this.#timer);
  }

  #know(instance: string): void {
    if (instance !== this.ports.link.own.instance && !this.#silent.has(instance)) this.#silent.set(instance, 0);
  }

  #askAll(): void {
    for (const { owner } of this.ports.link.directory.role('gateway')) {
      if (owner.type === 'role') this.#know(owner.instance);
    }
    for (const instance of this.#silent.keys()) if (!this.#busy.has(instance)) void this.#look(instance);
  }

  async #look(instance: string): Promise<void> {
    this.#busy.add(instance);
    try {
      await this.#ask(instance);
      this.#said.delete(instance);
    } catch (cause) {
      this.#sayOnce(instance, cause);
    } finally {
      this.#busy.delete(instance);
    }
  }

  /** It is tried again each second, and a broker may be away for hours. */
  #sayOnce(instance: string, cause: unknown): void {
    const why = messageOf(cause);
    if (this.#isStopped || this.#said.get(instance) === why) return;
    this.#said.set(instance, why);
    const problem = `the jobs of the gateway ${instance}, which is gone, could not be taken over yet; they are tried again`;
    this.ports.onProblem(problem, cause);
  }

  async #ask(instance: string): Promise<void> {
    const { link } = this.ports;
    const party = link.directory.instance('gateway', instance);
    const answer =
      party === undefined
        ? err('no_responders' as const)
        : await link.bus.ask(
            {
              contract: contracts.presence,
              body: { jids: [] },
              subject: link.subjects.svcGwHere(instance),
              to: () => [party],
            },
            contracts.here,
            EVERY_MS,
          );
    if (answer.ok) {
      this.#silent.set(instance, 0);
      await this.ports.back(instance);
      return;
    }
    const silent = (this.#silent.get(instance) ?? 0) + 1;
    this.#silent.set(instance, silent);
    if (party !== undefined && silent < SILENT_TIMES) return;
    if (party !== undefined) link.directory.forget(party);
    await this.ports.adopt(instance, answer.error === 'no_responders' || answer.error === 'nobody_known');
    this.#silent.delete(instance);
  }
}
