/** A master-gateway that may die, stand still or be cut off, and that takes care of the jobs of one that is gone. */
import { setTimeout as pause } from 'node:timers/promises';
import { isStoreFailure } from '@natrium/bus';
import type { News, Returned, SignedRequest } from '@natrium/flow';
import { Unanswered } from '@natrium/model';
import { NewsTeller } from '../../apps/master-gateway/src/callers/news-teller.js';
import type { JobCache } from '../../apps/master-gateway/src/jobs/job-cache.js';
import { Conversation } from './conversation.js';
import { cacheFor } from './faulty-store.js';
import { type GatewayParts, partsOf } from './gateway-parts.js';
import type { OwnGateway } from './own-gateway.js';
import type { AnyGateway, Hear } from './parties.js';
import { checkOldest } from './promises.js';
import type { World } from './world.js';

const BEGIN_AGAIN_MS = 1000;
const OLDEST_MS = 2500;
const SECOND_MS = 1000;
/** So often nobody answers before a gateway counts as gone, as `Fellows` has it. */
const SILENCES = 3;
const QUICK_MS = 4;
/** Of a gateway that is cut off the broker may say that it is not there. */
const SAID_TO_BE_GONE = 0.4;

export class Gateway implements OwnGateway {
  isDead = false;
  isUp = false;
  cutUntil = 0;
  standsUntil = 0;
  readonly sent = new Map<string, string>();
  readonly cache: JobCache;
  readonly parts: GatewayParts;
  readonly #silences = new Map<AnyGateway, number>();
  readonly #looking = new Set<AnyGateway>();
  readonly #gone = new Set<AnyGateway>();

  constructor(
    readonly world: World,
    readonly instance: string,
  ) {
    this.cache = cacheFor(world, this);
    this.parts = partsOf(this);
  }

  start(): void {
    this.world.time.within(this, () => void this.#begin());
  }

  die(): void {
    this.world.say(`${this.instance} dies`);
    this.isDead = true;
    for (const bucket of this.world.buckets) checkOldest(this.world, this, bucket);
  }

  async #begin(): Promise<void> {
    const begun = () =>
      this.cache.begin().then(
        () => true,
        () => false,
      );
    while (!(await begun())) await pause(BEGIN_AGAIN_MS);
    this.isUp = true;
    this.world.say(`${this.instance} is up`);
    const { jobs } = this.parts;
    setInterval(() => {
      this.cache.tellOldest((place) => jobs.byPlace(place) !== undefined).catch(() => undefined);
    }, OLDEST_MS);
    setInterval(() => {
      for (const other of this.world.gateways) if (other !== this && other.isUp) void this.#look(other);
    }, SECOND_MS);
  }

  /** Whether another one is there; it takes care of the jobs of one that is not. */
  async #look(other: AnyGateway): Promise<void> {
    if (this.#looking.has(other) || this.#gone.has(other)) return;
    this.#looking.add(other);
    try {
      await this.#careFor(other);
    } catch (error) {
      this.#failed('looks after another gateway', error);
    } finally {
      this.#looking.delete(other);
    }
  }

  async #careFor(other: AnyGateway): Promise<void> {
    const answer = this.#answerOf(other);
    await pause(answer === 'silence' ? SECOND_MS : QUICK_MS);
    if (answer === 'here') {
      this.#silences.delete(other);
      await this.parts.adoption.back(other.instance);
      return;
    }
    const silences = (this.#silences.get(other) ?? 0) + 1;
    this.#silences.set(other, silences);
    if (silences < SILENCES) return;
    this.world.say(`${this.instance} takes ${other.instance} for gone`);
    await this.parts.adoption.adopt(other.instance, answer === 'nobody');
    this.#silences.delete(other);
    if (other.isDead && answer === 'nobody') this.#gone.add(other);
  }

  #answerOf(other: AnyGateway): 'here' | 'silence' | 'nobody' {
    const { world } = this;
    if (world.cutMs(this) > 0) return 'silence';
    if (other.isDead) return 'nobody';
    if (world.cutMs(other) === 0) return 'here';
    return other.cutUntil > world.time.now && world.dice.chance(SAID_TO_BE_GONE) ? 'nobody' : 'silence';
  }

  handle(ask: SignedRequest, follow: 'all' | 'jid', hear: Hear = () => undefined): void {
    if (this.isDead) return;
    this.world.time.within(this, () => this.#handle(ask, follow, hear));
  }

  #handle(ask: SignedRequest, follow: 'all' | 'jid', hear: Hear): void {
    const { world } = this;
    const conversation = new Conversation(world, ask, hear);
    const say = (news: News) => {
      if (!this.isDead) world.time.within(undefined, () => conversation.tell(news));
    };
    const teller = new NewsTeller(say, 0, follow !== 'all');
    const alive = setInterval(() => {
      if (teller.isOver) clearInterval(alive);
      else if (this.cutUntil <= world.time.now) teller.tellAlive();
    }, SECOND_MS);
    const handling = this.parts.publish.handle(ask, false, follow, (news) => teller.tell(news));
    handling.catch((error: unknown) => {
      this.#failed('publishes', error);
      teller.giveUp();
    });
  }

  async take(said: Returned, key: string): Promise<boolean> {
    try {
      return await this.world.time.within(this, () => this.parts.returns.handle(said, key));
    } catch (error) {
      this.#failed('takes a return', error);
      return false;
    }
  }

  hearStored(jid: string, id: string): void {
    if (this.isDead || this.world.cutMs(this) > 0) return;
    this.world.time.within(this, () => this.parts.elsewhere.announced(jid, id));
  }

  #failed(what: string, error: unknown): void {
    const isExpected = error instanceof Unanswered || isStoreFailure(error);
    if (isExpected) this.world.say(`${this.instance} ${what}: ${error instanceof Error ? error.message : ''}`);
    else this.world.break(`nothing unforeseen is thrown where a gateway ${what} (${String(error)})`);
  }
}
