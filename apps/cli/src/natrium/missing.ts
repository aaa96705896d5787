/** What is printed for a minion that was asked and did not return: Salt's sentence first, then what is known of the reason. */
import type { Absent, AbsentWhy } from '@natrium/model';
import { say } from '../common/refused.js';
import type { Io } from '../ports.js';

export interface Missing extends Omit<Absent, 'why'> {
  readonly why: AbsentWhy | 'unknown_id';
}

export function unknownId(id: string): Missing {
  return { id, why: 'unknown_id' };
}

const NO_SUCH_ID = 'No accepted minion has this id.';
const NONE_MATCHED = 'No minions matched the target. No command was sent, no jid was assigned.';
export const NO_RETURN = 'ERROR: No return received\n';

export function missingText({ why, sentence }: Missing, jid: string, hint: string): string {
  switch (why) {
    case 'not_connected':
      return 'Minion did not return. [Not connected]';
    case 'unknown_id':
      return `Minion did not return. [Not connected]\n${NO_SUCH_ID}`;
    case 'refused':
      return `Minion did not return. [Refused]\n${sentence ?? 'It refused the job.'}`;
    case 'running':
      return `Minion did not return. [No response]\nIt is still running, jid ${jid}.\n${hint}`;
    case 'no_answer':
      return `Minion did not return. [No response]\n${sentence === undefined ? '' : `${asSentence(sentence)}\n`}${hint}`;
  }
}

/** Nobody is meant. @param unknown What was listed and is nobody's id. */
export function sayNobody(unknown: readonly string[], io: Io): void {
  io.out(`${NONE_MATCHED}\n`);
  io.err(NO_RETURN);
  sayUnknown(unknown, io);
}

export function sayUnknown(ids: readonly string[], io: Io): void {
  for (const id of ids) say(`${id}: ${NO_SUCH_ID}`, io);
}

function asSentence(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}.`;
}

/** @param configWords Of this command line: ` -c DIR` or `''`. */
export function lookUpHint(jid: string, configWords: string): string {
  return `The minions may not have all finished running and any remaining minions will return upon completion. To look up the return data for this job later, run the following command:\n\nnatrium-run${configWords} jobs.lookup_jid ${jid}`;
}

/** The reason in a few words, for the live line. */
export function missingWord(why: Missing['why']): string {
  switch (why) {
    case 'not_connected':
      return 'not connected';
    case 'unknown_id':
      return 'no such minion';
    case 'refused':
      return 'refused';
    case 'running':
      return 'running';
    case 'no_answer':
      return 'no answer';
  }
}
