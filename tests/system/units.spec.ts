import { readdirSync } from 'node:fs';
import { inRoot } from '../support/places.js';
import { runProgram } from '../support/run-program.js';

const UNITS = readdirSync(inRoot('systemd')).filter((name) => name.endsWith('.service'));
const SHUT = UNITS.filter((name) => name !== 'natrium-minion.service');
/** Of 100, where less is better; a unit that says nothing has 96. */
const MOST_EXPOSED = 15;
/** An older systemd says so and goes on: an agent that fails is then started each second. */
const SINCE_254 = /Unknown key (name )?'(RestartSteps|RestartMaxDelaySec)'/;

function analyze(...words: readonly string[]) {
  return runProgram('systemd-analyze', words, { cwd: inRoot('systemd'), timeoutMs: 60_000 });
}

describe('the units of systemd', () => {
  it('are understood whole', async () => {
    const { stdout, stderr } = await analyze('verify', ...UNITS.map((name) => `./${name}`));
    // The program may be missing on this host; a word that systemd does not know may not.
    const said = (stdout + stderr)
      .split('\n')
      .filter((line) => /natrium/.test(line) && !/is not executable/.test(line) && !SINCE_254.test(line));
    expect(said).toEqual([]);
  });

  it.each(SHUT)('%s gives its process next to nothing', async (name) => {
    const { code, stdout } = await analyze(
      'security',
      '--offline=true',
      `--threshold=${String(MOST_EXPOSED)}`,
      `./${name}`,
    );
    expect({ code, overall: code === 0 ? '' : stdout.trim().split('\n').at(-1) }).toEqual({ code: 0, overall: '' });
  });
});
