/** What a caller is told of a job, as the wire carries it. */
import { type Jid, type JobReturn, type Refusal, refusal } from '@natrium/model';
import type { Body, contracts, records } from '@natrium/wire';

export type News = Body<typeof contracts.news>;
export type Tell = (news: News) => void;

const NOTHING: News = { refusal: null, started: null, returns: [], end: null };

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

export function withEnd(
  { refusal: why, started: start, returns: told }: News,
  absent: readonly { id: string; why: AbsentWhy; sentence?: string }[],
): News {
  const end = absent.map((item) => ({ id: item.id, why: item.why, sentence: item.sentence ?? null }));
  return { refusal: why, started: start, returns: told, end };
}

/** News that waits for more of the same job. */
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

export const NO_NEWS = NOTHING;

type AbsentWhy = NonNullable<News['end']>[number]['why'];

/** The caller is not named by the gateway: who it is, only the acl-service can tell. */
export function recursion(fun: string, target: string | readonly string[]): Refusal {
  const whom = typeof target === 'string' ? target : target.join(',');
  return refusal(
    'recursive_publish',
    `this minion may not run '${fun}' on '${whom}': what is published may not publish again`,
  );
}
