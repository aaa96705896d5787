/** Argument words of command lines: `cli_args`. */
import { parseCommandLine, parseNamedWord, parseWords, publishArguments, yamlify } from '@natrium/args';
import { toPlain } from '@natrium/model';
import { listOf, type PlainMap, textOf, textsOf, valueOf, valuesOf } from '../corpus.js';
import type { Family } from './family.js';

export const cliArgs: Family = ({ request }) => {
  const op = textOf(request['op']);
  if (op === 'yamlify') return { value: toPlain(yamlify(valueOf(request['arg']))) };
  if (op === 'parse_input') return { value: toPlain(parseWords(valuesOf(request['args']))) };
  if (op === 'peer_args') return { value: toPlain(publishArguments(valueOf(request['arg']))) };
  if (op === 'parse_kwarg') {
    const named = parseNamedWord(textOf(request['arg']));
    return { value: named === undefined ? [null, null] : [named.name, named.value] };
  }
  return commandLine(request);
};

function commandLine(request: PlainMap): PlainMap {
  const separator = request['args_separator'];
  const line = parseCommandLine(listOf(request['argv']).map(textOf), {
    tgtTypes: request['list'] === true ? ['list'] : [],
    ...(typeof separator === 'string' ? { argsSeparator: separator } : {}),
  });
  if (!line.ok) return { exit: line.error.exit };
  const { tgt, fun, arg } = line.value;
  return {
    tgt: typeof tgt === 'string' ? tgt : textsOf([...tgt]),
    fun: typeof fun === 'string' ? fun : [...fun],
    arg: toPlain(arg),
  };
}
