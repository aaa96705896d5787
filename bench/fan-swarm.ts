/** A swarm in a cluster of its own, asked as a whole and in parts: the gateway's share of a job, and the minions'. */
import { setTimeout as pause } from 'node:timers/promises';
import { fp, fromHex } from '@natrium/envelope';
import { subjectsOf } from '@natrium/wire';
import { openMaster, type OpenMaster } from '../apps/cli/src/link/open-master.js';
import { Swarm } from '../apps/cli/src/swarm/swarm.js';
import type { Run } from './bench.js';
import type { Cluster } from './cluster.js';

const TIMEOUT_S = 60;

export interface Parts {
  /** From the question until the last minion has the job. */
  readonly out: number;
  /** From the first return's leaving to the caller's end. */
  readonly back: number;
  /** Between these: all minions open, check, run and seal, on this machine's cores. */
  readonly minions: number;
  /** Of one message. */
  readonly jobBytes: number;
  readonly returnBytes: number;
}

export class FanSwarm {
  private constructor(
    readonly swarm: Swarm,
    private readonly master: OpenMaster,
  ) {}

  static async open(run: Run, cluster: Cluster, minions: number): Promise<FanSwarm> {
    const opened = await openMaster(cluster.master);
    if (!opened.ok) throw new Error(opened.error.sentence);
    const swarm = new Swarm(
      opened.value,
      { minions, prefix: 'swarm', answerDelayMs: 0, forget: false },
      {
        progress: () => undefined,
        note: (sentence) => {
          run.note(sentence);
        },
      },
    );
    run.atEnd(async () => {
      await swarm.stop();
      await opened.value.transport.drain();
    });
    return new FanSwarm(swarm, opened.value);
  }

  /** Where each of them hears its jobs. */
  get subjects(): readonly string[] {
    const subjects = subjectsOf(this.master.config.cluster);
    return this.swarm.keys.map(({ identity }) => subjects.job(fp(fromHex(identity))));
  }

  async close(): Promise<void> {
    await this.swarm.stop();
    await this.master.transport.drain();
  }

  /** @returns Milliseconds from the question to the end at the caller. @throws {Error} When a return is missing. */
  async whole(): Promise<number> {
    const began = now();
    await this.#ask();
    return now() - began;
  }

  /** A job to one of them. @throws {Error} When its return is missing. */
  async toOne(): Promise<void> {
    await this.#ask(this.swarm.ids.slice(0, 1));
  }

  async parted(): Promise<Parts> {
    const { processes } = this.swarm;
    const count = this.swarm.keys.length;
    await Promise.all(processes.map((one) => one.order({ type: 'hold' })));
    const jobs = Promise.all(processes.map((one) => one.nextHeld()));
    const began = now();
    const asked = this.#ask();
    const held = await jobs;
    const received = Math.max(...held.map(({ at }) => at));
    const returns = Promise.all(processes.map((one) => one.nextHeld()));
    const working = now();
    await Promise.all(processes.map((one) => one.order({ type: 'work' })));
    const sealed = await returns;
    const [ended, ...left] = await Promise.all([
      asked.then(now),
      ...processes.map((one) => one.order({ type: 'open' })),
    ]);
    const bytes = (all: readonly { readonly bytes: number }[]) => all.reduce((sum, one) => sum + one.bytes, 0) / count;
    return {
      out: received - began,
      back: ended - Math.min(...left),
      minions: Math.max(...sealed.map(({ at }) => at)) - working,
      jobBytes: bytes(held),
      returnBytes: bytes(sealed),
    };
  }

  /** Resolves when every return of the jobs before is stored, and its minion knows. @throws {Error} When that takes a minute. */
  async rest(): Promise<void> {
    const resting = Promise.all(this.swarm.processes.map((one) => one.order({ type: 'rest' })));
    const late = pause(TIMEOUT_S * 1000, undefined, { ref: false }).then(() => {
      throw new Error('some returns are not stored after a minute');
    });
    await Promise.race([resting, late]);
  }

  /** Its minions answer whatever comes as it is, while `work` goes on. */
  async plainly<T>(answerBytes: number, work: () => Promise<T>): Promise<T> {
    const { processes } = this.swarm;
    await Promise.all(processes.map((one) => one.order({ type: 'plain', bytes: Math.round(answerBytes) })));
    try {
      return await work();
    } finally {
      await Promise.all(processes.map((one) => one.order({ type: 'open' })));
    }
  }

  #ask(only?: readonly string[]): Promise<void> {
    const left = new Set(only ?? this.swarm.ids);
    const target =
      only === undefined ? { tgt: 'swarm*', tgtType: 'glob' as const } : { tgt: only, tgtType: 'list' as const };
    const ask = {
      ...target, funs: ['test.ping'], args: [[]], timeout: TIMEOUT_S, returner: '', returnerOptions: {}, options: {},
    }; // prettier-ignore
    return new Promise((resolve, reject) => {
      this.master.client.publishTo(ask, 'all', (news) => {
        if (news.type === 'return') left.delete(news.id);
        else if (news.type === 'refused') reject(new Error(news.refusal.sentence));
        else if (news.type === 'end') {
          if (left.size === 0) resolve();
          else reject(new Error(`${String(left.size)} returns are missing`));
        }
      });
    });
  }
}

/** The clock that all processes of this host share. */
function now(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}
