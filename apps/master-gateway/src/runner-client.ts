/**
 * Hands a granted run to a runner-service and waits for its answer; one that is gone has left the outcome unknown.
 *
 * Whoever works on a run says so each second. Silence alone is no death, since a busy host stalls for seconds: the instance
 * is asked, and the broker says at once when nobody is connected there.
 *
 * Spec: spec/envelope.md#durability.
 */
import type { AskFailure } from '@natrium/bus';
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

type Failure = AskFailure | 'gone';

export async function runOn(
  link: RoleLink,
  ask: SignedRequest,
  grant: Signed,
  jid: Jid,
  timeoutMs: number,
): Promise<Result<Ran, Refusal>> {
  const answer = await new Run(link, jid).hear({ ask, grant, timeoutMs });
  if (answer.ok) return answer;
  return err(
    refusal('no_runner_available', `${ask.request.funs.join(',')} gave no answer: ${reason(answer.error, jid)}`),
  );
}

function reason(failure: Failure, jid: Jid): string {
  if (failure === 'timeout') return `it is still running, jid ${jid}`;
  if (failure === 'gone') return `its runner-service is gone: interrupted, outcome unknown, jid ${jid}`;
  return `no runner-service is there (${failure})`;
}

interface Granted {
  readonly ask: SignedRequest;
  readonly grant: Signed;
  readonly timeoutMs: number;
}

class Run {
  /** Who works on it, from its first word. */
  #worker: KnownParty | undefined;
  #heardAt = performance.now();
  #lookSoon: NodeJS.Timeout | undefined;
  /** It said that it does not work on this: its answer may still be on its way, once. */
  #wasIdle = false;
  #isOver = false;
  #end: (answer: Result<Ran, Failure>) => void = () => undefined;

  constructor(
    private readonly link: RoleLink,
    private readonly jid: Jid,
  ) {}

  hear(granted: Granted): Promise<Result<Ran, Failure>> {
    return new Promise((resolve) => {
      const hangUp = this.#converse(granted);
      const timer = setTimeout(() => {
        this.#end(err('timeout'));
      }, granted.timeoutMs);
      this.#end = (answer) => {
        this.#isOver = true;
        clearTimeout(timer);
        clearTimeout(this.#lookSoon);
        hangUp();
        resolve(answer);
      };
      this.#lookIn(SILENT_MS);
    });
  }

  #converse({ ask, grant, timeoutMs }: Granted): () => void {
    const { link, jid } = this;
    return link.bus.converse(
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
          this.#end(ok(ran));
          return 'done';
        },
        onFailure: (failure) => {
          this.#end(err(failure));
        },
      },
    );
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
