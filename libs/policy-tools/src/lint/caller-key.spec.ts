import type { PolicyConfig } from '@natrium/acl';
import { compilePattern } from '@natrium/matchers';
import { fleetOf } from '../fleet.js';
import { viewPolicy } from '../policy-view.js';
import { lintPolicy } from './lint.js';

const nodegroups = { web: 'web1,web2', star: 'web*', all: 'N@web or db1', data: 'G@os:Debian' };

function told(config: PolicyConfig, ids = ['web1']): readonly string[] {
  return lintPolicy(viewPolicy({ ...config, nodegroups }), fleetOf(ids)).map(
    ({ message, mend }) => `${message}; ${mend ?? ''}`,
  );
}

const GENERIC = "write a pattern of their ids, such as 'web.*'";

describe('a key of peer that is written as a target', () => {
  it.each<[string, string, string[]]>([
    ['web1,web2', '(?:web1|web2)$', ['web1', 'web2']],
    ['web1, db*', 'web1$|db.*', ['web1', 'db7']],
    ['web.*,db.*', 'web.*|db.*', ['web7', 'db7']],
    ['L@a,b.c', '(?:a|b\\.c)$', ['a', 'b.c']],
    ['web1 or web2', '(?:web1|web2)$', ['web1', 'web2']],
    ['E@web.*', 'web.*', ['web7']],
    ['E@web\\d or L@a,b', 'web\\d|a$|b$', ['web7', 'a', 'b']],
    ['N@web', '(?:web1|web2)$', ['web1', 'web2']],
    ['N@star', 'web.*', ['web7']],
    ['N@all', '(?:web1|web2|db1)$', ['web1', 'web2', 'db1']],
  ])('names nobody, and is mended by an expression that names whom it meant: %s', (key, mend, ids) => {
    for (const [section, list] of [
      ['peer', ['test\\.ping$']],
      ['peer_run', ['manage\\.up$']],
    ] as const) {
      expect(told({ [section]: { [key]: list } })).toEqual([
        `'${key}' names nobody: keys of ${section} are regular expressions on the id of who asks, no targets; write '${mend}'`,
      ]);
    }
    const pattern = compilePattern(mend, { mode: 'prefix' });
    for (const id of ids) expect(pattern.ok && pattern.value.test(id)).toBe(true);
    expect(pattern.ok && pattern.value.test('other')).toBe(false);
  });

  it.each(['G@role:web', 'web1 and not web2', 'N@nosuch', 'N@data', 'S@10.0.0.0/8', 'E@( or web1)'])(
    'gets no expression where none can mean it: %s',
    (key) => {
      expect(told({ peer: { [key]: ['test\\.ping$'] } }).join()).toContain(`no targets; ${GENERIC}`);
    },
  );
});

it.each(['(?:web1|web2)$', 'web\\d{1,2}$', 'web[1,2]$', 'w.*', '(web1|or)$'])(
  'a key of peer that is a regular expression is none: %s',
  (key) => {
    expect(told({ peer: { [key]: ['test\\.ping$'] } }).join()).not.toContain('no targets');
  },
);

it('a key of peer that names an accepted minion is none', () => {
  expect(told({ peer: { 'a,b$': ['test\\.ping$'] } }, ['a,b'])).toEqual([]);
});
