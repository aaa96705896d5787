/** Rules of a target as its caller hears of it: what is wrong with it is named, in a sentence that fits into a message, and nothing of pillar. */
import { encode, sodiumReady, type Wire } from '@natrium/envelope';
import type { SignedRequest } from '@natrium/flow';
import type { Target } from '@natrium/model';
import { aRequest } from '@natrium/testing';
import { contracts, writeAs } from '@natrium/wire';
import type { Policy } from './policy.js';
import { policyOf } from './policy-of.spec-support.js';

let policy: Policy;

beforeAll(async () => {
  await sodiumReady();
  policy = policyOf('publisher_acl:\n  deploy: [".*"]\n');
});

function decided(target: Target) {
  const account = policy.identify('deploy', {});
  const ask = { request: aRequest(0, target) } as SignedRequest;
  return policy.decide({ principal: { kind: 'account', name: 'deploy' }, onBehalfOf: [] }, ask, account);
}

/** Each with a defect, and what of it the caller has to hear; half of a character must not end what is quoted. */
const DEFECTS: readonly (readonly [string, Target, string])[] = [
  ['a pattern that is not closed', { tgt: `(${'a'.repeat(5000)}`, tgtType: 'pcre' }, 'a ( is never closed'],
  ['a node group that is none', { tgt: 'g'.repeat(5000), tgtType: 'nodegroup' }, 'unavailable'],
  ['a group of a pattern named twice', { tgt: `(?P<${'n'.repeat(4000)}>a)(?P<${'n'.repeat(4000)}>b)`, tgtType: 'pcre' }, 'two groups have the name'], // prettier-ignore
  ['a term of many words', { tgt: `${'web1 or '.repeat(700)}(`, tgtType: 'compound' }, 'where a term is expected'],
  ['an address that is none', { tgt: '\u{1f600}'.repeat(2500), tgtType: 'ipcidr' }, 'is neither an address'],
  ['names of a list, where there is one text', { tgt: Array.from({ length: 1000 }, () => 'web1'), tgtType: 'glob' }, 'is text, not a list'], // prettier-ignore
];

it.each(DEFECTS)(
  'a target of 5,000 characters is refused for its defect, and that can be sent: %s',
  (_, target, defect) => {
    for (const answer of [decided(target), policy.idsOf(target)]) {
      if (answer.ok) throw new Error('it was not refused');
      const { code, sentence } = answer.error;
      expect({ code, sentence }).toEqual({
        code: 'invalid_target',
        sentence: expect.stringContaining(defect) as unknown,
      });
      expect(() =>
        encode(writeAs(contracts.answer.schema, { refusal: answer.error, result: null }) as Wire),
      ).not.toThrow();
    }
  },
);

it('a target of 5,000 characters without a defect is not refused', () => {
  const target: Target = { tgt: Array.from({ length: 1000 }, () => 'web1').join(','), tgtType: 'list' };
  expect(decided(target)).toMatchObject({ ok: true, value: { minions: ['web1'] } });
  expect(policy.idsOf(target)).toEqual({ ok: true, value: ['web1'] });
});

it.each([
  ['nothing but that', 'I@token:a*'],
  ['a term that is nobody’s beside it', 'L@web1 and I@token:a* or G@os'],
  ['a term that is wrong beside it', 'L@web1 and J@token:a or S@10.0.0.5/24'],
])('who may not hear pillar is told the same of a pattern on it, whoever it would mean: %s', (_, tgt) => {
  const told = ['abc', 'xyz'].map((token) =>
    policyOf('', ['web1'], { token }).idsExactly({ tgt, tgtType: 'compound' }, () => undefined),
  );
  expect(told.map((answer) => !answer.ok && answer.error.code)).toEqual(['not_permitted', 'not_permitted']);
});

describe('full access', () => {
  const full = (names: readonly string[], of: Policy, how: 'hasFullAccess' | 'callerHasFullAccess') =>
    names.filter((name) => of[how](name));
  const NAMES = ['root', 'salt', 'deploy', 'sudo_deploy', 'sudo_', 'stranger'];
  const LISTS = 'publisher_acl:\n  deploy: [".*"]\n';

  it('is that of the first account’s key; what one is called is no proof', () => {
    expect(full(NAMES, policy, 'hasFullAccess')).toEqual(['root']);
    expect(full(NAMES, policyOf(`user: salt\n${LISTS}`), 'hasFullAccess')).toEqual(['salt']);
  });

  it('is, in a grant, also that of root and through sudo, whom that key alone proves', () => {
    expect(full(NAMES, policy, 'callerHasFullAccess')).toEqual(['root', 'sudo_deploy']);
    const ofSalt = ['root', 'salt', 'sudo_deploy'];
    expect(full(NAMES, policyOf(`user: salt\n${LISTS}`), 'callerHasFullAccess')).toEqual(ofSalt);
  });

  it('is not that of an account through sudo where sudo_acl gives it its own list', () => {
    expect(full(NAMES, policyOf(`sudo_acl: true\n${LISTS}`), 'callerHasFullAccess')).toEqual(['root']);
  });
});
