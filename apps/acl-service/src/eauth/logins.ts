/**
 * External users come in: a password is looked at once, and from then on a token speaks for them.
 *
 * All failures look the same, also in the time that they take, and each costs a part of a budget. What a user may do is read
 * from the policy in force at each use.
 *
 * Spec: spec/acl.md#external-users, spec/acl.md#tokens.
 */
import { randomInt } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { type Login, type LoginInfo } from '@natrium/acl';
import type { MasterConfig } from '@natrium/config';
import type { Budget, Credential } from '@natrium/flow';
import type { Opened } from '@natrium/bus';
import { countedAddress } from '@natrium/matchers';
import { err, isList, nameOf, ok, type Principal, type Refusal, refusal, type Result } from '@natrium/model';
import { LATE, within } from '@natrium/process';
import type { Body, contracts, records } from '@natrium/wire';
import type { Logger } from 'pino';
import type { AuditLog } from '../audit/audit-log.js';
import type { OnceOnly } from '../once-only.js';
import type { Policy } from '../policy/policy.js';
import type { Roster } from '../roster/roster.js';
import { isUserName } from './account-name.js';
import type { Attempts, Try } from './attempts.js';
import { type BackEnd, BackEndFailed } from './back-end.js';
import { backEndsOf } from './registry.js';
import { Shares } from './shares.js';
import type { Tallies } from './tallies.js';
import { tokenLifetimeMs } from './token-lifetime.js';
import type { Tokens } from './tokens.js';
import { tellingUnstored, type TellUnstored, UNCOUNTED, unlessUnstored } from './unstored.js';

type Auth = Body<typeof contracts.auth>;
type Asked = Credential & { readonly address: string };
type Authed = Body<typeof contracts.authed>;

/** A failure answers at a multiple of this, or of the back end's own: how far it came does not show. */
const FAIL_STEP_MS = 400;
/** Passwords that are looked at at once: hashing is dear on purpose. */
const MAX_LOOKS = 32;
/** Logins that are looked at or wait for their turn: clients of Salt's API log in with each call, by custom all from one host. */
const MAX_INSIDE = 256;
/** More than the steps of any back end take together: this alone gives a place back when one of them hangs. */
const LOOK_MS = 60_000;
const BUSY_MS = 5000;
const BUSY_PAUSE_MS = [50, 150] as const;
const SWEEP_MS = 3_600_000;

const TOO_FAST = refusal('slow_down', 'too many logins in a short time; wait a moment and try again');
const BUSY = refusal('slow_down', 'too many logins at once; try again');
const REFUSED = refusal('bad_credential', 'the credentials prove nobody');
/** A token is random: that it has ended tells nobody who has an account. */
const ENDED = refusal('bad_credential', 'the login has expired or was revoked; log in again');

/** Who a credential beside a request has proved to be. */
export interface LoggedIn {
  readonly principal: Principal;
  readonly login: LoginInfo;
}

export interface LoginParts {
  readonly tokens: Tokens;
  readonly attempts: Attempts;
  readonly tallies: Pick<Tallies, 'sweep'>;
  readonly once: Pick<OnceOnly, 'takeNamed'>;
  readonly policy: () => Policy;
  readonly audit: AuditLog;
  readonly roster: Pick<Roster, 'callerOf'>;
  readonly log: Logger;
  readonly now: () => number;
  /** Of each party that asks without a gateway between, and of all those without a key together. */
  readonly budget: Budget;
  /** Milliseconds of this host's clock. */
  readonly own: () => number;
}

/** Milliseconds that no clock that is set moves, and what waits for so many. */
const STEADY = { now: () => performance.now(), pause: (ms: number): Promise<unknown> => pause(ms) };

export class Logins {
  #config: MasterConfig;
  #backEnds: ReadonlyMap<string, BackEnd>;
  readonly #looks = new Shares(MAX_LOOKS);
  readonly #inside = new Shares(MAX_INSIDE);
  readonly #timer: NodeJS.Timeout;
  readonly #tellUnstored: TellUnstored;

  constructor(
    config: MasterConfig,
    private readonly parts: LoginParts,
    private readonly steady = STEADY,
  ) {
    this.#config = config;
    this.#tellUnstored = tellingUnstored(this.parts.log);
    this.#backEnds = backEndsOf(config, this.parts.log);
    this.#timer = setInterval(() => void this.#sweep(), SWEEP_MS).unref();
  }

  /** Takes the settings of a configuration that was read again. */
  use(config: MasterConfig): void {
    this.#config = config;
    this.#backEnds = backEndsOf(config, this.parts.log);
  }

  onModuleDestroy(): void {
    clearInterval(this.#timer);
  }

  async handle({ body, party }: Pick<Opened<typeof contracts.auth>, 'body' | 'party'>): Promise<Authed> {
    const { type, key } = party.owner;
    if (type === 'role') return this.#handle(body);
    const address = this.#partyAt(key);
    if (this.parts.budget.take(address, this.parts.own())) return this.#handle({ ...body, address, about: '' });
    return this.#tooMany(TOO_FAST, body);
  }

  /** It says nothing of anybody: recorded, it would be a way to fill the audit. */
  #tooMany(why: Refusal, { what }: Pick<Auth, 'what'>): Authed {
    if (what === 'login') this.parts.audit.countLogin(why.code);
    return refused(why);
  }

  /** Whoever asks without a gateway between says nothing of himself that counts; those without a key share one budget. */
  #partyAt(key: Uint8Array): string {
    const caller = this.parts.roster.callerOf(key);
    return caller === undefined ? 'no key' : nameOf(caller).slice(0, 64);
  }

  #handle(asked: Auth): Promise<Authed> {
    return unlessUnstored(this.#answer(asked), refused, this.#tellUnstored);
  }

  async #answer(asked: Auth): Promise<Authed> {
    if (asked.what === 'login') return this.#login(asked);
    const entry = await this.#entryOf(asked.credential.token, asked.use);
    if (!entry.ok) return refused(entry.error);
    if (asked.what === 'logout') {
      await this.parts.tokens.end(asked.credential.token);
      this.#note('logout', 'allow', entry.value.eauth, entry.value.name, asked);
    }
    return { refusal: null, token: '', session: this.#session(entry.value) };
  }

  /** Who a credential beside a request proves, now. @param address Whose budget a failure takes from. */
  async prove(credential: Credential, address: string): Promise<Result<LoggedIn, Refusal>> {
    if (credential.token !== '') {
      const entry = await unlessUnstored(this.#entryOf(credential.token), err, this.#tellUnstored);
      return entry.ok
        ? ok({ principal: { kind: 'token', name: entry.value.name }, login: loginOf(entry.value) })
        : entry;
    }
    const login = await this.#authenticate({ ...credential, address });
    if (!login.ok) return login;
    const { name, groups } = login.value;
    return ok({ principal: { kind: 'external', name }, login: { backend: credential.eauth, groups } });
  }

  async #login(asked: Auth): Promise<Authed> {
    const { credential, use, address, expire } = asked;
    const login = await this.#authenticate({ ...credential, address });
    if (!login.ok) {
      if (login.error === BUSY) return this.#tooMany(BUSY, asked);
      if (login.error.code === 'already_ran') return refused(login.error);
      this.#note('login', 'refuse', credential.eauth, credential.username, asked);
      return refused(login.error);
    }
    const { eauth } = credential;
    const { name } = login.value;
    const start = this.parts.now();
    const expires = start + tokenLifetimeMs(this.#config, { eauth, name, expire });
    const made = this.parts.policy().makeToken({ backend: eauth, login: login.value, expires });
    const entry: records.TokenEntry = {
      use,
      eauth,
      name,
      groups: [...login.value.groups],
      start,
      expires,
      list: made.list === undefined ? null : [...made.list],
    };
    const token = await this.parts.tokens.issue(entry);
    this.#note('login', 'allow', eauth, name, asked);
    return { refusal: null, token, session: this.#session(entry) };
  }

  async #authenticate(from: Asked): Promise<Result<Login, Refusal>> {
    const began = this.steady.now();
    const address = countedAddress(from.address);
    const login = (await this.#inside.during(address, () => this.#atItsTurn(from, address))) ?? err(BUSY);
    if (login.ok || login.error !== REFUSED) return login;
    const took = this.steady.now() - began;
    const step = this.#backEnds.get(from.eauth)?.failStepMs ?? FAIL_STEP_MS;
    await this.steady.pause(Math.ceil(took / step) * step - took);
    return login;
  }

  /**
   * Scripts log in many at once with one account: whoever finds no place, or would be one guess too many, waits for the others' end, which
   * nothing tells when another replica looks at them. Meanwhile it holds no place.
   */
  async #atItsTurn(from: Asked, address: string): Promise<Result<Login, Refusal>> {
    // Only here, so that whoever is told to come again costs the store nothing; nor does a flood at what is locked, whose passwords nobody
    // looks at. Where that cannot be read, noting it says so.
    const isLocked = await this.parts.attempts.isLocked(from).catch(() => false);
    const taken = isLocked ? ok(undefined) : await this.parts.once.takeNamed('login', from.token);
    if (!taken.ok) return taken;
    for (const end = this.steady.now() + BUSY_MS; ;) {
      const login = (await this.#looks.during(address, () => this.#ask(from))) ?? err(BUSY);
      if (login.ok || login.error !== BUSY || this.steady.now() > end) return login;
      await this.steady.pause(randomInt(...BUSY_PAUSE_MS));
    }
  }

  async #ask(from: Asked): Promise<Result<Login, Refusal>> {
    let begun: Awaited<ReturnType<Attempts['begin']>>;
    try {
      begun = await this.parts.attempts.begin(from);
    } catch (cause) {
      this.#tellUnstored('a login could not be counted, and was refused', cause);
      return err(UNCOUNTED);
    }
    if (begun === 'busy') return err(BUSY);
    if (begun === 'locked') return err(REFUSED);
    const login = await this.#look(from);
    if (login === undefined) {
      await this.#ended(begun.failed());
      return err(REFUSED);
    }
    // Who is let in does not wait for the count.
    void this.#ended(begun.proved());
    return ok(login);
  }

  async #look({ eauth, username, secret }: Asked): Promise<Login | undefined> {
    const backEnd = this.#backEnds.get(eauth);
    // An empty password is no proof, also where a file's field is empty.
    const isProof = secret !== '' || backEnd?.asksNoSecret === true;
    if (backEnd === undefined || !isUserName(username) || !isProof) return undefined;
    try {
      const login = await within(LOOK_MS, backEnd.authenticate({ username, secret }));
      if (login === LATE) throw new BackEndFailed(`it did not answer in ${String(LOOK_MS)} ms`);
      return login !== undefined && isUserName(login.name) ? login : undefined;
    } catch (cause) {
      this.parts.log.error({ err: cause, eauth }, 'a back end of external_auth failed');
      return undefined;
    }
  }

  /** Until its end is counted, a try counts like one that failed. */
  async #ended(counted: ReturnType<Try['failed']>): Promise<void> {
    await counted.catch((cause: unknown) => {
      this.#tellUnstored('how a login ended could not be counted', cause);
    });
  }

  async #entryOf(token: string, use?: Auth['use']): Promise<Result<records.TokenEntry, Refusal>> {
    const entry = await this.parts.tokens.find(token);
    if (entry === undefined || (use !== undefined && entry.use !== use)) return err(ENDED);
    const { eauth: backend, name, groups, expires, list } = entry;
    const record = { name, groups, backend, expires, list: isList(list) ? list : undefined };
    const checked = this.parts.policy().checkToken(record, this.parts.now());
    if (checked.ok) return ok({ ...entry, list: checked.value.list === undefined ? null : [...checked.value.list] });
    if (expires <= this.parts.now()) void this.parts.tokens.end(token).catch(() => undefined); // else the sweep takes it
    return err(ENDED);
  }

  #session(entry: records.TokenEntry): Authed['session'] {
    const { name, eauth, start, expires: expire } = entry;
    const access = this.parts.policy().accessOfLogin(name, loginOf(entry));
    return { name, eauth, start, expire, perms: access.perms, sees: access.seesJobs ? 'all' : 'own' };
  }

  #note(what: 'login' | 'logout', verdict: string, eauth: string, user: string, { address, about }: Auth): void {
    const detail = { eauth: plain(eauth), user: plain(user), address: plain(address), about: plain(about) };
    this.parts.audit.note({ what, verdict, rule: null, detail });
  }

  async #sweep(): Promise<void> {
    try {
      await Promise.all([this.parts.tokens.sweep(), this.parts.tallies.sweep()]);
    } catch (cause) {
      this.parts.log.error({ err: cause }, 'expired tokens and counts could not be removed');
    }
  }
}

function loginOf({ eauth, groups, list }: records.TokenEntry): LoginInfo {
  return { backend: eauth, groups, ...(isList(list) ? { ownList: list } : {}) };
}

/** Text as the audit can hold it: well-formed. */
function plain(text: string): string {
  return Buffer.from(text).toString();
}

function refused(why: Refusal): Authed {
  return { refusal: why, token: '', session: null };
}
