/** Logins, and who a token is, as the acl-service knows it: what is remembered here only saves questions, so any replica serves any session. */
import { randomBytes } from 'node:crypto';
import { askAgain, BACK_MS, digestOf } from '@natrium/bus';
import type { RoleLink } from '@natrium/edge';
import { type Credential, TOO_FAST } from '@natrium/flow';
import { countedAddress } from '@natrium/matchers';
import { InFlight, keepLatest, NOT_NOW, refusal } from '@natrium/model';
import { type Body, contracts } from '@natrium/wire';
import { PayloadTooLargeException, UnauthorizedException } from '@nestjs/common';
import type { Refusals } from '../callers/refusals.js';
import { httpError, NotNow } from './refused.js';

export type Session = NonNullable<Body<typeof contracts.authed>['session']>;

export interface From {
  readonly address: string;
  /** The id of the HTTP request. */
  readonly about: string;
}

export interface LoginAsk {
  readonly eauth: string;
  readonly username: string;
  readonly secret: string;
  readonly expire: number | null;
  readonly use: 'session' | 'token';
}

type Auth = Body<typeof contracts.auth>;

/** Budgets of an address: of whoever brings credentials along, and of everybody else there who is not known. */
export type Purse = 'stranger' | 'address';

/** How much each caller may ask, by what is known of him. */
export interface Allowance {
  take(caller: string): boolean;
  /** Of what was taken. */
  give(caller: string, tokens: number): void;
  /** What something turned out to cost: a caller may come to owe it. */
  charge(caller: string, tokens: number): void;
  /** Whether the next one would be refused. */
  isSpent(caller: string): boolean;
}

/** What one request costs its address before anybody knows who has sent it. */
export interface Bill {
  /**
   * Before YAML is read: that takes the gateway's only thread, some milliseconds for a KiB.
   *
   * @param length In characters.
   * @throws {HttpException} When the address has not so much left, or nobody has.
   */
  readonly pay: (length: number) => void;
  /** Whoever sent it has proved to be somebody: he gets back what it has cost. */
  readonly repay: () => void;
}

const ANSWER_MS = 10_000;
const MAX_PROVED = 10_000;
/** Of an unknown client's YAML: characters that cost nothing, characters for each token of its address's budget, and the most that are read. */
const YAML = { free: 256, unit: 64, most: 65_536 } as const;
/** Characters of YAML that cost somebody who is known as much as a call. */
const KNOWN_YAML = 1024;
const NOBODY: Credential = { eauth: '', username: '', secret: '', token: '' };
export const SESSION_ID = /^[0-9a-f]{40}$/;
export const TOKEN = /^[0-9a-f]{64}$/;
/** Lengths that the wire carries: longer texts are no credentials, and are not sent. */
const LIMITS = { eauth: 64, username: 256, secret: 4096 } as const;

export class Sessions {
  /** Digests of tokens that were good when they were looked at last. */
  readonly #proved = new Set<string>();
  /** Looks at tokens that nobody knows here yet, by digest: all who come with one at a time wait for one answer. */
  readonly #looks = new InFlight<string, Promise<Session>>();

  constructor(
    private readonly link: RoleLink,
    private readonly allowance: Allowance,
    private readonly refusals: Pick<Refusals, 'count'>,
  ) {}

  /** Counts a request of a client of whom only the address is known. @throws {HttpException} When that asks too much. */
  count(from: From): void {
    if (!this.allowance.take(purseOf('address', from))) throw this.#tooFast();
  }

  /** Called before anything of an unknown client's body is read. @throws {HttpException} When too much from its address has failed. */
  mayTry(from: From): void {
    if (this.allowance.isSpent(purseOf('stranger', from))) throw this.#tooFast();
  }

  /**
   * Counts wrong credentials from there; in a budget of its own, so that what else an address does, such as hooks, keeps nobody from
   * logging in. Of many at once, which all came while there was something left, it comes to owe the rest.
   */
  failed(from: From): void {
    const payer = purseOf('stranger', from);
    if (!this.allowance.take(payer)) this.allowance.charge(payer, 1);
  }

  bill(purse: Purse, from: From): Bill {
    const payer = purseOf(purse, from);
    let paid = 0;
    return {
      pay: (length) => {
        if (length > YAML.most) throw new PayloadTooLargeException('So much YAML is only read of who is known');
        for (let left = length - YAML.free; left > 0; left -= YAML.unit) {
          if (!this.allowance.take(payer)) throw this.#tooFast();
          paid += 1;
        }
      },
      repay: () => {
        this.allowance.give(payer, paid);
        paid = 0;
      },
    };
  }

  /**
   * What YAML costs whoever is known: it is read for somebody who owes nothing, and then paid.
   *
   * @returns What hears of it before it is read; it throws for somebody who owes.
   */
  toll(token: string): (length: number) => void {
    const payer = `token ${ofToken(token)}`;
    return (length) => {
      if (length < KNOWN_YAML) return;
      if (this.allowance.isSpent(payer)) throw this.#tooFast();
      this.allowance.charge(payer, Math.floor(length / KNOWN_YAML));
    };
  }

  async login(ask: LoginAsk, from: From): Promise<{ readonly token: string; readonly session: Session }> {
    const { eauth, username, secret, expire, use } = ask;
    const isFit = eauth.length <= LIMITS.eauth && username.length <= LIMITS.username && secret.length <= LIMITS.secret;
    if (!isFit) throw unproved();
    const credential = { eauth, username, secret, token: randomBytes(32).toString('hex') };
    const asked = this.#ask({ what: 'login', use, credential, expire, ...fit(from) });
    const login = await this.#told(asked).catch((cause: unknown) => {
      // The acl-service has had its work with it all the same. Wrong credentials are counted with the answer.
      if (cause instanceof NotNow) this.failed(from);
      throw cause;
    });
    this.#remember(ofToken(login.token));
    return login;
  }

  /** For how many milliseconds it still lives, by the clock of the acl-service: that of this host may be wrong. */
  leftOf({ expire }: Session): number {
    return Math.max(0, expire - this.link.clock.now());
  }

  /** Whether it was good when it was looked at last: until the gate says otherwise, its calls need no look before. */
  knows(token: string): boolean {
    return this.#proved.has(ofToken(token));
  }

  /** The gate has said that it is good for nothing any more. */
  forget(token: string): void {
    this.#proved.delete(ofToken(token));
  }

  /** @param isAsked Not where the gateway looks again by itself. @throws {UnauthorizedException} When the session has ended. */
  async check(token: string, from: From, isAsked = true): Promise<Session> {
    if (!isAsked) return (await this.#about('check', token, from)).session;
    return this.#told(this.#checkAsked(token, from));
  }

  async #checkAsked(token: string, from: From): Promise<Session> {
    const digest = ofToken(token);
    const underWay = this.#looks.get(digest);
    if (underWay !== undefined) return underWay;
    const isKnown = this.#proved.has(digest);
    this.#charge(digest, from);
    const look = this.#look(digest, token, from);
    if (isKnown) return look;
    this.#looks.set(digest, look);
    try {
      return await look;
    } finally {
      this.#looks.delete(digest);
    }
  }

  /**
   * An address may be that of many, by a proxy: what one of them has tried is nothing to a session that is known. The others pay
   * before they are looked at: so many at once are no more tries than one after the other.
   */
  #charge(digest: string, from: From): void {
    const payer = this.#proved.has(digest) ? `token ${digest}` : purseOf('address', from);
    if (!this.allowance.take(payer)) throw httpError(TOO_FAST);
  }

  async #look(digest: string, token: string, from: From): Promise<Session> {
    try {
      const { session } = await this.#about('check', token, from);
      this.#remember(digest);
      return session;
    } catch (cause) {
      if (cause instanceof UnauthorizedException) this.#proved.delete(digest);
      throw cause;
    }
  }

  #remember(digest: string): void {
    this.#proved.delete(digest);
    this.#proved.add(digest);
    keepLatest(this.#proved, MAX_PROVED);
  }

  /** @param isAsked Not where the gateway ends what it has begun. */
  async logout(token: string, from: From, isAsked = true): Promise<void> {
    const end = this.#end(token, from, isAsked);
    await (isAsked ? this.#told(end) : end);
  }

  async #end(token: string, from: From, isAsked: boolean): Promise<void> {
    const digest = ofToken(token);
    if (isAsked) this.#charge(digest, from);
    await this.#about('logout', token, from);
    this.#proved.delete(digest);
  }

  #tooFast(): Error {
    this.refusals.count(TOO_FAST);
    return httpError(TOO_FAST);
  }

  /** Of many who wait for one look each hears what comes of it. */
  async #told<T>(asked: Promise<T>): Promise<T> {
    try {
      return await asked;
    } catch (cause) {
      if (cause instanceof NotNow) this.refusals.count(cause.refusal);
      throw cause;
    }
  }

  async #about(what: 'check' | 'logout', token: string, from: From) {
    const use = SESSION_ID.test(token) ? 'session' : 'token';
    if (use === 'token' && !TOKEN.test(token)) throw unproved();
    return this.#ask({ what, use, credential: { ...NOBODY, token }, expire: null, ...fit(from) });
  }

  async #ask(body: Auth): Promise<{ readonly token: string; readonly session: Session }> {
    const { link } = this;
    const question = {
      contract: contracts.auth,
      body,
      subject: link.subjects.svcAcl('auth'),
      to: () => link.directory.role('acl'),
      backMs: BACK_MS,
    };
    const codeOf = (answered: Body<typeof contracts.authed>) => answered.refusal?.code;
    const answer = await askAgain(link.bus, question, contracts.authed, { timeoutMs: ANSWER_MS, codeOf });
    if (!answer.ok || codeOf(answer.value) === 'already_ran')
      throw httpError(refusal('acl_unavailable', 'No acl-service answered'));
    const { refusal: refused, token, session } = answer.value;
    if (refused !== null && refused.code !== 'bad_credential') {
      const code = NOT_NOW.find((one) => one === refused.code) ?? 'bad_request';
      throw httpError({ code, sentence: refused.sentence });
    }
    if (refused !== null || session === null) throw unproved();
    return { token, session };
  }
}

export function tokenCredential(token: string): Credential {
  return { ...NOBODY, token };
}

/** One sentence for every reason: who may not come in learns nothing of who may. */
export function unproved(): UnauthorizedException {
  return new UnauthorizedException('No permission -- see authorization schemes');
}

function ofToken(token: string): string {
  return digestOf(Buffer.from(token));
}

function purseOf(purse: Purse, { address }: From): string {
  return `${purse} ${countedAddress(address)}`;
}

function fit({ address, about }: From): From {
  return { address: address.slice(0, 64), about: about.slice(0, 64) };
}
