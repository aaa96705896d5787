/** `--config-dump`: the master file as this account reads it, every default filled in. */

import { problemSentence } from '@natrium/config';
import { fromPlain, type Plain } from '@natrium/model';
import { loadClientConfig } from '../accounts/client-config.js';
import { configDirOf } from '../common/common-options.js';
import { EXIT } from '../common/exit-codes.js';
import type { Options } from '../common/options.js';
import { makePrinter } from '../common/printer.js';
import { say } from '../common/refused.js';
import type { Io } from '../ports.js';

export function dumpConfig(options: Options, io: Io): number {
  const loaded = loadClientConfig(configDirOf(options, io));
  if (!loaded.ok) {
    for (const problem of loaded.error) say(problemSentence(problem), io);
    return EXIT.badConfig;
  }
  const plain = JSON.parse(JSON.stringify(loaded.value.config)) as Plain;
  makePrinter(options, io).show(fromPlain(plain), { out: 'yaml' });
  return EXIT.ok;
}
