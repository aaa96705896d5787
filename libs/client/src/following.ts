/**
 * A job's caller, who hears of it to its end: when the gateway that began it falls silent, the same signed request goes to
 * another one, which goes on with the same job.
 *
 * A gateway that is there says so every second. Each return is told once, whoever tells it again.
 * Spec: spec/envelope.md#durability.
 */
import type { AskFailure, Question, SealedBus } from '@natrium/bus';
import { type Body, contracts } from '@natrium/wire';

export type News = Body<typeof contracts.news>;

export interface FollowHearing {
  /** @returns true after the last news. */
  onNews(news: News): boolean;
  onFailure(failure: AskFailure): void;
}

/** Three times what a living gateway lets pass. */
const SILENT_MS = 3000;
const AGAIN_MS = 250;
const LATER_MS = 1000;
/**
 * Refusals that say nothing of the job: to the first request that nothing came of it, but to one that was sent again not what
 * became of it at the gateway that had it before.
 */
const NOT_NOW: ReadonlySet<string> = new Set(['acl_unavailable', 'store_unavailable', 'slow_down']);

export class Following {
  readonly #told = new Set<string>();
  #started = false;
  #heard = 0;
  #attempts = 0;

  constructor(
    private readonly bus: SealedBus,
    private readonly question: Question<typeof contracts.publish>,
    /** How long nobody at all may be there. */
    private readonly patienceMs: number,
    private readonly hear: FollowHearing,
  ) {}

  start(): void {
    this.#heard = performance.now();
    this.#ask();
  }

  #ask(): void {
    this.#attempts += 1;
    this.bus.converse(this.question, contracts.news, Math.min(SILENT_MS, this.patienceMs), {
      onAnswer: (news) => {
        if (this.#attempts > 1 && NOT_NOW.has(news.refusal?.code ?? '')) {
          this.#againAfter(LATER_MS, 'timeout');
          return 'done';
        }
        this.#heard = performance.now();
        const fresh = this.#fresh(news);
        return fresh !== undefined && this.hear.onNews(fresh) ? 'done' : 'more';
      },
      onFailure: (failure) => {
        this.#failed(failure);
      },
    });
  }

  /** Nobody is connected at the first try: the caller hears it at once. Later it is a matter of time. */
  #failed(failure: AskFailure): void {
    const isFirst = this.#attempts === 1 && !this.#started;
    if (isFirst && failure !== 'timeout') this.hear.onFailure(failure);
    else this.#againAfter(failure === 'timeout' ? 0 : AGAIN_MS, this.#started ? 'timeout' : failure);
  }

  /** @param failure Told instead when patience is over. */
  #againAfter(ms: number, failure: AskFailure): void {
    if (performance.now() - this.#heard >= this.patienceMs) this.hear.onFailure(failure);
    else if (ms === 0) this.#ask();
    else
      setTimeout(() => {
        this.#ask();
      }, ms);
  }

  /** What was not told before; undefined for news of nothing. */
  #fresh(news: News): News | undefined {
    if (news.refusal === null && news.started === null && news.end === null && news.returns.length === 0)
      return undefined;
    const returns = news.returns.filter(({ id }) => !this.#told.has(id));
    for (const { id } of returns) this.#told.add(id);
    const started = this.#started ? null : news.started;
    this.#started ||= news.started !== null;
    const end = news.end?.filter(({ id }) => !this.#told.has(id)) ?? null;
    return { refusal: news.refusal, started, returns, end };
  }
}
