/** `natrium-call --return`: what a function returned here is handed to returners here, as Salt's caller does it. */
import { type MinionConfig, shownMinion } from '@natrium/config';
import { funArgs, jidOf, refusal, type Value } from '@natrium/model';
import { minionReturners, type Returners, type ReturnersParts, type ReturnFacts } from '@natrium/modules';
import { accountName } from '../accounts/own-identity.js';
import type { CallOutcome } from '../ports.js';

export interface ReturnedCall {
  readonly fun: string;
  readonly args: readonly Value[];
  /** Names with commas; none: the call alone. */
  readonly returner: string | undefined;
  readonly hostPath: string;
  /** Aborted: its caller has left, and what ended with that is no return. */
  readonly leaving?: AbortSignal;
}

/** A name that no returner has is refused before anything runs. */
export async function alsoReturned(
  config: MinionConfig,
  asked: ReturnedCall,
  call: () => Promise<CallOutcome>,
): Promise<CallOutcome> {
  const { returner: names, hostPath, leaving } = asked;
  if (names === undefined) return call();
  const untaken: string[] = [];
  const unusable: string[] = [];
  const returners = await returnersHere(config, hostPath, {
    onProblem: (sentence) => untaken.push(sentence),
    onUnusable: (sentence) => unusable.push(sentence),
  });
  const unknown = returners.unknown(names);
  // A file that cannot be used is told only where it may be the reason: the agent's log has it all.
  if (unknown.length > 0) return nobody(unknown, returners.names, unusable);
  const outcome = await call();
  if (outcome.refusal !== undefined || leaving?.aborted === true) return outcome;
  returners.hand(names, factsOf(config.id, asked, outcome), {});
  await returners.settled();
  return { ...outcome, untaken };
}

type Told = Pick<ReturnersParts, 'onProblem' | 'onUnusable'>;

/** Those of this host, built in and its own. */
export async function returnersHere(config: MinionConfig, hostPath: string, told: Told): Promise<Returners> {
  const { returners, own } = minionReturners(config, { hostPath, shown: shownMinion(config), ...told });
  await own.load();
  returners.use(own.modules);
  return returners;
}

function nobody(unknown: readonly string[], names: readonly string[], notes: readonly string[]): CallOutcome {
  const sentence = `there is no returner ${unknown.join(', ')} on this host, so nothing was run; there are ${names.join(', ')}`;
  return { ret: null, retcode: 1, success: false, notes, refusal: refusal('bad_request', sentence) };
}

function factsOf(id: string, { fun, args }: ReturnedCall, outcome: CallOutcome): ReturnFacts {
  const { ret, retcode, success, out = null } = outcome;
  return {
    id,
    jid: jidOf(Date.now() * 1000),
    fun,
    fun_args: funArgs(args),
    return: ret,
    retcode,
    success,
    out,
    tgt: id,
    tgt_type: 'glob',
    user: accountName(),
  };
}
