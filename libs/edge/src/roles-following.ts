/**
 * Newer roles documents, while a service runs: from its own key folder and from `dir.roles`, and never an older one.
 *
 * The highest that was seen is kept in `cachedir`, so that a restart with an older key folder goes no way back. The
 * acl-service tells everyone else.
 *
 * Spec: spec/envelope.md#roles.
 */
import { type NatsTransport, readChain, ROLES_DOCUMENTS, type Roles, writeChain } from '@natrium/bus';
import { type RolesChain, type RoleName } from '@natrium/envelope';
import { type MasterKeys, writeRolesFile } from '@natrium/keystore';
import type { Subjects } from '@natrium/wire';
import type { Logger } from 'pino';

export interface RolesFollowingParts {
  readonly role: RoleName;
  readonly roles: Roles;
  readonly keys: MasterKeys;
  readonly seenPath: string;
  readonly transport: NatsTransport;
  readonly subjects: Subjects;
  readonly now: () => number;
  readonly log: Logger;
}

export class RolesFollowing {
  constructor(private readonly parts: RolesFollowingParts) {
    const { roles, transport, subjects, log } = parts;
    roles.onNewer(() => {
      log.info({ serial: roles.document.serial }, 'a newer roles document is in force');
      this.#keep();
      this.tell();
    });
    transport.subscribe(subjects.dir(ROLES_DOCUMENTS), ({ payload }) => {
      const chain = readChain(payload);
      if (chain !== undefined) this.#take(chain);
    });
  }

  /** Reads the key folder again. @throws {KeyfileCorrupt} */
  readFolder(): void {
    this.#take(this.parts.keys.chain());
  }

  /** Only the acl-service tells: whoever hears it believes the signatures, not the sender. */
  tell(): void {
    const { role, roles, transport, subjects } = this.parts;
    if (role === 'acl') transport.publish(subjects.dir(ROLES_DOCUMENTS), writeChain(roles.chain));
  }

  #take(chain: RolesChain): void {
    this.parts.roles.takeOver(chain, this.parts.now());
  }

  #keep(): void {
    try {
      writeRolesFile(this.parts.seenPath, this.parts.roles.chain);
    } catch (error) {
      this.parts.log.error({ err: error }, 'the newest roles document could not be kept on disk');
    }
  }
}
