/** The `publish` module's way to the gateway: what it asks becomes a signed request, and all that comes of it one answer. */
import { jidAsText, parsePeerArguments, splitFunctions, wordsByFunction } from '@natrium/args';
import { type Absent, isList, type JobNews, type Refusal, refusal, type Value, type ValueMap } from '@natrium/model';
import {
  type MasterPort,
  type PeerReturn,
  type PublishAnswer,
  type PublishAsk,
  type RunnerAnswer,
  type RunnerAsk,
  secondsOf,
} from '@natrium/modules';
import { TIMED_OUT } from './failures.js';
import type { JobAsk } from './asks.js';
import type { MasterClient } from './master-client.js';

const NO_ARGUMENTS = refusal('bad_request', 'of several functions each takes one text or one list of arguments');

interface Publishing {
  /** Go into every job: a runner names its grant-run there. */
  readonly options?: ValueMap;
  /**
   * The arguments are sent as they are. A peer's are words, to be read; a runner's were read when it got them: a text that was quoted would
   * become a number, a mapping or another argument's value.
   */
  readonly areRead?: boolean;
}

export function peerPort(client: MasterClient, masters: readonly string[], publishing: Publishing = {}): MasterPort {
  return {
    masters,
    publish: (ask) => gather(client, ask, publishing),
    runner: (ask) => run(client, ask),
  };
}

function gather(client: MasterClient, ask: PublishAsk, publishing: Publishing): Promise<PublishAnswer> {
  const returns: Record<string, PeerReturn> = {};
  let jid: string | undefined;
  let missing: readonly string[] = [];
  const asked = jobAsk(ask, publishing);
  if (asked === undefined) return Promise.resolve({ type: 'refused', refusal: NO_ARGUMENTS });
  return new Promise((resolve) => {
    const end = (absent: readonly Absent[]) => {
      resolve({ type: 'answered', returns, absent, missing, ...(jid === undefined ? {} : { jid }) });
    };
    client.publishTo(asked, 'all', (news: JobNews) => {
      if (news.type === 'started') ({ jid, missing } = news);
      else if (news.type === 'return')
        Object.defineProperty(returns, news.id, { value: peerReturn(news), enumerable: true });
      else if (news.type === 'end') end(news.absent);
      else
        resolve(
          news.refusal.code === 'master_unreachable'
            ? unreachable(news.refusal)
            : { type: 'refused', refusal: news.refusal },
        );
    });
  });
}

/** Silence is Salt's own time-out; every other failure is told in words. */
function unreachable(why: Refusal): PublishAnswer {
  return why.sentence === TIMED_OUT ? { type: 'timeout' } : { type: 'refused', refusal: why };
}

function peerReturn({ ret, retcode, success, out }: Extract<JobNews, { type: 'return' }>): PeerReturn {
  return out === undefined ? { ret, retcode, success } : { ret, retcode, success, out };
}

/** Salt's comma list of functions works for peers too: each gets its own arguments, parsed as a master parses a peer's. */
function jobAsk(ask: PublishAsk, { options = {}, areRead = false }: Publishing): JobAsk | undefined {
  const funs = splitFunctions(ask.fun);
  const noParse = ask.noParse.map(String);
  // Of several functions, one that has a text has its words there, whoever asks.
  const isRead = (at: number) => areRead && (funs.length === 1 || isList(ask.arg[at] ?? []));
  const read = (words: readonly Value[], at: number) =>
    isRead(at) ? words.map(jidAsText) : parsePeerArguments(words, noParse);
  const args = wordsByFunction(funs, ask.arg)?.map(read);
  if (args === undefined) return undefined;
  return {
    tgt: ask.tgt,
    tgtType: ask.tgtType,
    funs,
    args,
    timeout: secondsOf(ask.timeout),
    returner: ask.returner,
    returnerOptions: {},
    options,
  };
}

async function run(client: MasterClient, ask: RunnerAsk): Promise<RunnerAnswer> {
  const args = parsePeerArguments(ask.arg, ask.noParse.map(String));
  const answer = await client.run({ fun: ask.fun, args, timeout: secondsOf(ask.timeout) });
  if (answer.ok) {
    const { ret, retcode, out } = answer.value;
    return { type: 'answered', ret, retcode, ...(out === undefined ? {} : { out }) };
  }
  return { type: 'refused', refusal: answer.error };
}
