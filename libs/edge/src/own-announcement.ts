/**
 * The announcement of a service: told to who listens, and stored for who comes later.
 *
 * After any write that the broker refused, it is stored again until that succeeds. So also a service that writes seldom soon knows when
 * the broker takes writes again.
 */
import type { NatsTransport, OwnParty, Store } from '@natrium/bus';
import { encode, signedToWire } from '@natrium/envelope';
import type { Logger } from 'pino';

/** The connection remembers a refused write for three times as long (`REFUSED_MS` in libs/bus), so each try keeps the trouble known. */
const AGAIN_MS = 5000;

export interface AnnouncementParts {
  readonly transport: Pick<NatsTransport, 'publish' | 'flush'>;
  readonly announcements: Pick<Store, 'put' | 'delete'>;
  readonly own: Pick<OwnParty, 'announced'>;
  /** Where it is told, and the key under which it is stored. */
  readonly place: { readonly subject: string; readonly key: string };
  readonly log: Pick<Logger, 'error'>;
  /** Tells of each write that the broker refuses, whatever it was. */
  whenRefused(tell: () => void): void;
}

export class OwnAnnouncement {
  #again: NodeJS.Timeout | undefined;
  #isThere = false;

  constructor(private readonly parts: AnnouncementParts) {}

  get isThere(): boolean {
    return this.#isThere;
  }

  /** For the first time. @throws {Error} When it could not be stored. */
  async begin(): Promise<void> {
    await this.#tell();
    this.#isThere = true;
    this.parts.whenRefused(() => {
      this.#storeSoon();
    });
  }

  renew(): void {
    this.#tell().catch((error: unknown) => {
      this.parts.log.error({ err: error }, 'announcing failed');
    });
  }

  /** Nobody seals to this service any more. */
  async end(): Promise<void> {
    this.#isThere = false;
    clearTimeout(this.#again);
    await this.parts.announcements.delete(this.parts.place.key).catch(() => undefined);
  }

  async #tell(): Promise<void> {
    const { transport, place } = this.parts;
    // Those who listen hear it before it is stored: after a new epoch every moment counts.
    transport.publish(place.subject, this.#bytes());
    await this.#store();
    await transport.flush();
  }

  async #store(): Promise<void> {
    await this.parts.announcements.put(this.parts.place.key, this.#bytes());
  }

  #storeSoon(): void {
    if (!this.#isThere) return;
    this.#again ??= setTimeout(() => {
      this.#again = undefined;
      this.#store().catch(() => undefined); // told by the transport, and tried again when it was refused
    }, AGAIN_MS).unref();
  }

  #bytes(): Uint8Array {
    return encode(signedToWire(this.parts.own.announced));
  }
}
