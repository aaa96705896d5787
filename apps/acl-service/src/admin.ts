/**
 * An account's signed requests to the authority: about keys, accounts, tokens, the audit, the inventory and the policy. Only an
 * account with full access may ask; each request that may change something runs once, and is recorded before it is answered.
 */
import { type Clock, digestOf, isStoreFailure, type Opened, readAsked } from '@natrium/bus';
import { type Cluster, encodedSize, fingerprint, fromHex, toHex, verify, type WireMap } from '@natrium/envelope';
import { type Budget, TOO_FAST } from '@natrium/flow';
import {
  err,
  fromPlain,
  isList,
  isMap,
  nameOf,
  type Principal,
  type Refusal,
  refusal,
  refuse,
  type Request,
  type Result,
  toPlain,
  type Value,
} from '@natrium/model';
import type { Body, contracts } from '@natrium/wire';
import { type AdminHandler, type KeyOutcome, namedIn } from './admin-handler.js';
import { keyPages } from './audit/audit-bounds.js';
import type { AuditLog } from './audit/audit-log.js';
import type { OnceOnly } from './once-only.js';
import type { Policy } from './policy/policy.js';
import type { Roster } from './roster/roster.js';

type AdminDone = Body<typeof contracts.adminDone>;

/** What is used of a `RoleLink`. */
interface Link {
  readonly roles: { readonly cluster: Cluster };
  readonly clock: Pick<Clock, 'now' | 'own' | 'skewMs'>;
}

interface Parts {
  readonly roster: Roster;
  readonly policies: { readonly current: Pick<Policy, 'hasFullAccess'> };
  readonly audit: Pick<AuditLog, 'write' | 'refuse'>;
  readonly budget: Budget;
  readonly once: Pick<OnceOnly, 'take'>;
}

interface Asked {
  readonly request: Request;
  readonly caller: Principal;
  readonly digest: string;
}

/** What a request must say that it is, by the name of its functions. */
const WHATS: Readonly<Record<string, Request['what']>> = {
  key: 'key',
  account: 'key',
  audit: 'audit',
  inventory: 'audit',
  policy: 'audit',
  token: 'token',
};

export class Admin {
  readonly #handlers: ReadonlyMap<string, AdminHandler>;

  constructor(
    private readonly link: Link,
    private readonly parts: Parts,
    handlers: Readonly<Record<string, AdminHandler>>,
  ) {
    this.#handlers = new Map(Object.entries(handlers));
  }

  async handle(opened: Opened<typeof contracts.admin>): Promise<AdminDone> {
    if (!this.parts.budget.take(toHex(opened.party.owner.key), this.link.clock.own()))
      return { refusal: TOO_FAST, result: null };
    const proved = this.#prove(opened);
    const asked = await this.#taken(proved);
    if (!asked.ok) {
      if (!this.#isAskedAgain(proved, asked.error)) this.#recordRefused(opened, asked.error);
      return { refusal: asked.error, result: null };
    }
    const { request } = asked.value;
    const [fun = ''] = request.funs;
    const [args = []] = request.args;
    const handler = this.#handlers.get(groupOf(fun));
    const values = args.map((arg) => fromPlain(arg));
    const keys: KeyOutcome[] = [];
    let done: Result<Value, Refusal> | undefined;
    try {
      done =
        handler === undefined ? err(NO_SUCH) : await unlessUnwritten(handler(fun, values, (key) => keys.push(key)));
      done = sendable(fun, done);
      return done.ok ? { refusal: null, result: done.value } : { refusal: done.error, result: null };
    } finally {
      // Also when the program is at fault: what was changed by then is changed.
      if (done?.ok !== true || !UNRECORDED.has(fun)) this.#record(asked.value, done, keys);
    }
  }

  #taken(asked: Result<Asked, Refusal>): Promise<Result<Asked, Refusal>> | Result<Asked, Refusal> {
    return asked.ok && READS.test(asked.value.request.funs[0] ?? '') ? asked : this.parts.once.take(asked);
  }

  /** Whoever hears nothing for a moment asks again, and somebody else has taken it: that is nothing to be told of. */
  #isAskedAgain(proved: Result<Asked, Refusal>, { code }: Refusal): boolean {
    return code === 'already_ran' && proved.ok && proved.value.request.issued + PATIENCE_MS > this.link.clock.now();
  }

  #prove(opened: Opened<typeof contracts.admin>): Result<Asked, Refusal> {
    const { request: bytes, signature } = opened.body;
    const request = readAsked(bytes);
    const group = groupOf(request?.funs[0] ?? '');
    if (request === undefined || !Object.hasOwn(WHATS, group) || WHATS[group] !== request.what) {
      return refuse('bad_request', 'not a request to the authority');
    }
    const { key } = opened.party.owner;
    const caller = this.parts.roster.callerOf(key);
    if (caller === undefined) return refuse('unknown_caller', 'this key is not an accepted one');
    if (!verify('request', this.link.roles.cluster, key, bytes, signature)) {
      return refuse('bad_signature', `the request does not carry a signature of ${nameOf(caller)}`);
    }
    if (caller.kind !== 'account' || !this.parts.policies.current.hasFullAccess(caller.name)) {
      return refuse('not_permitted', `${nameOf(caller)} may not ask this: only an account with full access may`);
    }
    const now = this.link.clock.now();
    if (request.issued > now + this.link.clock.skewMs)
      return refuse('request_from_future', 'the request is from the future');
    if (request.issued + request.lifetime < now) return refuse('request_expired', 'the request has expired; ask again');
    const digest = digestOf(bytes);
    return { ok: true, value: { request, caller, digest } };
  }

  /** The caller is named by the key alone: whatever was wrong with the request, nothing else of it is believed. */
  #recordRefused({ body, party }: Opened<typeof contracts.admin>, { code }: Refusal): void {
    const caller = this.parts.roster.callerOf(party.owner.key) ?? null;
    this.parts.audit.refuse({
      caller,
      digest: digestOf(body.request),
      code,
      detail: { fingerprint: fingerprint(party.owner.key) },
    });
  }

  /** A request of which some keys were changed and others were not is allowed as far as it names those. */
  #record(
    { caller, digest, request }: Asked,
    done: Result<Value, Refusal> | undefined,
    keys: readonly KeyOutcome[],
  ): void {
    const isAllowed = done?.ok === true || keys.some(({ code }) => code === undefined);
    for (const page of keyPages(request, keys)) {
      this.parts.audit.write({
        time: this.link.clock.now(),
        what: request.funs[0] === ARCHIVES ? 'archive' : 'key',
        caller,
        digest: fromHex(digest),
        jid: null,
        verdict: isAllowed ? 'allow' : 'refuse',
        rule: isAllowed || done === undefined ? null : done.error.code,
        detail: {
          ...page.asked,
          ...(keys.length > 0 ? namedIn(page.keys, done?.ok === true) : {}),
          ...(request.funs[0] === REVOKES ? endedBy(done) : {}),
        },
      });
    }
  }
}

/** Not page by page: who follows the audit would feed what he reads, and what is swept was recorded when it was cut. */
const UNRECORDED: ReadonlySet<string> = new Set(['audit.read', 'audit.sweep']);
/** From then on the beginnings of chains are gone by right. */
const ARCHIVES = 'audit.archive';
const REVOKES = 'token.revoke';

/** A second time these change nothing, and their answer opens for the asker alone: they go on where nothing can be stored. */
const READS = /^(?:audit|inventory|policy)\.|\.list$/;

/** How long a caller asks again, and as much for his clock. */
const PATIENCE_MS = 10_000;

/** Bytes of a list: a message has 8 MiB, with what is around it. */
const MAX_LIST = 15 << 19;
/** What a message carries as a refusal. */
const MAX_SENTENCE = 4096;

const TOO_LONG = refuse('bad_request', 'the list is too long for one message');
const NO_SUCH = refusal('bad_request', 'the authority has no such function');

/** The store did not take a write, or did not answer: whoever asked hears it at once, instead of waiting for an answer. */
async function unlessUnwritten(doing: ReturnType<AdminHandler>): ReturnType<AdminHandler> {
  try {
    return await doing;
  } catch (cause) {
    if (!isStoreFailure(cause)) throw cause;
    const sentence = `it could not be written, or not all of it: ${cause.message}; look what was done, and ask again`;
    return refuse('store_unavailable', sentence);
  }
}

/** Whose tokens were ended, as `back end/name`. */
function endedBy(done: Result<Value, Refusal> | undefined): WireMap {
  const users = done?.ok === true && isMap(done.value) ? done.value['users'] : undefined;
  return isList(users) ? { users: users.filter((user) => typeof user === 'string') } : {};
}

/** Of all keys, accounts or tokens at once. */
const LISTS = /\.list$/;

/** What no message carries is told in one that can be sent; names in a sentence are the asker's own, and of any length. */
function sendable(fun: string, done: Result<Value, Refusal>): Result<Value, Refusal> {
  if (!done.ok) return refuse(done.error.code, done.error.sentence.slice(0, MAX_SENTENCE).toWellFormed());
  return LISTS.test(fun) && encodedSize(toPlain(done.value)) > MAX_LIST ? TOO_LONG : done;
}

/** `key.accept` → `key`. */
function groupOf(fun: string): string {
  return fun.split('.')[0] ?? '';
}
