/** The returners of this agent: the built-in ones, and the files of `returner_dirs`, loaded anew when one changes. */
import { type MinionConfig, shownMinion } from '@natrium/config';
import type { CheckedGrant, Outcome } from '@natrium/flow';
import { fromPlain, funArgs, isMap, type Request, type ValueMap } from '@natrium/model';
import { minionReturners, type Returner, type Returners, type ReturnFacts } from '@natrium/modules';
import type { Logger } from 'pino';
import { MODULE_HOST } from './module-host.js';

export interface OwnReturners {
  readonly returners: Returners;
  close(): void;
}

/** Done by the gateway when it has the return: here it is only a name that exists. */
const MASTER_BUS: Returner = { name: 'master_bus', take: () => Promise.resolve() };

export async function agentReturners(config: MinionConfig, log: Logger): Promise<OwnReturners> {
  const { returners, own } = minionReturners(config, {
    hostPath: MODULE_HOST,
    shown: shownMinion(config),
    further: [MASTER_BUS],
    onProblem: (sentence, about) => {
      log.error(about, sentence);
    },
    onUnusable: (sentence) => {
      log.error(`a returner of your own is not available: ${sentence}`);
    },
  });
  await own.watch(() => {
    returners.use(own.modules);
  });
  return {
    returners,
    close: () => {
      own.close();
      returners.close();
    },
  };
}

/** What a returner gets of a job that is done. */
export function returnFacts(id: string, request: Request, grant: CheckedGrant, outcome: Outcome): ReturnFacts {
  const { funs, args, tgt, tgtType } = request;
  const lists = args.map((list) => funArgs(list.map((arg) => fromPlain(arg))));
  const single = funs.length === 1;
  return {
    id,
    jid: grant.jid,
    fun: single ? (funs[0] ?? '') : funs,
    fun_args: single ? (lists[0] ?? []) : lists,
    return: outcome.ret,
    retcode: outcome.retcode,
    success: outcome.success,
    out: outcome.out,
    tgt,
    tgt_type: tgtType,
    user: grant.caller.name,
  };
}

export function returnerOptions({ returnerOptions: options }: Request): ValueMap {
  const value = fromPlain(options);
  return isMap(value) ? value : {};
}
