/** The options that say how a target is read, with Salt's names: each is told by a flag of its own. */
import type { Command } from 'commander';

const TARGETS = [
  ['-E, --pcre', 'a regular expression on ids'],
  ['-L, --list', 'ids divided by commas'],
  ['-G, --grain', 'grain:glob, as os:Deb*'],
  ['-P, --grain-pcre', 'grain:regular expression'],
  ['-I, --pillar', 'pillar:glob'],
  ['-J, --pillar-pcre', 'pillar:regular expression'],
  ['-C, --compound', "a compound expression, as 'web* and G@os:Debian'"],
  ['-S, --ipcidr', 'an address or a network, as 10.0.0.0/8'],
  ['-N, --nodegroup', 'a node group of the master file'],
] as const;

export function addTargetOptions(command: Command): void {
  command.optionsGroup('Target (none: a glob on ids):');
  for (const [flags, about] of TARGETS) command.option(flags, about);
}
