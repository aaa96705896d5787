/**
 * Accept, reject or delete: show what would be decided, ask, decide just that, and say what was done.
 *
 * An id with two pending keys is never accepted as a whole: one of them is an impostor's.
 */
import type { Value } from '@natrium/model';
import { EXIT } from '../common/exit-codes.js';
import { interrupted, INTERRUPTED, orInterrupt } from '../common/interrupt.js';
import type { Printer } from '../common/printer.js';
import { refused } from '../common/refused.js';
import type { Io, KeyEntry, KeyState, KeyVerb, MasterLink } from '../ports.js';
import { KEY_STATES } from './key-action.js';
import { idsByState, noMatchSentence, textsByState } from './matching.js';

export interface Decision {
  readonly verb: KeyVerb;
  readonly match: string;
  /** The states that the sentence for no match names. */
  readonly named: readonly KeyState[];
  readonly chosen: readonly KeyEntry[];
  readonly talk: { readonly yes: boolean; readonly quiet: boolean };
}

const WORDS = {
  accept: { done: 'accepted', ask: 'Proceed? [n/Y] ', byDefault: true },
  reject: { done: 'rejected', ask: 'Proceed? [n/Y] ', byDefault: true },
  remove: { done: 'deleted', ask: 'Proceed? [N/y] ', byDefault: false },
} as const;

export async function decideKeys(decision: Decision, link: MasterLink, printer: Printer, io: Io): Promise<number> {
  const { verb, match, named, chosen, talk } = decision;
  if (chosen.length === 0) {
    printer.say(`${noMatchSentence(match, named)}\n`);
    return EXIT.ok;
  }
  const twice = verb === 'accept' ? idsWithSeveralKeys(chosen) : [];
  if (!talk.quiet || !talk.yes || twice.length > 0) {
    printer.say(`The following keys are going to be ${WORDS[verb].done}:\n`);
    printer.show(shown(decision, twice.length > 0), { out: 'key' });
  }
  if (twice.length > 0) {
    io.err(`${twice.join(', ')}: several keys wait under one id; choose one with --fingerprint. Nothing was done.\n`);
    return EXIT.failed;
  }
  const refusal = talk.yes ? undefined : await refusedBy(verb, io);
  if (refusal !== undefined) return refusal;
  const answer = await link.keys[verb](chosen.map(({ id, fingerprint }) => ({ id, fingerprint })));
  return answer.ok ? tell(decision, answer.value, printer, io) : refused(answer.error, io);
}

/** With `-y` nobody is asked, and the list is as Salt's scripts know it; otherwise the fingerprints are what to look at. */
function shown({ chosen, talk }: Decision, refused: boolean): Value {
  if (!talk.yes || refused) return textsByState(chosen, ({ fingerprint }) => fingerprint);
  const states = KEY_STATES.filter((state) => chosen.some((entry) => entry.state === state));
  return idsByState(chosen, states);
}

function idsWithSeveralKeys(entries: readonly KeyEntry[]): readonly string[] {
  const ids = entries.map(({ id }) => id);
  return [...new Set(ids.filter((id, at) => ids.indexOf(id) !== at))];
}

/** An empty line takes the default. @returns The exit code of whoever does not agree. */
async function refusedBy(verb: KeyVerb, io: Io): Promise<number | undefined> {
  const answer = await orInterrupt(io.ask(WORDS[verb].ask), io);
  if (answer === INTERRUPTED) return interrupted(io);
  if (answer === undefined) {
    io.err('Nobody answered, and nothing was done; -y does it without asking.\n');
    return EXIT.usage;
  }
  const agrees = answer.trim() === '' ? WORDS[verb].byDefault : answer.trim().toLowerCase().startsWith('y');
  return agrees ? undefined : EXIT.ok;
}

function tell({ verb, chosen, talk }: Decision, done: readonly string[], printer: Printer, io: Io): number {
  const ids = [...new Set(chosen.map(({ id }) => id))];
  if (!talk.quiet) {
    for (const id of ids.filter((one) => done.includes(one)))
      printer.say(`Key for minion ${id} ${WORDS[verb].done}.\n`);
  }
  const left = ids.filter((id) => !done.includes(id));
  if (left.length === 0) return EXIT.ok;
  io.err(`Not ${WORDS[verb].done}, because the key is no longer as it was shown: ${left.join(', ')}.\n`);
  return EXIT.failed;
}
