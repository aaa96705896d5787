/** Asks the acl-service for a grant and checks what it answers before anything is made of it. No answer in time means refused. */
import { type AskFailure, BACK_MS } from '@natrium/bus';
import { grantIn, toHex } from '@natrium/envelope';
import type { RoleLink } from '@natrium/edge';
import type { GrantedJob, SignedRequest } from '@natrium/flow';
import { type Jid, ok, type Refusal, type RefusalCode, refuse, type Result } from '@natrium/model';
import { type Body, contracts } from '@natrium/wire';

type Granted = Body<typeof contracts.granted>;
type Answer = Result<{ readonly body: Granted }, AskFailure>;

/**
 * Characters of a target. Whom a longer one means an acl-service may take seconds to find out (measured: six for 8,192 characters and 10,000
 * minions), but for a list: one message of one caller would hold up all of them.
 */
const CHEAP_TARGET = 256;

function isCheap({ tgt, tgtType }: SignedRequest['request']): boolean {
  const length = typeof tgt === 'string' ? tgt.length : tgt.join(' ').length;
  return tgtType === 'list' || length <= CHEAP_TARGET;
}

function noVerdict(failure: AskFailure): string {
  if (failure === 'timeout') return 'no acl-service decided in time';
  if (failure === 'turned_away') return 'the acl-service turned the question away, its log says why';
  return 'no acl-service is there (start one, or look into its log)';
}

export class AclClient {
  constructor(
    private readonly link: RoleLink,
    private readonly timeoutMs: number,
  ) {}

  async askGrant(ask: SignedRequest, jid: Jid): Promise<Result<GrantedJob, Refusal>> {
    this.link.bus.tracing.note({ jid, funs: ask.request.funs });
    const answer = await this.#ask(ask, jid);
    if (!answer.ok) {
      return refuse('acl_unavailable', `${noVerdict(answer.error)}: nothing was sent`);
    }
    return this.#check(answer.value.body, ask, jid);
  }

  /**
   * The replica that was asked may have died or stand still, so all are asked after half of the time, and the first answer counts; not with
   * a password, which would be tried again (a token is only looked up). It may be busy with this very question, too: one that may cost each of them seconds goes to one
   * of them once more. While no acl-service is connected, one may be starting again: it gets the rest of `BACK_MS`.
   */
  async #ask(ask: SignedRequest, jid: Jid): Promise<Answer> {
    if (ask.credential !== null && ask.credential.token === '') return this.#askOn('grant', ask, jid, this.timeoutMs);
    const begun = performance.now();
    const first = await this.#askOn('grant', ask, jid, this.timeoutMs / 2);
    if (first.ok || first.error === 'turned_away') return first;
    if (first.error === 'timeout') {
      const verb = isCheap(ask.request) ? 'again' : 'grant';
      return this.#askOn(verb, ask, jid, this.timeoutMs / 2);
    }
    const left = Math.min(this.timeoutMs, BACK_MS) - (performance.now() - begun);
    return left > 0 ? this.#askOn('grant', ask, jid, left) : first;
  }

  #askOn(verb: 'grant' | 'again', ask: SignedRequest, jid: Jid, timeoutMs: number): Promise<Answer> {
    const { link } = this;
    return link.bus.ask(
      {
        contract: contracts.grant,
        body: {
          request: ask.bytes,
          signature: ask.signature,
          credential: ask.credential,
          grantRun: ask.grantRun,
          callerKey: ask.callerKey,
          jid,
          batch: ask.batch === undefined || ask.batch === null ? null : [...ask.batch],
        },
        subject: link.subjects.svcAcl(verb),
        to: () => link.directory.role('acl'),
        backMs: BACK_MS,
        isForAll: verb === 'again',
      },
      contracts.granted,
      timeoutMs,
    );
  }

  /** The grant must be for this very request and this very jid. */
  #check(body: Granted, ask: SignedRequest, jid: Jid): Result<GrantedJob, Refusal> {
    const { refusal: refused, grant, members, missing, rule } = body;
    if (refused !== null) {
      this.link.bus.tracing.note({ refusal: refused.code });
      return refuse(refused.code as RefusalCode, refused.sentence);
    }
    const caller = { kind: 'account', name: '' } as const;
    if (grant === null) return ok({ grant, caller, members: [], missing, rule });
    const kind = ask.request.what === 'job' ? 'job' : 'run';
    // Its signature is not checked here: it came sealed from the acl role itself, and each minion checks it.
    const said = grantIn(grant.bytes, kind);
    if (said === undefined) return refuse('grant_signature', 'the acl-service’s grant is not one');
    if (toHex(said.requestDigest) !== ask.digest) {
      return refuse('grant_digest', 'the grant is for another request');
    }
    if (said.jid !== jid) return refuse('grant_jid', 'the grant is for another job');
    return ok({ grant, caller: said.caller, members, missing, rule });
  }
}
