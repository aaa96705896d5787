/** What the doors of the HTTP API call: sessions, lowstates, events. Who asks is only ever what the acl-service says of a token. */
import { cutToSize, EventProblem, NotStored, type Origin } from '@natrium/events';
import { isMap, refusal, type Value, type ValueMap } from '@natrium/model';
import { LATE, within } from '@natrium/process';
import { BadRequestException, UnauthorizedException } from '@nestjs/common';
import type { Request, Response } from 'express';
import type { Logger } from 'pino';
import type { Refusals } from '../callers/refusals.js';
import type { EventFeed } from '../event-feed.js';
import type { CallSequence, NamedCaller } from './call-sequence.js';
import type { Call, Clients } from './clients.js';
import type { EventStreams } from './event-streams.js';
import { fromOf, listenerTokenIn, sessionIn } from './guards.js';
import { hookEvent } from './hook-event.js';
import { knownIfLong, ofLiving } from './living-caller.js';
import { loginAsk, withoutCredentials } from './login-ask.js';
import { wordsOf } from './lowstate.js';
import { httpError, TokenEnded } from './refused.js';
import { lowstates, readBody, yamlIn } from './request-body.js';
import { type Bill, type LoginAsk, type Session, type Sessions, TOKEN, unproved } from './sessions.js';

export interface ApiParts {
  readonly sessions: Sessions;
  readonly clients: Clients;
  readonly streams: EventStreams;
  readonly feed: EventFeed;
  readonly openHook: boolean;
  readonly openStats: boolean;
  readonly maxEventBytes: number;
  readonly refusals: Pick<Refusals, 'count'>;
  readonly log: Logger;
}

/** Whoever reaches the API, where `webhook_disable_auth` says so. */
const OPEN_HOOK: Origin = { kind: 'local', name: 'hook' };
/** How long a hook waits for the store. */
const HOOK_MS = 10_000;
const KEPT =
  'The store takes no writes now. The event is kept at this gateway and stored as soon as it can be; it need not be sent again';

export class Api {
  readonly #began = performance.now();
  readonly #startTime = Date.now() / 1000;
  readonly #counts = { logins: 0, calls: 0, hooks: 0 };

  constructor(private readonly parts: ApiParts) {}

  /**
   * Whoever is not known here yet asks nothing of the gate, and nothing of what he sent is read.
   *
   * @throws {HttpException} When the request carries no session, or one that nobody knows.
   */
  callerOf(req: Request, res: Response): Promise<NamedCaller> {
    return this.#known(this.#caller(sessionIn(req), req, res));
  }

  async lowstatesOf(req: Request, caller: NamedCaller): Promise<readonly ValueMap[]> {
    await knownIfLong(req, caller);
    const pay = this.parts.sessions.toll(caller.token);
    return ofLiving(caller, () => {
      const read = lowstates(bodyOf(req, 'utf-8', pay));
      pay(yamlIn(read.flatMap(wordsOf)));
      return read;
    });
  }

  async runAll(lowstates: readonly ValueMap[], caller: NamedCaller): Promise<readonly Value[]> {
    // Each call is decided with its token; where there is none, the session still has to live.
    if (lowstates.length === 0) await caller.name();
    const calls = await ofLiving(caller, () => this.parts.clients.read(lowstates, caller));
    return this.parts.clients.inSequence((sequence) => this.#make(calls, caller, sequence));
  }

  /** @returns What the gate would say of this function on this target. */
  async canI(req: Request, res: Response): Promise<ValueMap> {
    const caller = await this.callerOf(req, res);
    await knownIfLong(req, caller);
    const low = bodyOf(req, 'utf-8', this.parts.sessions.toll(caller.token));
    if (!isMap(low)) throw new BadRequestException('One mapping with fun and tgt is asked for');
    this.#counts.calls += 1;
    return { ...(await this.#orForget(caller, () => this.parts.clients.verdict(low, caller))) };
  }

  /** Each lowstate brings its own credentials, or a token of `/token`. */
  async runSessionless(req: Request, res: Response): Promise<readonly Value[]> {
    const bill = this.#strangersBill(req, res);
    const list = lowstates(bodyOf(req, 'utf-8', bill.pay));
    const all: OwnCalls[] = [];
    for (const low of list) all.push(await this.#readOwn(low, list.length === 1, bill, req, res));
    return this.parts.clients.inSequence(async (sequence) => {
      const elements: Value[] = [];
      for (const own of all) elements.push(...(await this.#makeOwn(own, sequence, bill, req, res)));
      return elements;
    });
  }

  async login(req: Request, res: Response): Promise<ValueMap> {
    const bill = this.#strangersBill(req, res);
    const body = bodyOf(req, 'utf-8', bill.pay);
    const [first] = body === undefined ? [] : lowstates(body);
    const ask = first === undefined ? undefined : loginAsk(first, 'session');
    if (ask === undefined) throw unproved();
    this.#counts.logins += 1;
    const { token, session } = await this.parts.sessions.login(ask, fromOf(req, res));
    bill.repay();
    res.setHeader('X-Auth-Token', token);
    res.cookie('session_id', token, { ...cookieFlags(req), maxAge: this.parts.sessions.leftOf(session) });
    const { name: user, eauth, perms } = session;
    return { token, ...times(session), user, eauth, perms };
  }

  async logout(req: Request, res: Response): Promise<void> {
    await this.parts.sessions.logout(sessionIn(req), fromOf(req, res));
    res.clearCookie('session_id', cookieFlags(req));
  }

  async tokens(req: Request, res: Response): Promise<readonly Value[]> {
    const bill = this.#strangersBill(req, res);
    const asks = lowstates(bodyOf(req, 'utf-8', bill.pay)).map((low) => {
      const ask = loginAsk(low, 'token');
      if (ask === undefined) throw new BadRequestException('username, password and eauth are required');
      return ask;
    });
    const issued: Value[] = [];
    for (const ask of asks) {
      this.#counts.logins += 1;
      const { token, session } = await this.parts.sessions.login(ask, fromOf(req, res));
      bill.repay();
      issued.push({ ...times(session), name: session.name, eauth: session.eauth, token });
    }
    return issued;
  }

  async events(req: Request, res: Response): Promise<void> {
    const token = listenerTokenIn(req, [req.query['token'], req.query['salt_token']]);
    const from = fromOf(req, res);
    const session = await this.parts.sessions.check(token, from);
    const last = req.get('Last-Event-ID');
    const knowsIds = last !== undefined || isEventSource(req);
    this.parts.streams.open(res, { token, session, from: last ?? 'now', client: from }, knowsIds ? 'with id' : 'plain');
  }

  async stats(req: Request, res: Response): Promise<ValueMap> {
    if (!this.parts.openStats) await this.parts.sessions.check(sessionIn(req), fromOf(req, res));
    const seconds = (performance.now() - this.#began) / 1000;
    const { logins, calls, hooks } = this.#counts;
    return {
      // As Salt's server, whose clients look there whether the API is up.
      'CherryPy Applications': {
        Enabled: true,
        'Start Time': this.#startTime,
        'Current Time': Date.now() / 1000,
        Uptime: seconds,
      },
      'Natrium HTTP API': {
        Uptime: seconds,
        Logins: logins,
        Calls: calls,
        Hooks: hooks,
        Listeners: this.parts.streams.count,
      },
    };
  }

  async hook(req: Request, res: Response): Promise<void> {
    const origin = this.parts.openHook ? this.#anybody(req, res) : await this.#hookOrigin(req, res);
    const rest = decodeURIComponent(req.path.slice('/hook'.length)).replace(/\/+$/, '');
    // An event is no command: whatever came is told.
    const bill = this.parts.openHook ? this.parts.sessions.bill('address', fromOf(req, res)) : undefined;
    const data = hookEvent(req, bodyOf(req, 'any', bill?.pay));
    this.#counts.hooks += 1;
    // What the body says is in `post`, too, and that is what reactors read.
    await this.#fire(`salt/netapi/hook${rest}`, cutToSize(data, this.parts.maxEventBytes, 'body'), origin);
  }

  /** Who is told 503 may send it again, and who is told 400 never will. */
  async #fire(tag: string, data: ValueMap, origin: Origin): Promise<void> {
    try {
      const fired = await within(HOOK_MS, this.parts.feed.fire(tag, data, origin));
      if (fired === LATE) throw this.#unstored(KEPT);
    } catch (cause) {
      if (cause instanceof NotStored) throw this.#unstored(cause.message);
      if (cause instanceof EventProblem) throw new BadRequestException(cause.message, { cause });
      throw cause;
    }
  }

  #unstored(sentence: string): Error {
    const refused = refusal('store_unavailable', sentence);
    this.parts.refusals.count(refused);
    return httpError(refused);
  }

  #anybody(req: Request, res: Response): Origin {
    this.parts.sessions.count(fromOf(req, res));
    return OPEN_HOOK;
  }

  async #hookOrigin(req: Request, res: Response): Promise<Origin> {
    const { name } = await this.parts.sessions.check(sessionIn(req), fromOf(req, res));
    return { kind: 'token', name };
  }

  /** What is to be made, and by whom; nobody has logged in, and nothing is sent. */
  async #readOwn(low: ValueMap, isAlone: boolean, bill: Bill, req: Request, res: Response): Promise<OwnCalls> {
    const { token } = low;
    const { clients } = this.parts;
    const call = withoutCredentials(low);
    if (token !== undefined && token !== null) {
      if (typeof token !== 'string' || !TOKEN.test(token)) throw new UnauthorizedException('Invalid token');
      const caller = await this.#known(this.#caller(token, req, res));
      bill.repay();
      return { caller, calls: await ofLiving(caller, () => clients.read([call], caller, isAlone)) };
    }
    // As Salt: what nobody could run needs no credentials to be told so.
    clients.check(low);
    const login = loginAsk(low, 'token');
    if (login === undefined) throw new UnauthorizedException('No authentication credentials given');
    bill.pay(yamlIn(wordsOf(low)));
    return { login, calls: clients.read([call], { token: '', about: fromOf(req, res).about }, isAlone) };
  }

  async #makeOwn(own: OwnCalls, sequence: CallSequence, bill: Bill, req: Request, res: Response) {
    if ('caller' in own) return this.#make(own.calls, own.caller, sequence);
    const from = fromOf(req, res);
    const proved = await sequence.again(() => this.parts.sessions.login(own.login, from));
    bill.repay();
    try {
      return await this.#make(own.calls, this.#caller(proved.token, req, res), sequence);
    } finally {
      // The answer is what it is: a client that heard of this instead would run the job again.
      this.parts.sessions.logout(proved.token, from, false).catch((cause: unknown) => {
        this.parts.log.warn({ err: cause, http_request: from.about }, 'a token of /run lives on until its end');
      });
    }
  }

  async #make(calls: readonly Call[], caller: NamedCaller, sequence: CallSequence): Promise<readonly Value[]> {
    this.#counts.calls += calls.length;
    const make = () => this.parts.clients.makeAll(calls, sequence.by(caller));
    return this.#orForget(caller, () => ofLiving(caller, make, () => !sequence.hasBegun));
  }

  /** Whose token has ended since is nobody from then on. */
  async #orForget<T>(caller: NamedCaller, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (cause) {
      if (cause instanceof TokenEnded) this.parts.sessions.forget(caller.token);
      throw cause;
    }
  }

  async #known(caller: NamedCaller): Promise<NamedCaller> {
    if (!this.parts.sessions.knows(caller.token)) await caller.name();
    return caller;
  }

  /** Of whom nobody knows yet: for what of his request is YAML his address pays. */
  #strangersBill(req: Request, res: Response): Bill {
    return this.parts.sessions.bill('stranger', fromOf(req, res));
  }

  #caller(token: string, req: Request, res: Response): NamedCaller {
    const from = fromOf(req, res);
    let name: string | undefined;
    return {
      token,
      about: from.about,
      name: async () => (name ??= (await this.parts.sessions.check(token, from)).name),
    };
  }
}

function bodyOf(req: Request, bytes?: 'utf-8' | 'any', onYaml?: (length: number) => void): Value | undefined {
  const body: unknown = req.body;
  return Buffer.isBuffer(body) ? readBody(req.headers['content-type'], body, bytes, onYaml) : undefined;
}

/**
 * Whether it asks as an `EventSource` has to by its standard, which says both. Whoever reads lines, as Salt's manual shows it, may ask for
 * the type too, and takes each line more for an event's: Resalt hears nothing behind the first `id`.
 */
function isEventSource(req: Request): boolean {
  const names = (header: string, word: RegExp) => word.test(req.get(header) ?? '');
  return names('Accept', /\btext\/event-stream\b/i) && names('Cache-Control', /\bno-(?:cache|store)\b/i);
}

/** A lowstate of `/run` that was read, and who makes it. */
type OwnCalls = { readonly calls: readonly Call[] } & ({ readonly caller: NamedCaller } | { readonly login: LoginAsk });

function times({ start, expire }: Session): ValueMap {
  return { start: start / 1000, expire: expire / 1000 };
}

function cookieFlags(req: Request) {
  return { path: '/', httpOnly: true, sameSite: 'strict', secure: req.secure } as const;
}
