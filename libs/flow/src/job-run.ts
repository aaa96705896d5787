/**
 * A minion gets a job: the grant is checked, the request runs once, the return goes into the spool.
 *
 * The order is the security argument, spec/envelope.md#grants: the sender is a gateway → the grant has the acl key's signature over this
 * cluster and this kind, and is in force → the request is the one that was granted → this very minion is under the grant's root → it was
 * not run before → the request is in time → the agent is not about to stop → the start is recorded → it runs with the request's words and
 * the grant's caller, and nothing from anywhere else.
 */
import type { Admission } from '@natrium/jobs';
import {
  err,
  type Jid,
  messageOf,
  ok,
  type Principal,
  type RefusalCode,
  type Request,
  type Result,
  type Signed,
  type Value,
} from '@natrium/model';

export interface JobOrder {
  readonly request: Uint8Array;
  readonly grant: Signed;
  /** Place of this minion in the grant's tree. */
  readonly place: { readonly index: number; readonly proof: readonly Uint8Array[] };
  /** Who is waiting for the return. */
  readonly instance: string;
  readonly fromGateway: boolean;
}

export interface CheckedGrant {
  readonly requestDigest: string;
  readonly caller: Principal;
  readonly onBehalfOf: readonly Principal[];
  readonly jid: Jid;
  readonly expires: number;
  readonly issued: number;
  readonly root: Uint8Array;
  readonly count: number;
}

export interface Outcome {
  readonly ret: Value;
  readonly retcode: number;
  readonly success: boolean;
  readonly out: string | null;
}

export interface MinionReturn {
  readonly jid: Jid;
  readonly digest: string;
  readonly instance: string;
  readonly status: 'done' | 'refused' | 'interrupted' | 'already_returned';
  readonly code: string | null;
  readonly outcome: Outcome;
}

/** Why a grant does not count. One that was signed but is no longer (or not yet) in force still names its job. */
export interface GrantRefusal {
  readonly code: 'grant_signature' | 'grant_kind' | 'grant_expired';
  readonly grant?: CheckedGrant;
}

export interface RunPorts {
  readGrant(grant: Signed): Result<CheckedGrant, GrantRefusal>;
  digestOf(request: Uint8Array): string;
  readRequest(request: Uint8Array): Result<Request, string>;
  isUnder(grant: CheckedGrant, place: JobOrder['place']): boolean;
  admit(digest: string, issued: number, until: number): Admission;
  /** The agent only finishes what runs. Nothing begins, and nothing is recorded, so that a job may still run when it is asked for again. */
  isStopping(): boolean;
  /** false: the record cannot be written, so nothing may run. */
  recordStart(digest: string, until: number, jid: string): boolean;
  recordFinish(digest: string): void;
  execute(request: Request, grant: CheckedGrant): Promise<Outcome>;
  /** Keeps the return until the gateway says that it is stored, and sends it; `asked`: one of so many. */
  deliver(ret: MinionReturn, asked: number): void;
  /** The return that is still in the spool. */
  spooled(digest: string): MinionReturn | undefined;
  now(): number;
  readonly skewMs: number;
}

const NO_OUTCOME: Outcome = { ret: null, retcode: 1, success: false, out: null };

export class JobRun {
  /** The gateway that waits for each job that runs, by digest: another than at first, when that one has died meanwhile. */
  readonly #waiting = new Map<string, string>();

  constructor(private readonly ports: RunPorts) {}

  /** Resolves when the request has run and its return is in the spool, or was refused. */
  async handle(order: JobOrder): Promise<void> {
    const checked = this.#check(order);
    if (!checked.ok) {
      const { code, grant } = checked.error;
      if (grant !== undefined) this.#answer(order, grant, 'refused', code);
      return;
    }
    const { grant, request } = checked.value;
    const until = request.issued + request.lifetime;
    const admission = this.ports.admit(grant.requestDigest, request.issued, until);
    const untimely = this.#untimely(request);
    if (admission !== 'run' || untimely !== undefined) {
      this.#answerWithoutRun(order, grant, admission, untimely ?? 'record_incomplete');
      return;
    }
    if (this.ports.isStopping()) {
      this.#answer(order, grant, 'refused', 'agent_stopping');
      return;
    }
    if (!this.ports.recordStart(grant.requestDigest, until, grant.jid)) {
      this.#answer(order, grant, 'refused', 'record_unwritable');
      return;
    }
    const { jid, requestDigest } = grant;
    this.#waiting.set(requestDigest, order.instance);
    const outcome = await this.#execute(request, grant);
    const instance = this.#waiting.get(requestDigest) ?? order.instance;
    this.#waiting.delete(requestDigest);
    this.ports.deliver({ jid, digest: requestDigest, instance, status: 'done', code: null, outcome }, grant.count);
    this.ports.recordFinish(requestDigest);
  }

  /** A failure of the execution itself is a return as well: the caller is not left to wait for it. */
  async #execute(request: Request, grant: CheckedGrant): Promise<Outcome> {
    try {
      return await this.ports.execute(request, grant);
    } catch (cause) {
      return { ...NO_OUTCOME, ret: `the function could not be run: ${messageOf(cause)}` };
    }
  }

  #check(
    order: JobOrder,
  ): Result<{ grant: CheckedGrant; request: Request }, { code: RefusalCode; grant: CheckedGrant | undefined }> {
    const refuse = (code: RefusalCode, grant?: CheckedGrant) => err({ code, grant });
    if (!order.fromGateway) return refuse('grant_sender');
    const read = this.ports.readGrant(order.grant);
    if (!read.ok) return refuse(read.error.code, read.error.grant ?? this.#nameless(order));
    const grant = read.value;
    if (this.ports.digestOf(order.request) !== grant.requestDigest) return refuse('grant_digest', grant);
    if (!this.ports.isUnder(grant, order.place)) return refuse('grant_not_for_me', grant);
    const request = this.ports.readRequest(order.request);
    if (!request.ok || request.value.what !== 'job') return refuse('bad_request', grant);
    return ok({ grant, request: request.value });
  }

  #untimely({ issued, lifetime }: Request): 'request_from_future' | 'request_expired' | undefined {
    const now = this.ports.now();
    if (issued > now + this.ports.skewMs) return 'request_from_future';
    return issued + lifetime < now ? 'request_expired' : undefined;
  }

  /** A grant that cannot be trusted names no job; the refusal is still told, under the digest of what came. */
  #nameless(order: JobOrder): CheckedGrant {
    return {
      requestDigest: this.ports.digestOf(order.request),
      caller: { kind: 'account', name: '' },
      onBehalfOf: [],
      jid: '00000000000000000000' as Jid,
      expires: 0,
      issued: 0,
      root: new Uint8Array(),
      count: 0,
    };
  }

  /**
   * A job may run for longer than its request lives, and clocks differ: what runs or ran is answered whatever the request's time,
   * also from the spool where the record has forgotten it.
   *
   * @param refusal Why it does not run now, when it never did.
   */
  #answerWithoutRun(order: JobOrder, grant: CheckedGrant, admission: Admission, refusal: RefusalCode): void {
    if (admission === 'running') {
      // Its return will come, to the gateway that asked last.
      this.#waiting.set(grant.requestDigest, order.instance);
      return;
    }
    const spooled = this.ports.spooled(grant.requestDigest);
    if (spooled !== undefined)
      this.ports.deliver({ ...spooled, jid: grant.jid, instance: order.instance }, grant.count);
    else if (admission === 'interrupted') this.#answer(order, grant, 'interrupted', null);
    else if (admission === 'finished') this.#answer(order, grant, 'already_returned', null);
    else this.#answer(order, grant, 'refused', refusal);
  }

  #answer(order: JobOrder, grant: CheckedGrant, status: MinionReturn['status'], code: RefusalCode | null): void {
    const sentence = status === 'interrupted' ? 'interrupted, outcome unknown' : null;
    const ret = { jid: grant.jid, digest: grant.requestDigest, instance: order.instance, status, code };
    this.ports.deliver({ ...ret, outcome: { ...NO_OUTCOME, ret: sentence } }, grant.count);
  }
}
