/** Word of a job's returns, from the bus of this host: that there is a new one, not what it is. */
import { EventClient, type Subscription } from '@natrium/events';
import type { JobEars } from '../ports.js';
import { findBus } from './find-bus.js';

/** @returns undefined where this account has no bus to hear, or may not hear this job on it. */
export async function hearJob(configDir: string, jid: string): Promise<JobEars | undefined> {
  const found = findBus(configDir);
  if (!found.ok) return undefined;
  try {
    return new Ears(await new EventClient(found.value).subscribe({ tags: [`salt/job/${jid}/ret/`] }));
  } catch {
    return undefined; // whoever follows asks more often then
  }
}

class Ears implements JobEars {
  isGone = false;
  #isNew = false;
  #wake: () => void = () => undefined;

  constructor(private readonly events: Subscription) {
    void this.#listen();
  }

  async heard(): Promise<void> {
    if (!this.#isNew && !this.isGone) await new Promise<void>((resolve) => (this.#wake = resolve)); // prettier-ignore
    this.#isNew = false;
  }

  close(): void {
    this.events.close();
  }

  async #listen(): Promise<void> {
    try {
      const each = this.events[Symbol.asyncIterator]();
      while ((await each.next()).done !== true) {
        this.#isNew = true;
        this.#wake();
      }
    } catch {
      // As when it ends: there is nothing more to hear.
    }
    this.isGone = true;
    this.#wake();
  }
}
