/** A cluster whose first root has handed over to a second one, and an acl-service's answers to hello, true or forged. */
import {
  clusterOf,
  encode,
  type RolesDocument,
  type Signed,
  SigningKey,
  signRoles,
  signTime,
  type Wire,
} from '@natrium/envelope';
import { contracts, writeAs } from '@natrium/wire';

export class SucceededRoot {
  readonly first = SigningKey.generate();
  readonly second = SigningKey.generate();
  readonly cluster = clusterOf(this.first.publicKey);
  readonly #acl = SigningKey.generate();

  /** @param notAfter Of its documents, in milliseconds since 1970. */
  constructor(private readonly notAfter: number) {}

  document(serial: number, nextRoot: Uint8Array | null = null): RolesDocument {
    const roles = { gateway: [], acl: [this.#acl.publicKey], runner: [], reactor: [], sink: [] };
    return { serial, notAfter: this.notAfter, roles, nextRoot };
  }

  signed(root: SigningKey, serial: number, nextRoot: Uint8Array | null = null): Signed {
    return signRoles(root, this.cluster, this.document(serial, nextRoot));
  }

  /** Up to the document in which the first root hands over: serials 1 and 2. */
  handed(): Signed[] {
    return [this.signed(this.first, 1), this.signed(this.first, 2, this.second.publicKey)];
  }

  /** Of the first root, as if it had never handed over. */
  branch(): Signed[] {
    return [this.signed(this.first, 1), this.signed(this.first, 9)];
  }

  answer(nonce: Uint8Array, chain: Signed[], timeMs: number): Uint8Array {
    const time = signTime(this.#acl, this.cluster, nonce, timeMs);
    const said = { version: 1 as const, firstRoot: this.first.publicKey, chain, services: [], time };
    return encode(writeAs(contracts.helloAnswer, said) as Wire);
  }
}
