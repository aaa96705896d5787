/**
 * Newer roles documents, while a service runs: from its own key folder and from `dir.roles`, and never an older one.
 *
 * The newest that was seen is kept in `cachedir`, so that a restart with an older key folder does not go back to an older document; when
 * the disk did not take it, it is written again at the next telling. The acl-service tells everyone, itself included.
 *
 * Spec: spec/envelope.md#roles.
 */
import { readChain, ROLES_DOCUMENTS, type Roles, type Transport, writeChain } from '@natrium/bus';
import { type RolesChain, type RoleName } from '@natrium/envelope';
import { diskTrouble, type MasterKeys, writeRolesFile } from '@natrium/keystore';
import type { Subjects } from '@natrium/wire';
import type { Logger } from 'pino';

export interface RolesFollowingParts {
  readonly role: RoleName;
  readonly roles: Roles;
  readonly keys: MasterKeys;
  readonly seenPath: string;
  readonly transport: Transport;
  readonly subjects: Subjects;
  readonly now: () => number;
  readonly log: Logger;
}

export class RolesFollowing {
  #isKept = true;

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
    if (!this.#isKept) this.#keep();
  }

  #keep(): void {
    const { seenPath, roles, log } = this.parts;
    const wasKept = this.#isKept;
    try {
      writeRolesFile(seenPath, roles.chain);
      this.#isKept = true;
      if (!wasKept) log.warn('the newest roles document is kept for the next start now');
    } catch (cause) {
      this.#isKept = false;
      const trouble = diskTrouble(seenPath, cause);
      if (wasKept) log.error({ err: cause }, `the newest roles document is not kept for the next start: ${trouble}`);
    }
  }
}
