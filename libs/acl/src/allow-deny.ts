/** A pair of lists, what is let in and what is kept out, by whole match; an empty list says nothing. Spec: spec/acl.md#whole-match. */
import { isTrue, type Value } from '@natrium/model';
import { compileDenied } from './compile-section.js';
import type { DenyList } from './policy.js';
import { ProblemList } from './problem-list.js';

export function allowsByLists(value: string, allowed: Value, denied: Value): boolean {
  const inside = compileDenied(allowed, ['allowed'], new ProblemList());
  const outside = compileDenied(denied, ['denied'], new ProblemList());
  if (outside.everyone || matches(outside, value)) return false;
  // A list of which nothing can be kept lets nobody in.
  return !isTrue(allowed) || matches(inside, value);
}

function matches({ rules }: DenyList, value: string): boolean {
  return rules.some(({ match }) => match.test(value));
}
