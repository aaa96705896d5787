/**
 * Tells a caller the news of its job in as few messages as lose no time: a refusal and the end go out at once and take along
 * what waits; the rest goes together with what comes in the same turn of the event loop or, for a peer, whose `publish`
 * module only gathers, within a few milliseconds. Of very many, the caller reads the first while the last still come.
 */
import { GatheredNews, type News, NO_NEWS } from '@natrium/flow';

/** So many returns are a message of their own. */
const MANY = 256;

export class NewsTeller {
  #waiting: GatheredNews | undefined;
  #cancel: (() => void) | undefined;
  #over = false;
  #gaveUp = false;

  /** @param windowMs How long news but the last may wait for company; 0: the same turn of the event loop. */
  constructor(
    private readonly send: (news: News) => void,
    private readonly windowMs: number,
    private readonly onlyStart = false,
    private readonly onFailure: (cause: unknown) => void = () => undefined,
  ) {}

  /** The last of it was told. */
  get isOver(): boolean {
    return this.#over;
  }

  /** Something went wrong here: a caller that hears nothing more asks another gateway. */
  giveUp(): void {
    this.#over = true;
    this.#gaveUp = true;
  }

  /** News of nothing, so that a caller who waits knows that somebody is there. */
  tellAlive(): void {
    if (!this.#over) this.#send(NO_NEWS);
  }

  tell(news: News): void {
    if (this.#gaveUp) return; // an end would say that what was not told never came
    this.#over ||= news.refusal !== null || news.end !== null || (this.onlyStart && news.started !== null);
    if (this.#waiting === undefined) this.#waiting = new GatheredNews(news);
    else this.#waiting.add(news);
    const isMany = this.#waiting.all.returns.length >= MANY;
    if (news.refusal !== null || news.end !== null || isMany) this.#flush();
    else this.#cancel ??= this.#later();
  }

  #later(): () => void {
    const flush = () => {
      this.#flush();
    };
    if (this.windowMs === 0) {
      const turn = setImmediate(flush);
      return () => {
        clearImmediate(turn);
      };
    }
    const timer = setTimeout(flush, this.windowMs);
    return () => {
      clearTimeout(timer);
    };
  }

  #flush(): void {
    this.#cancel?.();
    this.#cancel = undefined;
    const news = this.#waiting?.all;
    this.#waiting = undefined;
    if (news !== undefined) this.#send(news);
  }

  /** Told from a timer: what escaped here would end the process, and with it every other caller's job. */
  #send(news: News): void {
    if (this.#gaveUp) return;
    try {
      this.send(news);
    } catch (cause) {
      this.giveUp();
      this.onFailure(cause);
    }
  }
}
