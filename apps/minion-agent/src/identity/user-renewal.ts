/** The user of the broker of the identity that is live: it is renewed before it ends. Spec: spec/broker.md#users. */
import { keepRenewed } from '@natrium/client';
import type { Logger } from 'pino';
import type { LiveLink } from '../link/live-link.js';

export class UserRenewal {
  #stop: () => void = () => undefined;

  constructor(
    private readonly link: LiveLink,
    private readonly log: Logger,
  ) {
    this.begin();
  }

  /** With the identity of now. */
  begin(): void {
    this.stop();
    const { link, transport, user } = this.link.came;
    if (user === undefined) return;
    this.#stop = keepRenewed({ ...link, transport }, user, 'up', (cause) => {
      this.log.error({ err: cause }, 'the user of the broker could not be renewed');
    });
  }

  stop(): void {
    this.#stop();
    this.#stop = () => undefined;
  }
}
