/** The broker alone: what everything else is compared with. */
import type { Bench } from '../bench.js';
import { usualAndSlow } from '../figures.js';
import { RawLink } from '../raw-link.js';
import { sample } from '../sampling.js';

const WARM_UP = { count: 2000, limitMs: 5000 };
const MEASURED = { count: 5000, limitMs: 10_000 };

export const raw: Bench = {
  name: 'raw',
  about: 'request/reply on the bare broker: 256 B, one at a time, two processes',
  measure: async (run) => {
    const link = await RawLink.open(run, await run.cluster());
    try {
      await sample(WARM_UP, () => link.once());
      return usualAndSlow('', await sample(MEASURED, () => link.once()));
    } finally {
      await link.close();
    }
  },
};
