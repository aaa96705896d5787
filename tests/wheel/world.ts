/** A cluster with a real gateway and a real runner-service in this process, and accounts that ask through both. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { identityAsker, MasterClient, type RunAnswer } from '@natrium/client';
import { openService, type OpenService, readServiceConfig } from '@natrium/edge';
import {
  type AuditRecord,
  fingerprint,
  type Identity,
  identityFrom,
  newIdentitySecret,
  readAudit,
  toHex,
} from '@natrium/envelope';
import { isList, isMap, type Refusal, type Result, type Value } from '@natrium/model';
import { until } from '@natrium/testing';
import { aCluster, type TestCluster } from '@natrium/testing/cluster';
import { eventOptions } from '../../apps/master-gateway/src/events/event-options.js';
import { GatewayModule } from '../../apps/master-gateway/src/gateway.module.js';
import { RunnerModule } from '../../apps/runner-service/src/runner.module.js';
import { apps } from '../hostile/apps.js';

export const MINIONS = ['db1', 'web1'] as const;

/** A reaction that may change keys. */
export const REACTS = 'keep';

const MASTER = `
saltgui_hide_jobs: [test.ping]
nodegroups:
  web: web*
publisher_acl:
  keeper: ['@wheel', '@runner']
  reader: [{'@wheel': [key.list_all]}, '@jobs']
  nobody: [test.*]
client_acl_verify: false
reactor_grants:
  ${REACTS}$: [{'@wheel': ['key\\..*']}]
`;
const TIMEOUT = 10;

/** Of every minion. */
export const PILLAR = { password: 'canary-5f1c' } as const;

function pillarFiles(): string {
  const folder = mkdtempSync(join(tmpdir(), 'nt-wheel-'));
  writeFileSync(join(folder, 'top.sls'), "base:\n  '*': [secrets]\n");
  writeFileSync(join(folder, 'secrets.sls'), `password: ${PILLAR.password}\n`);
  return folder;
}

type Service = 'gateway' | 'runner';

export interface Account {
  readonly name: string;
  readonly identity: Identity;
  readonly client: MasterClient;
}

export class World {
  private constructor(
    readonly cluster: TestCluster,
    readonly root: MasterClient,
    private readonly services: Record<Service, OpenService>,
    private readonly open: Readonly<Record<Service, () => Promise<OpenService>>>,
    private readonly pillar: string,
  ) {}

  static async start(): Promise<World> {
    const pillar = pillarFiles();
    const master = `${MASTER}pillar_roots:\n  base: [${pillar}]\n`;
    const cluster = await aCluster({ apps, minions: MINIONS, master });
    const config = readServiceConfig(join(cluster.folder, 'master'));
    const log = apps.logTo(() => undefined);
    const { keepJobsMs, grantTimeoutMs, gatherTimeoutMs, requests } = config;
    const options = { keepJobsMs, grantTimeoutMs, gatherTimeoutMs, requests, events: eventOptions(config) };
    const open = {
      gateway: () =>
        openService({ role: 'gateway', config, log }, ({ link, onStop }) =>
          GatewayModule.create({ link, ...options, log, onStop }),
        ),
      runner: () => openService({ role: 'runner', config, log }, (start) => RunnerModule.create(start)),
    };
    const services = { gateway: await open.gateway(), runner: await open.runner() };
    const root = await clientOf(cluster, cluster.account);
    return new World(cluster, root, services, open, pillar);
  }

  get runner(): OpenService {
    return this.services.runner;
  }

  async stop(): Promise<void> {
    await this.runner.close();
    await this.services.gateway.close();
    await this.cluster.stop();
    rmSync(this.pillar, { recursive: true });
  }

  /** @param meanwhile Called, and waited for, while there is none of that service. */
  async restart(service: Service, meanwhile: () => unknown): Promise<void> {
    await this.services[service].close();
    await meanwhile();
    this.services[service] = await this.open[service]();
  }

  /** A new account with a key of its own. */
  async account(name: string): Promise<Account> {
    const identity = identityFrom(newIdentitySecret());
    const halves = { identity: toHex(identity.publicKey), nkey: toHex(identity.nkeyPublic) };
    const enrolled = await this.root.admin('key', 'account.enrol', [{ name, ...halves }]);
    if (!enrolled.ok) throw new Error(enrolled.error.sentence);
    return { name, identity, client: await clientOf(this.cluster, identity) };
  }

  async remove({ name, identity }: Account): Promise<void> {
    const named = { name, fingerprint: fingerprint(identity.publicKey) };
    const removed = await this.root.admin('key', 'account.remove', [named]);
    if (!removed.ok) throw new Error(removed.error.sentence);
  }

  /** Keys that the wheel changed, as the audit has them, oldest first; waits until there are so many. */
  async keysInAudit(count: number): Promise<readonly string[]> {
    return until(`${String(count)} changes of keys are recorded`, async () => {
      const keys = (await this.#audit()).flatMap(({ what, detail }) =>
        what === 'key' ? changesIn(detail['keys']) : [],
      );
      return keys.length >= count && keys;
    });
  }

  /** What the audit says of a request for `fun`; waits until that has `field`. */
  async detailInAudit(fun: string, field: string): Promise<AuditRecord['detail']> {
    return until(`a request for ${fun} is recorded with ${field}`, async () => {
      const details = (await this.#audit()).map(({ detail }) => detail);
      return details.find((detail) => detail['fun'] === fun && Object.hasOwn(detail, field));
    });
  }

  async #audit(): Promise<readonly AuditRecord[]> {
    const read = await this.root.admin('audit', 'audit.read', []);
    if (!read.ok) throw new Error(read.error.sentence);
    return recordsIn(read.value);
  }
}

function recordsIn(page: Value): readonly AuditRecord[] {
  const groups = isMap(page) && isList(page['groups']) ? page['groups'].filter(isMap) : [];
  const texts = groups.flatMap(({ records }) => (isList(records) ? records.map(String) : []));
  return texts.flatMap((text) => {
    const record = readAudit(new Uint8Array(Buffer.from(text, 'base64')));
    return record.ok ? [record.value] : [];
  });
}

function changesIn(keys: unknown): readonly string[] {
  const list: readonly unknown[] = Array.isArray(keys) ? keys : [];
  return list.map((key) => {
    const { change, id } = key as Readonly<Record<string, string>>;
    return `${String(change)} ${String(id)}`;
  });
}

export function wheel(client: MasterClient, fun: string, ...args: readonly Value[]) {
  return client.wheel({ fun, args, timeout: TIMEOUT });
}

export function run(client: MasterClient, fun: string, ...args: readonly Value[]) {
  return client.run({ fun, args, timeout: TIMEOUT });
}

/** What came back, or the code of the refusal. */
export async function told(answer: Promise<Result<RunAnswer, Refusal>>): Promise<Value> {
  const done = await answer;
  return done.ok ? done.value.ret : done.error.code;
}

async function clientOf(cluster: TestCluster, identity: Identity): Promise<MasterClient> {
  return new MasterClient(identityAsker(await cluster.session(identity), 'usr'));
}
