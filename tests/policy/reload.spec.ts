/**
 * The policy changes under load: every verdict is that of the revision which its grant, or its refusal's audit record, names.
 * Two acl-services decide, as processes of their own, and each loads for itself; the test is a gateway.
 */
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { digestOf, NatsTransport, openBucket, SealedStore } from '@natrium/bus';
import { brokerLogin, readServiceConfig } from '@natrium/edge';
import { type AuditRecord, decode, type Identity, readAudit, readGrant, sodiumReady, toHex } from '@natrium/envelope';
import { MasterKeys, readIdentity } from '@natrium/keystore';
import { aRequest, signedBy, until as eventually } from '@natrium/testing';
import { GatewayDouble } from '@natrium/testing/cluster';
import { contracts } from '@natrium/wire';
import { apps } from '../hostile/apps.js';
import { START_MS, upCluster, type UpCluster } from '../support/up-cluster.js';

const MINION = 'web1.example.com';
const LOG = 'log_level: info\n';
const ALLOWS = `${LOG}peer:\n  .*example.com: [test.ping]\n`;
const ALLOWS_MORE = `${LOG}peer:\n  .*example.com: [test.ping, test.echo]\n`;
const REFUSES = `${LOG}peer:\n  .*example.com: [test.version]\n`;
const MALFORMED = `${LOG}peer:\n  .*example.com: [test.ping]\n  "(":\n    - test.*\n`;
const REPLICAS = ['acl-service.1', 'acl-service.2'];
const IN_FLIGHT = 2000;
/** Sent just before each change: while the first ones are answered, new ones come. */
const MORE_EACH = 100;
const CHANGES = 50;
/** Of each answer: thousands are waited for at the same time. */
const PATIENCE_MS = 120_000;
const LONG_MS = 300_000;

interface Line {
  readonly msg: string;
  readonly level: number;
  readonly policy?: string;
}

interface Verdict {
  readonly digest: string;
  readonly allowed: boolean;
  /** Of the grant. */
  readonly revision: string | undefined;
}

let up: UpCluster;
let gateway: GatewayDouble;
let minion: Identity;

beforeAll(async () => {
  await sodiumReady();
  up = await upCluster({ minions: [MINION], masterConfig: ALLOWS, replicas: { 'acl-service': REPLICAS.length } });
  gateway = await GatewayDouble.open(readServiceConfig(up.master), apps);
  const identity = readIdentity(join(up.minion(MINION), 'pki', 'minion.key'));
  if (identity === undefined) throw new Error('the minion has no key');
  minion = identity;
}, START_MS);
afterAll(async () => {
  await gateway.close();
  await up.stop();
});

function write(text: string, name = 'master'): void {
  const path = join(up.master, name);
  writeFileSync(`${path}.draft`, text);
  renameSync(`${path}.draft`, path);
}

/** What a replica has logged of its policies since line `from`. */
function told(replica: string, from: number): readonly Line[] {
  const start = `${replica}: {`;
  const lines = up.lines.slice(from).filter((line) => line.startsWith(start) && line.includes('policy'));
  return lines.map((line) => JSON.parse(line.slice(start.length - 1)) as Line);
}

/** The revision that both replicas have put in force since line `from`. */
function inForce(from: number): string | undefined {
  const [one, other] = REPLICAS.map(
    (name) => told(name, from).findLast(({ msg }) => msg === 'policy in force')?.policy,
  );
  return one === other ? one : undefined;
}

function haveProblems(from: number): boolean {
  return REPLICAS.every((name) => told(name, from).some(({ level }) => level === 50));
}

async function ask(): Promise<Verdict> {
  const { link } = gateway;
  const { request, signature, callerKey } = signedBy(
    minion.signing,
    link.roles.cluster,
    aRequest(link.clock.now(), { timeout: 60 }),
  );
  const answer = await link.bus.ask(
    {
      contract: contracts.grant,
      body: { request, signature, credential: null, grantRun: null, callerKey, jid: gateway.mintJid(), batch: null },
      subject: link.subjects.svcAcl('grant'),
      to: () => link.directory.role('acl'),
    },
    contracts.granted,
    PATIENCE_MS,
  );
  for (const look of [...looks]) look();
  if (!answer.ok) throw new Error(`no answer: ${answer.error}`);
  const { grant, refusal } = answer.value.body;
  if (grant === null) return { digest: digestOf(request), allowed: refusal === null, revision: undefined };
  const read = readGrant(
    grant,
    link.roles.cluster,
    link.roles.keysOf('acl'),
    'job',
    link.clock.now(),
    link.clock.skewMs,
  );
  if (!read.ok) throw new Error(read.error);
  return { digest: digestOf(request), allowed: true, revision: toHex(read.value.policyRevision) };
}

/** Sent before any of them is answered. */
function askAtOnce(count: number): Promise<Verdict>[] {
  return Array.from({ length: count }, () => ask());
}

/** What is looked at after each answer: answers are awaited, never time. */
const looks = new Set<() => void>();

/** Resolves when `find` finds something; while nobody else asks, it asks itself. */
async function until<T>(find: () => T | undefined): Promise<T> {
  const found = new Promise<T>((resolve) => {
    const look = () => {
      const value = find();
      if (value === undefined) return;
      looks.delete(look);
      resolve(value);
    };
    looks.add(look);
    look();
  });
  const mine = [...looks].at(-1);
  while (mine !== undefined && looks.has(mine)) await ask();
  return found;
}

/** Until both replicas have put another policy in force. */
async function change(text: string, name?: string): Promise<string> {
  const from = up.lines.length;
  write(text, name);
  return until(() => inForce(from));
}

async function audited(): Promise<readonly AuditRecord[]> {
  // The broker lets no gateway read it.
  const auditor = brokerLogin(join(up.master, 'pki/broker/users/auditor.creds'));
  const transport = await NatsTransport.connect({ servers: [up.brokerUrl], name: 'auditor', ...auditor });
  const bucket = await openBucket(transport, { name: 'NT_main_audit', replicas: 1, ttlMs: 0 });
  const store = new SealedStore(bucket, new MasterKeys(join(up.master, 'pki')).storageKeys('audit'), () => undefined);
  const records = (await store.list('a.>')).flatMap(({ value }) => decode(value) as readonly Uint8Array[]);
  await transport.drain();
  return records.map((bytes) => readAudit(bytes)).flatMap((read) => (read.ok ? [read.value] : []));
}

describe('the policy', () => {
  it(
    'changes 50 times under 2,000 requests in flight, and each verdict is of the revision that is named with it',
    async () => {
      const asks = askAtOnce(IN_FLIGHT);
      const revisions = { refuses: '', allows: '' };
      for (let count = 0; count < CHANGES; count += 2) {
        asks.push(...askAtOnce(MORE_EACH));
        revisions.refuses = await change(REFUSES);
        asks.push(...askAtOnce(MORE_EACH));
        revisions.allows = await change(ALLOWS);
      }
      const verdicts = await Promise.all(asks);
      // Records are written soon after the answer.
      const records = await eventually('every verdict is recorded', async () => {
        const found = new Map(
          (await audited()).flatMap((record) => (record.digest === null ? [] : [[toHex(record.digest), record]])),
        );
        return verdicts.every(({ digest }) => found.has(digest)) && found;
      });
      const wrong = verdicts.filter(({ digest, allowed, revision }) => {
        const record = records.get(digest);
        const expected = allowed ? revisions.allows : revisions.refuses;
        return (
          record?.detail['policy'] !== expected ||
          (allowed && revision !== expected) ||
          (record.verdict === 'allow') !== allowed
        );
      });
      expect(wrong).toEqual([]);
      expect(revisions.allows).not.toBe(revisions.refuses);
      expect(verdicts.length).toBeGreaterThanOrEqual(IN_FLIGHT);
      // Neither is rare, so that a verdict under the wrong name would have shown.
      const allowed = verdicts.filter((verdict) => verdict.allowed).length;
      expect(Math.min(allowed, verdicts.length - allowed)).toBeGreaterThan(100);
      const isInForce = ({ what, verdict }: AuditRecord) => what === 'policy' && verdict === 'in_force';
      await eventually('every change is recorded', async () => {
        return (await audited()).filter(isInForce).length >= CHANGES * REPLICAS.length;
      });
    },
    LONG_MS,
  );

  it('has a file as soon as it comes into a folder that include names, also the first in it', async () => {
    mkdirSync(join(up.master, 'rules'));
    const none = await change(`${ALLOWS_MORE}include: rules/*.conf\n`);
    expect(await ask()).toMatchObject({ allowed: true, revision: none });
    await change(REFUSES, 'rules/first.conf');
    expect(await ask()).toMatchObject({ allowed: false });
    expect(await change(ALLOWS)).not.toBe(none);
  });

  it('stays when a list is malformed: file, line, key, reason and mend are said; mended, it is taken within a second', async () => {
    const before = await ask();
    const from = up.lines.length;
    write(MALFORMED);
    await until(() => (haveProblems(from) ? true : undefined));
    const problem = told('acl-service.1', from).find(({ level }) => level === 50);
    expect(problem).toMatchObject({
      file: join(up.master, 'master'),
      line: 4,
      path: ['peer', '('],
      reason: expect.stringMatching(/./) as string,
      mend: expect.stringMatching(/./) as string,
      policy: before.revision,
    });
    expect(await ask()).toMatchObject({ allowed: true, revision: before.revision });
    const refused = await eventually('it is recorded', async () => {
      const found = (await audited()).filter(({ what, verdict }) => what === 'policy' && verdict === 'refused');
      return found.length > 0 && found;
    });
    expect(refused.map(({ detail }) => detail)).toContainEqual(
      expect.objectContaining({
        policy: before.revision,
        problems: [expect.stringMatching(/master:4: peer\.\(: .*Mend: /)],
      }),
    );
    const times: number[] = [];
    for (const text of [ALLOWS_MORE, ALLOWS, REFUSES]) {
      const began = performance.now();
      await change(text);
      times.push(performance.now() - began);
    }
    // Of three one at least finds the machine with nothing else to do.
    expect(Math.min(...times)).toBeLessThan(1000);
    expect(await ask()).toMatchObject({ allowed: false });
  });

  it('stays when the file is no YAML', async () => {
    const from = up.lines.length;
    write('peer: [');
    await until(() => (haveProblems(from) ? true : undefined));
    expect(await ask()).toMatchObject({ allowed: false });
    expect(await change(ALLOWS)).not.toBe('');
    expect(await ask()).toMatchObject({ allowed: true });
  });

  it('comes from a new file in master.d too, and changes again when that goes', async () => {
    await change(REFUSES, 'master.d/zz.conf');
    expect(await ask()).toMatchObject({ allowed: false });
    const from = up.lines.length;
    rmSync(join(up.master, 'master.d', 'zz.conf'));
    await until(() => inForce(from));
    expect(await ask()).toMatchObject({ allowed: true });
  });

  it('is read again on SIGHUP', async () => {
    const from = up.lines.length;
    for (const { pid, name } of up.processes()) if (name === 'acl-service') process.kill(pid, 'SIGHUP');
    await until(() =>
      REPLICAS.every((name) => told(name, from).some(({ msg }) => msg.startsWith('SIGHUP'))) ? true : undefined,
    );
    expect(await ask()).toMatchObject({ allowed: true });
  });
});
