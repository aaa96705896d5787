/** A swarm: its processes, their keys, and how they come in and go. `run-swarm.ts` is the command around it, benches are another. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { BrokerKeys } from '@natrium/broker-auth';
import type { SwarmKey, SwarmShare } from '@natrium/client';
import { fingerprint } from '@natrium/envelope';
import { writeWhole } from '@natrium/keystore';
import type { OpenMaster } from '../link/open-master.js';
import type { SwarmOptions } from '../ports.js';
import { deleteKeys, enrolKeys } from './enrolment.js';
import { LeftKeys } from './left-keys.js';
import { SwarmProcess } from './swarm-process.js';

/** One process on one core carries so many without being the slowest part. */
const PER_PROCESS = 500;
/** Files that a process needs beside its connections. */
const OTHER_FILES = 64;
const CONFIG_MODE = 0o640;
const PING_S = 60;
const ROUNDS = 10;
const NOT_YET: ReadonlySet<string> = new Set([
  'acl_unavailable',
  'store_unavailable',
  'slow_down',
  'master_unreachable',
]);

export interface SwarmTelling {
  progress(live: number): void;
  note(sentence: string): void;
}

export class Swarm {
  readonly #folder = mkdtempSync(join(tmpdir(), 'natrium-swarm-'));
  readonly #left: LeftKeys;
  #processes: readonly SwarmProcess[] = [];
  #keys: readonly SwarmKey[] = [];
  #enrolling: Promise<number> = Promise.resolve(0);
  #lost = 0;
  #stopping = false;

  constructor(
    private readonly master: OpenMaster,
    private readonly options: Omit<SwarmOptions, 'configDir'>,
    private readonly telling: SwarmTelling,
    private readonly program?: string,
  ) {
    this.#left = new LeftKeys(master.config.cachedir, options.prefix);
  }

  get processes(): readonly SwarmProcess[] {
    return this.#processes;
  }

  /** In the order of their numbers. */
  get keys(): readonly SwarmKey[] {
    return this.#keys;
  }

  get ids(): readonly string[] {
    return Array.from({ length: this.options.minions }, (_, at) => `${this.options.prefix}${String(at + 1)}`);
  }

  /** Resolves when all are connected and have told who they are. */
  async start(): Promise<void> {
    this.#check();
    const gone = await this.forget();
    if (gone > 0) this.telling.note(`${String(gone)} keys of an earlier swarm were deleted`);
    this.#writeConfig();
    this.#processes = this.#shares().map((share, at) => this.#process(share, at));
    const keys = (await Promise.all(this.#processes.map((one) => one.begin()))).flat();
    this.#keys = keys;
    this.#left.keep(keys);
    this.#enrolling = enrolKeys(this.master.client, keys, () => this.#stopping);
    this.telling.note(`${String(await this.#enrolling)} keys are accepted`);
    await Promise.all(this.#processes.map((one) => one.come()));
  }

  /** Asks all of them until all have answered, so that whoever asks next finds them. @throws {Error} When some never do. */
  async pingAll(): Promise<void> {
    let missing: readonly string[] = this.ids;
    for (let round = 0; round < ROUNDS && missing.length > 0; round += 1) missing = await this.#ping(missing);
    if (missing.length > 0)
      throw new Error(`${String(missing.length)} minions did not answer, ${missing[0] ?? ''} first`);
  }

  /** Deletes the keys that a swarm of this name has left. @returns How many. */
  async forget(): Promise<number> {
    const keys = this.#left.all;
    if (keys.length === 0) return 0;
    const gone = await deleteKeys(this.master.client, keys);
    this.#left.drop();
    return gone;
  }

  /** Resolves when one of the processes has ended by itself, with how. */
  get broken(): Promise<string> {
    return Promise.race(this.#processes.map((one) => one.ended));
  }

  async stop(): Promise<void> {
    this.#stopping = true;
    await Promise.all(this.#processes.map((one) => one.stop()));
    await this.#enrolling.catch(() => 0); // so that what is forgotten next is all that was enrolled
    rmSync(this.#folder, { recursive: true, force: true });
  }

  /** All of them by their prefix: each minion gets the words of the request, and ten thousand names for each would be a gigabyte. */
  async #ping(ids: readonly string[]): Promise<readonly string[]> {
    const back = new Set<string>();
    const isAll = ids.length === this.options.minions;
    const ask = {
      ...(isAll ? { tgt: `${this.options.prefix}[0-9]*`, tgtType: 'glob' } : { tgt: [...ids], tgtType: 'list' }), funs: ['test.ping'], args: [[]], timeout: PING_S,
      returner: '', returnerOptions: {}, options: {},
    }; // prettier-ignore
    for await (const news of this.master.client.publish(ask)) {
      if (news.type === 'return') back.add(news.id);
      // Services to which thousands have just come may need another moment.
      if (news.type === 'refused' && !NOT_YET.has(news.refusal.code)) throw new Error(news.refusal.sentence);
    }
    return ids.filter((id) => !back.has(id));
  }

  #check(): void {
    const { connections, minions } = this.options;
    if (connections !== undefined && connections < minions && this.master.config.broker_auth !== 'none')
      throw new Error('option --connections: the broker has users, so each minion needs a connection of its own');
    const [share] = this.#shares();
    const files = openFilesLimit();
    if (share !== undefined && (share.connections ?? share.count) + OTHER_FILES > files)
      throw new Error(
        `${String(share.count)} connections in one process are more than its ${String(files)} open files: more --processes, or a higher ulimit -n`,
      );
  }

  #shares(): readonly SwarmShare[] {
    const { minions, prefix, connections, answerDelayMs } = this.options;
    const count = Math.min(
      minions,
      this.options.processes ?? Math.min(availableParallelism(), Math.ceil(minions / PER_PROCESS)),
    );
    const first = (at: number) => Math.floor((minions * at) / count);
    return Array.from({ length: count }, (_, at) => ({
      prefix,
      from: first(at) + 1,
      count: first(at + 1) - first(at),
      answerDelayMs,
      ...(connections === undefined ? {} : { connections: Math.max(1, Math.floor(connections / count)) }),
    }));
  }

  #process(share: SwarmShare, at: number): SwarmProcess {
    const hearing = {
      onProgress: () => {
        this.telling.progress(this.#processes.reduce((sum, { live }) => sum + live, 0));
      },
      onLost: (id: string) => {
        this.#lost += 1;
        if (this.#stopping || this.#lost > 1) return;
        this.telling.note(`${id} lost its connection for good: the broker no longer knows it (others are not named)`);
      },
      onLine: (line: string) => {
        this.telling.note(line);
      },
    };
    return new SwarmProcess(`swarm.${String(at + 1)}`, this.#folder, share, hearing, this.program);
  }

  #writeConfig(): void {
    const { config, keys } = this.master;
    const own = {
      id: this.options.prefix,
      cluster: config.cluster,
      nats: config.nats,
      master_finger: fingerprint(keys.chain()[0]),
      root_dir: this.#folder,
      pki_dir: join(this.#folder, 'pki'),
      cachedir: join(this.#folder, 'cache'),
      clock_skew: config.clock_skew,
      broker_ca: config.broker_ca,
      broker_cert: config.broker_cert,
      broker_key: config.broker_key,
      ...(config.broker_auth === 'none'
        ? {}
        : { join_creds: new BrokerKeys(join(config.pki_dir, 'broker')).credsPath('join') }),
    };
    const lines = Object.entries(own)
      .filter(([, value]) => value !== '')
      .map(([key, value]) => `${key}: ${JSON.stringify(value)}\n`);
    writeWhole(join(this.#folder, 'minion'), lines.join(''), CONFIG_MODE);
  }
}

/** Node raises its own limit to the hard one, which children inherit; no limit where the system does not tell. */
function openFilesLimit(): number {
  try {
    const found = /^Max open files\s+\S+\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1];
    return found === undefined ? Number.POSITIVE_INFINITY : Number(found);
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}
