/** Rules that are sound but mean something else than in Salt; each names its row of compat/divergences.md. */
import type { RulePath } from '@natrium/acl';
import { compilePattern, compileWholeMatch } from '@natrium/matchers';
import { isMap } from '@natrium/model';
import { type KeyedList, keyedLists, type PolicyView, rulesOf } from '../policy-view.js';
import { branchesOf, provenSamples } from '../samples.js';
import type { Finding } from './finding.js';
import { neverAKey } from './never.js';
import { deadWord } from './spec-word.js';

export function differences(view: PolicyView): readonly Finding[] {
  return [
    ...keyedLists(view).flatMap(keyDifferences),
    ...deniedAlternations(view),
    ...unknownData(view),
    ...conditions(view),
    ...runners(view),
    ...settings(view),
  ];
}

function keyDifferences(keyed: KeyedList): readonly Finding[] {
  const { section, key, path, names } = keyed;
  if ((section !== 'publisher_acl' && section !== 'external_auth') || names === undefined) return [];
  if (section !== 'external_auth') return alternation(key, path, names);
  return key === '*' ? [] : reversed(key, path, names);
}

/** A key as a login may be, too: `john+doe`, `svc$`, `CORP\bob`, a DN. */
const LOGIN = /^[^*?|()[\]{}^\\]+(?:\\\w[^*?|()[\]{}^\\]*)?$/u;

/** In Salt the login is the pattern: it finds the key that is its own text, so that only what names others too is told of. */
function reversed(key: string, path: RulePath, test: (text: string) => boolean): readonly Finding[] {
  const dotted = key.replace('.', 'x');
  const inSalt = (login: string) => compileWholeMatch(login).test(key);
  const witness = [dotted, ...provenSamples(key, test)].find((login) => test(login) && !inSalt(login));
  if (witness === undefined) return [];
  if (!LOGIN.test(key))
    return [
      note(
        path,
        'eauth-user-match-reversed',
        `'${key}' is the pattern and the login the text; Salt compares them the other way round, so that it names nobody there`,
      ),
    ];
  const why = witness === dotted ? ', whose dot is any character,' : ',';
  const message = `'${key}' is a pattern${why} so that it names '${witness}' too; in Salt it does not`;
  return [{ ...note(path, 'eauth-user-match-reversed', message), witness: [witness] }];
}

function deniedAlternations({ policy }: PolicyView): readonly Finding[] {
  return [...policy.deniedUsers.rules, ...policy.deniedModules.rules].flatMap(({ path, match }) =>
    alternation(match.source, path, match.test),
  );
}

/** In Salt the first branch is open at the end: `admin|manager_.*` lets `administrator` in. */
function alternation(source: string, path: RulePath, test: (text: string) => boolean): readonly Finding[] {
  const [first, ...others] = branchesOf(source);
  const open = first === undefined || others.length === 0 ? undefined : compilePattern(first, { mode: 'prefix' });
  if (open?.ok !== true) return [];
  const { test: inSalt } = open.value;
  const witness = provenSamples(first ?? '', inSalt)
    .map((name) => (name === 'admin' ? 'administrator' : `${name}x`))
    .find((name) => inSalt(name) && !test(name));
  if (witness === undefined) return [];
  return [
    {
      ...note(
        path,
        'alternation-not-grouped',
        `'${source}' names only whole names; in Salt it also covers '${witness}'`,
      ),
      witness: [witness],
    },
  ];
}

function unknownData(view: PolicyView): readonly Finding[] {
  const entries = keyedLists(view).flatMap(({ list }) => list.entries);
  return entries.flatMap(({ target, spec }) => {
    if (target?.expr?.usesData !== true || spec !== undefined) return [];
    return [
      note(
        target.path,
        'unknown-data-counts-as-match',
        `a minion that never reported its data is outside of '${target.text}'; in Salt it is inside`,
      ),
    ];
  });
}

function conditions(view: PolicyView): readonly Finding[] {
  return rulesOf(view).flatMap(({ keyed, rule }) => {
    if (keyed.section !== 'peer' || rule.conditions === undefined) return [];
    return [
      note(
        rule.path,
        'conditions-see-raw-arguments',
        'the condition sees the parsed arguments that are sent; in Salt it sees the words as the minion wrote them',
      ),
    ];
  });
}

function runners(view: PolicyView): readonly Finding[] {
  const accounts = keyedLists(view).filter(
    (keyed) => keyed.section === 'publisher_acl' && neverAKey(keyed, view.policy).length === 0,
  );
  const words = accounts.flatMap(({ list }) =>
    list.entries.flatMap(({ spec, path }) =>
      spec === undefined || deadWord(spec.word, view.modules) !== undefined ? [] : [{ spec, path }],
    ),
  );
  if (accounts.length > 0 && words.length === 0) {
    return [
      note(
        ['publisher_acl'],
        'local-key-opens-runners',
        'none of these accounts may run a runner or wheel function without an @ entry; in Salt every one of them may run all',
      ),
    ];
  }
  return words.map(({ spec, path }) =>
    note(
      path,
      'local-key-opens-runners',
      `'@${spec.word}' opens runners or wheel to this account; in Salt it means nothing here, and every account may run all`,
    ),
  );
}

function settings({ config, policy }: PolicyView): readonly Finding[] {
  const blacklist = isMap(config.publisher_acl_blacklist) && Object.keys(config.publisher_acl_blacklist).length > 0;
  return [
    ...(blacklist
      ? [
          note(
            ['publisher_acl_blacklist'],
            'blacklist',
            'it is tested against the proved name, for runners and wheel too, and its modules for whatever is published; in Salt only for what accounts publish',
          ),
        ]
      : []),
    ...(policy.settings.keepAclInToken
      ? [
          note(
            ['keep_acl_in_token'],
            'kept-acl-is-empty',
            'a token keeps the list that the file gave at login; in Salt it keeps none and is always refused',
          ),
        ]
      : []),
    ...(policy.settings.sudoAcl
      ? [note(['sudo_acl'], 'local-key-opens-runners', 'sudo_NAME has the list of NAME for runners and wheel too')]
      : []),
  ];
}

function note(path: RulePath, divergence: string, message: string): Finding {
  return { code: 'differs-from-salt', severity: 'note', path, message, divergence };
}
