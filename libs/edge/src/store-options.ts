/** What a service's stores are made with. */
import type { BucketOptions, JournalOptions } from '@natrium/bus';
import type { RoleOptions } from './role-options.js';

/** How long a service waits for the nodes of a broker that is just starting; then its supervisor starts it again. */
const PLACED_MS = 60_000;

/** How long values are kept; for ever when it is left out. */
export type Keeping = Partial<Pick<BucketOptions, 'ttlMs'>>;

/** For how many milliseconds events are kept, and how many bytes at each node of the broker. */
export type EventsKeeping = Pick<JournalOptions, 'keepMs' | 'maxBytes'>;

export function bucketOptions(options: RoleOptions, name: string, keeping: Keeping = {}): BucketOptions {
  const { cluster, replicas } = options;
  return { name: `NT_${cluster}_${name}`, replicas, ttlMs: 0, ...keeping, patience: patienceOf(options) };
}

export function patienceOf({ log }: Pick<RoleOptions, 'log'>): NonNullable<BucketOptions['patience']> {
  return {
    forMs: PLACED_MS,
    tell: (sentence) => {
      log.warn(sentence);
    },
  };
}
