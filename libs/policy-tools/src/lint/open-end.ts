/**
 * Patterns that nothing closes: what follows the end of each is covered too.
 *
 * A branch that ends in `$` is closed, and one that ends in `.*` is open because somebody wanted it so.
 */
import { branchesOf, lastGroup, regexSamples } from '../samples.js';
import type { Reading, Subject } from './subject.js';

const MEANT_SO = /(?<!\\)(?:\\\\)*(?:\.[*+]\??|\$|\\Z)$/;
const FLAGS = /^\(\?[a-z]+\)/;
const NOTHING: Reading = { tries: [], mend: undefined };

/** @param tail What nobody would expect behind the end. */
export function openEnd(subject: Subject, tail: string): Reading {
  const samples = openSamples(subject);
  return { tries: firstOf(samples, tail, subject), mend: ended(subject.source, '$') };
}

/** Of `module.function`: a sample that ends with the dot, or has none, is a whole module. */
export function openFunction(subject: Subject): Reading {
  const samples = openSamples(subject);
  if (samples.length === 0 || samples.every((name) => name.endsWith('.'))) return NOTHING;
  if (samples.every((name) => /^\w+$/.test(name)))
    return { tries: firstOf(samples, 'util.x', subject), mend: ended(subject.source, '\\.') };
  const whole = samples.filter((name) => /\.\w+$/.test(name));
  // An end would take the functions of the modules away.
  const mend = whole.length === samples.length ? ended(subject.source, '$') : undefined;
  return { tries: firstOf(whole, '_evil', subject), mend };
}

function openSamples({ source, test }: Subject): readonly string[] {
  return openBranches(source.replace(FLAGS, ''))
    .flatMap((branch) => regexSamples(branch, test))
    .filter((sample) => sample !== '');
}

/** Those of a group at the end are looked at one by one, too: `(web1$|db.*)` is as `web1$|db.*`. */
function openBranches(source: string): readonly string[] {
  return branchesOf(source).flatMap((branch) => {
    const group = lastGroup(branch);
    if (group === undefined) return MEANT_SO.test(branch) ? [] : [branch];
    return openBranches(group.inside).map((inside) => `${group.before}(?:${inside})`);
  });
}

function firstOf(samples: readonly string[], tail: string, { test }: Subject): readonly string[] {
  return samples
    .map((sample) => sample + tail)
    .filter(test)
    .slice(0, 1);
}

/** Flags stay in front: they mean nothing, or stop the start, inside of a group. */
function ended(source: string, end: string): string {
  const [flags = ''] = FLAGS.exec(source) ?? [];
  const rest = source.slice(flags.length);
  return `${flags}${rest.includes('|') ? `(?:${rest})` : rest}${end}`;
}
