/**
 * A runner's caller: whoever works on it says every second that it is there. When that stops, the same signed request is sent
 * again, and those who were asked before are still listened to: a busy master stalls for seconds. It is sent as often as nobody
 * says a word, since the broker may hand it to a gateway that stands still each time. A runner that has begun is not run again;
 * when nobody who began it is there any more, what became of it is unknown.
 */
import type { AskFailure, Question, SealedBus } from '@natrium/bus';
import { err, NOT_NOW, ok, type Result } from '@natrium/model';
import { type Body, contracts } from '@natrium/wire';
import { ASKED_AGAIN_MS } from './following.js';

type Ran = Body<typeof contracts.ran>;
type Answer = Result<Ran, AskFailure>;

/** Whoever says nothing for so long is gone. */
const GONE_MS = 10_000;
const UNKNOWN = 'interrupted, outcome unknown: the master lost the run on its way; it is not run again';

/**
 * @param patienceMs How long nobody at all may answer.
 * @param onJid Hears once under which jid it runs, when that is told before its end.
 */
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

/** One question, and what has come of it. */
interface Asked {
  /** Under which jid it runs; empty until that is told. */
  jid: string;
  /** undefined while it may still be answered. */
  answer: Answer | undefined;
  hangUp: () => void;
}

class RunAsking {
  readonly #asked: Asked[] = [];
  #isNamed = false;
  #again: NodeJS.Timeout | undefined;
  #patience: NodeJS.Timeout | undefined;

  constructor(
    private readonly bus: SealedBus,
    private readonly question: Question<typeof contracts.runner>,
    private readonly patienceMs: number,
    private readonly hear: RunHearing,
  ) {}

  start(): void {
    // The questions keep the process alive, as long as the bus is open.
    this.#patience = setTimeout(() => {
      this.#giveUp();
    }, this.patienceMs).unref();
    this.#again = setInterval(() => {
      this.#ask();
    }, ASKED_AGAIN_MS).unref();
    this.#ask();
  }

  #ask(): void {
    const asked: Asked = { jid: '', answer: undefined, hangUp: () => undefined };
    this.#asked.push(asked);
    asked.hangUp = this.bus.converse(this.question, contracts.ran, GONE_MS, {
      onAnswer: (ran) => {
        if (!isAlive(ran, this.question.body.follow)) {
          this.#hear(asked, ok(ran));
          return 'done';
        }
        this.#name(asked, ran.jid);
        this.#listenAnew();
        return 'more';
      },
      onFailure: (failure) => {
        this.#hear(asked, err(failure));
      },
      onSentAgain: () => {
        this.#listenAnew();
      },
    });
  }

  /** The silence begins now. */
  #listenAnew(): void {
    this.#again?.refresh();
    this.#patience?.refresh();
  }

  #askNoMore(): void {
    clearInterval(this.#again);
    this.#again = undefined; // to refresh one that is cleared would start it
  }

  /** What came of it counts at once, a refusal or a silence only when every other question has ended as well. */
  #hear(asked: Asked, answer: Answer): void {
    asked.answer = answer;
    const isOutcome = answer.ok && answer.value.refusal === null;
    // Whoever is asked after that would say the same.
    if (answer.ok || answer.error !== 'timeout') this.#askNoMore();
    if (!isOutcome && this.#asked.some((one) => one.answer === undefined)) return;
    this.#end(isOutcome ? answer : this.#verdict(answer));
  }

  #giveUp(): void {
    const silence = err('timeout' as const);
    for (const asked of this.#asked) asked.answer ??= silence;
    this.#end(this.#verdict(silence));
  }

  #end(answer: Answer): void {
    this.#askNoMore();
    clearTimeout(this.#patience);
    for (const { hangUp } of this.#asked) hangUp();
    this.hear.onEnd(answer);
  }

  /** Whoever is asked again may be told another jid, under which nothing runs then. */
  #name(asked: Asked, jid: string): void {
    if (jid === '') return;
    asked.jid = jid;
    if (this.#isNamed) return;
    this.#isNamed = true;
    this.hear.onJid(jid);
  }

  /** Of a run that has begun only whoever worked on it can say what came of it; what others say is only that it is not run again. */
  #verdict(last: Answer): Answer {
    const begun = this.#asked.filter(({ jid }) => jid !== '');
    const lost = begun.find(({ answer }) => answer?.ok === false);
    if (lost !== undefined) return unknown(lost.jid);
    const answers = [...begun, ...this.#asked].map(({ answer }) => answer);
    const isBegun = this.#asked.length > 1 && answers.some(wasBegun);
    if (isBegun) return unknown(begun.find(({ answer }) => !wasBegun(answer))?.jid);
    const said = answers.find((answer) => answer?.ok) ?? last;
    if (!isSentNowhere(said)) return said;
    // Of a question that nobody has answered, another gateway's word says nothing.
    return answers.find((answer) => answer?.ok === false && answer.error === 'timeout') ?? said;
  }
}

function isSentNowhere(answer: Answer): boolean {
  return answer.ok && NOT_NOW.some((code) => code === answer.value.refusal?.code);
}

/** @param jid undefined where nobody was told it: that of a refusal is another's. */
function unknown(jid = ''): Answer {
  const sentence = jid === '' ? UNKNOWN : `${UNKNOWN}, jid ${jid}`;
  return ok({ refusal: { code: 'no_runner_available', sentence }, jid, outcome: null });
}

function wasBegun(answer: Answer | undefined): boolean {
  return answer?.ok === true && answer.value.refusal?.code === 'already_ran';
}

/** Nothing has come of it yet, and somebody works on it. */
function isAlive({ refusal, jid, outcome }: Ran, follow: 'all' | 'jid'): boolean {
  return refusal === null && outcome === null && (follow === 'all' || jid === '');
}
