/**
 * `key.*` of the wheel: the caller's own request, passed on verbatim by a runner-service.
 *
 * Nothing that the runner-service says of it counts. Our grant for these very bytes, the caller's signature under a key that
 * is accepted now, and the policy in force now all have to say yes; then it is carried out once, and recorded with the keys
 * that were taken, also where the caller named no fingerprint.
 *
 * Spec: spec/acl.md#runners-and-wheel.
 */
import { digestOf, type Opened, readAsked } from '@natrium/bus';
import { checkGrantRun, type RoleLink } from '@natrium/edge';
import { encodedSize, fingerprint, fromHex, type Grant, pemOf, verify, type Wire } from '@natrium/envelope';
import { KeyRequests, type KeyRecord, sendable } from '@natrium/flow';
import {
  fromPlain,
  nameOf,
  ok,
  type Principal,
  type Refusal,
  refusal,
  refuse,
  type Request,
  type Result,
} from '@natrium/model';
import { type KeyEntry, type KeysPort, keyWheel, wheelRegistry } from '@natrium/runners';
import type { Body, contracts } from '@natrium/wire';
import { type KeyOutcome, namedIn } from '../admin-handler.js';
import { keyPages } from '../audit/audit-bounds.js';
import { reactorOf } from '../prove-reactor.js';
import type { AuditLog } from '../audit/audit-log.js';
import type { OnceOnly } from '../once-only.js';
import type { KeyEvents } from './key-events.js';
import { keyPorts } from './key-requests.js';
import { KeyTaking } from './key-taking.js';
import type { Policies } from '../policy/policies.js';
import type { Room } from './room.js';
import type { Roster } from '../roster/roster.js';

type Ran = Body<typeof contracts.ran>;
type Asked = Body<typeof contracts.wheel>;

const CARRIED_OUT_MS = 30_000;
const GRANT_FRESH_MS = 60_000;
/** Characters of a name in a sentence. */
const MAX_NAMED = 64;

interface Proved {
  readonly request: Request;
  readonly caller: Principal;
  readonly digest: string;
  readonly jid: string;
}

export class WheelKeys {
  readonly #registry = wheelRegistry([keyWheel]);

  constructor(
    private readonly link: RoleLink,
    private readonly parts: {
      readonly roster: Roster;
      readonly room: Room;
      readonly policies: Policies;
      readonly audit: AuditLog;
      readonly events: KeyEvents;
      readonly once: OnceOnly;
    },
  ) {}

  async handle({ body }: Opened<typeof contracts.wheel>): Promise<Ran> {
    const proved = await this.parts.once.take(this.#prove(body));
    if (!proved.ok) {
      const caller = this.#signerOf(body) ?? null;
      this.parts.audit.refuse({ caller, digest: digestOf(body.request), code: proved.error.code });
      return { refusal: proved.error, jid: body.jid, outcome: null };
    }
    const { request } = proved.value;
    const [fun = ''] = request.funs;
    if (!this.#registry.has(fun)) {
      this.#record(proved.value, [], false);
      return { refusal: this.#unknown(fun), jid: body.jid, outcome: null };
    }
    const { roster, room, events } = this.parts;
    const signal = AbortSignal.timeout(CARRIED_OUT_MS);
    const taking = new KeyTaking(new KeyRequests(keyPorts(roster, room, events)), signal);
    const [args = []] = request.args;
    const outcome = await this.#registry.execute(
      fun,
      args.map((arg) => fromPlain(arg)),
      { keys: this.#keys(taking), signal },
    );
    this.#record(proved.value, await taking.outcomes(), outcome.success);
    const { ret, retcode, success, out } = outcome;
    const said = sendable({ ret, retcode, success, out: out ?? null }, (plain) => encodedSize(plain as Wire));
    return { refusal: null, jid: body.jid, outcome: said };
  }

  #unknown(fun: string): Refusal {
    const named = fun.length > MAX_NAMED ? `${fun.slice(0, MAX_NAMED).toWellFormed()}…` : fun;
    return refusal(
      'unknown_runner',
      `there is no wheel function ${named}; there are ${this.#registry.list().join(', ')}`,
    );
  }

  #prove(body: Asked): Result<Proved, Refusal> {
    const granted = checkGrantRun(this.link, { request: body.request, grant: body.grant });
    if (!granted.ok) return granted;
    if (granted.value.jid !== body.jid) return refuse('grant_jid', 'the grant-run is for another job');
    const request = readAsked(body.request);
    if (request?.what !== 'wheel' || !(request.funs[0] ?? '').startsWith('key.')) {
      return refuse('bad_request', 'not a request about keys');
    }
    const caller = this.#callerOf(body, request, granted.value);
    if (!caller.ok) return caller;
    const digest = digestOf(body.request);
    const now = this.link.clock.now();
    if (request.issued + request.lifetime < now) return refuse('request_expired', 'the request has expired; ask again');
    return ok({ request, caller: caller.value, digest, jid: body.jid });
  }

  /** Who signed, an account or a reaction, if the policy in force still lets them. */
  #callerOf(
    { request: bytes, signature, callerKey }: Asked,
    request: Request,
    granted: Grant,
  ): Result<Principal, Refusal> {
    if (signature === null || callerKey === null) return this.#externalOf(granted);
    const owner = reactorOf(this.link, callerKey, request) ?? this.parts.roster.callerOf(callerKey);
    if (owner?.kind !== 'account' && owner?.kind !== 'reactor')
      return refuse('unknown_caller', 'this key is not that of an accepted account');
    if (!verify('request', this.link.roles.cluster, callerKey, bytes, signature)) {
      return refuse('bad_signature', `the request does not carry a signature of ${nameOf(owner)}`);
    }
    const policy = this.parts.policies.current;
    const account = owner.kind === 'account' ? policy.identify(owner.name, request.options) : undefined;
    if (account?.ok === false) return account;
    const principal: Principal = account === undefined ? owner : { kind: 'account', name: account.value.name };
    if (granted.caller.kind !== principal.kind || granted.caller.name !== principal.name) {
      return refuse('grant_digest', 'the grant-run is for another caller');
    }
    const ask = { bytes, signature, callerKey, credential: null, grantRun: null, request, digest: digestOf(bytes) };
    const decided = policy.decide({ principal, onBehalfOf: [] }, ask, account);
    return decided.ok ? ok(principal) : decided;
  }

  /** Whom the audit names, whatever else was wrong: a key alone is the word of whoever hands it on. */
  #signerOf({ request, signature, callerKey }: Asked): Principal | undefined {
    const isSigned =
      signature !== null &&
      callerKey !== null &&
      verify('request', this.link.roles.cluster, callerKey, request, signature);
    return isSigned ? this.parts.roster.callerOf(callerKey) : undefined;
  }

  /**
   * An external user signs nothing: that the credential was proved, and allowed this very request, is what our own grant says.
   * It counts for as long as a job's grant would.
   */
  #externalOf({ caller, onBehalfOf, issued }: Grant): Result<Principal, Refusal> {
    const isExternal = (caller.kind === 'external' || caller.kind === 'token') && onBehalfOf.length === 0;
    if (!isExternal) return refuse('bad_credential', 'a request about keys is signed by its account');
    if (issued + GRANT_FRESH_MS < this.link.clock.now())
      return refuse('grant_expired', 'the grant is too old for a request about keys; ask again');
    return ok(caller);
  }

  #keys(taking: KeyTaking): KeysPort {
    const { roster } = this.parts;
    const [root] = this.link.roles.chain;
    return {
      root: { fingerprint: fingerprint(root), pem: `${pemOf(root)}\n` },
      list: () => Promise.resolve(roster.records().flatMap(entryOf)),
      change: (change, key) => taking.change(change, key),
    };
  }

  /** What only reads is in the audit by its grant. */
  #record({ caller, digest, request, jid }: Proved, some: readonly KeyOutcome[], success: boolean): void {
    if (success && some.length === 0) return;
    const isAllowed = some.some(({ code }) => code === undefined);
    for (const { asked, keys } of keyPages(request, some)) {
      this.parts.audit.write({
        time: this.link.clock.now(),
        what: 'key',
        caller,
        digest: fromHex(digest),
        jid,
        verdict: isAllowed ? 'allow' : 'refuse',
        rule: null,
        detail: { ...asked, ...namedIn(keys, success) },
      });
    }
  }
}

function entryOf({ kind, name, identity, state }: KeyRecord): readonly KeyEntry[] {
  if (kind !== 'minion' || state === 'deleted') return [];
  return [{ id: name, fingerprint: fingerprint(identity), pem: `${pemOf(identity)}\n`, state }];
}
