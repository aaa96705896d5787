/** Options of Salt that are understood but not carried out yet: refused with a sentence, never silently ignored. */
import type { Command } from 'commander';
import type { Io } from '../ports.js';
import { hide } from './common-options.js';
import { EXIT } from './exit-codes.js';
import type { Options } from './options.js';

/** Option name as commander stores it, and as the user wrote it. */
export type NotBuilt = Readonly<Record<string, string>>;

/** Who names a Saltfile means another cluster than that of the usual folder. */
const EVERYWHERE: NotBuilt = { saltfile: '--saltfile' };

/** Salt's Python profiler, for whoever works on Salt itself. */
export const PROFILING: NotBuilt = { enableProfiling: '--enable-profiling', profilingPath: '--profiling-path' };

export function addProfiling(command: Command): void {
  hide(command, '--enable-profiling', '--profiling-path <dir>');
}

/** Values that ask for what happens anyway, by option: scripts write Salt's default out. */
const IDLE: Readonly<Record<string, RegExp>> = { moduleExecutors: /^\[?\s*(['"]?)direct_call\1\s*\]?$/ };

function isAsked(options: Options, name: string): boolean {
  return options.given(name) && IDLE[name]?.test(options.text(name) ?? '') !== true;
}

/** @returns the exit code when one of them is on the command line. */
export function refuseNotBuilt(options: Options, notBuilt: NotBuilt, program: string, io: Io): number | undefined {
  const given = Object.entries({ ...notBuilt, ...EVERYWHERE }).filter(([name]) => isAsked(options, name));
  if (given.length === 0) return undefined;
  const flags = given.map(([, flag]) => flag).join(', ');
  io.err(`${program}: ${flags} ${given.length === 1 ? 'is' : 'are'} not built yet; nothing was done.\n`);
  return EXIT.notBuilt;
}
