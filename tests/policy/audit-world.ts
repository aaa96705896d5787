/** A cluster with an audit worth verifying, and somebody who holds the audit's storage key. */
import { openBucket, SealedStore, type Store } from '@natrium/bus';
import {
  type AuditRecord,
  decode,
  encode,
  encodeAudit,
  readAudit,
  requestDigest,
  type Signed,
  toHex,
  type Wire,
} from '@natrium/envelope';
import type { AuditOptions } from '../../apps/cli/src/ports.js';
import { runAudit } from '../../apps/cli/src/audit/run-audit.js';
import { ScriptedIo } from '../../apps/cli/src/testing/scripted-io.js';
import { aRequest, signedBy } from '@natrium/testing';
import { aCluster, type GatewayDouble, type TestCluster } from '@natrium/testing/cluster';
import { records, writeAs } from '@natrium/wire';
import { apps } from '../hostile/apps.js';

export const MINION = 'web1.example.com';
const DAY_MS = 24 * 3_600_000;
const MASTER = `
peer:
  .*example.com: [test.*]
`;

/** One record as it is kept, with the key of its group. */
export interface Kept {
  readonly key: string;
  readonly index: number;
  readonly record: AuditRecord;
  readonly bytes: Uint8Array;
}

export interface Said {
  readonly code: number;
  readonly lines: readonly string[];
}

export class AuditWorld {
  private constructor(
    readonly cluster: TestCluster,
    readonly store: Store,
  ) {}

  /** @param more Further lines of the master file. */
  static async start(more = ''): Promise<AuditWorld> {
    const cluster = await aCluster({ apps, minions: [MINION], master: `${MASTER}${more}` });
    const { transport } = cluster.gateway.link;
    const bucket = await openBucket(transport, { name: 'NT_main_audit', replicas: 1, ttlMs: 0 });
    const store = new SealedStore(bucket, cluster.keys.storageKeys('audit'), (error) => {
      throw error;
    });
    return new AuditWorld(cluster, store);
  }

  stop(): Promise<void> {
    return this.cluster.stop();
  }

  get gateway(): GatewayDouble {
    return this.cluster.gateway;
  }

  /** One decision: allowed, or refused; its record is in the stream when this resolves. */
  async decide(fun: string): Promise<Awaited<ReturnType<GatewayDouble['askGrant']>>> {
    const { link } = this.cluster.minion(MINION);
    const request = aRequest(this.gateway.link.clock.now(), { funs: [fun] });
    const asked = signedBy(link.identity.signing, link.roles.cluster, request);
    const recorded = this.#recorded(toHex(requestDigest(asked.request)));
    const answer = await this.gateway.askGrant(asked);
    await recorded;
    return answer;
  }

  /** Resolves when the stream has a record about this request. */
  #recorded(digest: string): Promise<void> {
    return new Promise((resolve, reject) => {
      const following = this.store.follow(({ key, value }) => {
        if (value === undefined || !key.startsWith('a.')) return;
        const about = listIn(value).map((bytes) => recordIn(bytes).digest);
        if (!about.some((one) => one !== null && toHex(one) === digest)) return;
        void following.then((open) => {
          open.close();
        });
        resolve();
      });
      following.catch(reject);
    });
  }

  /** What a gateway would have kept of a job that was granted. */
  async keepJob(grant: Signed | null): Promise<void> {
    if (grant === null) throw new Error('nothing was granted');
    const { link } = this.gateway;
    const jobs = await link.store(records.JOB_BUCKETS[0], 'jobs', { ttlMs: DAY_MS });
    const caller = { kind: 'minion', name: MINION } as const;
    const jid = link.clock.now().toString().padEnd(20, '0');
    const granted = { jid, place: new Uint8Array(32), caller, grant, members: [], missing: [] };
    await jobs.put('g.0.test-1', encode(writeAs(records.JobGrantGroup, [granted]) as Wire));
  }

  /** `natriumctl audit` as it is typed, in this process. */
  async audit(verb: AuditOptions['verb'], more: Partial<AuditOptions> = {}): Promise<Said> {
    const io = new ScriptedIo();
    const none = { file: undefined, heads: undefined, follow: false, dryRun: false, json: false, last: 1000 };
    const code = await runAudit({ configDir: `${this.cluster.folder}/master`, verb, ...none, ...more }, io);
    return { code, lines: `${io.stdout}${io.stderr}`.trimEnd().split('\n') };
  }

  /** `natriumctl audit tail -f`, and Ctrl-C as soon as it waits for more. */
  async follow(last: number): Promise<Said> {
    const io = new ScriptedIo();
    io.onInterrupt = (callback) => {
      queueMicrotask(callback);
      return () => undefined;
    };
    const options = {
      verb: 'tail',
      file: undefined,
      heads: undefined,
      follow: true,
      dryRun: false,
      json: false,
      last,
    } as const;
    const code = await runAudit({ configDir: `${this.cluster.folder}/master`, ...options }, io);
    return { code, lines: `${io.stdout}${io.stderr}`.trimEnd().split('\n') };
  }

  /** Every record, by chain and number. */
  async kept(): Promise<readonly Kept[]> {
    const groups = await this.store.list('a.>');
    const all = groups.flatMap(({ key, value }) =>
      listIn(value).map((bytes, index) => ({ key, index, bytes, record: recordIn(bytes) })),
    );
    return all.sort((a, b) => a.record.number - b.record.number);
  }

  /** Writes a group again, with its records as `rewrite` leaves them; without any, it is deleted. */
  async rewrite(
    key: string,
    rewrite: (records: readonly Uint8Array[]) => readonly Uint8Array[],
  ): Promise<() => Promise<void>> {
    const before = await this.store.get(key);
    if (before === undefined) throw new Error(`there is no group ${key}`);
    const after = rewrite(listIn(before.value));
    if (after.length === 0) await this.store.delete(key);
    else await this.store.put(key, encode([...after]));
    return async () => {
      await this.store.put(key, before.value);
    };
  }
}

/** The same record with something else in it, as its chain would have it. */
export function edited(bytes: Uint8Array, fields: Partial<AuditRecord>): Uint8Array {
  return encodeAudit({ ...recordIn(bytes), ...fields });
}

function listIn(value: Uint8Array): readonly Uint8Array[] {
  const list: Wire = decode(value);
  return Array.isArray(list) ? list.filter((item) => item instanceof Uint8Array) : [];
}

function recordIn(bytes: Uint8Array): AuditRecord {
  const read = readAudit(bytes);
  if (!read.ok) throw new Error('not a record');
  return read.value;
}
