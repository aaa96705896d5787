/**
 * The policy in force: one pointer, swapped whole.
 *
 * What loads with problems is reported and the old policy stays in force. Whoever decides takes `current` once, so that a
 * verdict and the revision that it is recorded under always belong together.
 *
 * Spec: spec/envelope.md#grants.
 */
import type { Result } from '@natrium/model';

export interface ReloadPorts<P, Problem> {
  load(): Result<P, readonly Problem[]>;
  /** Equal revisions decide everything alike. */
  revisionOf(policy: P): string;
  /** Another policy is in force from now on. */
  adopted(policy: P, before: P): void;
  /** The files are wrong; the policy stays as it was. */
  kept(problems: readonly Problem[], policy: P): void;
}

export class PolicyReload<P, Problem> {
  #current: P;

  constructor(
    first: P,
    private readonly ports: ReloadPorts<P, Problem>,
  ) {
    this.#current = first;
  }

  get current(): P {
    return this.#current;
  }

  reload(): void {
    const before = this.#current;
    const loaded = this.ports.load();
    if (!loaded.ok) {
      this.ports.kept(loaded.error, before);
      return;
    }
    // The same policy again: what the one in force has resolved so far stays of use.
    if (this.ports.revisionOf(loaded.value) === this.ports.revisionOf(before)) return;
    this.#current = loaded.value;
    this.ports.adopted(loaded.value, before);
  }
}
