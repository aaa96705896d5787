/** The words of a request: function, target, arguments, as `natrium` and `natrium-run` read them. */
import type { Asked } from '@natrium/policy-tools';
import { type Options, UsageError } from '../common/options.js';
import { targetTypeIn } from '../common/target-options.js';
import { callArguments, commandWords, targetWord } from '../common/words.js';
import { showArgument } from './show-value.js';

/** @param words FUNCTION TARGET [ARGS], or FUNCTION [ARGS] with `--run` or `--wheel`. @throws {UsageError} */
export function askedIn(options: Options, words: readonly string[]): Asked {
  const [fun, ...rest] = words;
  if (fun === undefined) throw new UsageError('name a function');
  const run = options.flag('run');
  if (run || options.flag('wheel')) {
    if (run && options.flag('wheel')) throw new UsageError('the options --run and --wheel exclude each other');
    return { what: run ? 'run' : 'wheel', funs: [fun], args: [callArguments(rest, [])] };
  }
  const [target, ...args] = rest;
  if (target === undefined) throw new UsageError('name a target, or say --run or --wheel');
  const tgtType = targetTypeIn(options);
  const several = fun.split(',');
  // Without arguments nothing has to be divided among them.
  if (args.length === 0 && several.length > 1) {
    return {
      what: 'job',
      funs: several,
      args: several.map(() => []),
      target: { tgt: targetWord(target, tgtType === 'list'), tgtType },
    };
  }
  const parsed = commandWords([target, fun, ...args], { list: tgtType === 'list', noParse: [] });
  if (!parsed.ok) throw new UsageError(parsed.error);
  const { tgt, funs, args: lists } = parsed.value;
  return { what: 'job', funs, args: lists, target: { tgt, tgtType } };
}

export function showAsked({ what, funs, args, target }: Asked): string {
  const side = what === 'job' ? '' : what === 'run' ? 'runner ' : 'wheel ';
  const words = args.flatMap((list) => list.map(showArgument));
  const whom =
    target === undefined
      ? ''
      : ` on '${typeof target.tgt === 'string' ? target.tgt : target.tgt.join(',')}'${target.tgtType === 'glob' ? '' : ` (${target.tgtType})`}`;
  return `${side}${[funs.join(','), ...words].join(' ')}${whom}`;
}
