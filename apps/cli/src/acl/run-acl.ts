/** `natriumctl acl <word>`: finds what was asked for. Each word is a file; none decides anything, `libs/policy-tools` asks the gate. */
import { UsageError } from '../common/options.js';
import type { AclCommand } from './acl-command.js';
import { runDiff } from './diff.js';
import { runExplain } from './explain.js';
import { runLint } from './lint.js';
import { runReplay } from './replay.js';
import { runTests } from './tests.js';
import { runWhoCan } from './who-can.js';

const WORDS: ReadonlyMap<string, (asked: AclCommand) => Promise<number>> = new Map([
  ['lint', runLint],
  ['explain', runExplain],
  ['can-i', runExplain],
  ['who-can', runWhoCan],
  ['test', runTests],
  ['diff', runDiff],
  ['replay', runReplay],
]);

export async function runAcl(asked: AclCommand & { readonly word: string }): Promise<number> {
  const run = WORDS.get(asked.word);
  if (run === undefined)
    throw new UsageError(`no such word: ${asked.word} (there are ${[...WORDS.keys()].join(', ')})`);
  return run(asked);
}
