import { hasDirectory } from './host-accounts.js';
import { planSync, type Situation } from './plan.js';

const FRED = { uid: 1001, gid: 1001 };

function plan(situation: Partial<Situation>): readonly string[] {
  const steps = planSync({
    holders: new Set(['root', 'fred']),
    literal: [],
    isNamed: (name) => name === 'fred',
    masterAccount: 'root',
    host: new Map([['root', { uid: 0, gid: 0 }], ['fred', FRED]]), // prettier-ignore
    files: new Map(),
    enrolled: [{ name: 'root', fingerprint: 'R', state: 'accepted' }],
    replace: false,
    missingIsGone: true,
    ...situation,
  });
  return steps.map(({ do: what, name, ...more }) => {
    const without = 'without' in more ? ` without ${more.without ?? ''}` : '';
    const removes = 'fingerprint' in more ? ` ${more.fingerprint ?? ''}` : '';
    return `${what} ${name}${without}${removes}${'file' in more && more.file ? ' and its file' : ''}`;
  });
}

const file = (fingerprint: string | undefined, uid = FRED.uid, isShut = true) =>
  new Map([['fred', { fingerprint, uid, isShut }]]);
const enrolled = (fingerprint: string, state = 'accepted', name = 'fred') => [{ name, fingerprint, state }];

describe('a sync of accounts', () => {
  it('makes a key for an account that has none; never for the master’s own', () => {
    expect(plan({})).toEqual(['make fred']);
  });

  it('says of a name that it is no account here, and goes on; not of the master’s own', () => {
    const literal = ['freed', 'fred', 'admin'];
    const steps = ['make fred', 'skip freed'];
    expect(plan({ literal, masterAccount: 'admin', holders: new Set(['admin', 'fred']), enrolled: [] })).toEqual(steps);
  });

  it('changes nothing the second time', () => {
    expect(plan({ files: file('F'), enrolled: enrolled('F') })).toEqual(['nothing fred']);
  });

  it('enrols a key that was made and not enrolled', () => {
    expect(plan({ files: file('F') })).toEqual(['enrol fred']);
  });

  it('makes a new key in place of one that was removed, or that is no key', () => {
    expect(plan({ files: file('F'), enrolled: enrolled('F', 'deleted') })).toEqual(['make fred']);
    expect(plan({ files: file(undefined) })).toEqual(['make fred']);
  });

  it('shuts a key that others may read', () => {
    expect(plan({ files: file('F', FRED.uid, false), enrolled: enrolled('F') })).toEqual(['shut fred']);
    expect(plan({ files: file('F', 0), enrolled: enrolled('F') })).toEqual(['shut fred']);
  });

  it('makes a new key when the account has another uid than the key’s owner', () => {
    expect(plan({ files: file('F', 1002), enrolled: enrolled('F') })).toEqual(['make fred without F']);
  });

  it('never replaces the key of another host unasked', () => {
    expect(plan({ enrolled: enrolled('G') })).toEqual(['conflict fred']);
    expect(plan({ files: file('F'), enrolled: enrolled('G') })).toEqual(['conflict fred']);
    expect(plan({ enrolled: enrolled('G'), replace: true })).toEqual(['make fred without G']);
    expect(plan({ files: file('F'), enrolled: enrolled('G'), replace: true })).toEqual(['enrol fred without G']);
  });

  it('takes the key of an account that is named no more, here and in the roster', () => {
    const nobody = { holders: new Set(['root']), isNamed: () => false };
    expect(plan({ ...nobody, files: file('F'), enrolled: enrolled('F') })).toEqual(['remove fred F and its file']);
    expect(plan({ ...nobody, enrolled: enrolled('G') })).toEqual(['remove fred G']);
    expect(plan({ ...nobody, files: file('F') })).toEqual(['remove fred and its file']);
  });

  it('takes no key from an account that has become the master’s own, whoever names it, and says that it stays', () => {
    const own = { masterAccount: 'fred', holders: new Set(['fred']), files: file('F'), enrolled: enrolled('F') };
    for (const isNamed of [() => true, () => false]) expect(plan({ ...own, isNamed })).toEqual(['skip fred']);
    expect(plan({ ...own, masterAccount: 'root', isNamed: () => false, holders: new Set(['root']) })).toEqual([
      'remove fred F and its file',
    ]);
  });

  it('takes the key of an account that this host has no more; another host’s stays', () => {
    const gone = { holders: new Set(['root']), host: new Map([['root', { uid: 0, gid: 0 }]]) };
    expect(plan({ ...gone, files: file('F'), enrolled: enrolled('F') })).toEqual(['remove fred F and its file']);
    expect(plan({ ...gone, files: file('F'), enrolled: enrolled('G') })).toEqual(['remove fred and its file']);
    expect(plan({ ...gone, enrolled: enrolled('G') })).toEqual([]);
  });

  it('leaves the key of an account that a directory may only not tell of; one that is named no more loses it all the same', () => {
    const away = { holders: new Set(['root']), host: new Map([['root', { uid: 0, gid: 0 }]]), missingIsGone: false };
    expect(plan({ ...away, files: file('F'), enrolled: enrolled('F') })).toEqual(['conflict fred']);
    expect(plan({ ...away, isNamed: () => false, files: file('F'), enrolled: enrolled('F') })).toEqual([
      'remove fred F and its file',
    ]);
  });

  it.each([
    ['passwd: files systemd', false],
    ['# passwd: ldap\npasswd:\t\tfiles # ldap\ngroup: files ldap', false],
    ['passwd: db [NOTFOUND=return] files', false],
    ['passwd: compat systemd', true],
    ['', false],
    ['passwd: files sss', true],
    ['passwd:files [!UNAVAIL=return] ldap', true],
    ['passwd: files winbind systemd', true],
  ])('knows from /etc/nsswitch.conf whether accounts come from a directory: %j', (text, has) => {
    expect(hasDirectory(text)).toBe(has);
  });

  it('gives no key to a name that is no account’s', () => {
    const holders = new Set(['sudo_fred', '../x', 'ghost']);
    expect(plan({ holders, isNamed: () => true })).toEqual(['skip ../x', 'skip ghost', 'skip sudo_fred']);
  });
});
