/** `--config-dump`: the master file as this account reads it, every default filled in and every secret left out. */
import { problemSentence } from '@natrium/config';
import { fromPlain, type Plain } from '@natrium/model';
import { loadClientConfig } from '../accounts/client-config.js';
import { configDirOf } from '../common/common-options.js';
import { EXIT } from '../common/exit-codes.js';
import type { Options } from '../common/options.js';
import { makePrinter } from '../common/printer.js';
import { say } from '../common/refused.js';
import type { Io } from '../ports.js';

/** Ends of the names under which a master file holds a secret itself; a `…_file` only says where one is. */
const SECRET = /(?:sharedsecret|bindpw|password|passwd|secret)$/i;
/** All before the last @ of an address: a broker's token stands where a name would. */
const IN_AN_ADDRESS = /(?<=^(?:[a-z][a-z0-9+.-]*:)?\/\/)[^/?#]*(?=@)/i;
const HIDDEN = '<hidden>';

export function dumpConfig(options: Options, io: Io): number {
  const loaded = loadClientConfig(configDirOf(options, io));
  if (!loaded.ok) {
    for (const problem of loaded.error) say(problemSentence(problem), io);
    return EXIT.badConfig;
  }
  const plain = JSON.parse(JSON.stringify(loaded.value.config, withoutSecret)) as Plain;
  makePrinter(options, io).show(fromPlain(plain), { out: 'yaml' });
  return EXIT.ok;
}

/** A dump is pasted into tickets: it tells that there is a secret, never which. */
function withoutSecret(key: string, value: unknown): unknown {
  if (typeof value !== 'string' || value === '') return value;
  return SECRET.test(key) ? HIDDEN : value.replace(IN_AN_ADDRESS, HIDDEN);
}
