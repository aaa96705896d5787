/** What a caller is told of a job, as the wire carries it. */
import { type Jid, type JobReturn, type Refusal, refusal } from '@natrium/model';
import type { Body, contracts } from '@natrium/wire';

export type News = Body<typeof contracts.news>;
export type Tell = (news: News) => void;

const NOTHING: News = { refusal: null, started: null, returns: [], end: null };

export function refused(why: Refusal): News {
  return { ...NOTHING, refusal: why };
}

export function started(jid: Jid, minions: readonly string[], missing: readonly string[], rule: string): News {
  return { ...NOTHING, started: { jid, minions: [...minions], missing: [...missing], rule } };
}

export function returns(list: readonly JobReturn[]): News {
  return { ...NOTHING, returns: list.map((item) => ({ ...item, out: item.out ?? null })) };
}

export function withEnd(news: News, absent: readonly { id: string; why: AbsentWhy; sentence?: string }[]): News {
  return { ...news, end: absent.map((item) => ({ ...item, sentence: item.sentence ?? null })) };
}

/** Two pieces of news of one job as one; the later one's end and refusal count. */
export function mergeNews(before: News, after: News): News {
  return {
    refusal: after.refusal ?? before.refusal,
    started: after.started ?? before.started,
    returns: [...before.returns, ...after.returns],
    end: after.end ?? before.end,
  };
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
