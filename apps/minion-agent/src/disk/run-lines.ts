/** The lines of the run-once record: what each says, and what all of them say together. Spec: spec/envelope.md#durability. */
import type { RunState } from '@natrium/jobs';
import { checkedWords, withCheck } from './checked-line.js';

const CHECK_DIGITS = 8;

export interface Line {
  readonly state: RunState;
  readonly digest: string;
  readonly until: number;
  readonly jid: string;
}

type TimeWord = 'before' | 'ended';

export interface Found {
  readonly lines: readonly Line[];
  readonly refuseBefore: number;
  readonly forgottenUntil: number;
}

/** Of a file as it was left. A first line that names no boot, or any other that is damaged, leaves the record in doubt. */
export function foundIn(text: string): Found & { readonly boot: string | undefined; readonly isWhole: boolean } {
  const [head = '', ...rest] = text.split('\n');
  const boot = /^boot (\S+)$/.exec(head)?.[1];
  const texts = rest.filter((line) => line !== '');
  const whole = texts.flatMap((line) => checkedWords(line, CHECK_DIGITS) ?? []);
  const [befores, ends] = [timesIn('before', whole), timesIn('ended', whole)];
  const runs = whole.flatMap((words) => lineIn(words) ?? []);
  return {
    lines: latest(runs),
    refuseBefore: Math.max(0, ...befores),
    forgottenUntil: Math.max(0, ...ends),
    boot,
    isWhole: befores.length + ends.length + runs.length === texts.length,
  };
}

/** The last word on each digest; a `finished` line keeps the end that its `started` line named. */
function latest(lines: readonly Line[]): readonly Line[] {
  const byDigest = new Map<string, Line>();
  for (const line of lines) {
    const before = byDigest.get(line.digest);
    byDigest.set(line.digest, { ...line, until: line.until === 0 ? (before?.until ?? 0) : line.until });
  }
  return [...byDigest.values()];
}

export function textOf({ state, digest, until, jid }: Line): string {
  return withCheck(`${state} ${digest} ${String(until)} ${jid}`, CHECK_DIGITS);
}

function lineIn(words: string): Line | undefined {
  const [, state, digest, until, jid = ''] = /^(started|finished) ([0-9a-f]{64}) (\d{1,16}) (\d*)$/.exec(words) ?? [];
  if (digest === undefined) return undefined;
  return { state: state === 'finished' ? 'finished' : 'started', digest, until: Number(until), jid };
}

/** No line where there is no such time. */
export function timeText(word: TimeWord, ms: number): readonly string[] {
  return ms === 0 ? [] : [withCheck(`${word} ${String(Math.ceil(ms))}`, CHECK_DIGITS)];
}

function timesIn(word: TimeWord, lines: readonly string[]): readonly number[] {
  return lines.flatMap((words) => {
    const [, said, ms] = /^(before|ended) (\d{1,16})$/.exec(words) ?? [];
    return said === word ? [Number(ms)] : [];
  });
}
