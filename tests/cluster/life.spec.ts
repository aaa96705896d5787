/** The life of `natriumctl up`: when it says `ready`, and that nothing of it survives it. */
import { setTimeout as pause } from 'node:timers/promises';
import { freePort } from '@natrium/process';
import { until } from '@natrium/testing';
import { NO_PEER } from '../support/examples.js';
import { printFigure } from '../support/figures.js';
import { Tap, type Tapped } from '../support/tap.js';
import { START_MS, UpCluster } from '../support/up-cluster.js';

const MINIONS = ['a', 'b', 'c'];
const PROGRAMS = ['a', 'acl-service', 'b', 'c', 'master-gateway', 'nats-server', 'runner-service', 'up'];
const ALL_GONE_MS = 2000;
/** Longer than a whole start takes here once the agents have joined. */
const NOT_READY_MS = 1500;

let cluster: UpCluster | undefined;
let tap: Tap | undefined;

afterEach(async () => {
  await tap?.close();
  await cluster?.stop();
  tap = undefined;
});

it(
  'says ready only when every minion has returned a job',
  async () => {
    const natsPort = await freePort();
    cluster = new UpCluster({ minions: MINIONS, masterConfig: NO_PEER, natsPort });
    tap = await Tap.open(`nats://127.0.0.1:${natsPort}`, cluster.folder);
    let returnedAtReady: readonly string[] = [];
    const readyMs = await cluster.ready.then((ms) => {
      returnedAtReady = fpsOf(tap?.heard ?? [], /^nt\.main\.up\.(\w+)\.return\./);
      return ms;
    });
    const asked = fpsOf(await tap.take(), /^nt\.main\.job\.(\w+)$/);
    expect(asked).toHaveLength(MINIONS.length);
    expect(returnedAtReady).toEqual(asked);
    expect(cluster.lines.filter((line) => line.startsWith('ready'))).toEqual([
      expect.stringMatching(/^ready: 3 minions in \d+\.\d s; natrium -c \S+\/master '\*' test\.ping$/),
    ]);
    printFigure('up to ready, three minions, first start', readyMs);
  },
  START_MS,
);

it(
  'is not ready while one minion is silent',
  async () => {
    const natsPort = await freePort();
    const silent = new UpCluster({ minions: MINIONS, masterConfig: NO_PEER, natsPort });
    cluster = silent;
    const tapped = Tap.open(`nats://127.0.0.1:${natsPort}`, silent.folder, 'nt.main.up.*.acl.data');
    const { pid } = await until('b starts', () => silent.processes().find(({ name }) => name === 'b'));
    process.kill(pid, 'SIGSTOP');
    tap = await tapped;
    await tap.until((heard) => heard.length >= MINIONS.length - 1);
    const state = await Promise.race([silent.ready.then(() => 'ready'), pause(NOT_READY_MS).then(() => 'waiting')]);
    expect(state).toBe('waiting');
    process.kill(pid, 'SIGCONT');
    await silent.ready;
  },
  START_MS,
);

it(
  'ends every process at Ctrl-C, with exit code 0',
  async () => {
    cluster = new UpCluster({ minions: MINIONS, masterConfig: NO_PEER });
    await cluster.ready;
    expect(programsOf(cluster)).toEqual(PROGRAMS);
    const stopped = await cluster.stop();
    expect(stopped).toMatchObject({ code: 0, left: [] });
    printFigure('Ctrl-C to the end of up', stopped.ms);
  },
  START_MS,
);

it(
  'leaves no process behind when it is killed',
  async () => {
    const killed = new UpCluster({ minions: MINIONS, masterConfig: NO_PEER });
    cluster = killed;
    await killed.ready;
    expect(programsOf(killed)).toEqual(PROGRAMS);
    const began = performance.now();
    process.kill(killed.upPid, 'SIGKILL');
    await killed.ended;
    await until('nothing of it is alive', () => killed.processes().length === 0, ALL_GONE_MS);
    printFigure('kill -9 of up to the end of the last child', performance.now() - began);
  },
  START_MS,
);

function programsOf(up: UpCluster): readonly string[] {
  const names = up.processes().map(({ name }) => name); // prettier-ignore
  return names.filter((name) => name !== 'sh' && name !== 'cat').sort();
}

/** The different parties that a subject names. */
function fpsOf(heard: readonly Tapped[], pattern: RegExp): readonly string[] {
  return [...new Set(heard.flatMap(({ subject }) => pattern.exec(subject)?.[1] ?? []))].sort();
}
