/**
 * Hands a granted run to a runner-service and waits for its answer; one that is gone has left the outcome unknown.
 *
 * The runner-service that works on a run says so each second. A silent one need not be gone, since a busy host stalls for seconds: it is
 * asked whether it is still at work, and the broker says at once when it is not connected. While no runner-service is there, one that
 * starts is waited for. When nobody says a word, the question may have died with the one that got it, or the broker may have given it to one
 * that stands still, so it is handed over again until somebody does; the run itself happens once at most.
 *
 * Spec: spec/envelope.md#durability.
 */
import { type AskFailure, BACK_MS } from '@natrium/bus';
import type { RoleLink } from '@natrium/edge';
import type { KnownParty } from '@natrium/envelope';
import type { NoAnswer, Ran, SignedRequest } from '@natrium/flow';
import { err, type Jid, ok, refusal, type Result, type Signed } from '@natrium/model';
import { contracts } from '@natrium/wire';

/** A runner-service that is silent for so long is asked whether it is there. */
const SILENT_MS = 3000;
/** While nobody has said a word after that, it is handed over again so often. */
const HAND_AGAIN_MS = 1000;
/** One that is connected and says nothing for so long is stopped or cut off. */
const GONE_MS = 10_000;
const ASK_MS = 1500;
const ASK_AGAIN_MS = 500;

/** `lost`: nobody has said a word of it, or only that somebody else has it. */
type Failure = AskFailure | 'gone' | 'lost';

export async function runOn(
  link: RoleLink,
  ask: SignedRequest,
  grant: Signed,
  jid: Jid,
  timeoutMs: number,
): Promise<Result<Ran, NoAnswer>> {
  const answer = await new Run(link, jid, { ask, grant, timeoutMs }).hear();
  if (answer.ok) return answer;
  const sentence = `${ask.request.funs.join(',')} gave no answer: ${reason(answer.error, jid)}`;
  return err({ why: refusal('no_runner_available', sentence), isRunning: answer.error === 'timeout' });
}

function reason(failure: Failure, jid: Jid): string {
  if (failure === 'timeout') return `it is still running, jid ${jid}`;
  if (failure === 'lost') return `no runner-service says that it works on it: outcome unknown, jid ${jid}`;
  if (failure === 'gone') return `its runner-service is gone: interrupted, outcome unknown, jid ${jid}`;
  if (failure === 'turned_away') return 'the runner-service turned it away, its log says why';
  return 'no runner-service is there; start one, or look into its log';
}

/** Whoever finds no such runner has taken the run by then: nobody else runs it. */
function isFinal({ refusal: no }: Ran): boolean {
  return no === null || no.code === 'unknown_runner';
}

interface Granted {
  readonly ask: SignedRequest;
  readonly grant: Signed;
  readonly timeoutMs: number;
}

class Run {
  readonly #hangUps: (() => void)[] = [];
  /** How often it was handed over. */
  #handed = 0;
  /** What came of each of those that brought no outcome. */
  readonly #answers: Result<Ran, AskFailure>[] = [];
  /** Who works on it, from its first word. */
  #worker: KnownParty | undefined;
  readonly #begun = performance.now();
  #heardAt = this.#begun;
  #lookSoon: NodeJS.Timeout | undefined;
  /** At the last look it said that it does not work on this. The first time, its answer may still be on its way. */
  #wasIdle = false;
  #isOver = false;
  #end: (answer: Result<Ran, Failure>) => void = () => undefined;

  constructor(
    private readonly link: RoleLink,
    private readonly jid: Jid,
    private readonly granted: Granted,
  ) {}

  hear(): Promise<Result<Ran, Failure>> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => {
        this.#end(err(this.#worker === undefined ? 'lost' : 'timeout'));
      }, this.granted.timeoutMs);
      this.#end = (answer) => {
        this.#isOver = true;
        clearTimeout(timer);
        clearTimeout(this.#lookSoon);
        for (const hangUp of this.#hangUps) hangUp();
        resolve(answer);
      };
      this.#hand();
    });
  }

  #hand(): void {
    const { link, jid } = this;
    const { ask, grant, timeoutMs } = this.granted;
    this.#handed += 1;
    this.#lookIn(this.#handed === 1 ? SILENT_MS : HAND_AGAIN_MS);
    const hangUp = link.bus.converse(
      {
        contract: contracts.run,
        body: { request: ask.bytes, signature: ask.signature, callerKey: ask.callerKey, grant, jid },
        subject: link.subjects.svcRun,
        to: () => link.directory.role('runner'),
        backMs: BACK_MS,
      },
      contracts.ran,
      timeoutMs,
      {
        onAnswer: (ran, party) => {
          if (ran.refusal === null && ran.outcome === null && ran.jid === '') {
            this.#worker = party;
            this.#heard();
            return 'more';
          }
          this.#take(ok(ran));
          return 'done';
        },
        onFailure: (failure) => {
          // Silence on the line is judged by `#look`, and the time of the whole run has a timer of its own.
          if (failure !== 'timeout') this.#take(err(failure));
        },
        onSentAgain: () => {
          if (this.#worker === undefined) this.#lookIn(SILENT_MS);
        },
      },
    );
    this.#hangUps.push(hangUp);
  }

  /** Nobody has said a word of it, and the broker has not said that nobody is there. */
  get #isUnheard(): boolean {
    return this.#worker === undefined && this.#answers.length === 0;
  }

  /** An outcome counts at once; a refusal or a failure only when every one that was asked has brought one. */
  #take(answer: Result<Ran, AskFailure>): void {
    if (answer.ok && isFinal(answer.value)) {
      this.#end(answer);
      return;
    }
    this.#answers.push(answer);
    if (this.#answers.length === this.#handed) this.#decide(answer);
  }

  /** Handed over more than once, one runner-service may refuse it as run already: that only says that the other one had it, and nobody has its outcome. */
  #decide(last: Result<Ran, AskFailure>): void {
    const refusals = this.#answers.filter((one) => one.ok);
    const heard = this.#answers.filter((one) => one.ok || one.error === 'turned_away');
    const hasRun = heard.length > 1 && refusals.some(({ value }) => value.refusal?.code === 'already_ran');
    this.#end(hasRun ? err('lost') : (refusals.at(-1) ?? last));
  }

  #heard(): void {
    this.#heardAt = performance.now();
    this.#wasIdle = false;
    this.#lookIn(SILENT_MS);
  }

  #lookIn(ms: number): void {
    clearTimeout(this.#lookSoon);
    this.#lookSoon = setTimeout(() => void this.#look(), ms);
  }

  async #look(): Promise<void> {
    const found = await this.#find();
    if (this.#isOver) return;
    const isSilentTooLong = performance.now() - this.#heardAt >= GONE_MS;
    if (this.#isUnheard && !isSilentTooLong) {
      this.#hand();
      return;
    }
    if (found === 'working') this.#heard();
    else if (found === 'gone' || (found === 'idle' && this.#wasIdle) || isSilentTooLong)
      this.#end(err(this.#worker === undefined ? 'lost' : 'gone'));
    else {
      this.#wasIdle = found === 'idle';
      this.#lookIn(ASK_AGAIN_MS);
    }
  }

  async #find(): Promise<'working' | 'idle' | 'gone' | 'silent'> {
    const { link, jid } = this;
    const worker = this.#worker;
    if (worker?.owner.type !== 'role') return 'silent';
    const answer = await link.bus.ask(
      {
        contract: contracts.presence,
        body: { jids: [jid] },
        subject: link.subjects.svcRunHere(worker.owner.instance),
        to: () => [worker],
      },
      contracts.here,
      ASK_MS,
    );
    if (answer.ok) return answer.value.body.running.includes(jid) ? 'working' : 'idle';
    return answer.error === 'no_responders' ? 'gone' : 'silent';
  }
}
