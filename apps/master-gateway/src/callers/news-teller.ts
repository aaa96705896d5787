/**
 * Tells a caller the news of its job, in as few messages as it can without losing time.
 *
 * A refusal and the end go out at once and take along what waits. The start and the first return go out at the end of the same turn of
 * the event loop. Returns that follow within milliseconds share a message; for a peer, whose `publish` module only gathers, all returns
 * may wait. Of very many returns the first leave while the last still come. What is too much for one message goes out in several.
 */
import { roughSize } from '@natrium/events';
import { GatheredNews, type News, NO_NEWS } from '@natrium/flow';

/** So many returns are a message of their own. */
const MANY = 256;
/** About so many bytes go into one message: the broker takes 8 MiB, and one return alone, which cannot be divided, may have 6. */
const PART_BYTES = 4 << 20;
/** Returns that come within this time after a message of returns wait until it is over: a message costs more than the returns in it. */
const NEXT_MS = 5;
/** Bytes that a return, an id or a word of the end has around it, about. */
const AROUND = 32;

export class NewsTeller {
  #waiting: GatheredNews | undefined;
  #cancel: (() => void) | undefined;
  #over = false;
  #gaveUp = false;
  /** When a return was told last. */
  #toldAt = Number.NEGATIVE_INFINITY;
  /** Unset once the last was told: `Waiting` holds this object until its next look, and should hold nothing more of a caller that is gone. */
  #send: ((news: News) => void) | undefined;

  /** @param windowMs How long news but the last may wait for company; 0: the same turn of the event loop, at first. */
  constructor(
    send: (news: News) => void,
    private readonly windowMs: number,
    private readonly onlyStart = false,
    private readonly onFailure: (cause: unknown) => void = () => undefined,
  ) {
    this.#send = send;
  }

  /** The last of it was told. */
  get isOver(): boolean {
    return this.#over;
  }

  /** Something went wrong here: a caller that hears nothing more asks another gateway. */
  giveUp(): void {
    this.#over = true;
    this.#gaveUp = true;
    this.#send = undefined;
  }

  /** News of nothing, so that a caller who waits knows that somebody is there. */
  tellAlive(): void {
    if (!this.#over) this.#say(NO_NEWS);
  }

  tell(news: News): void {
    if (this.#gaveUp) return; // a later end would mean that the returns that were not told never came
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
    const waitMs = this.windowMs > 0 ? this.windowMs : this.#toldAt + NEXT_MS - performance.now();
    if (waitMs <= 0) {
      const turn = setImmediate(flush);
      return () => {
        clearImmediate(turn);
      };
    }
    const timer = setTimeout(flush, waitMs);
    return () => {
      clearTimeout(timer);
    };
  }

  #flush(): void {
    this.#cancel?.();
    this.#cancel = undefined;
    const news = this.#waiting?.all;
    this.#waiting = undefined;
    if (news !== undefined && news.returns.length > 0) this.#toldAt = performance.now();
    if (news !== undefined) for (const part of inParts(news)) this.#say(part);
    if (this.#over) this.#send = undefined;
  }

  /** Told from a timer: what escaped here would end the process, and with it every other caller's job. */
  #say(news: News): void {
    try {
      this.#send?.(news);
    } catch (cause) {
      this.giveUp();
      this.onFailure(cause);
    }
  }
}

/** The start is in the first part; the last one closes it. */
function inParts(news: News): readonly News[] {
  const { refusal, started, returns, end } = news;
  const lists: News['returns'][] = [];
  let list: News['returns'] = [];
  let bytes = started === null ? 0 : sizeOf(started.minions) + sizeOf(started.missing);
  const next = () => {
    lists.push(list);
    list = [];
    bytes = 0;
  };
  for (const ret of returns) {
    const size = AROUND + ret.id.length + roughSize(ret.ret);
    if (list.length === MANY || (bytes > 0 && bytes + size > PART_BYTES)) next();
    list.push(ret);
    bytes += size;
  }
  if (bytes > 0 && bytes + sizeOfEnd(end) > PART_BYTES) next();
  if (lists.length === 0) return [news];
  const first = { refusal: null, started, returns: lists[0] ?? [], end: null };
  const between = lists.slice(1).map((some) => ({ ...NO_NEWS, returns: some }));
  return [first, ...between, { refusal, started: null, returns: list, end }];
}

function sizeOf(ids: readonly string[]): number {
  let bytes = 0;
  for (const id of ids) bytes += AROUND + id.length;
  return bytes;
}

function sizeOfEnd(end: News['end']): number {
  let bytes = 0;
  for (const { id, sentence } of end ?? []) bytes += AROUND + id.length + (sentence?.length ?? 0);
  return bytes;
}
