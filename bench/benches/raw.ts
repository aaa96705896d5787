/** The broker alone: what everything else is compared with. */
import type { Bench } from '../bench.js';
import { median, percentile } from '../figures.js';
import { RawLink } from '../raw-link.js';
import { sample } from '../sampling.js';

const WARM_UP = { count: 2000, limitMs: 5000 };
const MEASURED = { count: 5000, limitMs: 10_000 };

export const raw: Bench = {
  name: 'raw',
  about: 'request/reply on the bare broker: 256 B, one at a time, two processes',
  measure: async (run) => {
    const { brokerUrl, folder } = await run.cluster();
    const link = await RawLink.open(run, brokerUrl, folder);
    try {
      await sample(WARM_UP, () => link.once());
      const times = await sample(MEASURED, () => link.once());
      return [
        { metric: 'p50', unit: 'ms', value: median(times) },
        { metric: 'p99', unit: 'ms', value: percentile(times, 0.99) },
      ];
    } finally {
      await link.close();
    }
  },
};
