/** Who is no longer let in loses the broker at once, and nobody else notices. With real agents, and the broker as the witness. */
import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { connect, type NatsConnection } from '@nats-io/transport-node';
import { loadMinionConfig, problemSentence } from '@natrium/config';
import { fingerprint, NatsKey } from '@natrium/envelope';
import { until } from '@natrium/testing';
import type { RunningAgent } from '@natrium/testing/cluster';
import { openMaster, type OpenMaster } from '../../apps/cli/src/link/open-master.js';
import { apps } from '../hostile/apps.js';
import { AgentSocket } from '../support/agent-socket.js';
import { systemLogin } from '../support/broker-operator.js';
import { NO_PEER } from '../support/examples.js';
import { printFigure } from '../support/figures.js';
import { oneMoreMinion } from '../support/one-more-minion.js';
import { START_MS } from '../support/up-cluster.js';
import { useCluster } from '../support/use-cluster.js';

const COUNT = 20;
const WITHIN_MS = 1000;

let master: OpenMaster;
let witness: Witness;
const agents = new Map<string, RunningAgent>();
const logs: string[] = [];

// Clients go before the cluster: hooks run in the order in which they stand here.
afterAll(async () => {
  await Promise.all([...agents.values()].map((agent) => agent.stop()));
  await witness.connection.close();
  await master.transport.drain();
});

const cluster = useCluster({
  minions: ['a', 'b'],
  masterConfig: `${NO_PEER}auto_accept: true\n`,
});

interface Gone {
  /** Of its user. */
  readonly name: string;
  /** As it calls itself. */
  readonly connection: string;
  readonly reason: string;
  readonly at: number;
}

/** The broker's own word on who went. */
class Witness {
  readonly gone: Gone[] = [];
  #tell: () => void = () => undefined;

  private constructor(readonly connection: NatsConnection) {}

  static async open(): Promise<Witness> {
    const authenticator = await systemLogin(cluster().folder);
    const witness = new Witness(await connect({ servers: cluster().brokerUrl, authenticator }));
    witness.connection.subscribe('$SYS.ACCOUNT.*.DISCONNECT', {
      callback: (_, message) => {
        const { client, reason } = message.json<{
          client: { name?: string; nkey?: string; user?: string };
          reason: string;
        }>();
        // Newer brokers also tell of who was not let in, as whoever is cut off and tries again.
        if (reason === 'Authentication Failure') return;
        const name = client.nkey ?? client.user ?? client.name ?? '';
        witness.gone.push({ name, connection: client.name ?? '', reason, at: performance.now() });
        witness.#tell();
      },
    });
    await witness.connection.flush();
    await witness.#isUpToDate();
    return witness;
  }

  /** The broker tells of ends in their order: after this one's it has told of all before, which are not looked at. */
  async #isUpToDate(): Promise<void> {
    const name = `mark-${randomUUID()}`;
    const authenticator = await systemLogin(cluster().folder);
    const mark = await connect({ servers: cluster().brokerUrl, authenticator, name });
    await mark.close();
    await until('the broker tells of the mark', () => this.gone.some((one) => one.connection === name));
    this.gone.length = 0;
  }

  async until(count: number): Promise<void> {
    while (this.gone.length < count) await new Promise<void>((resolve) => (this.#tell = resolve));
  }
}

beforeAll(async () => {
  const opened = await openMaster(cluster().master);
  if (!opened.ok) throw new Error(opened.error.sentence);
  master = opened.value;
  for (let n = 0; n < COUNT; n += 1) agents.set(`r${n}`, await anAgent(`r${n}`));
  witness = await Witness.open();
}, START_MS);

function anAgent(id: string): Promise<RunningAgent> {
  const loaded = loadMinionConfig(oneMoreMinion(cluster(), join(cluster().folder, 'more'), id));
  if (!loaded.ok) throw new Error(loaded.error.map(problemSentence).join('\n'));
  return apps.startAgent(loaded.value.config, (line) => logs.push(line), new AbortController().signal);
}

async function revoke(id: string, verb: 'delete' | 'reject'): Promise<void> {
  const agent = agents.get(id);
  const finger = fingerprint(agent?.link.identity.publicKey ?? new Uint8Array());
  const done = await master.client.admin('key', `key.${verb}`, [{ id, fingerprint: finger }]);
  expect(done).toEqual({ ok: true, value: [id] });
}

function userOf({ link }: RunningAgent): string {
  return NatsKey.fromSeed('user', link.identity.nkeySeed).name;
}

/** Users that the broker has cut off. */
function cutOff(): readonly string[] {
  return witness.gone.filter(({ reason }) => reason === 'Credentials Revoked').map(({ name }) => name);
}

it('cuts a minion off within a second of its key’s end, and nobody else', async () => {
  const times: number[] = [];
  for (let n = 0; n < COUNT; n += 1) {
    const began = performance.now();
    await revoke(`r${n}`, n % 2 === 0 ? 'delete' : 'reject');
    await witness.until(n + 1);
    times.push((witness.gone.at(-1)?.at ?? Number.POSITIVE_INFINITY) - began);
  }
  times.sort((a, b) => a - b);
  printFigure('revoked key to its end at the broker, median of 20', times[COUNT / 2] ?? 0);
  printFigure('revoked key to its end at the broker, worst of 20', times.at(-1) ?? 0);
  // The median: a machine that is busy elsewhere makes single ones late.
  expect(times[COUNT / 2]).toBeLessThan(WITHIN_MS);
  // Whom the broker let go is just whom it should have, each once: nobody else came or went.
  expect(witness.gone.map(({ reason }) => reason)).toEqual(new Array(COUNT).fill('Credentials Revoked'));
  expect(new Set(witness.gone.map(({ name }) => name)).size).toBe(COUNT);
  expect((await cluster().natrium('-L', 'a,b', 'test.ping')).code).toBe(0);
}, START_MS); // prettier-ignore

it('cuts off a new identity and the one before it together, within a second', async () => {
  const times: number[] = [];
  for (let n = 0; n < 3; n += 1) times.push(await bothCutOff(`s${String(n)}`));
  printFigure('two identities of a revoked minion to their end at the broker, best of 3', Math.min(...times));
  // The promise is about what is done, not about a machine that is busy elsewhere: of three one at least finds it at rest.
  expect(Math.min(...times)).toBeLessThan(WITHIN_MS);
}, START_MS); // prettier-ignore

/** @returns Milliseconds from the revocation to the end of both. */
async function bothCutOff(id: string): Promise<number> {
  const agent = await anAgent(id);
  agents.set(id, agent);
  const before = userOf(agent);
  const socket = await AgentSocket.open(join(cluster().folder, 'more', id, 'run', 'minion.sock'));
  expect(await socket.call('saltutil.regen_keys')).toMatchObject({ success: true });
  socket.close();
  const after = userOf(agent);
  // What is on its way to the old one is still delivered.
  expect(cutOff()).not.toContain(before);
  const began = performance.now();
  await revoke(id, 'delete');
  while (!cutOff().includes(before) || !cutOff().includes(after)) await witness.until(witness.gone.length + 1);
  return performance.now() - began;
}

it('an agent that was cut off learns that it is no longer known', async () => {
  expect(await agents.get('r0')?.lost).toMatch(/auth|revoked/i);
});

it('a minion that was cut off and accepted again comes back by itself, and what it ran meanwhile has its return', async () => {
  const mark = join(cluster().folder, 'go-on');
  const works = `while ! [ -e ${mark} ]; do sleep 0.1; done; echo done`;
  const begun = await cluster().natrium('--async', 'b', 'cmd.run', works, 'python_shell=True');
  const [jid = ''] = /\d{20}/.exec(begun.stdout) ?? [];
  const before = cutOff().length;
  await cluster().key('-y', '-d', 'b');
  // The command itself comes and goes as well.
  while (cutOff().length === before) await witness.until(witness.gone.length + 1);
  // auto_accept lets it in as soon as it asks again.
  await until('b answers', async () => (await cluster().natrium('b', 'test.ping')).code === 0);
  writeFileSync(mark, '');
  const ended = async () => /done|interrupted/.exec((await cluster().run('jobs.lookup_jid', jid)).stdout)?.[0];
  expect(await until('its job has ended', ended)).toBe('done');
}, START_MS); // prettier-ignore
