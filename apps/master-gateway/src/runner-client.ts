/**
 * Hands a granted run to a runner-service and waits for its answer; one that is gone has left the outcome unknown.
 *
 * Whoever works on a run says so each second. Silence alone is no death, since a busy host stalls for seconds: the instance
 * is asked, and the broker says at once when nobody is connected there. While no runner-service is there, one that starts is waited
 * for. Where nobody says a word, the question may have died with who was given it: it is handed over once more, and runs once.
 *
 * Spec: spec/envelope.md#durability.
 */
import { type AskFailure, BACK_MS, isUnheard } from '@natrium/bus';
import type { RoleLink } from '@natrium/edge';
import type { KnownParty } from '@natrium/envelope';
import type { Ran, SignedRequest } from '@natrium/flow';
import { err, type Jid, ok, type Refusal, refusal, type Result, type Signed } from '@natrium/model';
import { contracts } from '@natrium/wire';

/** After this it is asked whether it is there. */
const SILENT_MS = 3000;
/** One that is connected and says nothing for so long is stopped or cut off. */
const GONE_MS = 10_000;
const ASK_MS = 1500;
const ASK_AGAIN_MS = 500;
/** A runner-service that is started anew takes half a second. */
const HAND_AGAIN_MS = 200;

/** `lost`: nobody has said a word of it. */
type Failure = AskFailure | 'gone' | 'lost';

export async function runOn(
  link: RoleLink,
  ask: SignedRequest,
  grant: Signed,
  jid: Jid,
  timeoutMs: number,
): Promise<Result<Ran, Refusal>> {
  const answer = await new Run(link, jid, { ask, grant, timeoutMs }).hear();
  if (answer.ok) return answer;
  return err(
    refusal('no_runner_available', `${ask.request.funs.join(',')} gave no answer: ${reason(answer.error, jid)}`),
  );
}

function reason(failure: Failure, jid: Jid): string {
  if (failure === 'timeout') return `it is still running, jid ${jid}`;
  if (failure === 'lost') return `no runner-service said that it works on it: outcome unknown, jid ${jid}`;
  if (failure === 'gone') return `its runner-service is gone: interrupted, outcome unknown, jid ${jid}`;
  return `no runner-service is there (${failure})`;
}

interface RunHearing {
  onRan(ran: Ran): void;
  onFailure(failure: AskFailure): void;
}

interface Granted {
  readonly ask: SignedRequest;
  readonly grant: Signed;
  readonly timeoutMs: number;
}

class Run {
  readonly #hangUps: (() => void)[] = [];
  /** Who works on it, from its first word. */
  #worker: KnownParty | undefined;
  readonly #begun = performance.now();
  #heardAt = this.#begun;
  #lookSoon: NodeJS.Timeout | undefined;
  #handSoon: NodeJS.Timeout | undefined;
  /** It said that it does not work on this: its answer may still be on its way, once. */
  #wasIdle = false;
  #wasHandedTwice = false;
  #isOver = false;
  #end: (answer: Result<Ran, Failure>) => void = () => undefined;

  constructor(
    private readonly link: RoleLink,
    private readonly jid: Jid,
    private readonly granted: Granted,
  ) {}

  hear(): Promise<Result<Ran, Failure>> {
    return new Promise((resolve) => {
      this.#hand();
      const timer = setTimeout(() => {
        this.#end(err(this.#worker === undefined ? 'lost' : 'timeout'));
      }, this.granted.timeoutMs);
      this.#end = (answer) => {
        this.#isOver = true;
        clearTimeout(timer);
        clearTimeout(this.#lookSoon);
        clearTimeout(this.#handSoon);
        for (const hangUp of this.#hangUps) hangUp();
        resolve(answer);
      };
      this.#lookIn(SILENT_MS);
    });
  }

  /** As long as none is there, one that is started anew may come. */
  #hand(): void {
    this.#converse({
      onRan: (ran) => {
        this.#end(ok(ran));
      },
      onFailure: (failure) => {
        if (!isUnheard(failure) || performance.now() - this.#begun >= BACK_MS) this.#end(err(failure));
        else {
          this.#handSoon = setTimeout(() => {
            this.#hand();
          }, HAND_AGAIN_MS);
        }
      },
    });
  }

  #handOnceMore(): void {
    this.#wasHandedTwice = true;
    this.#converse({
      onRan: (ran) => {
        // Who has run it, or runs it, may still say so.
        if (ran.refusal?.code !== 'already_ran') this.#end(ok(ran));
      },
      onFailure: () => undefined,
    });
  }

  #converse(hear: RunHearing): void {
    const { link, jid } = this;
    const { ask, grant, timeoutMs } = this.granted;
    const hangUp = link.bus.converse(
      {
        contract: contracts.run,
        body: { request: ask.bytes, signature: ask.signature, callerKey: ask.callerKey, grant, jid },
        subject: link.subjects.svcRun('run'),
        to: () => link.directory.role('runner'),
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
          hear.onRan(ran);
          return 'done';
        },
        onFailure: (failure) => {
          hear.onFailure(failure);
        },
      },
    );
    this.#hangUps.push(hangUp);
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
    if (this.#worker === undefined && !this.#wasHandedTwice) this.#handOnceMore();
    const isSilentTooLong = performance.now() - this.#heardAt >= GONE_MS;
    if (found === 'working') this.#heard();
    else if (found === 'gone' || (found === 'idle' && this.#wasIdle) || isSilentTooLong) this.#end(err('gone'));
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
