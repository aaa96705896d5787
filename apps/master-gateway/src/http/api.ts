/** What the doors of the HTTP API call: sessions, lowstates, events. Who asks is only ever what the acl-service says of a token. */
import { EventProblem, NotStored, type Origin } from '@natrium/events';
import { Float, isMap, isTrue, type Value, type ValueMap } from '@natrium/model';
import { BadRequestException, ServiceUnavailableException, UnauthorizedException } from '@nestjs/common';
import type { Request, Response } from 'express';
import type { Logger } from 'pino';
import type { EventFeed } from '../event-feed.js';
import type { Clients, NamedCaller } from './clients.js';
import type { EventStreams } from './event-streams.js';
import { clientIp, fromOf, listenerTokenIn, sessionIn } from './guards.js';
import { lowstates, readBody } from './request-body.js';
import { type LoginAsk, type Session, type Sessions, TOKEN, unproved } from './sessions.js';

export interface ApiParts {
  readonly sessions: Sessions;
  readonly clients: Clients;
  readonly streams: EventStreams;
  readonly feed: EventFeed;
  readonly openHook: boolean;
  readonly openStats: boolean;
  readonly log: Logger;
}

/** Headers of a hook's caller that are nobody else's business. */
const SECRET_HEADERS: ReadonlySet<string> = new Set(['authorization', 'cookie', 'x-auth-token', 'proxy-authorization']);
/** Whoever reaches the API, where `webhook_disable_auth` says so. */
const OPEN_HOOK: Origin = { kind: 'local', name: 'hook' };
/** How long a hook waits for the store. */
const HOOK_MS = 10_000;
const KEPT =
  'The store takes no writes now. The event is kept at this gateway and stored as soon as it can be; it need not be sent again';
const CREDENTIALS = ['username', 'password', 'eauth', 'sharedsecret', 'token_expire'] as const;

export class Api {
  readonly #began = Date.now();
  readonly #counts = { logins: 0, calls: 0, hooks: 0 };

  constructor(private readonly parts: ApiParts) {}

  bodyOf(req: Request): Value | undefined {
    const body: unknown = req.body;
    return Buffer.isBuffer(body) ? readBody(req.headers['content-type'], body) : undefined;
  }

  /** @throws {UnauthorizedException} When the request carries no session; whether it still lives is seen at its use. */
  callerOf(req: Request, res: Response): NamedCaller {
    return this.#caller(sessionIn(req), req, res);
  }

  lowstatesOf(req: Request, caller: NamedCaller): Promise<readonly ValueMap[]> {
    return ofLiving(caller, () => lowstates(this.bodyOf(req)));
  }

  async runAll(lowstates: readonly ValueMap[], caller: NamedCaller): Promise<readonly Value[]> {
    // Each call is decided with its token; where there is none, the session still has to live.
    if (lowstates.length === 0) await caller.name();
    this.#counts.calls += lowstates.length;
    return ofLiving(caller, () => this.parts.clients.runAll(lowstates, caller));
  }

  /** @returns What the gate would say of this function on this target. */
  async canI(req: Request, res: Response): Promise<ValueMap> {
    const caller = this.callerOf(req, res);
    const low = this.bodyOf(req);
    if (!isMap(low)) throw new BadRequestException('One mapping with fun and tgt is asked for');
    this.#counts.calls += 1;
    return { ...(await this.parts.clients.verdict(low, caller)) };
  }

  /** Each lowstate brings its own credentials, or a token of `/token`. */
  async runSessionless(lowstates: readonly ValueMap[], req: Request, res: Response): Promise<readonly Value[]> {
    const elements: Value[] = [];
    for (const low of lowstates) elements.push(...(await this.#runOne(low, req, res)));
    return elements;
  }

  async login(req: Request, res: Response): Promise<ValueMap> {
    const body = this.bodyOf(req);
    const [first] = body === undefined ? [] : lowstates(body);
    const ask = first === undefined ? undefined : loginAsk(first, 'session');
    if (ask === undefined) throw unproved();
    this.#counts.logins += 1;
    const { token, session } = await this.parts.sessions.login(ask, fromOf(req, res));
    res.setHeader('X-Auth-Token', token);
    res.cookie('session_id', token, { ...cookieFlags(req), maxAge: Math.max(0, session.expire - Date.now()) });
    const { name: user, eauth, perms } = session;
    return { token, ...times(session), user, eauth, perms };
  }

  async logout(req: Request, res: Response): Promise<void> {
    await this.parts.sessions.logout(sessionIn(req), fromOf(req, res));
    res.clearCookie('session_id', cookieFlags(req));
  }

  async tokens(lowstates: readonly ValueMap[], req: Request, res: Response): Promise<readonly Value[]> {
    const asks = lowstates.map((low) => loginAsk(low, 'token'));
    const issued: Value[] = [];
    for (const ask of asks) {
      if (ask === undefined) throw new BadRequestException('username, password and eauth are required');
      this.#counts.logins += 1;
      const { token, session } = await this.parts.sessions.login(ask, fromOf(req, res));
      issued.push({ ...times(session), name: session.name, eauth: session.eauth, token });
    }
    return issued;
  }

  async events(req: Request, res: Response): Promise<void> {
    const token = listenerTokenIn(req, [req.query['token'], req.query['salt_token']]);
    const from = fromOf(req, res);
    const session = await this.parts.sessions.check(token, from);
    const last = req.get('Last-Event-ID');
    // Whoever reads lines, as Salt's manual shows it, takes each line more for an event's.
    const knowsIds = last !== undefined || /\btext\/event-stream\b/i.test(req.get('Accept') ?? '');
    this.parts.streams.open(res, { token, session, from: last ?? 'now', client: from }, knowsIds ? 'with id' : 'plain');
  }

  async stats(req: Request, res: Response): Promise<ValueMap> {
    if (!this.parts.openStats) await this.parts.sessions.check(sessionIn(req), fromOf(req, res));
    const seconds = (Date.now() - this.#began) / 1000;
    const { logins, calls, hooks } = this.#counts;
    return {
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
    const post = this.bodyOf(req);
    const raw = Buffer.isBuffer(req.body) ? req.body.toString('utf8') : '';
    const headers = Object.entries(req.headers)
      .filter(([name]) => !SECRET_HEADERS.has(name))
      .map(([name, value]) => [title(name), String(value)] as const);
    this.#counts.hooks += 1;
    const data = {
      // Behind the client's own, who could say anything.
      headers: { ...Object.fromEntries(headers), 'Remote-Addr': clientIp(req) },
      body: raw,
      // As Salt: whatever it is, and a map only where it is nothing.
      post: post !== undefined && isTrue(post) ? post : {},
    };
    await this.#fire(`salt/netapi/hook${rest}`, data, origin);
  }

  /** Who is told 503 may send it again, and who is told 400 never will. */
  async #fire(tag: string, data: ValueMap, origin: Origin): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, tooLate) => {
      timer = setTimeout(() => {
        tooLate(new ServiceUnavailableException(KEPT));
      }, HOOK_MS);
    });
    try {
      await Promise.race([this.parts.feed.fire(tag, data, origin), late]);
    } catch (cause) {
      if (cause instanceof NotStored) throw new ServiceUnavailableException(cause.message, { cause });
      if (cause instanceof EventProblem) throw new BadRequestException(cause.message, { cause });
      throw cause;
    } finally {
      clearTimeout(timer);
    }
  }

  #anybody(req: Request, res: Response): Origin {
    this.parts.sessions.count(fromOf(req, res));
    return OPEN_HOOK;
  }

  async #hookOrigin(req: Request, res: Response): Promise<Origin> {
    const { name } = await this.parts.sessions.check(sessionIn(req), fromOf(req, res));
    return { kind: 'token', name };
  }

  async #runOne(low: ValueMap, req: Request, res: Response): Promise<readonly Value[]> {
    const { token } = low;
    const call = Object.fromEntries(Object.entries(low).filter(([key]) => key !== 'token' && !isCredential(key)));
    if (token !== undefined && token !== null) {
      if (typeof token !== 'string' || !TOKEN.test(token)) throw new UnauthorizedException('Invalid token');
      return this.runAll([call], this.#caller(token, req, res));
    }
    // As Salt: what nobody could run needs no credentials to be told so.
    this.parts.clients.check(low);
    const ask = loginAsk(low, 'token');
    if (ask === undefined) throw new UnauthorizedException('No authentication credentials given');
    const from = fromOf(req, res);
    const proved = await this.parts.sessions.login(ask, from);
    try {
      return await this.runAll([call], this.#caller(proved.token, req, res));
    } finally {
      // The answer is what it is: a client that heard of this instead would run the job again.
      this.parts.sessions.logout(proved.token, from).catch((cause: unknown) => {
        this.parts.log.warn({ err: cause, http_request: from.about }, 'a token of /run lives on until its end');
      });
    }
  }

  #caller(token: string, req: Request, res: Response): NamedCaller {
    const from = fromOf(req, res);
    let name: Promise<string> | undefined;
    return {
      token,
      about: from.about,
      name: () => (name ??= this.parts.sessions.check(token, from).then((session) => session.name)),
    };
  }
}

/** That a session has ended counts before whatever is wrong with its request: a client that hears 401 logs in again. */
async function ofLiving<T>(caller: NamedCaller, work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    if (cause instanceof BadRequestException) await caller.name();
    throw cause;
  }
}

/** @returns undefined when something is missing. */
function loginAsk(low: ValueMap, use: LoginAsk['use']): LoginAsk | undefined {
  const [eauth, username] = [textOf(low['eauth']), textOf(low['username'])];
  const secret = textOf(low['password'] ?? low['sharedsecret']);
  if (eauth === undefined || username === undefined || secret === undefined) return undefined;
  const expire = low['token_expire'];
  const seconds = expire instanceof Float ? expire.value : Number(expire ?? Number.NaN);
  return {
    eauth,
    username,
    secret,
    use,
    // The acl-service allows ten years at most.
    expire: Number.isFinite(seconds) && seconds >= 1 ? Math.min(Math.floor(seconds), Number.MAX_SAFE_INTEGER) : null,
  };
}

function textOf(value: Value | undefined): string | undefined {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : undefined;
}

function isCredential(key: string): boolean {
  return CREDENTIALS.some((one) => one === key);
}

function times({ start, expire }: Session): ValueMap {
  return { start: start / 1000, expire: expire / 1000 };
}

function cookieFlags(req: Request) {
  return { path: '/', httpOnly: true, sameSite: 'strict', secure: req.secure } as const;
}

/** `x-custom` → `X-Custom`, as Salt's hooks have them. */
function title(name: string): string {
  return name.replace(/(^|-)([a-z])/g, (_, before: string, letter: string) => before + letter.toUpperCase());
}
