/** The sentences of refusals: who, what, whom, and nothing of anybody's rules. */
import { nameOf, type Refusal, refusal, type Target } from '@natrium/model';
import type { Ask } from './ask.js';

const SHOWN = 120;
/** Of what is wrong with a target: it may quote a name of the caller's, and a message carries 4,096 characters of a sentence. */
const SHOWN_PROBLEM = 1000;

/** A caller's own words, bounded and on one line. */
export function show(text: string | readonly string[]): string {
  const whole = typeof text === 'string' ? text : text.slice(0, 20).join(',');
  return `'${shorten(whole)}'`;
}

function shorten(text: string, most = SHOWN): string {
  const short = text.length > most ? `${text.slice(0, most - 3)}...` : text;
  return /^[\x20-\x7e]*$/.test(short) ? short : short.replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu, '?');
}

export function describeAsk(ask: Pick<Ask, 'principal' | 'what' | 'funs' | 'target'>, fun?: string): string {
  const what = fun ?? ask.funs.join(',');
  const side = ask.what === 'job' ? '' : ask.what === 'run' ? 'the runner ' : 'the wheel function ';
  return `${shorten(nameOf(ask.principal))} may not run ${side}${show(what)}${whom(ask.target)}`;
}

function whom(target: Target | undefined): string {
  if (target === undefined) return '';
  return ` on ${show(target.tgt)}${target.tgtType === 'glob' ? '' : ` (${shorten(target.tgtType, 40)})`}`;
}

/** Of a target that means nobody. @param problem Why, of the caller's own words only. */
export function unusableTarget({ tgt, tgtType }: Target, problem: string): Refusal {
  const target = `the ${shorten(tgtType, 40)} target ${show(tgt)}`;
  return refusal('invalid_target', `${target} cannot be used: ${shorten(problem, SHOWN_PROBLEM)}`);
}
