/** What a caller is told of a job, as the wire carries it. */
import type { Absent, Jid, JobReturn, Refusal } from '@natrium/model';
import type { Body, contracts, records } from '@natrium/wire';

export type News = Body<typeof contracts.news>;
export type Tell = (news: News) => void;

export const NO_NEWS: News = { refusal: null, started: null, returns: [], end: null };

export function refused(why: Refusal): News {
  return { refusal: why, started: null, returns: [], end: null };
}

export function started(jid: Jid, minions: readonly string[], missing: readonly string[], rule: string): News {
  const start = { jid, minions: [...minions], missing: [...missing], rule };
  return { refusal: null, started: start, returns: [], end: null };
}

export function returns(list: readonly JobReturn[]): News {
  const told = list.map(({ id, ret, retcode, success, out }) => ({ id, ret, retcode, success, out: out ?? null }));
  return { refusal: null, started: null, returns: told, end: null };
}

/** A return as it was stored, as it is told. */
export function asReturn({ id, outcome }: Pick<records.StoredReturn, 'id' | 'outcome'>): JobReturn {
  const { ret, retcode, success, out } = outcome;
  return out === null ? { id, ret, retcode, success } : { id, ret, retcode, success, out };
}

export function withEnd(news: News, absent: readonly Absent[]): News {
  return { ...news, end: absent.map(({ id, why, sentence = null }) => ({ id, why, sentence })) };
}

/** News of one job that are gathered, to be told together. */
export class GatheredNews {
  readonly #news: News;

  constructor(first: News) {
    this.#news = { ...first, returns: [...first.returns] };
  }

  /** The later one's end and refusal count. Nothing is copied twice: thousands may come before one is told. */
  add(later: News): void {
    const news = this.#news;
    news.refusal = later.refusal ?? news.refusal;
    news.started = later.started ?? news.started;
    for (const ret of later.returns) news.returns.push(ret);
    news.end = later.end ?? news.end;
  }

  get all(): News {
    return this.#news;
  }
}
