/**
 * The cluster of a drill: three broker nodes (R3), two of each service, some minions, each a process of its own, and a
 * proxy between each process and each broker node, and between each two nodes. Events are reacted to, and go into a sink.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { type OpenMaster, openMaster } from '../../apps/cli/src/link/open-master.js';
import { fingerprint, sodiumReady } from '@natrium/envelope';
import { MasterKeys } from '@natrium/keystore';
import { freePort } from '@natrium/process';
import { type StartedNode, whileHeard } from '../support/heard-nodes.js';
import { BUILT, natsServer } from '../support/places.js';
import { Program } from './program.js';
import { Proxy } from './proxy.js';
import { REACTING } from './events.js';

export const ROLES = ['gateway', 'acl', 'runner', 'sink', 'minion', 'broker'] as const;
export type Role = (typeof ROLES)[number];

/** A process that can be hurt, and what connects it with the others. */
export interface Victim {
  readonly role: Role;
  readonly program: Program;
  readonly proxies: readonly Proxy[];
}

const NODES = 3;
const APPS = {
  gateway: 'master-gateway',
  acl: 'acl-service',
  runner: 'runner-service',
  sink: 'event-sink',
  minion: 'minion-agent',
} as const;
const READY_TRIES = 120;
const READY_PAUSE_MS = 500;

interface Node {
  readonly port: number;
  readonly routePort: number;
  readonly httpPort: number;
}

export class DrillCluster {
  readonly folder = mkdtempSync(join(tmpdir(), 'nt-drill-'));
  readonly keys = new MasterKeys(join(this.folder, 'master', 'pki'));
  readonly victims: Victim[] = [];
  readonly #proxies: Proxy[] = [];
  #nodes: readonly Node[] = [];
  #master: OpenMaster | undefined;

  constructor(readonly minions: readonly string[]) {}

  get master(): OpenMaster {
    if (this.#master === undefined) throw new Error('the cluster has not started');
    return this.#master;
  }

  /** Where each run of a minion leaves a line; the minion knows it as `LEDGER`. */
  ledger(minion: string): string {
    return join(this.folder, minion, 'ledger');
  }

  /** Where every event ends. */
  get sink(): string {
    return join(this.folder, 'sink.jsonl');
  }

  async start(): Promise<void> {
    await sodiumReady();
    mkdirSync(join(this.folder, 'logs'));
    this.keys.create(Date.now());
    await whileHeard(await this.#startBrokers(), () => this.#startRest());
  }

  async #startRest(): Promise<void> {
    const services = (['acl', 'gateway', 'runner', 'sink'] as const).flatMap((role) =>
      [1, 2].map((n) => [role, `${role}${String(n)}`] as const),
    );
    const all = [...services, ...this.minions.map((id) => ['minion', id] as const)];
    await Promise.all(all.map(([role, name]) => this.#startApp(role, name)));
    const direct = this.#configure('client', 'master', this.#nodes.map(({ port }) => port)); // prettier-ignore
    const opened = await openMaster(direct);
    if (!opened.ok) throw new Error(opened.error.sentence);
    this.#master = opened.value;
    await this.#allAnswer();
  }

  async stop(): Promise<void> {
    await this.#master?.transport.drain().catch(() => undefined);
    await Promise.all(this.victims.map(({ program }) => program.end()));
    for (const proxy of this.#proxies) proxy.close();
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }

  async #startBrokers(): Promise<readonly StartedNode[]> {
    const first = await freePort(3 * NODES);
    this.#nodes = Array.from({ length: NODES }, (_, n) => ({
      port: first + 3 * n,
      routePort: first + 3 * n + 1,
      httpPort: first + 3 * n + 2,
    }));
    const between = new Map<string, Proxy>();
    for (const [from] of this.#nodes.entries()) {
      for (const [to, { routePort }] of this.#nodes.entries()) {
        if (from !== to) between.set(`${String(from)} ${String(to)}`, await this.#proxy(routePort));
      }
    }
    for (const [index, node] of this.#nodes.entries()) {
      const name = `n${String(index)}`;
      const routes = this.#nodes.flatMap((_, to) => between.get(`${String(index)} ${String(to)}`)?.port ?? []);
      const folder = join(this.folder, name);
      mkdirSync(folder, { recursive: true });
      writeFileSync(join(folder, 'nats.conf'), brokerConfig(name, folder, node, routes));
      const program = this.#program(name, natsServer(), ['-c', join(folder, 'nats.conf')], true);
      const own = [...between].filter(([pair]) => pair.split(' ').includes(String(index))).map(([, proxy]) => proxy);
      this.victims.push({ role: 'broker', program, proxies: own });
      await program.start();
    }
    return this.#nodes.map(({ port, httpPort }, n) => ({
      name: `n${String(n)}`,
      url: `nats://127.0.0.1:${String(port)}`,
      monitor: `http://127.0.0.1:${String(httpPort)}`,
      kill: () => this.victims[n]?.program.signal('SIGKILL'),
    }));
  }

  async #startApp(role: keyof typeof APPS, name: string): Promise<void> {
    const proxies = await Promise.all(this.#nodes.map(({ port }) => this.#proxy(port)));
    // To cut a node off is to cut everyone's way to it.
    for (const [index, proxy] of proxies.entries()) {
      const node = this.victims.filter((victim) => victim.role === 'broker')[index];
      if (node !== undefined) (node.proxies as Proxy[]).push(proxy);
    }
    const folder = this.#configure(name, role === 'minion' ? 'minion' : 'master', proxies.map(({ port }) => port)); // prettier-ignore
    if (role === 'minion') writeFileSync(this.ledger(name), ''); // what is not there is not appended to
    const program = this.#program(name, process.execPath, [join(BUILT, APPS[role], 'main.mjs'), '-c', folder], false);
    this.victims.push({ role, program, proxies });
    await program.start();
  }

  #program(name: string, file: string, args: readonly string[], guarded: boolean): Program {
    const cwd = join(this.folder, name);
    return new Program({ name, file, args, cwd, log: join(this.folder, 'logs', name), guarded });
  }

  async #proxy(target: number): Promise<Proxy> {
    const proxy = await Proxy.to(target);
    this.#proxies.push(proxy);
    return proxy;
  }

  /** @returns The configuration's folder. */
  #configure(name: string, kind: 'master' | 'minion', ports: readonly number[]): string {
    const folder = join(this.folder, name);
    mkdirSync(folder, { recursive: true });
    const nats = ports.map((port) => `nats://127.0.0.1:${String(port)}`);
    const own =
      kind === 'minion'
        ? { id: name, master_finger: fingerprint(this.keys.chain()[0]) }
        : { pki_dir: join(this.folder, 'master', 'pki'), root_dir: folder, auto_accept: true, grant_timeout: 5, ...REACTING, event_sinks: { all: { to: this.sink, from: 'start' } } }; // prettier-ignore
    const text = Object.entries({ nats, log_level: 'info', ...own });
    writeFileSync(join(folder, kind), text.map(([key, value]) => `${key}: ${JSON.stringify(value)}\n`).join(''));
    return folder;
  }

  async #allAnswer(): Promise<void> {
    for (let attempt = 0; attempt < READY_TRIES; attempt += 1) {
      const back = new Set<string>();
      for await (const news of this.master.client.publish({
        tgt: [...this.minions], tgtType: 'list', funs: ['test.ping'], args: [[]], timeout: 5,
        returner: '', returnerOptions: {}, options: {},
      })) if (news.type === 'return') back.add(news.id); // prettier-ignore
      if (back.size === this.minions.length) return;
      await pause(READY_PAUSE_MS);
    }
    throw new Error(`not every minion answered; the logs are in ${this.folder}`);
  }
}

/** Clients are not told of other nodes, and the nodes not of each other but through their proxies. */
function brokerConfig(
  name: string,
  folder: string,
  { port, routePort, httpPort }: Node,
  routes: readonly number[],
): string {
  const urls = routes.map((route) => `"nats://127.0.0.1:${String(route)}"`).join(', ');
  return `
server_name: ${name}
listen: "127.0.0.1:${String(port)}"
http: "127.0.0.1:${String(httpPort)}"
max_payload: 8388608
max_pending: 268435456
ping_interval: "2s"
ping_max: 2
jetstream { store_dir: ${JSON.stringify(join(folder, 'jetstream'))} }
cluster {
  name: drill
  listen: "127.0.0.1:${String(routePort)}"
  advertise: "127.0.0.1:9"
  no_advertise: true
  ping_interval: "2s"
  routes: [${urls}]
}
`;
}
