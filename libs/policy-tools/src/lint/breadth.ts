/**
 * Patterns that open more than they seem to, each with witnesses: texts that nobody would expect to be covered, constructed from
 * the pattern and proved by the very test that the gate uses.
 */
import { compilePattern } from '@natrium/matchers';
import { parseMinionId } from '@natrium/model';
import { provenSamples } from '../samples.js';
import type { Finding } from './finding.js';
import { openEnd, openFunction } from './open-end.js';
import type { Reading, Subject } from './subject.js';

const ANY_FUNCTION = ['cmd.run', 'zz9.q', 'Q'];
const ANY_BARE_FUNCTION = ['zz9', 'q_1', 'Q'];
const ANY_NAME = ['zz9', 'Q-1', 'x.example.net'];
/** Of a module that nobody has: what permits it permits whatever may come. */
export const UNNAMED = 'any.any';

/** A function pattern: open at the end, a bare dot is any character. */
export function functionBreadth(
  subject: Subject,
  all = 'every function of every module, cmd.run among them',
): readonly Finding[] {
  if (subject.source.startsWith('@')) return [];
  if (ANY_FUNCTION.every(subject.test)) return [everything(subject, all, ANY_FUNCTION)];
  return more(subject, readFunction(subject), 'functions');
}

function readFunction(subject: Subject): Reading {
  const { source } = subject;
  const bare = source.replace(/^\^/, '');
  const exact = /^(\w+)\\?\.(\w+)$/.exec(bare);
  const [, exactModule = '', exactName = ''] = exact ?? [];
  if (exact !== null) {
    const tries = [`${exactModule}.${exactName}_evil`, `${exactModule}X${exactName}`];
    return { tries, mend: `${exactModule}\\.${exactName}$` };
  }
  const [, module] = /^(\w+)(?:\\?\.\*|\\?\.\.\*|\\?\.|)$/.exec(bare) ?? [];
  if (module !== undefined)
    return { tries: [`${module}${module.endsWith('util') ? 's' : 'util'}.x`, `${module}Xx`], mend: `${module}\\.` };
  const glob = globLike(bare);
  const [, starred] = /^(\w+)\*$/.exec(bare) ?? [];
  if (glob !== undefined && starred !== undefined) return { ...glob, mend: `${starred}\\.` };
  return glob ?? openFunction(subject);
}

/** A function pattern below `@module`, which is asked about the function's name alone. */
export function bareFunctionBreadth(subject: Subject, module: string): readonly Finding[] {
  if (ANY_BARE_FUNCTION.every(subject.test))
    return [everything(subject, `every function of ${module}`, ANY_BARE_FUNCTION)];
  return more(subject, readBareFunction(subject), 'functions');
}

function readBareFunction(subject: Subject): Reading {
  return globLike(subject.source.replace(/^\^/, '')) ?? openEnd(subject, '_evil');
}

/** A key of `peer` and its kin, or a regular expression on ids. */
export function callerBreadth(subject: Subject): readonly Finding[] {
  if (ANY_NAME.every(subject.test)) return [everything(subject, 'every minion, also one that is not there yet')];
  const { source } = subject;
  const bare = source.replace(/^\^/, '');
  const isName = /^[\w-]+(?:\\?\.[\w-]+)*$/.test(bare);
  const name = bare.replaceAll('\\.', '.');
  const dotted = bare.replace(/(?<!\\)\./, 'x').replaceAll('\\.', '.');
  const reading = isName
    ? { tries: [`${name}.evil.net`, dotted].filter((text) => text !== name), mend: `${name.replaceAll('.', '\\.')}$` }
    : (globLike(bare) ?? openEnd(subject, '.evil.net'));
  return more(subject, reading, 'ids').filter(({ witness = [] }) =>
    witness.every((id) => parseMinionId(id) !== undefined),
  );
}

/** A pattern of an argument: open at the end. */
export function argumentBreadth(subject: Subject): readonly Finding[] {
  const { source } = subject;
  if (['', 'x', '9 x'].every(subject.test)) return [];
  const reading = globLike(source) ?? openEnd(subject, /^\d+$/.test(source) ? '2' : '-more');
  return more(subject, reading, 'values');
}

/** A name of `publisher_acl` or of a backend: matched from end to end, but a bare dot is any character. */
export function nameBreadth(subject: Subject, who: string): readonly Finding[] {
  const { source } = subject;
  if (ANY_NAME.every(subject.test)) return [everything(subject, `every ${who}`)];
  if (!/^[\w@-]+(?:\.[\w@-]+)+$/.test(source)) return [];
  return more(subject, { tries: [source.replace('.', 'x')], mend: source.replaceAll('.', '\\.') }, 'names');
}

/** `test*` where a regular expression is read: the star repeats the letter before it. */
function globLike(source: string): Reading | undefined {
  const [, start, letter] = /^([\w.-]*)([\w-])\*[\w.*-]*$/.exec(source) ?? [];
  if (start === undefined || letter === undefined || start.endsWith('.*')) return undefined;
  const other = letter === 'x' ? 'y' : 'x';
  return { tries: [`${start}${other}`, start].filter((text) => text !== ''), mend: source.replace(/(?<!\.)\*/g, '.*') };
}

/** Names that a function pattern plainly means, and such as it covers besides. */
export function functionsNear(subject: Subject): readonly string[] {
  const { source, test } = subject;
  const samples = provenSamples(source, test);
  const modules = samples.filter((name) => /^\w+$/.test(name) && !name.endsWith('x'));
  const wholes = samples.filter((name) => name.endsWith('.'));
  const inside = [...modules.map((name) => `${name}.any`), ...wholes.map((name) => `${name}any`)];
  const near = [...samples, ...inside, ...readFunction(subject).tries, 'cmd.run', UNNAMED];
  const isName = (name: string) => /^\w+\.\w+$/.test(name) && test(name);
  const names = near.filter(isName);
  return names.length > 0 ? names : samples.flatMap(withOneDot).filter(isName);
}

/** A sample is no name where a dot of the pattern stands for a letter, or what stands for any character for the dot. */
function withOneDot(sample: string): readonly string[] {
  return [sample.replace(/(?<=\..*)\./g, 'x'), sample.replace('x', '.')];
}

/** The same of a pattern below `@module`. */
export function bareFunctionsNear(subject: Subject): readonly string[] {
  const { source, test } = subject;
  const near = [...provenSamples(source, test), ...readBareFunction(subject).tries];
  return near.filter((name) => /^\w+$/.test(name) && test(name));
}

function everything({ path, source }: Subject, what: string, witnesses = ANY_NAME): Finding {
  return {
    code: 'covers-everything',
    severity: 'warning',
    path,
    message: `'${source}' covers ${what}`,
    witness: witnesses.slice(0, 1),
  };
}

function more({ path, source, test }: Subject, { tries, mend }: Reading, what: string): readonly Finding[] {
  const witness = tries.filter(test);
  if (witness.length === 0) return [];
  const shown = witness.map((text) => `'${text}'`).join(', ');
  const message = `'${source}' also covers ${what} such as ${shown}`;
  // A mend that stops the start would be worse than none.
  const isSound = mend !== undefined && compilePattern(mend, { mode: 'prefix' }).ok;
  const found = { code: 'covers-more', severity: 'warning', path, message, witness } as const;
  return [isSound ? { ...found, mend: `write '${mend}'` } : found];
}
