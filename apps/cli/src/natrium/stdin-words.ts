/** `--args-stdin`: further words and options, one a line, after those of the command line. */
import type { Io } from '../ports.js';

const FLAG = '--args-stdin';

export async function withStdinWords(argv: readonly string[], io: Io): Promise<readonly string[]> {
  const end = argv.indexOf('--');
  const options = end === -1 ? argv : argv.slice(0, end);
  if (!options.includes(FLAG)) return argv;
  const lines = (await io.input()).split('\n').map((line) => line.replace(/\r$/, ''));
  // The end of the last line is no empty word.
  return [...argv, ...(lines.at(-1) === '' ? lines.slice(0, -1) : lines)];
}
