/**
 * No bytes from outside make a process throw where it may not, hang, or grow. A few seconds here; for as long as wanted with
 * `NATRIUM_FUZZ_SECONDS=600 npm test -- tests/fuzz`, from another seed with `NATRIUM_FUZZ_SEED`.
 */
import { sodiumReady } from '@natrium/envelope';
import { fuzz, LEAST_INPUTS, report } from './fuzzing.js';
import { fuzzed } from './targets.js';

const SECONDS = Number(process.env['NATRIUM_FUZZ_SECONDS'] ?? 4);
const SEED = Number(process.env['NATRIUM_FUZZ_SEED'] ?? 1);
const MAX_GROWN_MB = 200;

it(
  'nothing that comes from outside crashes, hangs or fills the memory',
  async () => {
    await sodiumReady();
    const { targets, close } = await fuzzed();
    const all = [];
    for (const target of targets) all.push(await fuzz(target, (SECONDS * 1000) / targets.length, SEED));
    await close();
    for (const findings of all) process.stdout.write(`${report(findings)}\n`);
    expect(all.flatMap(({ crashes, hangs }) => [...crashes, ...hangs])).toEqual([]);
    for (const { inputs, grownMb } of all) {
      expect(inputs).toBeGreaterThan(LEAST_INPUTS);
      expect(grownMb).toBeLessThan(MAX_GROWN_MB);
    }
  },
  SECONDS * 2000 + 60_000,
);
