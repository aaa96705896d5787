/** The returners of one minion: the built-in ones, and the files of `returner_dirs`. */
import type { ValueMap } from '@natrium/model';
import { OwnModules } from '../own/own-modules.js';
import { localFileReturner } from './local-file.js';
import type { Returner, ReturnerContext } from './returner.js';
import { Returners, type ReturnersOptions } from './returners.js';
import { webhookReturner } from './webhook.js';

/** The keys of a minion file that returners read, under their names there. */
export interface ReturnersConfig {
  readonly id: string;
  readonly local_file: string;
  readonly webhook_url: string;
  readonly webhook_secret_file: string;
  readonly multi_returner: readonly string[];
  readonly returner_dirs: readonly string[];
  /** Seconds. */
  readonly module_timeout: number;
  /** MiB. */
  readonly module_memory: number;
}

export interface ReturnersParts {
  /** The program that loads a JavaScript file. */
  readonly hostPath: string;
  /** The minion's configuration, without secrets. */
  readonly shown: ValueMap;
  /** Beside the built-in ones. */
  readonly further?: readonly Returner[];
  /** A return that was not taken. */
  readonly onProblem: (...problem: Parameters<ReturnersOptions['onProblem']>) => void;
  /** A file of `returner_dirs` that cannot be used. */
  readonly onUnusable: (sentence: string) => void;
}

/** To be loaded once (`own.load`) or watched (`own.watch`), and then used: `returners.use(own.modules)`. */
export function minionReturners(
  config: ReturnersConfig,
  { hostPath, shown, further = [], onProblem, onUnusable }: ReturnersParts,
): { readonly returners: Returners; readonly own: OwnModules<ReturnerContext> } {
  const webhook = webhookReturner({ url: config.webhook_url, secretFile: config.webhook_secret_file });
  const returners = new Returners([localFileReturner(config.local_file), webhook, ...further], {
    multi: config.multi_returner,
    context: { id: config.id, config: shown },
    onProblem,
  });
  const own = new OwnModules<ReturnerContext>({
    folders: config.returner_dirs,
    hostPath,
    limits: { seconds: config.module_timeout, memoryMib: config.module_memory },
    facts: ({ id, jid, config: known, options }) => ({ id, jid, config: known, options }),
    onProblem: onUnusable,
  });
  return { returners, own };
}
