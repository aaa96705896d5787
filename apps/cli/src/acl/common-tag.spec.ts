import { compileGlob } from '@natrium/matchers';
import { commonTag } from './common-tag.js';

const matches = (glob: string, tag: string | undefined): boolean => {
  const compiled = compileGlob(glob);
  return tag !== undefined && compiled.ok && compiled.value.test(tag);
};

it.each([
  ['deploy/*', 'deploy/*', 'deploy/x'],
  ['deploy/*/done', 'deploy/web/*', 'deploy/web/done'],
  ['a*c', '*b*', undefined],
  ['*', 'x', 'x'],
  ['a', 'a', 'a'],
  ['salt/netapi/hook/*', '*/hook/[!x]?', undefined],
  ['t[ab]z', 't[bc]?', 'tbz'],
  ['a[', 'a*', 'a['],
])('%s and %s both match one tag, which may be %j', (left, right, expected) => {
  const tag = commonTag(left, right);
  if (expected !== undefined) expect(tag).toBe(expected);
  expect({ tag, left: matches(left, tag), right: matches(right, tag) }).toMatchObject({ left: true, right: true });
  expect(commonTag(right, left)).toBeDefined();
});

it.each([
  ['a', 'b'],
  ['deploy/*', 'monitoring/*'],
  ['a?', 'a'],
  ['[ab]*', '[!ab]*'],
  ['a*b', 'a*c'],
  ['', 'a'],
])('%s and %s have no tag in common', (left, right) => {
  expect([commonTag(left, right), commonTag(right, left)]).toEqual([undefined, undefined]);
});
