/**
 * A runner's caller: whoever works on it says every second that it is there. When that stops, the same signed request is sent
 * once more, and the first question is still listened to: a busy master stalls for seconds. A runner that has begun is not
 * run again; when nobody who began it is there any more, what became of it is unknown.
 */
import type { AskFailure, Question, SealedBus } from '@natrium/bus';
import { err, ok, type Result } from '@natrium/model';
import { type Body, contracts } from '@natrium/wire';

type Ran = Body<typeof contracts.ran>;
type Answer = Result<Ran, AskFailure>;

/** After this it is asked once more. */
const SILENT_MS = 3000;
/** Whoever says nothing for so long is gone. */
const GONE_MS = 10_000;
const UNKNOWN = {
  code: 'no_runner_available',
  sentence: 'interrupted, outcome unknown: the master lost the run on its way; it is not run again',
} as const;

/** @param onJid Hears once under which jid it runs, when that is told before its end. */
export function askRun(
  bus: SealedBus,
  question: Question<typeof contracts.runner>,
  patienceMs: number,
  onJid: (jid: string) => void = () => undefined,
): Promise<Answer> {
  return new Promise((resolve) => {
    new RunAsking(bus, question, patienceMs, { onJid, onEnd: resolve }).start();
  });
}

interface RunHearing {
  onJid(jid: string): void;
  onEnd(answer: Answer): void;
}

class RunAsking {
  /** How each question has ended; undefined while it may still be answered. */
  readonly #ended: (Answer | undefined)[] = [];
  readonly #hangUps: (() => void)[] = [];
  #isNamed = false;
  #again: NodeJS.Timeout | undefined;

  constructor(
    private readonly bus: SealedBus,
    private readonly question: Question<typeof contracts.runner>,
    private readonly patienceMs: number,
    private readonly hear: RunHearing,
  ) {}

  start(): void {
    this.#again = setTimeout(
      () => {
        this.#ask(Math.max(SILENT_MS, this.patienceMs - SILENT_MS));
      },
      Math.min(SILENT_MS, this.patienceMs),
    );
    this.#ask(Math.min(GONE_MS, this.patienceMs));
  }

  #ask(silentMs: number): void {
    const index = this.#ended.push(undefined) - 1;
    const hangUp = this.bus.converse(this.question, contracts.ran, silentMs, {
      onAnswer: (ran) => {
        if (!isAlive(ran, this.question.body.follow)) {
          this.#hear(index, ok(ran));
          return 'done';
        }
        this.#name(ran.jid);
        if (this.#ended.length === 1) this.#again?.refresh();
        return 'more';
      },
      onFailure: (failure) => {
        this.#hear(index, err(failure));
      },
    });
    this.#hangUps.push(hangUp);
  }

  /** What came of it counts at once, a refusal or a silence only when the other question has ended as well. */
  #hear(index: number, answer: Answer): void {
    this.#ended[index] = answer;
    const isOutcome = answer.ok && answer.value.refusal === null;
    if (!isOutcome && this.#ended.includes(undefined)) return;
    clearTimeout(this.#again);
    for (const hangUp of this.#hangUps) hangUp();
    this.hear.onEnd(isOutcome ? answer : this.#verdict(answer));
  }

  /** Whoever is asked again may be told another jid, under which nothing runs then. */
  #name(jid: string): void {
    if (jid === '' || this.#isNamed) return;
    this.#isNamed = true;
    this.hear.onJid(jid);
  }

  #verdict(last: Answer): Answer {
    const begun = this.#ended.length === 1 ? undefined : this.#ended.find(wasBegun);
    if (begun?.ok === true) return ok({ refusal: UNKNOWN, jid: begun.value.jid, outcome: null });
    return this.#ended.find((one) => one?.ok) ?? last;
  }
}

function wasBegun(answer: Answer | undefined): boolean {
  return answer?.ok === true && answer.value.refusal?.code === 'already_ran';
}

/** Nothing has come of it yet, and somebody works on it. */
function isAlive({ refusal, jid, outcome }: Ran, follow: 'all' | 'jid'): boolean {
  return refusal === null && outcome === null && (follow === 'all' || jid === '');
}
