/**
 * Signed heads: where each chain ends, under the acl role's signature, for whoever reads the audit, and each minute into the
 * local log. A tail that is cut later shows wherever such a head survives. Before that the audit says what it has left out.
 *
 * Spec: spec/envelope.md#audit.
 */
import type { OnModuleDestroy } from '@nestjs/common';
import type { RoleLink } from '@natrium/edge';
import { type ChainEnd, encode, type Signed, signAuditHead, signedToWire, type SigningKey } from '@natrium/envelope';
import type { Logger } from 'pino';
import type { AuditIndex } from './audit-index.js';
import type { AuditLog } from './audit-log.js';

const EVERY_MS = 60_000;

export class AuditHeads implements OnModuleDestroy {
  #logged = -1;
  readonly #timer: NodeJS.Timeout;

  constructor(
    private readonly link: RoleLink,
    private readonly acl: SigningKey,
    private readonly parts: { readonly audit: AuditLog; readonly index: AuditIndex; readonly log: Logger },
  ) {
    this.#timer = setInterval(() => {
      this.parts.audit.tellLeftOut();
      this.#logHead();
    }, EVERY_MS).unref();
  }

  /** Of every chain, this instance's own as of now. */
  async signed(): Promise<readonly Signed[]> {
    const own = this.parts.audit.end;
    await this.parts.audit.settled();
    const others = (await this.parts.index.ends()).filter(({ chain }) => chain !== own.chain);
    return [own, ...others].filter(({ number }) => number >= 0).map((end) => this.#sign(end));
  }

  async onModuleDestroy(): Promise<void> {
    clearInterval(this.#timer);
    this.parts.audit.tellLeftOut();
    await this.parts.audit.settled();
    this.#logHead();
  }

  #logHead(): void {
    const { end } = this.parts.audit;
    if (end.number === this.#logged) return;
    this.#logged = end.number;
    const auditHead = Buffer.from(encode(signedToWire(this.#sign(end)))).toString('base64');
    this.parts.log.info({ chain: end.chain, number: end.number, auditHead }, 'audit head');
  }

  #sign(end: ChainEnd): Signed {
    return signAuditHead(this.acl, this.link.roles.cluster, { ...end, time: this.link.clock.now() });
  }
}
