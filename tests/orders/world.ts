/** All that one order of events is made of, and what happened in it. */
import { digestOf } from '@natrium/bus';
import { encodeRequest } from '@natrium/envelope';
import type { SignedRequest } from '@natrium/flow';
import { lifetimeOf, type Request } from '@natrium/model';
import { Bucket } from './bucket.js';
import { Dice } from './dice.js';
import type { AnyGateway, AnyMinion, CacheOf, Reached } from './parties.js';
import { Trouble } from './trouble.js';
import type { VirtualTime } from './virtual-time.js';

const COLUMN = 8;

export class World {
  readonly dice: Dice;
  readonly buckets = [new Bucket('jobs'), new Bucket('jobs2')] as const;
  readonly trouble: Trouble;
  readonly gateways: AnyGateway[] = [];
  minions: readonly AnyMinion[] = [];
  /** What happened, oldest first, each line with its virtual time. */
  readonly events: string[] = [];
  /** Promises that were not kept, in words. */
  readonly broken = new Set<string>();
  /** The policy lets nobody do anything. */
  denies = false;
  troubleUntil = 0;
  /** The request that all is about. */
  ask: SignedRequest | undefined;
  /** Callers of that one were told that it is a job under these. */
  readonly toldJids = new Set<string>();
  readonly isUnsigned: boolean;
  /** Runs may be interrupted by the death of their minions. */
  readonly interrupts: boolean;
  /** The jids that each request was sent out under. */
  readonly sent = new Map<string, Set<string>>();
  #jids = 0;

  constructor(
    readonly time: VirtualTime,
    seed: number,
    readonly cacheOf: CacheOf,
  ) {
    this.dice = new Dice(seed);
    this.isUnsigned = this.dice.chance(0.25);
    this.interrupts = this.dice.chance(0.15);
    this.trouble = new Trouble(this.dice, () => time.now >= this.troubleUntil);
  }

  say(event: string): void {
    this.events.push(`${String(this.time.now).padStart(COLUMN)} ms  ${event}`);
  }

  break(promise: string): void {
    this.broken.add(promise);
    this.say(`!! ${promise}`);
  }

  get alive(): readonly AnyGateway[] {
    return this.gateways.filter(({ isDead, isUp }) => !isDead && isUp);
  }

  /** What has run of the job, by which minion. */
  get ran(): readonly { readonly id: string; readonly jid: string }[] {
    return this.minions.flatMap(({ id, ran }) =>
      ran.flatMap(({ digest, jid }) => (digest === this.ask?.digest ? [{ id, jid }] : [])),
    );
  }

  after(ms: number, run: () => void): void {
    this.time.after(ms, run);
  }

  /** For how long nothing reaches it yet. */
  cutMs({ cutUntil, standsUntil }: Reached): number {
    return Math.max(Math.max(cutUntil, standsUntil) - this.time.now, 0);
  }

  /** In the gateway, as soon as it can be reached after so many ms; never where it is dead. */
  whenReached(gateway: Reached, ms: number, run: () => void): void {
    this.after(ms, () => {
      if (gateway.isDead) return;
      const more = this.cutMs(gateway);
      if (more > 0) this.whenReached(gateway, more, run);
      else this.time.within(gateway, run);
    });
  }

  /** Microseconds that no other jid has. */
  nextMicros(): number {
    this.#jids += 1;
    return this.time.wall * 1000 + (this.#jids % 1000);
  }

  sentUnder(digest: string, jid: string): void {
    const jids = this.sent.get(digest) ?? new Set();
    this.sent.set(digest, jids.add(jid));
    if (jids.size > 1) this.break('a request is sent out under one jid');
  }

  /** A request of the caller. */
  newAsk(callerKey: Uint8Array): SignedRequest {
    const { dice, isUnsigned } = this;
    const timeout = dice.oneOf([2, 5, 5, 10]);
    const request: Request = {
      ...{ id: dice.bytes(16), what: 'job', funs: ['test.ping'], args: [[]], tgt: '*', tgtType: 'glob' },
      ...{ returner: '', returnerOptions: {}, timeout, options: dice.chance(0.3) ? { wait_running: true } : {} },
      ...{ issued: this.time.wall, lifetime: lifetimeOf(timeout) },
    };
    const bytes = encodeRequest(request);
    const token = { eauth: '', username: '', secret: '', token: 't' };
    const proof = isUnsigned
      ? { signature: null, credential: token, callerKey: null }
      : { signature: dice.bytes(64), credential: null, callerKey };
    return { ...proof, bytes, grantRun: null, request, digest: digestOf(bytes) };
  }
}
