/** What came of a job, in the shapes of Salt's `local` clients. Spec: docs/http-api.md#clients. */
import type { Value, ValueMap } from '@natrium/model';
import type { JobNews } from './master-calls.js';

type Return = JobNews['returns'][number];
type Absent = JobNews['absent'][number];

export interface AnswerForm {
  readonly isFull: boolean;
  /** Where there is one, a value is told under this name. */
  readonly only: string | undefined;
}

/** As Salt: a minion that is silent is `false`, an id that no accepted minion has is told in words. */
export function jobAnswer(news: JobNews, form: AnswerForm): ValueMap {
  const { jid, returns, absent, missing } = news;
  // Nobody is meant: there is no job.
  if (news.minions.length === 0) return {};
  const words = (text: string) => (form.isFull ? { ret: text, retcode: 1, jid, out: 'no_return' } : text);
  return Object.fromEntries<Value>([
    ...absent.map((one) => [one.id, one.why === 'refused' ? words(refused(one)) : false] as const),
    ...missing.map((id) => [id, words(`Minion did not return. [No response]\n${hint(jid)}`)] as const),
    ...returns.map((one) => [one.id, returned(one, jid, form)] as const),
  ]);
}

function returned({ ret, retcode, out }: Return, jid: string, { isFull, only }: AnswerForm): Value {
  const value = only === undefined ? ret : { [only]: ret };
  return isFull ? { ret: value, retcode, jid, ...(out === null ? {} : { out }) } : value;
}

function refused({ sentence }: Absent): string {
  return `Minion did not return. [Refused]\n${sentence ?? 'It refused the job.'}`;
}

function hint(jid: string): string {
  return `The minions may not have all finished running and any remaining minions will return upon completion. To look up the return data for this job later, run the following command:\n\nnatrium-run jobs.lookup_jid ${jid}`;
}
