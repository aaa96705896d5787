/**
 * Single deaths, each at the moment that hurts most: an agent whose return is written and not sent, a gateway whose callers
 * wait, a runner-service that works on something.
 */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { jetstreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { fingerprint } from '@natrium/envelope';
import { MasterKeys } from '@natrium/keystore';
import { Program } from '../drills/program.js';
import { Proxy } from '../drills/proxy.js';
import { printFigure } from '../support/figures.js';
import { BUILT } from '../support/places.js';
import type { Ran } from '../support/run-program.js';
import { until } from '../support/until.js';
import { useCluster } from '../support/use-cluster.js';

const CALLERS = 4;
const LONG_MS = 90_000;
const cluster = useCluster({
  minions: ['a'],
  masterConfig: 'auto_accept: true\n',
  brokerAuth: 'none',
  replicas: { 'master-gateway': 2, 'runner-service': 2 },
});

let folder: string;
beforeAll(() => (folder = mkdtempSync(join(tmpdir(), 'nt-deaths-'))));
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

const mark = (name: string) => join(folder, name);
const runsOf = (name: string) => (existsSync(mark(name)) ? readFileSync(mark(name), 'utf8').split('\n').length - 1 : 0);
/** A job that leaves a mark when it begins, and says something when it may go on. */
const waiting = (name: string) =>
  `sh -c 'echo ran >> ${mark(name)}; while [ ! -e ${mark('go')} ]; do sleep 0.05; done; echo said ${name}'`;

async function storedOf(jid: string): Promise<Ran> {
  return cluster().run('jobs.lookup_jid', jid, '--out=json');
}

describe('an agent', () => {
  it(
    'that is killed between its return’s writing and sending sends it when it is back, and runs nothing again',
    async () => {
      const proxy = await Proxy.to(Number(new URL(cluster().brokerUrl).port));
      const agent = anAgent('x', proxy.port);
      try {
        await agent.start();
        await until(() => existsSync(join(folder, 'x', 'run', 'minion.sock')));
        const started = await cluster().natrium('x', 'cmd.run', waiting('gap'), '--async', '--timeout=60');
        const jid = /\d{20}/.exec(started.stdout)?.[0] ?? '';
        await until(() => runsOf('gap') === 1);
        proxy.cut(true);
        writeFileSync(mark('go'), '');
        const spool = join(folder, 'x', 'cache', 'spool', 'returns');
        await until(() => existsSync(spool) && readFileSync(spool).length > 0);
        agent.signal('SIGKILL');
        proxy.mend();
        let stored = '';
        for (let attempt = 0; attempt < 40 && !stored.includes('said gap'); attempt += 1) {
          stored = (await storedOf(jid)).stdout;
          await new Promise((resolve) => setTimeout(resolve, 250));
        }
        expect(JSON.parse(stored)).toEqual({ x: 'said gap' });
        expect(runsOf('gap')).toBe(1);
      } finally {
        await agent.end();
        proxy.close();
        rmSync(mark('go'), { force: true });
      }
    },
    LONG_MS,
  );
});

describe('a master-gateway', () => {
  it(
    'that is killed while callers wait is no matter to them: another goes on with their jobs, and nothing runs twice',
    async () => {
      const names = Array.from({ length: CALLERS }, (_, n) => `waits${String(n)}`);
      const callers = names.map((name) =>
        cluster().natrium('a', 'cmd.run', waiting(name), '--out=json', '--timeout=30'),
      );
      await until(() => names.every((name) => runsOf(name) === 1));
      cluster().kill('master-gateway', 'SIGKILL');
      const killed = performance.now();
      setTimeout(() => {
        writeFileSync(mark('go'), '');
      }, 500);
      const answers = await Promise.all(callers);
      printFigure('from a gateway’s death to its callers’ answers', performance.now() - killed);
      expect(answers.map(({ code, stdout }) => [code, JSON.parse(stdout) as unknown])).toEqual(
        names.map((name) => [0, { a: `said ${name}` }]),
      );
      expect(names.map(runsOf)).toEqual(names.map(() => 1));
      rmSync(mark('go'), { force: true });
    },
    LONG_MS,
  );
});

describe('a runner-service', () => {
  it(
    'that is killed at work does not leave its caller waiting: the outcome is unknown, and it is not run again',
    async () => {
      const before = await runsBegun();
      const asked = [1, 2, 3, 4].map(() => cluster().run('test.sleep', '60', '--timeout=60'));
      await until(async () => (await runsBegun()) === before + asked.length);
      const began = performance.now();
      for (let n = 0; n < 2; n += 1) cluster().kill('runner-service', 'SIGKILL');
      const answers = await Promise.all(asked);
      expect(performance.now() - began).toBeLessThan(60_000);
      printFigure('from a runner-service’s death to its caller’s word', performance.now() - began);
      for (const { code, stdout, stderr } of answers) {
        expect(code).not.toBe(0);
        expect(stdout + stderr).toContain('interrupted, outcome unknown');
      }
    },
    LONG_MS,
  );
});

/** A runner-service writes each run down before it begins. */
async function runsBegun(): Promise<number> {
  const connection = await connect({ servers: cluster().brokerUrl });
  try {
    const { streams } = await jetstreamManager(connection);
    return (await streams.info('KV_NT_main_runs')).state.messages;
  } finally {
    await connection.close();
  }
}

/** One more minion, behind a proxy. */
function anAgent(id: string, port: number): Program {
  const own = join(folder, id);
  mkdirSync(own, { recursive: true });
  const finger = fingerprint(new MasterKeys(join(cluster().master, 'pki')).chain()[0]);
  writeFileSync(join(own, 'minion'), `id: ${id}\nnats: nats://127.0.0.1:${String(port)}\nmaster_finger: '${finger}'\n`);
  const args = [join(BUILT, 'minion-agent', 'main.mjs'), '-c', own];
  return new Program({ name: id, file: process.execPath, args, cwd: own, log: join(folder, 'log'), guarded: false });
}
