/** Rules of hello: pin, roles' signatures, time, expiry, in this order; whatever fails leaves the clock alone. */
import {
  type Cluster,
  clusterOf,
  decode,
  encode,
  fingerprint,
  type RolesDocument,
  type Signed,
  SigningKey,
  signRoles,
  signTime,
  sodiumReady,
  type Wire,
} from '@natrium/envelope';
import { contracts, readAs, subjectsOf, writeAs } from '@natrium/wire';
import { Clock } from '../parties/clock.js';
import { MemoryBroker } from '../ports/memory-transport.js';
import { hello, type HelloPin } from './hello.js';

const NOW = 1_795_000_000_000;
const SUBJECTS = subjectsOf('main');

/** What an acl-service knows, right until a test changes it. */
class Acl {
  readonly root = SigningKey.generate();
  readonly acl = SigningKey.generate();
  readonly cluster: Cluster = clusterOf(this.root.publicKey);
  readonly broker = new MemoryBroker();
  /** What passes between the next question and its answer: by the own clock, and for everybody. */
  trip = { ownMs: 0, elapsedMs: 0 };
  questions = 0;
  /** Of the last `no_answer`. */
  why: string | undefined;
  /** What was wrong at last. */
  sentence: string | undefined;
  readonly #own = { nowMs: NOW, awakeMs: 0 };
  readonly clock = new Clock(30_000, () => this.#own.nowMs, () => this.#own.awakeMs); // prettier-ignore
  documentSigner = this.root;
  timeSigner = this.acl;
  notAfter = NOW + 1000;
  timeMs = NOW;
  nonceOf = (nonce: Uint8Array): Uint8Array => nonce;
  /** What is sent in place of an answer. */
  raw: Uint8Array | undefined;
  /** What the asker has seen before. */
  newest: Signed | undefined;
  /** What others answer before it does. */
  faster: readonly Uint8Array[] = [];

  listen(): this {
    const transport = this.broker.connect();
    transport.subscribe(SUBJECTS.hello, ({ payload, reply }) => {
      const { nonce } = readAs(contracts.helloQuestion, decode(payload));
      this.questions += 1;
      this.#own.nowMs += this.trip.ownMs;
      this.#own.awakeMs += this.trip.elapsedMs;
      this.trip = { ownMs: 0, elapsedMs: 0 };
      for (const forged of this.faster) transport.publish(reply!, forged);
      transport.publish(reply!, this.raw ?? this.answer(nonce));
    });
    return this;
  }

  async greet(pin: HelloPin = { firstRoot: this.root.publicKey }, minSerial = 1): Promise<string> {
    const first = await this.#greet(pin, minSerial, 400);
    // What is bad is listened past until the time is over; a machine that stalled for all of it has heard nothing.
    return first === 'no_answer' ? this.#greet(pin, minSerial, 5000) : first;
  }

  greetOnce(): Promise<string> {
    return this.#greet({ firstRoot: this.root.publicKey }, 1, 400);
  }

  async #greet(pin: HelloPin, minSerial: number, timeoutMs: number): Promise<string> {
    const limits = { minSerial, newest: this.newest, timeoutMs, inbox: undefined };
    const greeted = await hello(this.broker.connect(), SUBJECTS, pin, this.clock, limits);
    this.why = greeted.ok ? undefined : greeted.error.why;
    this.sentence = greeted.ok ? undefined : greeted.error.sentence;
    return greeted.ok ? 'welcome' : greeted.error.code;
  }

  answer(nonce: Uint8Array): Uint8Array {
    const chain: Signed[] = [this.document()];
    const time = signTime(this.timeSigner, this.cluster, this.nonceOf(nonce), this.timeMs);
    const answer = { version: 1 as const, firstRoot: this.root.publicKey, chain, services: [], time };
    return encode(writeAs(contracts.helloAnswer, answer) as Wire);
  }

  document(signer = this.documentSigner, serial = 3): Signed {
    const roles = { gateway: [], acl: [this.acl.publicKey], runner: [], reactor: [], sink: [] };
    const document: RolesDocument = { serial, notAfter: this.notAfter, roles, nextRoot: null };
    return signRoles(signer, this.cluster, document);
  }
}

let acl: Acl;
beforeAll(sodiumReady);
beforeEach(() => {
  acl = new Acl().listen();
});

describe('hello', () => {
  it('is answered under the pinned root, by key or by fingerprint', async () => {
    expect(await acl.greet()).toBe('welcome');
    expect(await acl.greet({ fingerprint: fingerprint(acl.root.publicKey).toUpperCase() })).toBe('welcome');
  });

  it('trusts the first root that answers only when told to', async () => {
    expect(await acl.greet('first')).toBe('welcome');
    expect(await acl.greet({ firstRoot: SigningKey.generate().publicKey })).toBe('wrong_pin');
  });

  it('takes the signed time over when the own clock is wrong', async () => {
    acl.timeMs = NOW + 3_600_000;
    acl.notAfter = acl.timeMs;
    expect(await acl.greet()).toBe('welcome');
    expect(acl.clock.now()).toBe(NOW + 3_600_000);
  });

  it.each([
    [2000, 2000, 1],
    [0, 0, 1],
    [2001, 2000, 2],
    [2000, 2001, 2],
    [-1, 0, 2],
    [-3_600_000, 10, 2],
    [3_600_000, 10, 2],
  ])('takes no answer after %i ms by the own clock and %i ms in truth unless both are 0 to 2,000', async (ownMs, elapsedMs, questions) => {
    Object.assign(acl, { trip: { ownMs, elapsedMs }, timeMs: NOW + ownMs, notAfter: NOW + 3_600_000 });
    expect(await acl.greet()).toBe('welcome'); // when it was not at once, then to the question that is asked after it
    expect([acl.questions, acl.clock.offsetMs]).toEqual([questions, 0]);
  }); // prettier-ignore

  it('goes on listening when a stranger answers first, and takes the answer that is good', async () => {
    const stranger = new Acl();
    stranger.timeMs = NOW + 3_600_000;
    acl.faster = [new Uint8Array(), Uint8Array.from(Buffer.from('rubbish')), stranger.answer(new Uint8Array(32))];
    expect(await acl.greet()).toBe('welcome');
    expect(acl.clock.offsetMs).toBe(0);
    acl.raw = stranger.answer(new Uint8Array(32)); // the twin: nothing but strangers
    expect(await acl.greet()).toBe('wrong_pin');
  });

  it('hears at once that nobody is there', async () => {
    const alone = new Acl();
    expect([await alone.greet(), alone.why]).toEqual(['no_answer', 'no_responders']);
  });

  it.each<readonly [string, (silent: Acl) => unknown]>([
    ['stands still', (silent) => silent.broker.connect().subscribe(SUBJECTS.hello, () => undefined)],
    ['answers too late', (late) => (late.listen().trip = { ownMs: 2001, elapsedMs: 2001 })],
  ])('tells one that %s from none', async (_about, listen) => {
    const slow = new Acl();
    listen(slow);
    expect([await slow.greetOnce(), slow.why]).toEqual(['no_answer', 'timeout']);
    expect([await acl.greet(), acl.why]).toEqual(['welcome', undefined]);
  });

  it.each<readonly [string, string, (acl: Acl) => unknown]>([
    ['roles that another root signed', 'roles_invalid', (one) => (one.documentSigner = SigningKey.generate())],
    ['a time that a stranger signed', 'time_invalid', (one) => (one.timeSigner = SigningKey.generate())],
    ['an older answer', 'time_invalid', (one) => (one.nonceOf = () => new Uint8Array(32))],
    ['nothing', 'malformed', (one) => (one.raw = new Uint8Array())],
    ['rubbish', 'malformed', (one) => (one.raw = Uint8Array.from(Buffer.from('rubbish')))],
    ['another shape', 'malformed', (one) => (one.raw = encode([1, 2, 3]))],
  ])('refuses %s, and leaves the clock alone', async (_about, code, breakIt) => {
    acl.timeMs = NOW + 3_600_000;
    breakIt(acl);
    expect(await acl.greet()).toBe(code);
    expect([acl.clock.offsetMs, acl.clock.now()]).toEqual([0, NOW]);
  });

  it('refuses a serial below the highest that was seen, and takes that one again', async () => {
    expect(await acl.greet({ firstRoot: acl.root.publicKey }, 4)).toBe('roles_invalid');
    expect(acl.sentence).toMatch(/roles document is older than number 4, which is known here: hand that one out/);
    expect(await acl.greet({ firstRoot: acl.root.publicKey }, 3)).toBe('welcome');
  });

  it.each<readonly [string, (acl: Acl) => Signed]>([
    ['lacks the newest document that is known', (one) => one.document(one.root, 2)],
    ['holds it under the signature of another root', (one) => one.document(SigningKey.generate())],
  ])('refuses a chain that %s, and leaves the clock alone; one that holds it is good', async (_about, newestOf) => {
    acl.timeMs = NOW + 3_600_000;
    acl.notAfter = acl.timeMs;
    acl.newest = newestOf(acl);
    expect(await acl.greet()).toBe('roles_invalid');
    expect([acl.clock.offsetMs, acl.clock.now()]).toEqual([0, NOW]);
    acl.newest = acl.document();
    expect(await acl.greet()).toBe('welcome');
  });

  it('asks for the pin before anything else', async () => {
    acl.documentSigner = SigningKey.generate();
    acl.timeSigner = SigningKey.generate();
    expect(await acl.greet({ fingerprint: fingerprint(SigningKey.generate().publicKey) })).toBe('wrong_pin');
  });

  it('counts the expiry by the signed time, not by the own clock', async () => {
    acl.notAfter = NOW + 60_000;
    acl.timeMs = NOW + 60_001;
    expect(await acl.greet()).toBe('roles_expired');
    acl.timeMs = NOW + 60_000;
    expect(await acl.greet()).toBe('welcome');
  });
});
