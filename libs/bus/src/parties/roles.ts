/**
 * The roles document in force: learned at start from `hello` or the own key folder, and replaced while the process runs by
 * a newer one that continues it. Nothing older, and nothing beside the chain that was seen, is ever taken. When it ends, so
 * does the word of every service, until a newer one comes.
 */
import {
  announcedNow,
  type Cluster,
  equalBytes,
  isRolesExpired,
  type KnownParty,
  type Owner,
  readAnnouncement,
  readRolesChain,
  type RoleName,
  type RolesChain,
  type RolesDocument,
  type Signed,
  Verified,
} from '@natrium/envelope';
import { err, ok, type Result } from '@natrium/model';

export class Roles {
  readonly #listeners = new Set<() => void>();
  /** Announcements of identities. A role's is looked at anew each time: its key may be gone. */
  readonly #verified = new Verified<KnownParty>();
  #document: RolesDocument;
  #chain: RolesChain;

  constructor(
    readonly cluster: Cluster,
    document: RolesDocument,
    chain: RolesChain,
  ) {
    this.#document = document;
    this.#chain = chain;
  }

  get document(): RolesDocument {
    return this.#document;
  }

  /** As `hello` answers it: the first root's key and every document since. */
  get chain(): RolesChain {
    return this.#chain;
  }

  /** The document in force as it was signed; every later chain holds it. */
  get newest(): Signed | undefined {
    return this.#chain[1].at(-1);
  }

  keysOf(role: RoleName): readonly Uint8Array[] {
    return this.document.roles[role];
  }

  read(announcement: Signed, nowMs: number, skewMs: number): Result<KnownParty, string> {
    const known = this.#verified.of(announcement);
    if (known !== undefined) return announcedNow(known, nowMs, skewMs);
    const read = readAnnouncement(announcement, this.cluster, nowMs, (role) => this.keysOf(role), skewMs);
    if (!read.ok) return read;
    if (read.value.owner.type === 'role') return this.#whileNamed(read.value, nowMs);
    this.#verified.note(announcement, read.value);
    return read;
  }

  /** A service is known no longer than the document names its key, whatever it says itself: nothing it sends opens after that. */
  #whileNamed(party: KnownParty, nowMs: number): Result<KnownParty, string> {
    const { document } = this;
    if (isRolesExpired(document, nowMs)) return err('expired');
    return ok(party.notAfter <= document.notAfter ? party : { ...party, notAfter: document.notAfter });
  }

  /** Whether an owner still is who it says: identities are no matter of this document. */
  names(owner: Owner): boolean {
    return owner.type === 'identity' || this.keysOf(owner.role).some((key) => equalBytes(key, owner.key));
  }

  /**
   * Takes a newer chain over: under the first root, every signature good, a higher serial, not expired, and with the very
   * document in it that is in force now, though that may have ended. So a root that has been replaced cannot begin another branch.
   *
   * @returns Whether it was taken.
   */
  takeOver(chain: RolesChain, nowMs: number): boolean {
    const minSerial = this.#document.serial + 1;
    const read = readRolesChain(chain, { firstRoot: this.#chain[0] }, { now: nowMs, minSerial });
    if (!read.ok || !continues(chain, this.newest)) return false;
    this.#document = read.value.document;
    this.#chain = chain;
    for (const listener of this.#listeners) listener();
    return true;
  }

  /** Calls after each newer document that was taken over. */
  onNewer(listener: () => void): void {
    this.#listeners.add(listener);
  }
}

/** What to tell, and what mends it, when a document has ended; undefined while it counts. */
export function rolesEnded(document: RolesDocument, nowMs: number): string | undefined {
  if (!isRolesExpired(document, nowMs)) return undefined;
  const end = new Date(document.notAfter).toISOString();
  const now = new Date(nowMs).toISOString();
  return `the roles document ${String(document.serial)} ended at ${end}, and it is ${now}: nothing that a service says counts any more; on the master, with the root key: natriumctl roles renew`;
}

/**
 * Whether a chain, whose signatures are good, holds the newest document that is known. With its signature: a root that was
 * replaced could sign the same bytes in a branch of its own.
 */
export function continues([, documents]: RolesChain, newest: Signed | undefined): boolean {
  if (newest === undefined) return true;
  const { bytes, signature } = newest;
  return documents.some((one) => equalBytes(one.bytes, bytes) && equalBytes(one.signature, signature));
}
