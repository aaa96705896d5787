/** The recorded answers of the original for argument words: compat/cases/cli_args.jsonl. */
import { readFileSync } from 'node:fs';
import { fromPlain, type Plain, pyStr, toPlain, type Value } from '@natrium/model';
import { parseCommandLine } from './command-line.js';
import { parseNamedWord, parseWords, publishArguments } from './words.js';
import { yamlify } from './yamlify.js';

interface Case {
  readonly id: string;
  readonly family: string;
  readonly request: {
    readonly op: string;
    readonly arg?: Plain;
    readonly args?: readonly Plain[];
    readonly argv?: readonly string[];
    readonly list?: boolean;
    readonly args_separator?: string;
  };
  readonly expect: unknown;
}

const cases = readFileSync(new URL('../../../compat/cases/cli_args.jsonl', import.meta.url), 'utf8')
  .split('\n')
  .filter((line) => line !== '')
  .map((line) => JSON.parse(line) as Case);

function answer({ op, arg = null, args = [], argv = [], list = false, args_separator }: Case['request']): unknown {
  const word = fromPlain(arg);
  if (op === 'yamlify') return { value: toPlain(yamlify(word)) };
  if (op === 'parse_input') return { value: toPlain(parseWords(args.map((item): Value => fromPlain(item)))) };
  if (op === 'peer_args') return { value: toPlain(publishArguments(word)) };
  if (op === 'parse_kwarg') {
    const named = parseNamedWord(pyStr(word));
    return { value: named === undefined ? [null, null] : [named.name, named.value] };
  }
  const line = parseCommandLine(argv, {
    tgtTypes: list ? ['list'] : [],
    ...(args_separator === undefined ? {} : { argsSeparator: args_separator }),
  });
  if (!line.ok) return { exit: line.error.exit };
  const { tgt, fun, arg: given } = line.value;
  return { tgt, fun, arg: toPlain(given) };
}

describe('the recorded answers', () => {
  it.each(cases.map((one) => [one.id, one] as const))('%s', (_id, { request, expect: expected }) => {
    expect(answer(request)).toEqual(expected);
  });
});
