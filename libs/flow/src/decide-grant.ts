/**
 * The acl-service decides: the caller is proved again from the request itself, and what is allowed leaves as a signed
 * grant, with its audit record on its way first.
 *
 * Nothing that the gateway says about the caller counts: the key only says which signature to check, and the roster says
 * whose key it is.
 *
 * Spec: spec/envelope.md#grants, spec/acl.md.
 */
import {
  err,
  type Jid,
  lifetimeOf,
  MAX_GRANT_JOB,
  nameOf,
  ok,
  type Principal,
  type Refusal,
  refusal,
  refuse,
  type RequestWhat,
  type Result,
  type Signed,
} from '@natrium/model';
import type { GrantRun, SignedRequest } from './signed-request.js';

export interface Allowed {
  readonly minions: readonly string[];
  readonly missing: readonly string[];
  /** The rule's place in the configuration: `peer › .*example.com › test.*`. */
  readonly rule: string;
}

export interface Proved {
  readonly principal: Principal;
  /** On whose behalf a runner asks: its own grant's caller. */
  readonly onBehalfOf: readonly Principal[];
}

export interface GrantFields {
  readonly kind: 'job' | 'run';
  readonly digest: string;
  readonly caller: Principal;
  readonly onBehalfOf: readonly Principal[];
  readonly jid: Jid;
  readonly members: readonly Member[];
  readonly issued: number;
  readonly expires: number;
  readonly auditChain: string;
  readonly auditNumber: number;
}

export interface Member {
  readonly id: string;
  readonly key: Uint8Array;
}

export interface AuditEntry {
  readonly what: 'grant' | 'refusal';
  readonly caller: Principal | null;
  readonly digest: string;
  readonly jid: Jid | '';
  readonly funs: readonly string[];
  /** Its first 1,024 characters; a longer one ends with its length. */
  readonly target: string;
  readonly tgtType: string;
  /** What was asked for: a job, a run, wheel. */
  readonly form: string;
  readonly minions: number;
  /** The rule that allowed, or the refusal's code. */
  readonly reason: string;
}

export interface GrantPorts {
  /** The accepted party with this identity key, as the roster has it now. */
  callerOf(key: Uint8Array): Principal | undefined;
  verifies(ask: SignedRequest, key: Uint8Array): boolean;
  /** Proves an external user or a token from the credential beside a request that nobody signed. */
  proveLogin(ask: SignedRequest): Result<Proved, Refusal>;
  /** Proves a runner or the reactor from its role key and its grant-run. */
  proveRunner(ask: SignedRequest, grantRun: GrantRun): Result<Proved, Refusal>;
  decide(proved: Proved, ask: SignedRequest): Result<Allowed, Refusal>;
  membersOf(ids: readonly string[]): readonly Member[];
  sign(fields: GrantFields): Signed;
  /** Puts the record on its way to the stream and returns its place in the chain. */
  audit(entry: AuditEntry): { readonly chain: string; readonly number: number };
  now(): number;
  readonly skewMs: number;
  readonly runnerTimeoutMs: number;
}

export interface GrantAnswer {
  /** null: authorised, but nobody matched; there is nothing to run. */
  readonly grant: Signed | null;
  readonly members: readonly Member[];
  readonly missing: readonly string[];
  readonly rule: string;
}

/** What a gate grants; a request for anything else goes to its own door and never becomes a grant. */
const GRANTED_WHATS: readonly RequestWhat[] = ['job', 'run', 'wheel'];
/** Characters of a target that the audit keeps: records are written in groups, and a group has to fit into one message. */
const AUDITED_TARGET = 1024;

export class DecideGrant {
  constructor(private readonly ports: GrantPorts) {}

  handle(ask: SignedRequest, jid: Jid): Result<GrantAnswer, Refusal> {
    const proved = this.#prove(ask);
    if (!proved.ok) return this.#refuse(null, ask, jid, proved.error);
    const unfit = this.#unfit(ask, proved.value.principal);
    if (unfit !== undefined) return this.#refuse(proved.value.principal, ask, jid, unfit);
    const decision = this.#narrowed(this.ports.decide(proved.value, ask), ask.batch ?? null);
    if (!decision.ok) return this.#refuse(proved.value.principal, ask, jid, decision.error);
    return ok(this.#grant(proved.value, ask, jid, decision.value));
  }

  #prove(ask: SignedRequest): Result<Proved, Refusal> {
    if (ask.grantRun !== null) return this.ports.proveRunner(ask, ask.grantRun);
    if (ask.signature === null) return this.ports.proveLogin(ask);
    if (ask.credential !== null || ask.callerKey === null) {
      return refuse('bad_credential', 'a request carries the signature of its caller, or a credential, and never both');
    }
    const principal = this.ports.callerOf(ask.callerKey);
    if (principal === undefined) return refuse('unknown_caller', 'the caller’s key is not an accepted one');
    if (!this.ports.verifies(ask, ask.callerKey)) {
      return refuse('bad_signature', `the request does not carry a signature of ${nameOf(principal)}`);
    }
    return ok({ principal, onBehalfOf: [] });
  }

  /** Why no grant can be made of the request, whoever asks. */
  #unfit(ask: SignedRequest, caller: Principal): Refusal | undefined {
    const now = this.ports.now();
    const { what, issued, lifetime, timeout } = ask.request;
    if (!GRANTED_WHATS.includes(what)) {
      return refusal('bad_request', `a request for ${what} is not one that is granted`);
    }
    if (issued > now + this.ports.skewMs) {
      const ahead = Math.round((issued - now) / 1000);
      return refusal('request_from_future', `the clock of ${nameOf(caller)} is ${String(ahead)} s ahead`);
    }
    if (lifetime > lifetimeOf(timeout)) {
      return refusal('bad_request', 'the request claims a longer lifetime than its timeout gives');
    }
    if (issued + lifetime < now) {
      return refusal('request_expired', `the request of ${nameOf(caller)} has expired; ask again`);
    }
    return undefined;
  }

  /** A batch is some of whom the whole request means now; who is no longer accepted is missing, anybody else refuses it. */
  #narrowed(decision: Result<Allowed, Refusal>, batch: readonly string[] | null): Result<Allowed, Refusal> {
    if (!decision.ok || batch === null) return decision;
    const { minions, missing, rule } = decision.value;
    const asked = new Set(batch);
    const meant = new Set(minions);
    const others = [...asked].filter((id) => !meant.has(id));
    const known = new Set(missing);
    const [outside] = this.ports.membersOf(others.filter((id) => !known.has(id)));
    if (outside !== undefined)
      return refuse('not_permitted', `${outside.id} of the batch is not one that the request means`);
    return ok({ minions: minions.filter((id) => asked.has(id)), missing: others, rule });
  }

  #grant({ principal, onBehalfOf }: Proved, ask: SignedRequest, jid: Jid, allowed: Allowed): GrantAnswer {
    const kind = ask.request.what === 'job' ? 'job' : 'run';
    const members = kind === 'job' ? this.ports.membersOf(allowed.minions) : [];
    const issued = this.ports.now();
    const verdict = { what: 'grant', reason: allowed.rule, minions: members.length } as const;
    const { chain, number } = this.#audit(principal, ask, jid, verdict);
    if (kind === 'job' && members.length === 0) {
      return { grant: null, members, missing: allowed.missing, rule: allowed.rule };
    }
    const grant = this.ports.sign({
      kind,
      digest: ask.digest,
      caller: principal,
      onBehalfOf,
      jid,
      members,
      issued,
      expires: issued + (kind === 'job' ? MAX_GRANT_JOB : this.#runMs(ask.request)),
      auditChain: chain,
      auditNumber: number,
    });
    return { grant, members, missing: allowed.missing, rule: allowed.rule };
  }

  /** A run may publish to its last moment, and reads only while it runs. */
  #runMs({ timeout }: SignedRequest['request']): number {
    return Math.max(this.ports.runnerTimeoutMs, timeout * 1000);
  }

  #refuse(caller: Principal | null, ask: SignedRequest, jid: Jid, error: Refusal): Result<never, Refusal> {
    this.#audit(caller, ask, jid, { what: 'refusal', reason: error.code, minions: 0 });
    return err(error);
  }

  #audit(
    caller: Principal | null,
    ask: SignedRequest,
    jid: Jid,
    { what, reason, minions }: Pick<AuditEntry, 'what' | 'reason' | 'minions'>,
  ): { readonly chain: string; readonly number: number } {
    const { funs, tgt, tgtType, what: form } = ask.request;
    const target = shortened(typeof tgt === 'string' ? tgt : tgt.join(','));
    // A rule's place holds its permitted target, which may be as long.
    const rule = shortened(reason);
    return this.ports.audit({
      what,
      caller,
      digest: ask.digest,
      jid,
      funs,
      target,
      tgtType,
      form,
      minions,
      reason: rule,
    });
  }
}

function shortened(text: string): string {
  if (text.length <= AUDITED_TARGET) return text;
  return `${text.slice(0, AUDITED_TARGET).toWellFormed()}… (${text.length} characters)`;
}
