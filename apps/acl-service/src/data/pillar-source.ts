/**
 * The pillar of each minion, from this replica's own files. It is made when it is asked for, and kept as long as neither the
 * files nor that minion's grains change; it leaves this service sealed to its minion, or as the answer to a target.
 *
 * Spec: docs/pillar.md.
 */
import { readNodeGroups } from '@natrium/matchers';
import { blake2b, encode } from '@natrium/envelope';
import { toPlain, type Value, type ValueMap } from '@natrium/model';
import { type CompiledPillar, compilePillar } from '@natrium/pillar';
import type { Logger } from 'pino';
import type { WatchedFolder } from '@natrium/config';
import { PillarDisk, type PillarRoots } from './pillar-disk.js';

export interface PillarSettings {
  readonly pillar_roots: PillarRoots;
  readonly nodegroups: Value;
}

export interface MinionPillar {
  readonly pillar: ValueMap;
  /** A hash of what it holds: equal on all replicas. */
  readonly revision: number;
  /** It was too large, and nothing is in its place: what it lacks is not known to be absent. */
  readonly isLeftOut?: true;
}

/** Larger ones would crowd out everything else in a message. */
const MAX_BYTES = 4 << 20;
const REVISION_BYTES = 6;
const LEFT_OUT: MinionPillar = { pillar: {}, revision: 0, isLeftOut: true };
const NONE: CompiledPillar = { problems: [], pillarOf: () => ({}) };

export class PillarSource {
  #disk: PillarDisk;
  #compiled = NONE;
  /** By the grains that a pillar was made for: new grains are a new object, so an old pillar is never found. */
  #known = new WeakMap<ValueMap, { readonly id: string; readonly made: MinionPillar }>();
  /** By the compiled pillar, which minions may share: it is measured and hashed once. */
  #sized = new WeakMap<ValueMap, MinionPillar>();
  /** Rises whenever pillar may have changed for another reason than its minion's grains. */
  revision = 0;

  /** Nobody has pillar before the first `reload`. */
  constructor(
    private readonly settings: () => PillarSettings,
    private readonly log: Logger,
  ) {
    this.#disk = new PillarDisk(settings().pillar_roots);
  }

  /** Reads all files again. */
  reload(): void {
    const { pillar_roots, nodegroups } = this.settings();
    this.#disk = new PillarDisk(pillar_roots);
    this.#compiled = compilePillar(this.#disk, readNodeGroups(nodegroups));
    this.#known = new WeakMap();
    this.#sized = new WeakMap();
    this.revision += 1;
    for (const problem of this.#compiled.problems) {
      const place = problem.line === undefined ? problem.file : `${problem.file}:${problem.line}`;
      this.log.error({ ...problem }, `pillar: ${place}: ${problem.reason}`);
    }
  }

  of(id: string, grains: ValueMap): MinionPillar {
    const known = this.#known.get(grains);
    if (known?.id === id) return known.made;
    const made = this.#fitting(id, this.#compiled.pillarOf(id, grains));
    this.#known.set(grains, { id, made });
    return made;
  }

  /** Some file could not be used: what anybody's pillar lacks is not known to be absent. */
  get inDoubt(): boolean {
    return this.#compiled.problems.length > 0;
  }

  folders(): readonly WatchedFolder[] {
    return this.#disk.folders();
  }

  #fitting(id: string, pillar: ValueMap): MinionPillar {
    const known = this.#sized.get(pillar);
    if (known !== undefined) return known;
    const bytes = encode(toPlain(pillar));
    const fits = bytes.length <= MAX_BYTES;
    if (!fits)
      this.log.error({ minion: id }, `pillar: that of ${id} is larger than ${String(MAX_BYTES)} bytes; it gets none`);
    const made = fits ? { pillar, revision: revisionOf(bytes) } : LEFT_OUT;
    this.#sized.set(pillar, made);
    return made;
  }
}

function revisionOf(bytes: Uint8Array): number {
  return Buffer.from(blake2b(32, null, bytes)).readUIntBE(0, REVISION_BYTES);
}
