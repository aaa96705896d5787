/**
 * A service or an agent that is told to stop (SIGTERM) finishes what it has begun and takes no more; a second signal, and the
 * Ctrl-C of `natriumctl up`, wait for nothing.
 */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '@natrium/testing';
import { START_MS, UpCluster } from '../support/up-cluster.js';
import type { Ran } from '../support/run-program.js';

const IDS = ['a', 'b', 'c'];
/** Far below the 20 s that what runs has, and far above what a busy machine needs for an end. */
const AT_ONCE_MS = 10_000;
/** Then `up` kills what it has told to stop. */
const KILLED_MS = 5000;

/** A runner that says which process it belongs to, and ends when it may. */
const RUNNER = `import { existsSync, writeFileSync } from 'node:fs';
const wait = async (file) => {
  writeFileSync(file + '.begun', String(process.ppid));
  while (!existsSync(file + '.go')) await new Promise((done) => setTimeout(done, 20));
  return 'done';
};
export default { name: 'hold', functions: { on: { doc: 'Waits.', params: [{ name: 'file', type: 'str' }], run: ({ file }) => wait(file) } } };
`;

let folder: string;
let cluster: UpCluster;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'nt-stop-'));
  writeFileSync(join(folder, 'hold.mjs'), RUNNER);
  const masterConfig = `runner_dirs: [${folder}]\nlog_level: info\n`;
  cluster = new UpCluster({ minions: IDS, masterConfig, replicas: { 'runner-service': 2 } });
  await cluster.ready;
}, START_MS);
afterAll(async () => {
  await cluster.stop();
  rmSync(folder, { recursive: true });
}, START_MS);

/** What is under way until it may end. */
class Held {
  private constructor(
    readonly answer: Promise<Ran>,
    private readonly file: string,
  ) {}

  static async job(id: string): Promise<Held> {
    const file = join(folder, id);
    // It outlives its agent, and not this test.
    const loop = `touch ${file}.begun; while test -e ${file}.begun -a ! -e ${file}.go; do sleep 0.05; done; echo done`;
    return Held.#begun(cluster.natrium(id, 'cmd.run', loop, 'python_shell=True', '-t', '45'), file);
  }

  static async run(name: string): Promise<Held> {
    const file = join(folder, name);
    return Held.#begun(cluster.run('hold.on', file), file);
  }

  static async #begun(answer: Promise<Ran>, file: string): Promise<Held> {
    await until(`${file} runs`, () => existsSync(`${file}.begun`));
    return new Held(answer, file);
  }

  /** The process that runs it, of a runner. */
  get pid(): Promise<number> {
    return until('its process', () => Number(readFileSync(`${this.file}.begun`, 'utf8')) || undefined);
  }

  go(): void {
    writeFileSync(`${this.file}.go`, '');
  }
}

const isThere = (pid: number) => cluster.processes().some((one) => one.pid === pid);
const gone = (pid: number) => until(`process ${String(pid)} is gone`, () => !isThere(pid));

it('an agent finishes its job, which is answered, and refuses another meanwhile', async () => {
  const pid = cluster.pidOf('a');
  const job = await Held.job('a');
  process.kill(pid, 'SIGTERM');
  const refused = await until('it takes no more', async () => {
    const { stdout, stderr, code } = await cluster.natrium('a', 'test.ping');
    return code !== 0 && stdout + stderr;
  });
  expect(refused).toContain(
    'a refused the job: agent_stopping: its agent was told to stop and only finishes what runs',
  );
  expect(isThere(pid)).toBe(true);
  job.go();
  expect(await job.answer).toMatchObject({ stdout: 'a:\n    done\n', code: 0 });
  await gone(pid);
});

it('an agent that is told twice ends at once, and its job goes on without it', async () => {
  const pid = cluster.pidOf('b');
  const job = await Held.job('b');
  process.kill(pid, 'SIGTERM');
  await until('it has heard', () =>
    cluster.lines.some((line) => line.startsWith('b: ') && line.includes('told to stop')),
  );
  const began = performance.now();
  process.kill(pid, 'SIGTERM');
  await gone(pid);
  expect(performance.now() - began).toBeLessThan(AT_ONCE_MS);
  job.go();
});

it('a runner-service finishes its run, which is answered, and its fellow has the next', async () => {
  const first = await Held.run('first');
  const busy = await first.pid;
  process.kill(busy, 'SIGTERM');
  await until('it has heard', () => cluster.lines.some((line) => /^runner-service.*stopping: SIGTERM/.test(line)));
  for (const name of ['second', 'third', 'fourth']) {
    const next = await Held.run(name);
    expect(await next.pid).not.toBe(busy);
    next.go();
    expect(await next.answer).toMatchObject({ stdout: 'done\n', code: 0 });
  }
  expect(isThere(busy)).toBe(true);
  first.go();
  expect(await first.answer).toMatchObject({ stdout: 'done\n', code: 0 });
  await gone(busy);
});

it('a gateway answers a run that it was asked for, and leaves a job to its fellows', async () => {
  const pid = cluster.pidOf('master-gateway');
  const [run, job] = [await Held.run('last'), await Held.job('c')];
  process.kill(pid, 'SIGTERM');
  await until('it takes no more', async () => (await cluster.run('manage.up')).code !== 0);
  expect(isThere(pid)).toBe(true);
  run.go();
  expect(await run.answer).toMatchObject({ stdout: 'done\n', code: 0 });
  await gone(pid);
  // The job still runs on c: the end of all of it does not wait for that either.
  const stopped = await cluster.stop();
  expect(stopped.code).toBe(0);
  expect(stopped.ms).toBeLessThan(KILLED_MS);
  job.go();
});
