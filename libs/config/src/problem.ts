/** What is wrong with a configuration: where, why, and how to mend it. Never holds the value of a key that may be secret. */
import type { Path } from '@natrium/args';

export interface Fault {
  readonly reason: string;
  readonly mend: string;
}

export interface ConfigProblem extends Fault {
  readonly file: string;
  readonly line?: number;
  readonly column?: number;
  /** Keys and list indexes from the top; empty when the whole file is meant. */
  readonly path: Path;
}

/** `/etc/natrium/master:12: peer.web*: reason. Mend: …` */
export function problemSentence(problem: ConfigProblem): string {
  const { mend } = problem;
  return `${problemReason(problem)}. Mend: ${mend}${mend.endsWith('?') ? '' : '.'}`;
}

/** The same without its mend, for who shows that by itself. */
export function problemReason({ file, line, path, reason }: ConfigProblem): string {
  const place = line === undefined ? file : `${file}:${String(line)}`;
  const key = path.length === 0 ? '' : ` ${path.join('.')}:`;
  return `${place}:${key} ${reason}`;
}
