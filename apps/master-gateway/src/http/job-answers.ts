/** What came of a job, in the shapes of Salt's `local` clients. Spec: docs/http-api.md#clients. */
import type { Value, ValueMap } from '@natrium/model';
import type { JobNews } from './master-calls.js';

type Return = JobNews['returns'][number];
type Absent = JobNews['absent'][number];

export interface AnswerForm {
  readonly isFull: boolean;
  /** The target named its minions: who is silent is told in words, not as `false`. */
  readonly isList: boolean;
  /** Where there is one, a value is told under this name. */
  readonly only: string | undefined;
}

export function jobAnswer(news: JobNews, form: AnswerForm): ValueMap {
  const { jid, returns, absent, missing } = news;
  const silent = form.isList ? absent : absent.filter(({ id }) => !returns.some((one) => one.id === id));
  return Object.fromEntries<Value>([
    ...silent.map((one) => [one.id, absentAnswer(one, jid, form)] as const),
    ...missing.map((id) => [id, absentAnswer({ id, why: 'no_answer', sentence: null }, jid, form)] as const),
    ...returns.map((one) => [one.id, returned(one, jid, form)] as const),
  ]);
}

function returned({ ret, retcode, out }: Return, jid: string, { isFull, only }: AnswerForm): Value {
  const value = only === undefined ? ret : { [only]: ret };
  return isFull ? { ret: value, retcode, jid, ...(out === null ? {} : { out }) } : value;
}

function absentAnswer({ why, sentence }: Absent, jid: string, { isFull, isList }: AnswerForm): Value {
  if (why === 'refused') {
    const text = `Minion did not return. [Refused]\n${sentence ?? 'It refused the job.'}`;
    return isFull ? { ret: text, retcode: 1, jid, out: 'no_return' } : text;
  }
  if (!isList) return false;
  const text = `Minion did not return. [${why === 'not_connected' ? 'Not connected' : 'No response'}]\n${hint(jid)}`;
  return isFull ? { ret: text, retcode: 1, jid, out: 'no_return' } : text;
}

function hint(jid: string): string {
  return `The minions may not have all finished running and any remaining minions will return upon completion. To look up the return data for this job later, run the following command:\n\nnatrium-run jobs.lookup_jid ${jid}`;
}
