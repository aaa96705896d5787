/**
 * What a peer publish came to, as the caller sees it: the returns in the asked form, and a sentence for each minion that
 * is missing or failed.
 *
 * Diverges: a refusal is a sentence with a retcode, not `{}`, and what is missing is named (compat/divergences.md).
 */
import { type Absent, Float, type Value, type ValueMap } from '@natrium/model';
import { ValueTypeError } from '../loader/errors.js';
import { type Reply, reply } from '../loader/reply.js';
import type { PeerReturn, PublishAnswer, PublishAsk } from '../master-port.js';

type Answered = Extract<PublishAnswer, { readonly type: 'answered' }>;

/** What is said of a publish that brought no returns: the refusal, or that nobody answered in time. */
export function unanswered(fun: string, answer: Exclude<PublishAnswer, Answered>): Reply {
  if (answer.type === 'refused') return reply(answer.refusal.sentence, { retcode: 1, refusal: answer.refusal });
  return reply(`'${fun}' publish timed out`, { retcode: 1 });
}

export function toReply(ask: Pick<PublishAsk, 'fun' | 'form' | 'timeout' | 'tgt'>, answer: PublishAnswer): Reply {
  if (answer.type !== 'answered') return unanswered(ask.fun, answer);
  // The original compares the seconds waited with the timeout, and only when somebody is missing.
  if (answer.absent.length > 0 && !isSeconds(ask.timeout)) {
    throw new ValueTypeError(`the timeout must be a number of seconds, not ${typeof ask.timeout}`);
  }
  const notes = notesOn(answer, ask.tgt);
  return reply(returnsAs(ask.form, answer.returns), { notes, retcode: notes.length > 0 ? 1 : 0 });
}

function isSeconds(timeout: Value): boolean {
  return timeout instanceof Float || ['number', 'bigint', 'boolean'].includes(typeof timeout);
}

function returnsAs(form: PublishAsk['form'], returns: Answered['returns']): ValueMap {
  const entries = Object.entries(returns);
  return Object.fromEntries(entries.map(([id, one]) => [id, form === 'clean' ? one.ret : withOutputter(one)]));
}

function withOutputter({ ret, out }: PeerReturn): ValueMap {
  return out === undefined ? { ret } : { ret, out };
}

function notesOn({ returns, absent, jid, missing = [] }: Answered, tgt: PublishAsk['tgt']): readonly string[] {
  const entries = Object.entries(returns);
  const nobody = missing.map((id) => `there is no minion ${id}`);
  if (entries.length === 0 && absent.length === 0)
    return [`No minion matched ${String(tgt)}: nothing was run.`, ...nobody];
  const failed = entries.filter(([, { retcode, success }]) => retcode !== 0 || success === false);
  return [
    ...nobody,
    ...absent.map((one) => absentText(one, jid)),
    ...failed.map(([id, { retcode }]) => `minion ${id} failed with retcode ${String(retcode)}`),
  ];
}

/** `minion db1 is not connected`, `minion db1 is still running, jid 2026…`. */
function absentText({ id, why, sentence }: Absent, jid?: string): string {
  const job = jid === undefined ? '' : `, jid ${jid}`;
  switch (why) {
    case 'not_connected':
      return `minion ${id} is not connected`;
    case 'running':
      return `minion ${id} is still running${job}`;
    case 'no_answer':
      return `minion ${id} did not answer${sentence === undefined ? '' : `: ${sentence}`}${job}`;
    case 'refused':
      return `minion ${id} refused${sentence === undefined ? '' : `: ${sentence}`}`;
  }
}
