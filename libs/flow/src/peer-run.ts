/**
 * Running a runner, or a function of the wheel: the same gate as a job, with a grant-run, and one answer.
 *
 * Spec: spec/acl.md#runners-and-wheel. The original's behaviour: compat/cases/peer_run.jsonl.
 */
import {
  type Jid,
  messageOf,
  type Principal,
  type Refusal,
  refusal,
  type Request,
  type Result,
  type Signed,
} from '@natrium/model';
import type { Body, contracts } from '@natrium/wire';
import type { SignedRequest } from './signed-request.js';

/** The one runner that tells pillar: only to an account with full access, and its events and its record do not hold it. */
export const PILLAR_RUNNER = 'cache.pillar';

export type Ran = Body<typeof contracts.ran>;

/** Whoever works on a run ends it when its time is over: that this was so takes a while to be told, on a busy host a long one. */
const TOLD_MS = 5000;

/** A run that is granted. */
export interface RunStart {
  readonly request: Request;
  /** The same as its caller has signed it. */
  readonly bytes: Uint8Array;
  readonly jid: Jid;
  readonly caller: Principal;
}

/** Why there is no answer; `isRunning`: its runner-service says that it works on it still. */
export interface NoAnswer {
  readonly why: Refusal;
  readonly isRunning: boolean;
}

export interface PeerRunPorts {
  /** @throws {Error} While the broker takes no writes. */
  mintJid(): Promise<Jid>;
  askGrant(
    ask: SignedRequest,
    jid: Jid,
  ): Promise<Result<{ readonly grant: Signed; readonly caller: Principal }, Refusal>>;
  /** Hands the run to a runner-service and waits for its answer. */
  run(ask: SignedRequest, grant: Signed, jid: Jid, timeoutMs: number): Promise<Result<Ran, NoAnswer>>;
  /** Should this gateway and whoever works on the run both be lost, another gateway knows of it. Never fails. */
  writeDown(start: RunStart): Promise<void>;
  /** The run's start, and with `ran` its end, are told on the event bus; `isGuess`: its runner-service has not said so. */
  announce(start: RunStart, ran?: Ran, isGuess?: boolean): void;
  /** Nobody waits for it here any more, and it has not ended. */
  goesOn(start: RunStart): void;
}

export class PeerRun {
  constructor(private readonly ports: PeerRunPorts) {}

  /**
   * @param follow `jid`: tell the jid as soon as the run is granted, and nothing after it.
   * @param onGranted Hears the jid then, however the run is followed.
   */
  async handle(
    ask: SignedRequest,
    follow: 'all' | 'jid',
    tell: (ran: Ran) => void,
    onGranted: (jid: Jid) => void = () => undefined,
  ): Promise<void> {
    if (ask.request.what !== 'run' && ask.request.what !== 'wheel') {
      const why = `a request for ${ask.request.what} is not one for a runner or the wheel`;
      tell(refusedRun('', refusal('bad_request', why)));
      return;
    }
    const jid = await this.#mint(tell);
    if (jid === undefined) return;
    const granted = await this.ports.askGrant(ask, jid);
    if (!granted.ok) {
      tell(refusedRun(jid, granted.error));
      return;
    }
    const start = { request: ask.request, bytes: ask.bytes, jid, caller: granted.value.caller };
    this.ports.announce(start);
    onGranted(jid);
    const written = this.ports.writeDown(start);
    if (follow === 'jid') {
      await written; // who has its jid looks for its end
      tell({ refusal: null, jid, outcome: null });
    }
    const timeoutMs = ask.request.timeout * 1000 + TOLD_MS;
    const answer = await this.ports.run(ask, granted.value.grant, jid, timeoutMs);
    const ran = answer.ok ? answer.value : refusedRun(jid, answer.error.why);
    if (!answer.ok && answer.error.isRunning) this.ports.goesOn(start);
    else this.ports.announce(start, endUnder(jid, ran), !answer.ok);
    if (follow === 'all') tell(ran);
  }

  async #mint(tell: (ran: Ran) => void): Promise<Jid | undefined> {
    try {
      return await this.ports.mintJid();
    } catch (cause) {
      const why = messageOf(cause);
      tell(refusedRun('', refusal('store_unavailable', `no job id could be had, so nothing was run: ${why}`)));
      return undefined;
    }
  }
}

/**
 * The end of the run with this jid. A caller whose gateway was lost has asked again, and hears what came of the run under its own
 * jid: under this one nothing ran.
 */
export function endUnder(jid: string, ran: Ran): Ran {
  if (ran.jid === '' || ran.jid === jid) return ran;
  return refusedRun(jid, refusal('already_ran', `this very request runs or was run before, jid ${ran.jid}`));
}

export function refusedRun(jid: string, why: Refusal): Ran {
  return { refusal: why, jid, outcome: null };
}
