/** Logins, and who a token is, as the acl-service knows it: nothing of it is kept here, so any replica serves any session. */
import { BACK_MS, digestOf } from '@natrium/bus';
import type { RoleLink } from '@natrium/edge';
import type { Credential } from '@natrium/flow';
import { type Body, contracts } from '@natrium/wire';
import { ServiceUnavailableException, UnauthorizedException } from '@nestjs/common';
import { TOO_FAST } from '../door.js';
import { httpError, NOT_NOW } from './refused.js';

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

/** How much each caller may ask, by what is known of him. */
export interface Allowance {
  take(caller: string): boolean;
  /** Whether the next one would be refused. */
  isSpent(caller: string): boolean;
}

const ANSWER_MS = 10_000;
const MAX_PROVED = 10_000;
const NOBODY: Credential = { eauth: '', username: '', secret: '', token: '' };
export const SESSION_ID = /^[0-9a-f]{40}$/;
export const TOKEN = /^[0-9a-f]{64}$/;
/** What could not be a credential is not sent. */
const LIMITS = { eauth: 64, username: 256, secret: 4096 } as const;

export class Sessions {
  /** Digests of tokens that were good when they were looked at last. */
  readonly #proved = new Set<string>();

  constructor(
    private readonly link: RoleLink,
    private readonly allowance: Allowance,
  ) {}

  /** Of whoever has not proved who he is, an address is all that is known. @throws {HttpException} When it asks too much. */
  count({ address }: From): void {
    if (!this.allowance.take(`address ${address}`)) throw httpError(TOO_FAST);
  }

  /** Before anything of what somebody sends is read who is nobody yet. @throws {HttpException} When too much of that failed. */
  mayTry({ address }: From): void {
    if (this.allowance.isSpent(`stranger ${address}`)) throw httpError(TOO_FAST);
  }

  /** Credentials that came from there brought nothing: what else an address does, as by hooks, is nothing to who logs in. */
  failed({ address }: From): void {
    this.allowance.take(`stranger ${address}`);
  }

  async login(ask: LoginAsk, from: From): Promise<{ readonly token: string; readonly session: Session }> {
    const { eauth, username, secret, expire, use } = ask;
    const isFit = eauth.length <= LIMITS.eauth && username.length <= LIMITS.username && secret.length <= LIMITS.secret;
    if (!isFit) throw unproved();
    return this.#ask({ what: 'login', use, credential: { eauth, username, secret, token: '' }, expire, ...fit(from) });
  }

  /** @param isAsked Not where the gateway looks again by itself. @throws {UnauthorizedException} When the session has ended. */
  async check(token: string, from: From, isAsked = true): Promise<Session> {
    if (!isAsked) return (await this.#about('check', token, from)).session;
    const digest = digestOf(Buffer.from(token));
    // An address may be that of many, by a proxy: what one of them has tried is nothing to a session that lives.
    const isFast = this.#proved.has(digest)
      ? !this.allowance.take(`token ${digest}`)
      : this.allowance.isSpent(`address ${from.address}`);
    if (isFast) throw httpError(TOO_FAST);
    try {
      const { session } = await this.#about('check', token, from);
      this.#remember(digest);
      return session;
    } catch (cause) {
      if (cause instanceof UnauthorizedException) {
        this.#proved.delete(digest);
        this.allowance.take(`address ${from.address}`);
      }
      throw cause;
    }
  }

  #remember(digest: string): void {
    this.#proved.delete(digest);
    this.#proved.add(digest);
    for (const oldest of this.#proved) {
      if (this.#proved.size <= MAX_PROVED) return;
      this.#proved.delete(oldest);
    }
  }

  async logout(token: string, from: From): Promise<void> {
    await this.#about('logout', token, from);
  }

  async #about(what: 'check' | 'logout', token: string, from: From) {
    const use = SESSION_ID.test(token) ? 'session' : 'token';
    if (use === 'token' && !TOKEN.test(token)) throw unproved();
    return this.#ask({ what, use, credential: { ...NOBODY, token }, expire: null, ...fit(from) });
  }

  async #ask(body: Auth): Promise<{ readonly token: string; readonly session: Session }> {
    const { link } = this;
    const answer = await link.bus.ask(
      {
        contract: contracts.auth,
        body,
        subject: link.subjects.svcAcl('auth'),
        to: () => link.directory.role('acl'),
        backMs: BACK_MS,
      },
      contracts.authed,
      ANSWER_MS,
    );
    if (!answer.ok) throw new ServiceUnavailableException('No acl-service answered');
    const { refusal, token, session } = answer.value.body;
    if (refusal !== null && refusal.code !== 'bad_credential') {
      const code = NOT_NOW.find((one) => one === refusal.code) ?? 'bad_request';
      throw httpError({ code, sentence: refusal.sentence });
    }
    if (refusal !== null || session === null) throw unproved();
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

function fit({ address, about }: From): From {
  return { address: address.slice(0, 64), about: about.slice(0, 64) };
}
