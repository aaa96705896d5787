/**
 * A service that stands still for a while is not dead: a busy host does that. What it works on goes on, and its caller waits.
 * Its twin, which really dies, is told of soon.
 */
import { appendFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { connect } from '@nats-io/transport-node';
import { until } from '@natrium/testing';
import { systemLogin } from '../support/broker-operator.js';
import { printFigure } from '../support/figures.js';
import { START_MS, upCluster, type UpCluster } from '../support/up-cluster.js';

const LONG_MS = 240_000;
/** More than what makes a gateway, or a caller, look whether the other is still there. */
const STALL_MS = 5000;
/** So many that some of them are handed to the same of two gateways twice. */
const RUNS = 10;
const LATER = 6;
const DESCRIPTION = { functions: { wait: { doc: 'Leaves a mark, and waits for a word.' } } };

const folder = mkdtempSync(join(tmpdir(), 'nt-stalls-'));
let cluster: UpCluster;
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

/** A cluster with the runner for the rules of one `describe`. */
function useStalling(replicas: Readonly<Record<string, number>> = {}): void {
  beforeAll(async () => {
    const runners = join(folder, 'runners');
    mkdirSync(runners, { mode: 0o755, recursive: true });
    writeFileSync(join(runners, 'stall.sh'), program(), { mode: 0o755 });
    cluster = await upCluster({ minions: [], masterConfig: `runner_dirs: ${runners}\n`, replicas });
  }, START_MS);
  afterAll(async () => {
    await cluster.stop();
  }, START_MS);
}

beforeEach(() => {
  for (const name of ['began', 'go']) rmSync(join(folder, name), { force: true });
});

function program(): string {
  return [
    '#!/bin/sh',
    `[ "$1" = --describe ] && { echo '${JSON.stringify(DESCRIPTION)}'; exit; }`,
    `echo began >> ${join(folder, 'began')}`,
    `while [ ! -e ${join(folder, 'go')} ]; do sleep 0.05; done`,
    `echo '{"ret": "came back"}'`,
    '',
  ].join('\n');
}

const began = () => {
  const path = join(folder, 'began');
  return existsSync(path) ? readFileSync(path, 'utf8').split('\n').length - 1 : 0;
};

async function begun(): Promise<void> {
  await until('it has begun', () => began() > 0);
}

describe('a run', () => {
  useStalling();

  it.each(['runner-service', 'master-gateway'])(
    'whose %s stands still for seconds is waited for, and runs once',
    async (service) => {
      const running = cluster.run('stall.wait', '--timeout=60', '--out=json');
      await begun();
      cluster.kill(service, 'SIGSTOP');
      await pause(STALL_MS);
      cluster.kill(service, 'SIGCONT');
      appendFileSync(join(folder, 'go'), '');
      const { code, stdout, stderr } = await running;
      expect({ code, stdout: stdout.trim(), stderr }).toEqual({ code: 0, stdout: '"came back"', stderr: '' });
      expect(began()).toBe(1);
    },
    LONG_MS,
  );

  it(
    'whose runner-service has to connect to the broker anew is waited for, and its outcome is told',
    async () => {
      const running = cluster.run('stall.wait', '--timeout=60', '--out=json');
      await begun();
      expect(await disconnect('runner')).toBeGreaterThan(0);
      await pause(STALL_MS);
      appendFileSync(join(folder, 'go'), '');
      const { code, stdout, stderr } = await running;
      expect({ code, stdout: stdout.trim(), stderr }).toEqual({ code: 0, stdout: '"came back"', stderr: '' });
      expect(began()).toBe(1);
    },
    LONG_MS,
  );

  it(
    'whose runner-service is killed is told as interrupted, and is not run again',
    async () => {
      const running = cluster.run('stall.wait', '--timeout=60');
      await begun();
      cluster.kill('runner-service', 'SIGKILL');
      const killed = performance.now();
      const { code, stdout, stderr } = await running;
      printFigure('from a runner-service’s death to its caller’s word', performance.now() - killed);
      expect(code).not.toBe(0);
      expect(stdout + stderr).toContain('interrupted, outcome unknown');
      expect(began()).toBe(1);
    },
    LONG_MS,
  );
});

describe('runs that the broker hands to a gateway which stands still', () => {
  useStalling({ 'master-gateway': 2 });

  it(
    'are taken up by the other one, however often they are handed to the first, and run once each when that goes on',
    async () => {
      appendFileSync(join(folder, 'go'), '');
      const runs = (count: number) =>
        Promise.all(Array.from({ length: count }, () => cluster.run('stall.wait', '--timeout=60', '--out=json')));
      const stopped = cluster.pidOf('master-gateway');
      process.kill(stopped, 'SIGSTOP');
      const asked = performance.now();
      const answers = await runs(RUNS).finally(() => process.kill(stopped, 'SIGCONT'));
      printFigure('from asking to the answers where one of two gateways stands still', performance.now() - asked);
      // What waits in the first gateway's socket is read before these.
      const later = await runs(LATER);
      const told = [...answers, ...later].map(({ code, stdout, stderr }) => [code, stdout.trim(), stderr]);
      expect(told).toEqual(told.map(() => [0, '"came back"', '']));
      expect(began()).toBe(RUNS + LATER);
    },
    LONG_MS,
  );
});

describe('requests that the broker hands to an acl-service which stands still', () => {
  useStalling({ 'acl-service': 2 });

  it(
    'are decided by the other one, and carried out once each',
    async () => {
      appendFileSync(join(folder, 'go'), '');
      const stopped = cluster.pidOf('acl-service');
      process.kill(stopped, 'SIGSTOP');
      const asked = performance.now();
      const runs = Array.from({ length: RUNS }, () => cluster.run('stall.wait', '--timeout=60', '--out=json'));
      const answers = await Promise.all(runs).finally(() => process.kill(stopped, 'SIGCONT'));
      printFigure('from asking to the answers where one of two acl-services stands still', performance.now() - asked);
      const told = answers.map(({ code, stdout, stderr }) => [code, stdout.trim(), stderr]);
      expect(told).toEqual(told.map(() => [0, '"came back"', '']));
      expect(began()).toBe(RUNS);
    },
    LONG_MS,
  );
});

interface Connections {
  readonly server: { readonly id: string };
  readonly data: { readonly connections: readonly { readonly cid: number; readonly name?: string }[] };
}

/** Has the broker end every connection of this name, as a node of it does that is restarted. @returns How many. */
async function disconnect(name: string): Promise<number> {
  const operator = await connect({ servers: cluster.brokerUrl, authenticator: await systemLogin(cluster.folder) });
  try {
    const { server, data } = (await operator.request('$SYS.REQ.SERVER.PING.CONNZ')).json<Connections>();
    const found = data.connections.filter((one) => one.name?.split(/[ /-]/).includes(name));
    for (const { cid } of found) await operator.request(`$SYS.REQ.SERVER.${server.id}.KICK`, JSON.stringify({ cid }));
    return found.length;
  } finally {
    await operator.close();
  }
}
