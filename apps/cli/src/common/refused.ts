import type { Refusal } from '@natrium/model';
import { printableLines } from '@natrium/output';
import type { ConnectProblem, Io } from '../ports.js';
import { exitOfRefusal } from './exit-codes.js';

/** Prints the one sentence of a refusal and gives its exit code. */
export function refused(refusal: Refusal, io: Io): number {
  say(refusal.sentence, io);
  return exitOfRefusal(refusal);
}

export function notConnected(problem: ConnectProblem, io: Io): number {
  say(withMend(problem), io);
  return problem.exit;
}

/** As problems of the configuration are told. */
export function withMend({ sentence, mend }: ConnectProblem): string {
  if (mend === undefined || sentence.includes(mend)) return sentence;
  return `${sentence}${sentence.endsWith('?') ? '' : '.'} Mend: ${mend}.`;
}

/** A sentence on stderr; it may quote what others wrote, so that it is disarmed as results are. */
export function say(sentence: string, io: Io): void {
  for (const line of printableLines(sentence)) io.err(`${line}\n`);
}
