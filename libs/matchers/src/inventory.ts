/** What the master knows of its minions when a target is resolved. */
import type { ValueMap } from '@natrium/model';

export interface MinionData {
  readonly grains: ValueMap;
  readonly pillar: ValueMap;
  /** A part of the pillar could not be read: a permission about it is then neither true nor false. */
  readonly pillarInDoubt?: boolean;
}

export interface Inventory {
  /** Ids with an accepted key. */
  readonly accepted: ReadonlySet<string>;
  /** Data of an id: undefined when it never reported any, null when it is known to have none. */
  dataOf(id: string): MinionData | null | undefined;
  /** Changes whenever anything here does; without it nothing may be remembered. */
  readonly revision?: number | string;
  /** Milliseconds of a steady clock: by it, finding out whom a costly target means is given up. Without one it takes what it takes. */
  readonly now?: () => number;
  /** Ids that have data but no accepted key; only the mode `cached` looks at them. */
  readonly stale?: Iterable<string>;
}
