/** The sentences of refusals: who, what, whom, and nothing of anybody's rules. */
import { nameOf, type Target } from '@natrium/model';
import type { Ask } from './ask.js';

const SHOWN = 120;

/** A caller's own words, bounded and on one line. */
export function show(text: string | readonly string[]): string {
  const whole = typeof text === 'string' ? text : text.slice(0, 20).join(',');
  return `'${shorten(whole)}'`;
}

function shorten(text: string): string {
  const short = text.length > SHOWN ? `${text.slice(0, SHOWN - 3)}...` : text;
  return /^[\x20-\x7e]*$/.test(short) ? short : short.replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu, '?');
}

export function describeAsk(ask: Ask, fun?: string): string {
  const what = fun ?? ask.funs.join(',');
  const side = ask.what === 'job' ? '' : ask.what === 'run' ? 'the runner ' : 'the wheel function ';
  return `${shorten(nameOf(ask.principal))} may not run ${side}${show(what)}${whom(ask.target)}`;
}

function whom(target: Target | undefined): string {
  if (target === undefined) return '';
  return ` on ${show(target.tgt)}${target.tgtType === 'glob' ? '' : ` (${target.tgtType.slice(0, 40)})`}`;
}
