/**
 * Which cluster this host trusts: the root that `master_finger` names, or the one that was kept; without either it refuses,
 * unless `trust_on_first_use` says otherwise. The newest roles document and the latest signed time are kept on disk; those of
 * another cluster than `master_finger` names count for nothing.
 *
 * Spec: spec/envelope.md#roles.
 */
import type { Clock, HelloPin } from '@natrium/bus';
import type { MinionConfig } from '@natrium/config';
import { fingerprint, type Signed } from '@natrium/envelope';
import { type ClusterMemory, ClusterMemoryFile, diskTrouble } from '@natrium/keystore';
import type { Link } from '@natrium/client';

export class NoTrust extends Error {
  override readonly name = 'NoTrust';
  readonly code = 'ERR_NO_TRUST';
}

export class ClusterTrust {
  readonly #file: ClusterMemoryFile;
  #memory: ClusterMemory | undefined;
  /** The latest time of which it was said that it is ahead. */
  #toldFloorMs: number | undefined;
  #isInDoubt = false;

  constructor(
    private readonly config: Pick<MinionConfig, 'pki_dir' | 'master_finger' | 'trust_on_first_use'>,
    private readonly onProblem: (problem: string, cause: unknown) => void,
  ) {
    this.#file = new ClusterMemoryFile(config.pki_dir);
    const kept = this.#file.read();
    const pinned = config.master_finger;
    // Another root is pinned now: this host has moved, and nothing of the other cluster speaks of this one.
    this.#memory = kept === undefined || pinned === '' || fingerprint(kept.firstRoot) === pinned ? kept : undefined;
  }

  /** @throws {NoTrust} When nothing says which cluster to trust. */
  pin(): HelloPin {
    if (this.config.master_finger !== '') return { fingerprint: this.config.master_finger };
    if (this.#memory !== undefined) return { firstRoot: this.#memory.firstRoot };
    if (this.config.trust_on_first_use) return 'first';
    throw new NoTrust(
      'no master_finger is set, so nothing says which cluster to trust; set it to what `natriumctl fingerprint` prints on the master',
    );
  }

  get minSerial(): number {
    return this.#memory?.serial ?? 0;
  }

  /** The document of that serial. */
  get newest(): Signed | undefined {
    return this.#memory?.newest;
  }

  get timeFloorMs(): number {
    return this.#memory?.timeFloorMs ?? 0;
  }

  /** Somebody has spoken whom the roles document that is known here does not name: another may be in force, or none that counts here. */
  doubt(): void {
    this.#isInDoubt = true;
  }

  /** @returns Whether somebody has since it was asked last. */
  takeDoubt(): boolean {
    const isInDoubt = this.#isInDoubt;
    this.#isInDoubt = false;
    return isInDoubt;
  }

  /**
   * No time below the floor counts here, so what the cluster makes until then is not heard. Lowering it is an operator's
   * decision: it is what keeps an earlier time, with what was granted in it, from coming again.
   *
   * @returns The sentence for it, when the acl-service's time is below the floor by more than clocks may differ; once, since a host
   * that joins greets the cluster twice.
   */
  aheadOf(clock: Pick<Clock, 'floorMs' | 'offsetMs' | 'skewMs' | 'own'>): string | undefined {
    const aheadMs = clock.floorMs - (clock.own() + clock.offsetMs);
    if (aheadMs <= clock.skewMs || clock.floorMs === this.#toldFloorMs) return undefined;
    this.#toldFloorMs = clock.floorMs;
    const seconds = String(Math.round(aheadMs / 1000));
    const pin = this.config.master_finger === '' ? 'set master_finger, which that file stands for now, ' : '';
    return `the latest time of the cluster that was seen here, kept in ${this.#file.path}, is ${seconds} s ahead of the acl-service's: nothing of the cluster is heard until then; if a clock was wrong, ${pin}stop this agent, remove that file and start it again`;
  }

  /**
   * Keeps what was learned; serials never fall. A disk that does not take it ends nothing but the trust on first use.
   *
   * @throws {NoTrust} When the next start would trust whoever comes first again.
   */
  keep({ roles, clock }: Link): void {
    const { chain, document, newest } = roles;
    const memory = { firstRoot: chain[0], serial: document.serial, timeFloorMs: clock.floorMs, newest };
    try {
      this.#file.write(memory);
    } catch (cause) {
      const trouble = diskTrouble(this.#file.path, cause);
      if (this.#memory === undefined && this.config.master_finger === '')
        throw new NoTrust(`the cluster that was met first cannot be kept: ${trouble}`, { cause });
      this.onProblem(`what was learned of the cluster is not kept for the next start: ${trouble}`, cause);
    }
    this.#memory = memory;
  }
}
