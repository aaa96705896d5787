/** `--args-stdin`: further words and options, one a line, after those of the command line. */
import { messageOf } from '@natrium/model';
import type { Command } from 'commander';
import type { Io } from '../ports.js';
import { writtenOut } from './abbreviations.js';
import { UsageError } from './options.js';

const FLAG = '--args-stdin';

export async function withStdinWords(given: readonly string[], command: Command, io: Io): Promise<readonly string[]> {
  const argv = writtenOut(given, command);
  const end = argv.indexOf('--');
  const options = end === -1 ? argv : argv.slice(0, end);
  if (!options.includes(FLAG)) return argv;
  const lines = (await inputOf(io)).split('\n').map((line) => line.replace(/\r$/, ''));
  // The end of the last line is no empty word.
  return [...argv, ...(lines.at(-1) === '' ? lines.slice(0, -1) : lines)];
}

/** What cannot be read is not an empty text: the function would be run without what was meant for it. */
async function inputOf(io: Io): Promise<string> {
  try {
    return await io.input();
  } catch (cause) {
    throw new UsageError(`option ${FLAG}: stdin cannot be read: ${messageOf(cause)}`);
  }
}
