/** A cluster with real gateways in this process, the sockets of their buses, and two minions. */
import { execFile, spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { type OpenService, openService, readServiceConfig } from '@natrium/edge';
import { type BusEvent, EventClient, type SubscribeOptions, type Subscription } from '@natrium/events';
import { LogLines } from '@natrium/testing';
import { aCluster, type TestCluster } from '@natrium/testing/cluster';
import { eventOptions } from '../../apps/master-gateway/src/events/event-options.js';
import { GatewayModule } from '../../apps/master-gateway/src/gateway.module.js';
import { apps } from '../hostile/apps.js';

const SCRIPT = fileURLToPath(new URL('./salt_bus.py', import.meta.url));

export class World {
  readonly log = new LogLines();
  readonly #services = new Set<OpenService>();
  readonly #clients: EventClient[] = [];

  private constructor(readonly cluster: TestCluster) {}

  static async start(master = ''): Promise<World> {
    const world = new World(await aCluster({ apps, minions: ['web1', 'web2'], master }));
    await world.gateway('run');
    return world;
  }

  /** One more gateway, with a folder of its own for its sockets. */
  async gateway(folder: string): Promise<OpenService> {
    const config = readServiceConfig(join(this.cluster.folder, 'master'));
    const log = apps.logTo(this.log.hear);
    const { keepJobsMs, grantTimeoutMs, gatherTimeoutMs, requests } = config;
    const events = { ...eventOptions(config), sockDir: this.folder(folder) };
    const options = { keepJobsMs, grantTimeoutMs, gatherTimeoutMs, requests, events };
    const service = await openService({ role: 'gateway', config, log }, ({ link, onStop }) =>
      GatewayModule.create({ link, ...options, log, onStop }),
    );
    this.#services.add(service);
    return service;
  }

  async stopGateway(service: OpenService): Promise<void> {
    this.#services.delete(service);
    await service.close();
  }

  folder(name: string): string {
    return join(this.cluster.folder, 'master', name);
  }

  master(folder = 'run'): EventClient {
    return this.#client(join(this.folder(folder), 'master_event.sock'));
  }

  minion(id: string): EventClient {
    return this.#client(join(this.cluster.minion(id).config.sock_dir, 'minion_event.sock'));
  }

  listen(tags: readonly string[], options: SubscribeOptions = {}): Promise<Subscription> {
    return this.master().subscribe({ tags, ...options });
  }

  async stop(): Promise<void> {
    for (const client of this.#clients) await client.close();
    for (const service of this.#services) await service.close();
    await this.cluster.stop();
  }

  #client(path: string): EventClient {
    const client = new EventClient(path);
    this.#clients.push(client);
    return client;
  }
}

/** The next `count` events of a subscription, which ends with that. */
export async function take(events: AsyncIterable<BusEvent>, count: number): Promise<readonly BusEvent[]> {
  const taken: BusEvent[] = [];
  for await (const event of events) {
    taken.push(event);
    if (taken.length === count) break;
  }
  return taken;
}

/** A Python that reads Salt's socket; resolves when it is connected. */
export async function saltListener(
  path: string,
  count: number,
): Promise<{ readonly events: Promise<readonly unknown[]> }> {
  const python = spawn('python3', [SCRIPT, 'listen', path, String(count)], { stdio: ['ignore', 'pipe', 'inherit'] });
  const lines = createInterface({ input: python.stdout })[Symbol.asyncIterator]();
  await lines.next();
  const events = (async () => {
    const heard: unknown[] = [];
    for (let line = await lines.next(); line.done !== true; line = await lines.next()) {
      heard.push(JSON.parse(line.value));
    }
    return heard;
  })();
  return { events };
}

export async function saltFire(path: string, tag: string, data: unknown): Promise<void> {
  await promisify(execFile)('python3', [SCRIPT, 'fire', path, tag, JSON.stringify(data)]);
}
