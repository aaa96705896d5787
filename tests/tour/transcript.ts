/** The page that the tour writes: a heading for each group, each command with its answer; `!` marks stderr. */
import type { Ran } from '../support/run-program.js';
import type { Group, Step } from './commands.js';
import { inOrder, JID, masked } from './mask.js';

export interface Shown {
  readonly step: Step;
  readonly ran: Ran;
}

export type Folders = readonly (readonly [folder: string, name: string])[];

const HEAD = `# A tour of the commands

Written by \`npm run tour -- --update\` from a real run; \`npm run tour\` runs it again and compares. A line that begins with \`!\` is
on stderr, and the exit code is shown where it is not 0 ([what they mean](exit-codes.md)). Job ids, times, keys and folders are
masked, and answers of several minions sorted.
`;

export function pageHead(master: string): string {
  return `${HEAD}\nThe master file:\n\`\`\`yaml\n${master}\`\`\`\n`;
}

export function groupText({ title, about }: Group, shown: readonly Shown[], folders: Folders): string {
  const commands = shown.map((one) => commandText(one, folders));
  return `\n## ${title}\n${about}\n\`\`\`\n${commands.join('\n')}\`\`\`\n`;
}

function commandText({ step, ran }: Shown, folders: Folders): string {
  const out = masked(ran.stdout, folders);
  const said = step.unordered ? inOrder(out) : out;
  const heard = masked(ran.stderr, folders).replace(/^/gm, '! ');
  const lines = [`${step.on ?? 'master'} $ ${typed(step)}`];
  if (said !== '') lines.push(said.trimEnd());
  if (ran.stderr !== '') lines.push(heard.replace(/\n! $/, ''));
  if (ran.code !== 0) lines.push(`[exit code ${String(ran.code)}]`);
  return `${lines.map((line) => line.replace(/[ ]+$/gm, '')).join('\n')}\n`;
}

const NAMED = new Map([
  ['JID', JID],
  ['MODULES', '/srv/modules'],
]);

function typed({ words, input }: Step): string {
  const command = words.map((word) => quoted(NAMED.get(word) ?? word)).join(' ');
  return input === undefined ? command : `printf ${quoted(input.replaceAll('\n', '\\n'))} | ${command}`;
}

function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word}'`;
}
