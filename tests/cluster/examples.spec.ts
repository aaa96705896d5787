/**
 * Every example of the main job, typed in another folder: the answer, the exit code, and for each refusal that no minion
 * heard of it.
 */
import { DB1, differences, EXAMPLE_MASTER, GRAINS, SCENES, typed, WEB1, WEB2 } from '../support/examples.js';
import { inRoot } from '../support/places.js';
import { runProgram } from '../support/run-program.js';
import { Tap } from '../support/tap.js';
import { useCluster } from '../support/use-cluster.js';

const JOBS = 'nt.main.job.>';

describe.each(SCENES)('$title', ({ master, minions, examples }) => {
  const cluster = useCluster({ minions, masterConfig: master, grains: GRAINS });
  const cases = examples.map((example) => ({ example, name: `${example.on}: ${typed(example)}` }));

  it.each(cases)('$name', async ({ example }) => {
    const jobs = await Tap.open(cluster().brokerUrl, cluster().folder, JOBS);
    try {
      const ran = await cluster().call(example.on, ...example.words);
      expect(differences(example, ran)).toEqual([]);
      const heard = await jobs.take();
      if (example.code === 0) expect(heard).not.toEqual([]);
      else expect(heard).toEqual([]);
    } finally {
      await jobs.close();
    }
  });
});

describe('the commands in bin/', () => {
  const cluster = useCluster({ minions: [WEB1, WEB2, DB1], masterConfig: EXAMPLE_MASTER });
  const start = (name: string, ...words: readonly string[]) => runProgram(inRoot('bin', name), words, { cwd: '/' });

  it('run from any folder', async () => {
    const called = await start(
      'natrium-call',
      '-c',
      cluster().minion(WEB1),
      'publish.publish',
      '*',
      'test.ping',
      '--out=json',
    );
    expect(JSON.parse(called.stdout)).toEqual({ local: { [WEB1]: true, [WEB2]: true, [DB1]: true } });
    const asked = await start('natrium', '-c', cluster().master, 'db*', 'test.version', '--out=json');
    expect(JSON.parse(asked.stdout)).toEqual({ [DB1]: 'Natrium-0.1.0' });
    const up = await start('natrium-run', '-c', cluster().master, 'manage.up', '--out=json');
    expect(JSON.parse(up.stdout)).toEqual([DB1, WEB1, WEB2]);
    expect([called.code, asked.code, up.code]).toEqual([0, 0, 0]);
  });
});
