/**
 * A cluster for tests: a real broker, the real acl-service and real agents in this process, and a gateway that the test
 * plays itself. Its folders are those of `natriumctl up`.
 */
import { appendFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Clock, NatsTransport } from '@natrium/bus';
import { connectIdentity, type ConnectOptions, type Link } from '@natrium/client';
import { loadMinionConfig, type MinionConfig, problemSentence } from '@natrium/config';
import { type OpenService, readServiceConfig, type ServiceConfig } from '@natrium/edge';
import { fingerprint, type Identity, randomBytes, sodiumReady, toHex } from '@natrium/envelope';
import { MasterKeys, readIdentity } from '@natrium/keystore';
import type { Apps } from './apps.js';
import { type Broker, startBroker } from '../broker.js';
import { GatewayDouble } from './gateway-double.js';
import { LogLines } from '../log-lines.js';
import { TestMinion } from './test-minion.js';
import { PATIENCE_MS } from '../until.js';

export interface ClusterOptions {
  readonly apps: Apps;
  /** Ids; each may join without being asked about. */
  readonly minions: readonly string[];
  /** The text of the master file. */
  readonly master: string;
}

/** What a command leaves behind when it runs, on whichever minion. */
export interface Mark {
  /** A command line that leaves one mark. */
  readonly command: string;
  /** How many times it has run. */
  count(): number;
}

const DAY_MS = 24 * 3_600_000;

export async function aCluster(options: ClusterOptions): Promise<TestCluster> {
  await sodiumReady();
  const broker = await startBroker();
  const cluster = new TestCluster(options.apps, broker);
  try {
    await cluster.start(options);
    return cluster;
  } catch (error) {
    await cluster.stop();
    throw error;
  }
}

export class TestCluster {
  readonly folder = mkdtempSync(join(tmpdir(), 'nt-'));
  readonly keys = new MasterKeys(join(this.folder, 'master', 'pki'));
  readonly aclLog = new LogLines();
  readonly #minions = new Map<string, TestMinion>();
  readonly #closing: (() => Promise<void>)[] = [];
  #acl: OpenService | undefined;
  #config: ServiceConfig | undefined;
  #gateway: GatewayDouble | undefined;

  constructor(
    private readonly apps: Apps,
    readonly broker: Broker,
  ) {}

  async start({ minions, master }: ClusterOptions): Promise<void> {
    mkdirSync(join(this.folder, 'marks'));
    this.keys.create(Date.now());
    const config = this.#writeMaster(master, minions);
    this.#config = config;
    this.#acl = await this.apps.openAcl(config, this.aclLog.hear);
    this.#gateway = await GatewayDouble.open(config, this.apps);
    for (const id of minions) await this.addMinion(id);
  }

  async stop(): Promise<void> {
    for (const minion of this.#minions.values()) await minion.stop();
    for (const close of this.#closing) await close();
    await this.#gateway?.close();
    await this.#acl?.close();
    await this.broker.stop();
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** From here on only gateways that a test opens are there: the double takes returns as its own that are theirs. */
  async closeGateway(): Promise<void> {
    await this.#gateway?.close();
    this.#gateway = undefined;
  }

  /** One more replica of the acl-service; the gateway knows it when this resolves. */
  async addAcl(): Promise<void> {
    if (this.#config === undefined) throw new Error('the cluster has not started');
    const acl = await this.apps.openAcl(this.#config, this.aclLog.hear);
    this.#closing.push(() => acl.close());
    await this.gateway.link.transport.flush();
  }

  /** @param meanwhile Called, and waited for, while no acl-service is there. */
  async restartAcl(meanwhile: () => unknown): Promise<void> {
    if (this.#config === undefined) throw new Error('the cluster has not started');
    await this.#acl?.close();
    await meanwhile();
    this.#acl = await this.apps.openAcl(this.#config, this.aclLog.hear);
  }

  get gateway(): GatewayDouble {
    if (this.#gateway === undefined) throw new Error('there is no gateway of the test’s own');
    return this.#gateway;
  }

  minion(id: string): TestMinion {
    const minion = this.#minions.get(id);
    if (minion === undefined) throw new Error(`there is no minion ${id}`);
    return minion;
  }

  /** One more agent, which is let in at once. */
  async addMinion(id: string): Promise<TestMinion> {
    appendFileSync(join(this.folder, 'master', 'autosign.conf'), `${id}\n`);
    const minion = new TestMinion(this.apps, this.minionConfig(id), (link) => this.#settled(link));
    this.#minions.set(id, minion);
    await minion.start();
    return minion;
  }

  minionConfig(id: string): MinionConfig {
    const folder = join(this.folder, 'minions', id);
    mkdirSync(folder, { recursive: true });
    const pin = `master_finger: '${fingerprint(this.keys.chain()[0])}'`;
    const lines = [`id: ${id}`, `nats: ${this.broker.url}`, pin, 'log_level: info'];
    writeFileSync(join(folder, 'minion'), `${lines.join('\n')}\n`);
    const loaded = loadMinionConfig(folder);
    if (!loaded.ok) throw new Error(loaded.error.map(problemSentence).join('\n'));
    return loaded.value.config;
  }

  /** The first account, which has full access. */
  get account(): Identity {
    const identity = readIdentity(this.keys.firstAccountPath);
    if (identity === undefined) throw new Error('the cluster has no account');
    return identity;
  }

  /** Anybody's session on the bus; an identity of which nobody has heard may have one too. */
  session(identity: Identity): Promise<Link> {
    return this.#connect(identity, 'session');
  }

  /** A host that may ask to be let in. */
  newcomer(identity: Identity): Promise<Link> {
    return this.#connect(identity, 'jobs');
  }

  async #connect(identity: Identity, use: ConnectOptions['use']): Promise<Link> {
    const transport = await NatsTransport.connect({ servers: [this.broker.url], name: 'test' });
    this.#closing.push(() => transport.drain());
    const linked = await connectIdentity({
      transport,
      cluster: 'main',
      identity,
      use,
      pin: { firstRoot: this.keys.chain()[0] },
      minSerial: 0,
      clock: new Clock(30_000),
      epochMs: DAY_MS,
      overlapMs: 0,
      helloTimeoutMs: PATIENCE_MS,
    });
    if (!linked.ok) throw new Error(linked.error.sentence);
    this.#closing.push(() => linked.value.bus.close());
    return linked.value;
  }

  async #settled(link: Link): Promise<void> {
    await (this.#gateway?.settled(link) ?? link.transport.flush());
  }

  mark(): Mark {
    const path = join(this.folder, 'marks', toHex(randomBytes(6)));
    return {
      command: `sh -c 'echo ran >> ${path}'`,
      count: () => (existsSync(path) ? readFileSync(path, 'utf8').split('\n').length - 1 : 0),
    };
  }

  #writeMaster(master: string, minions: readonly string[]): ServiceConfig {
    const folder = join(this.folder, 'master');
    mkdirSync(join(folder, 'master.d'), { recursive: true });
    writeFileSync(join(folder, 'master'), master);
    writeFileSync(join(folder, 'master.d', 'test.conf'), `nats: ${this.broker.url}\nlog_level: info\n`);
    writeFileSync(join(folder, 'autosign.conf'), minions.map((id) => `${id}\n`).join(''));
    return readServiceConfig(folder);
  }
}
