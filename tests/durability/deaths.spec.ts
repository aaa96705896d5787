/**
 * Single deaths, each at the moment that hurts most: an agent whose return is written and not sent, a gateway whose callers
 * wait, a runner-service that works on something, a caller's connection while a return comes.
 */
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fingerprint } from '@natrium/envelope';
import { MasterKeys } from '@natrium/keystore';
import type { JobNews } from '@natrium/model';
import { until } from '@natrium/testing';
import { openMaster } from '../../apps/cli/src/link/open-master.js';
import { Program } from '../drills/program.js';
import { Proxy } from '../drills/proxy.js';
import { printFigure } from '../support/figures.js';
import { BUILT } from '../support/places.js';
import type { Ran } from '../support/run-program.js';
import { useCluster } from '../support/use-cluster.js';

const CALLERS = 4;
const LONG_MS = 300_000;
const folder = mkdtempSync(join(tmpdir(), 'nt-deaths-'));
const runners = join(folder, 'runners');
const mark = (name: string) => join(folder, name);
/** `work` leaves a mark when it begins, and would take longer than anybody waits; `wait` does so until it may go on. */
const RUNNER = `#!/usr/bin/env python3
import json, os, sys, time
if sys.argv[1:] == ["--describe"]:
    print(json.dumps({"functions": {"work": {"doc": "Works long."}, "wait": {"doc": "Waits.", "params": [{"name": "name"}]}, "half": {"doc": "Returns half a character."}}}))
    sys.exit()
call = json.load(sys.stdin)
if call["fun"] == "half":
    print(json.dumps({"ret": chr(0xdcff)}))
    sys.exit()
name = call["args"].get("name", "runner")
with open("${folder}/" + name, "a") as file: file.write("ran\\n")
for _ in range(6000):
    if call["fun"] == "wait" and os.path.exists("${mark('go')}"): break
    time.sleep(0.1)
print(json.dumps({"ret": "said " + name}))
`;

const cluster = useCluster({
  minions: ['a', 'b'],
  masterConfig: `auto_accept: true\nrunner_dirs: ${runners}\n`,
  brokerAuth: 'none',
  // Two of the gateways are killed.
  replicas: { 'master-gateway': 3, 'runner-service': 2 },
});

mkdirSync(runners);
writeFileSync(join(runners, 'long.py'), RUNNER);
chmodSync(join(runners, 'long.py'), 0o755);
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

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
        await until('the agent’s socket', () => existsSync(join(folder, 'x', 'run', 'minion.sock')));
        const started = await cluster().natrium('x', 'cmd.run', waiting('gap'), '--async', '--timeout=60');
        const jid = /\d{20}/.exec(started.stdout)?.[0] ?? '';
        await until('the job runs', () => runsOf('gap') === 1);
        proxy.cut(true);
        writeFileSync(mark('go'), '');
        const spool = join(folder, 'x', 'cache', 'spool', 'returns');
        await until('its return is written', () => existsSync(spool) && readFileSync(spool).length > 0);
        agent.signal('SIGKILL');
        proxy.mend();
        const stored = await until('its return is stored', async () => {
          const { stdout } = await storedOf(jid);
          return stdout.includes('said gap') && stdout;
        });
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

  it(
    'that is killed while a script runs takes its file away when it is back',
    async () => {
      const agent = anAgent('z', Number(new URL(cluster().brokerUrl).port));
      const text = `#!/bin/sh\necho "$0" > ${mark('script.new')}; mv ${mark('script.new')} ${mark('script')}\nwhile [ ! -e ${mark('go')} ]; do sleep 0.05; done\n`;
      try {
        await agent.start();
        await until('the agent’s socket', () => existsSync(join(folder, 'z', 'run', 'minion.sock')));
        await cluster().natrium('z', 'cmd.script', text, '--async');
        const script = await until('it runs', () => existsSync(mark('script')) && readFileSync(mark('script'), 'utf8'));
        expect(existsSync(script.trim())).toBe(true);
        agent.signal('SIGKILL');
        await until('its folder is gone', () => !existsSync(dirname(script.trim())));
      } finally {
        await agent.end();
        writeFileSync(mark('go'), '');
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
      await until('all run', () => names.every((name) => runsOf(name) === 1));
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

  it(
    'that is killed while a runner works: its end is kept and on the bus, and who waits hears it; nothing runs twice',
    async () => {
      const numbers = Array.from({ length: CALLERS }, (_, n) => String(n));
      const started = await Promise.all(numbers.map((n) => cluster().run('long.wait', `alone${n}`, '--async')));
      const jids = started.map(({ stdout, stderr }) => /\d{20}/.exec(stdout + stderr)?.[0] ?? '');
      const waits = numbers.map((n) => cluster().run('long.wait', `waited${n}`, '--timeout=60', '--out=json'));
      const names = numbers.flatMap((n) => [`alone${n}`, `waited${n}`]).sort();
      await until('all run', () => names.every((name) => runsOf(name) === 1));
      cluster().kill('master-gateway', 'SIGKILL');
      const killed = performance.now();
      setTimeout(() => {
        writeFileSync(mark('go'), '');
      }, 4000);
      const answers = await Promise.all(waits);
      printFigure('from a gateway’s death to the answers of runs', performance.now() - killed);
      expect(answers.map(({ code, stdout }) => [code, stdout.trim()])).toEqual(
        numbers.map((n) => [0, `"said waited${n}"`]),
      );
      for (const [n, jid] of jids.entries()) {
        await until('its end is kept', async () => (await storedOf(jid)).stdout.includes(`said alone${String(n)}`));
      }
      expect(names.map(runsOf)).toEqual(names.map(() => 1));
      const ran = await until('every end is told', async () => {
        const { stdout: told } = await cluster().ctl('event', 'replay', 'salt/run/');
        const events = told.split('\n').flatMap((line) => line.split('\t')[1] ?? []);
        const ends = events.map((text) => JSON.parse(text) as { fun: string; return?: string; success?: boolean });
        const good = ends.filter(({ fun, success }) => fun === 'runner.long.wait' && success === true);
        return good.length >= names.length && good;
      });
      expect(ran.map((end) => end.return).sort()).toEqual(names.map((name) => `said ${name}`));
      rmSync(mark('go'), { force: true });
    },
    LONG_MS,
  );
});

describe('a caller', () => {
  it(
    'whose connection broke while a return came hears it before the end, and nothing runs again',
    async () => {
      const proxy = await Proxy.to(Number(new URL(cluster().brokerUrl).port));
      const opened = await openMaster(behind(proxy.port));
      if (!opened.ok) throw new Error(opened.error.sentence);
      const { client, transport } = opened.value;
      const news: JobNews[] = [];
      const jidOf = () => news.flatMap((one) => (one.type === 'started' ? [one.jid] : []))[0];
      const back = new Promise<void>((resolve) => transport.whenBack(resolve));
      // Whoever comes first makes the folder, and goes on first.
      const work = `sh -c 'echo ran >> ${mark('two')}; n=2; mkdir ${mark('first')} 2>/dev/null && n=1; while [ ! -e ${mark('go')}$n ]; do sleep 0.05; done; echo said'`;
      const ask = { tgt: 'a,b', tgtType: 'list', funs: ['cmd.run'], args: [[work]], timeout: 60, returner: '', returnerOptions: {}, options: {} }; // prettier-ignore
      try {
        const over = (async () => {
          for await (const one of client.publish(ask)) news.push(one);
        })();
        await until('both run', () => runsOf('two') === 2 && jidOf() !== undefined);
        proxy.cut(false);
        writeFileSync(mark('go1'), '');
        await until('a return is stored', async () => (await storedOf(jidOf() ?? '')).stdout.includes('said'));
        proxy.mend();
        await back;
        writeFileSync(mark('go2'), '');
        await over;
        const returned = news.flatMap((one) => (one.type === 'return' ? [[one.id, one.ret]] : []));
        expect(returned.toSorted()).toEqual([['a', 'said'], ['b', 'said']]); // prettier-ignore
        expect(news.at(-1)).toEqual({ type: 'end', absent: [] });
        expect(runsOf('two')).toBe(2);
      } finally {
        await transport.drain();
        proxy.close();
      }
    },
    LONG_MS,
  );
});

describe('a runner-service', () => {
  it('whose runner returns what nobody can carry says so, and works on', async () => {
    const { code, stdout, stderr } = await cluster().run('long.half');
    expect(code).not.toBe(0);
    expect(stdout + stderr).toMatch(/cannot be (sent|carried|told)|nested|not text/);
    expect((await cluster().run('test.arg', 'still')).stdout).toContain('still');
  });

  it(
    'that is killed at work does not leave its caller waiting: the outcome is unknown, and it is not run again',
    async () => {
      const asked = Array.from({ length: CALLERS }, () => cluster().run('long.work', '--timeout=60'));
      await until('all run', () => runsOf('runner') === CALLERS);
      const began = performance.now();
      for (const { pid, name } of cluster().processes()) if (name === 'runner-service') process.kill(pid, 'SIGKILL');
      const answers = await Promise.all(asked);
      printFigure('from a runner-service’s death to its caller’s word', performance.now() - began);
      for (const { code, stdout, stderr } of answers) {
        expect(code).not.toBe(0);
        expect(stdout + stderr).toContain('interrupted, outcome unknown');
      }
      expect(runsOf('runner')).toBe(CALLERS);
    },
    LONG_MS,
  );
});

/** The master's configuration for a caller behind a proxy. */
function behind(port: number): string {
  const own = join(folder, 'caller');
  mkdirSync(own, { recursive: true });
  const text = readFileSync(join(cluster().master, 'master.d', 'up.conf'), 'utf8');
  writeFileSync(join(own, 'master'), text.replace(/^nats:.*/m, `nats: nats://127.0.0.1:${String(port)}`));
  return own;
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
