/**
 * A job's caller, who hears of it to its end: when the gateway that began it falls silent, the same signed request goes to
 * another one, which goes on with the same job.
 *
 * A gateway that is there says so every second. Each return is told once, whoever tells it again. An end is told when nothing
 * of the job is missing: what a broker lost on the way, as where this connection had to find another node, is asked for again.
 * Of a job that has begun no refusal is told, which would say that nothing was sent: it is the reason why its end is not known.
 * Spec: spec/envelope.md#durability.
 */
import type { AskFailure, Question, SealedBus } from '@natrium/bus';
import { NOT_NOW } from '@natrium/model';
import { type Body, contracts } from '@natrium/wire';

export type News = Body<typeof contracts.news>;

const NO_NEWS: News = { refusal: null, started: null, returns: [], end: null };

export interface FollowHearing {
  /** @returns true after the last news. */
  onNews(news: News): boolean;
  onFailure(failure: AskFailure): void;
}

/** Three times what a living master lets pass: after so much silence, and not before, it is asked a second time. */
export const ASKED_AGAIN_MS = 3000;
const AGAIN_MS = 250;
const LATER_MS = 1000;
/** Ends that lack returns; after so many, who is still missing is told as such. */
const MOST_ENDS = 3;
const LOST = 'it returned, but its return was lost on the way here; jobs.lookup_jid may have it';

export class Following {
  readonly #told = new Set<string>();
  #minions: readonly string[] | undefined;
  /** The last that was heard. */
  #end: News['end'] | undefined;
  #ends = 0;
  #heard = 0;
  #attempts = 0;

  constructor(
    private readonly bus: SealedBus,
    private readonly question: Question<typeof contracts.publish>,
    /** How long nobody at all may answer, in milliseconds. */
    private readonly patienceMs: number,
    private readonly hear: FollowHearing,
  ) {}

  start(): void {
    this.#heard = performance.now();
    this.#ask();
  }

  #ask(): void {
    this.#attempts += 1;
    const heardBefore = this.#heard;
    this.bus.converse(this.question, contracts.news, Math.min(ASKED_AGAIN_MS, this.patienceMs), {
      onAnswer: (news) => {
        // To a question that was sent again this says nothing of the job: the gateway that got it first may have begun it. Nor did its
        // word that it is there, while it waited for those who decide.
        if (this.#attempts > 1 && NOT_NOW.some((code) => code === news.refusal?.code)) {
          this.#heard = heardBefore;
          this.#againAfter(LATER_MS, 'timeout');
          return 'done';
        }
        this.#heard = performance.now();
        return this.#take(news);
      },
      onFailure: (failure) => {
        this.#failed(failure);
      },
    });
  }

  #take(news: News): 'more' | 'done' {
    const fresh = this.#fresh(news);
    if (fresh === undefined) return 'more';
    const { refusal } = fresh;
    // The job was over; that it is refused by now says nothing of it.
    if (refusal !== null && this.#end !== undefined) return this.#tellEnd(NO_NEWS);
    if (refusal !== null && this.#minions !== undefined) return this.#tellEnd(NO_NEWS, notFollowed(refusal.code));
    if (fresh.end === null) return this.hear.onNews(fresh) ? 'done' : 'more';
    this.#end = fresh.end;
    this.#ends += 1;
    if (this.#ends === MOST_ENDS || (this.#minions !== undefined && this.#lost().length === 0))
      return this.#tellEnd(fresh);
    if (fresh.started !== null || fresh.returns.length > 0) this.hear.onNews({ ...fresh, end: null });
    this.#ask();
    return 'done';
  }

  /** @param sentence Why others are missing than those of the end that was heard. */
  #tellEnd({ started, returns }: News, sentence = LOST): 'done' {
    const absent = (this.#end ?? []).filter(({ id }) => !this.#told.has(id));
    const lost = this.#lost().map((id) => ({ id, why: 'no_answer' as const, sentence }));
    this.hear.onNews({ refusal: null, started, returns, end: [...absent, ...lost] });
    return 'done';
  }

  /** Minions of which neither a return nor its absence was told. */
  #lost(): readonly string[] {
    const [minions, end] = [this.#minions ?? [], this.#end ?? []];
    if (this.#told.size + end.length === minions.length) return [];
    const absent = new Set(end.map(({ id }) => id));
    return minions.filter((id) => !this.#told.has(id) && !absent.has(id));
  }

  /** Whether somebody has heard of the job is a matter of time once it may have been asked for before. */
  #failed(failure: AskFailure): void {
    const isFirst = this.#attempts === 1 && this.#minions === undefined;
    if (isFirst && failure !== 'timeout') this.hear.onFailure(failure);
    else this.#againAfter(failure === 'timeout' ? 0 : AGAIN_MS, this.#minions === undefined ? failure : 'timeout');
  }

  /** @param failure Told instead when patience is over. */
  #againAfter(ms: number, failure: AskFailure): void {
    if (performance.now() - this.#heard >= this.patienceMs) this.#giveUp(failure);
    else if (ms === 0) this.#ask();
    else
      setTimeout(() => {
        this.#ask();
      }, ms);
  }

  #giveUp(failure: AskFailure): void {
    if (this.#end !== undefined) this.#tellEnd(NO_NEWS);
    else this.hear.onFailure(failure);
  }

  /** What was not told before; undefined for news of nothing. */
  #fresh(news: News): News | undefined {
    if (news.refusal === null && news.started === null && news.end === null && news.returns.length === 0)
      return undefined;
    const returns = news.returns.filter(({ id }) => !this.#told.has(id));
    for (const { id } of returns) this.#told.add(id);
    const started = this.#minions === undefined ? news.started : null;
    this.#minions ??= news.started?.minions;
    const end = news.end?.filter(({ id }) => !this.#told.has(id)) ?? null;
    return { refusal: news.refusal, started, returns, end };
  }
}

function notFollowed(code: string): string {
  return `its gateway is gone, and another one does not go on with the job: ${code}`;
}
