/**
 * `DecideGrant` with its ports: roster, policy, audit, and the acl role key that signs.
 *
 * Each decision takes the policy in force once: verdict, signed revision and audit record are of one and the same.
 */
import { type Opened, digestOf, readAsked } from '@natrium/bus';
import type { RoleLink } from '@natrium/edge';
import { fp, fromHex, MemberTrees, randomBytes, signGrant, type SigningKey, verify } from '@natrium/envelope';
import type { LoggedIn, Logins } from './eauth/logins.js';
import {
  type Budget,
  DecideGrant,
  type GrantFields,
  type GrantPorts,
  type Member,
  type SignedRequest,
} from '@natrium/flow';
import { err, ok, parseJid, type Principal, type Refusal, refusal, type Result } from '@natrium/model';
import { type Body, type contracts, isTellable } from '@natrium/wire';
import { eventOf, reactorOf } from './prove-reactor.js';
import { proveRunner } from './prove-runner.js';
import type { AuditLog } from './audit/audit-log.js';
import type { Policies } from './policy/policies.js';
import type { Policy } from './policy/policy.js';
import type { Roster } from './roster/roster.js';
import { withToll } from './target-toll.js';

type Granted = Body<typeof contracts.granted>;

const NO_ROOT = new Uint8Array(32);

export class Granting {
  readonly #trees = new MemberTrees();

  constructor(
    private readonly link: RoleLink,
    private readonly acl: SigningKey,
    private readonly parts: {
      readonly roster: Roster;
      readonly policies: Policies;
      readonly audit: AuditLog;
      readonly logins: Logins;
      /** What finding out whom they mean costs callers; each request itself is counted at the gateways. */
      readonly targets: Budget;
    },
    private readonly runnerTimeoutMs: number,
  ) {}

  async handle({ body }: Opened<typeof contracts.grant>): Promise<Granted> {
    const request = readAsked(body.request);
    const jid = parseJid(body.jid);
    const digest = digestOf(body.request);
    if (request === undefined || jid === undefined) {
      this.parts.audit.refuse({ caller: null, digest, code: 'bad_request' });
      return refused('bad_request', 'not a request');
    }
    const { signature, grantRun, credential, callerKey, batch } = body;
    const ask = { bytes: body.request, signature, credential, grantRun, callerKey, request, digest, batch };
    const asked = signature === null && grantRun === null ? credential : null;
    const login =
      asked === null ? undefined : await this.parts.logins.prove(asked, callerKey === null ? 'gateway' : fp(callerKey));
    const { tracing } = this.link.bus;
    tracing.note({ jid, funs: request.funs });
    const answer = tracing.step('decide', {}, () =>
      new DecideGrant(this.#portsUnder(this.parts.policies.current, ask, login)).handle(ask, jid),
    );
    tracing.note(answer.ok ? { minions: answer.value.members.length } : { refusal: answer.error.code });
    if (!answer.ok) return { refusal: answer.error, grant: null, members: [], missing: [], rule: '' };
    const { grant, members, missing, rule } = answer.value;
    return {
      refusal: null,
      grant,
      members: [...members],
      missing: missing.filter(isTellable),
      rule: rule.slice(0, 1024).toWellFormed(),
    };
  }

  #portsUnder(policy: Policy, ask: SignedRequest, login?: Result<LoggedIn, Refusal>): GrantPorts {
    const { link, runnerTimeoutMs } = this;
    const { roster, audit, targets } = this.parts;
    const { callerKey } = ask;
    const owner =
      callerKey === null ? undefined : (reactorOf(link, callerKey, ask.request) ?? roster.callerOf(callerKey));
    const account = owner?.kind === 'account' ? policy.identify(owner.name, ask.request.options) : undefined;
    const caller: Principal | undefined = account?.ok === true ? { kind: 'account', name: account.value.name } : owner;
    return {
      callerOf: () => caller,
      verifies: ({ signature, bytes }, key) =>
        signature !== null && verify('request', link.roles.cluster, key, bytes, signature),
      proveLogin: () => {
        if (login === undefined) return err(NO_CREDENTIAL);
        return login.ok ? ok({ principal: login.value.principal, onBehalfOf: [] }) : login;
      },
      proveRunner: (asked, grantRun) => proveRunner(link, asked, grantRun),
      decide: (proved, asked) => {
        const payer = { caller: proved.principal, onBehalfOf: proved.onBehalfOf };
        const info = login?.ok === true ? login.value.login : undefined;
        return withToll(targets, payer, link.clock.own(), (onTests) =>
          policy.decide(proved, asked, account, info, onTests),
        );
      },
      membersOf: (ids) => this.#membersOf(ids),
      sign: (fields) => this.#sign(fields, policy),
      audit: (entry) => audit.append(entry, policy.revisionText, { ...aboutOf(ask, entry.caller), ...cameBy(login) }),
      now: () => link.clock.now(),
      skewMs: link.clock.skewMs,
      runnerTimeoutMs,
    };
  }

  #membersOf(ids: readonly string[]): readonly Member[] {
    return ids.flatMap((id) => {
      const key = this.parts.roster.keyOfMinion(id);
      return key === undefined ? [] : [{ id, key }];
    });
  }

  #sign(fields: GrantFields, policy: Policy) {
    const { kind, digest, members } = fields;
    const tree = kind === 'job' ? this.#trees.of(members) : undefined;
    return signGrant(this.acl, this.link.roles.cluster, {
      kind,
      id: randomBytes(16),
      requestDigest: fromHex(digest),
      caller: fields.caller,
      onBehalfOf: fields.onBehalfOf,
      jid: fields.jid,
      root: tree?.root ?? NO_ROOT,
      count: tree?.count ?? 0,
      issued: fields.issued,
      expires: fields.expires,
      policyRevision: policy.revision,
      auditChain: fields.auditChain,
      auditNumber: fields.auditNumber,
    });
  }
}

type About = Readonly<Record<string, string>>;

/** The id of the HTTP request that a job came with, as its caller says it, or the event that set a reaction off. */
function aboutOf({ credential, request }: SignedRequest, caller: Principal | null): About {
  const event = caller?.kind === 'reactor' || caller?.kind === 'runner' ? eventOf(request) : undefined;
  if (event !== undefined) return { event };
  const about = credential === null ? undefined : request.options['http_request'];
  return typeof about === 'string' ? { http_request: about.slice(0, 64).toWellFormed() } : {};
}

/** The back end that has proved an external user or a user of a token: two may know one name. */
function cameBy(login: Result<LoggedIn, Refusal> | undefined): About {
  const eauth = login?.ok === true ? login.value.login.backend : undefined;
  return eauth === undefined ? {} : { eauth };
}

const NO_CREDENTIAL = refusal('bad_credential', 'the request carries neither a signature nor a credential');

function refused(code: 'bad_request', sentence: string): Granted {
  return { refusal: refusal(code, sentence), grant: null, members: [], missing: [], rule: '' };
}
