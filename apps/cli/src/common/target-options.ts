/** The options that say how a target is read, with Salt's names: each is told by a flag of its own. */
import type { Command } from 'commander';
import { type Options, UsageError } from './options.js';

interface TargetOption {
  readonly short: string;
  readonly long: string;
  readonly type: string;
  /** Without: `natrium` alone has it, for Salt's sake. */
  readonly about?: string;
}

const TARGETS: readonly TargetOption[] = [
  { short: '-E', long: 'pcre', type: 'pcre', about: 'a regular expression on ids' },
  { short: '-L', long: 'list', type: 'list', about: 'ids divided by commas' },
  { short: '-G', long: 'grain', type: 'grain', about: 'grain:glob, as os:Deb*' },
  { short: '-P', long: 'grain-pcre', type: 'grain_pcre', about: 'grain:regular expression' },
  { short: '-I', long: 'pillar', type: 'pillar', about: 'pillar:glob' },
  { short: '-J', long: 'pillar-pcre', type: 'pillar_pcre', about: 'pillar:regular expression' },
  { short: '-C', long: 'compound', type: 'compound', about: "a compound expression, as 'web* and G@os:Debian'" },
  { short: '-S', long: 'ipcidr', type: 'ipcidr', about: 'an address or a network, as 10.0.0.0/8' },
  { short: '-N', long: 'nodegroup', type: 'nodegroup', about: 'a node group of the master file' },
  { short: '-R', long: 'range', type: 'range' },
];

export function addTargetOptions(command: Command): void {
  command.optionsGroup('Target (none: a glob on ids):');
  for (const { short, long, about } of TARGETS) if (about !== undefined) command.option(`${short}, --${long}`, about);
}

/** @throws {UsageError} When there is more than one. */
export function targetTypeIn(options: Options): string {
  const given = TARGETS.filter(({ long }) => options.flag(named(long)));
  if (given.length > 1) {
    const flags = given.map(({ short }) => short).join(' and ');
    throw new UsageError(`the options ${flags} exclude each other: one target option at most`);
  }
  return given[0]?.type ?? 'glob';
}

/** As the options of a command line are named once they are read. */
function named(long: string): string {
  return long.replace(/-(.)/g, (_dash, letter: string) => letter.toUpperCase());
}
