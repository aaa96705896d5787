/** `file.*` where scripts of Salt's users look: shapes of values, words of refusals, what counts as done. */
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { isList, isMap, pyStr, type Value } from '@natrium/model';
import { named } from '../testing/call-context.js';
import { folder, path, ret, run } from './file-calls.spec-support.js';
import { unifiedDiff } from './unified-diff.js';

const modeOf = (name: string): string => (statSync(join(folder, name)).mode & 0o777).toString(8);

describe('folders', () => {
  it('get their owner and mode from below, so that who may no longer pass one has done with what is in it', async () => {
    const NOBODY = 65_534;
    const own = process.geteuid?.() ?? NOBODY;
    chownSync(folder, own === 0 ? NOBODY : own, -1);
    if (own === 0) process.seteuid?.(NOBODY);
    try {
      expect(await ret('makedirs', `${folder}/a/b/c/`, named({ mode: 640 }))).toBeNull();
    } finally {
      if (own === 0) process.seteuid?.(own);
    }
    const modes = ['a', 'a/b', 'a/b/c'].map((name) => {
      const mode = modeOf(name);
      chmodSync(join(folder, name), 0o700); // else only root sees what is in it
      return mode;
    });
    expect(modes).toEqual(['640', '640', '640']);
  });

  it('are made above a path, and to its end where that is a slash', async () => {
    expect(await ret('makedirs', join(folder, 'a/b/file'))).toBeNull();
    expect(await ret('directory_exists', join(folder, 'a/b'))).toBe(true);
    expect(await ret('path_exists', join(folder, 'a/b/file'))).toBe(false);
    expect(await ret('makedirs', `${folder}/c/d/`)).toBeNull();
    expect(await ret('directory_exists', join(folder, 'c/d'))).toBe(true);
    expect(await ret('makedirs', `${folder}/c/d/`)).toBe(`Directory '${folder}/c/d' already exists`);
  });

  it('that are made all have the mode, and those that were there keep theirs', async () => {
    mkdirSync(join(folder, 'old'), { mode: 0o711 });
    for (const fun of ['makedirs', 'mkdir']) {
      await ret(fun, `${folder}/old/${fun}/b/`, named({ mode: 750 }));
      expect(['old', `old/${fun}`, `old/${fun}/b`].map(modeOf)).toEqual(['711', '750', '750']);
      await ret(fun, `${folder}/old/${fun}/b/`, named({ mode: 700 }));
      expect(modeOf(`old/${fun}/b`)).toBe('750');
    }
  });

  it('are not made for an owner or with a mode that is none, nor in the place of a file', async () => {
    expect((await run('makedirs', `${folder}/x/`, 'no-such-user')).ret).toBe('ERROR: User does not exist');
    expect((await run('mkdir', `${folder}/x`, named({ mode: 'rwx' }))).success).toBe(false);
    expect(await ret('path_exists', join(folder, 'x'))).toBe(false);
    writeFileSync(path, '');
    expect(await run('makedirs', `${path}/`)).toMatchObject({
      ret: `ERROR: The path '${path}' already exists and is not a directory`,
      retcode: 1,
    });
  });
});

describe('links and times', () => {
  it('a link that is there already is no failure, another is', async () => {
    expect(await ret('symlink', '/etc/hosts', path)).toBe(true);
    expect(await ret('symlink', '/etc//hosts', path)).toBe(true);
    expect(await ret('symlink', '/etc/fstab', path)).toBe(`ERROR: Found existing symlink: ${path}`);
    expect(await ret('readlink', path)).toBe('/etc/hosts');
    expect(await ret('symlink', '/etc/fstab', path, named({ atomic: true }))).toBe(true);
    expect(await ret('readlink', path)).toBe('/etc/fstab');
    rmSync(path);
    writeFileSync(path, '');
    expect(await ret('symlink', '/etc/fstab', path)).toBe(`ERROR: Existing path is not a symlink: ${path}`);
    expect((await run('symlink', '/etc/fstab', folder, false, true)).success).toBe(false);
    expect(lstatSync(folder).isDirectory()).toBe(true);
    expect(await ret('readdir', folder)).toEqual(['.', '..', 'a.conf']);
  });

  it('a time that is not given is now, whatever the other is', async () => {
    const before = Date.now() - 1;
    await ret('touch', path, 1_000_000);
    expect(statSync(path).atimeMs).toBe(1e9);
    expect(statSync(path).mtimeMs).toBeGreaterThanOrEqual(before);
    await ret('touch', path, named({ mtime: 0 }));
    expect(statSync(path).mtimeMs).toBe(0);
    expect(statSync(path).atimeMs).toBeGreaterThanOrEqual(before);
  });

  it('are told as what they are, where they lead, and also when that is nowhere', async () => {
    symlinkSync(join(folder, 'nowhere'), path);
    expect(await ret('stats', path)).toMatchObject({ type: 'link', target: join(folder, 'nowhere') });
    expect(await ret('readlink', path, true)).toBe(join(folder, 'nowhere'));
    writeFileSync(join(folder, 'nowhere'), '');
    expect(await ret('stats', path)).toMatchObject({ type: 'file', target: join(folder, 'nowhere') });
    const link = await ret('stats', path, named({ follow_symlinks: false }));
    expect(link).toMatchObject({ type: 'link', target: join(folder, 'nowhere') });
    expect(await ret('stats', '/dev/null')).toMatchObject({ type: 'char' });
  });
});

it.each([
  ['get_mode', ['/nonexistent'], 'ERROR: Path not found: /nonexistent'],
  ['stats', ['/nonexistent'], 'ERROR: Path not found: /nonexistent'],
  ['readlink', ['/etc'], "ERROR executing 'file.readlink': A valid link was not specified: /etc"],
  ['readdir', ['/etc/passwd'], "ERROR executing 'file.readdir': A valid directory was not specified."],
  ['search', ['/nonexistent', 'x'], "ERROR executing 'file.search': File not found: /nonexistent"],
  ['replace', ['/nonexistent', 'x', 'y'], "ERROR executing 'file.replace': File not found: /nonexistent"],
  ['search', ['/etc/passwd', 'x', 'NONE'], "ERROR executing 'file.search': Invalid re flag given: NONE"],
  ['find', ['/etc', named({ type: 'fx' })], 'ERROR executing \'file.find\': invalid file type "x"'],
] as const)('refuses %s %j in Salt’s words', async (fun, sent, text) => {
  expect(await run(fun, ...sent)).toMatchObject({ ret: text, retcode: 1 });
});

it.each([
  ['/a/b', '/a', 'b'],
  ['/a/b/', '/a/b', ''],
  ['/a', '/', 'a'],
  ['a', '', 'a'],
  ['//', '//', ''],
  ['/a//b', '/a', 'b'],
])('splits %j as Python does', async (whole, head, tail) => {
  expect([await ret('dirname', whole), await ret('basename', whole)]).toEqual([head, tail]);
});

describe('what files hold', () => {
  it('is searched with the flags in any case, with further places for the same, and without blanks around a text', async () => {
    writeFileSync(path, 'one\nTwo\n');
    expect(await ret('search', path, '^two', ['ignorecase', 'M'])).toBe(true);
    expect(await ret('search', path, '^two', 'i')).toBe(false);
    expect(await ret('search', path, '^two', 'I', 1, false, true)).toBe(true);
    expect(await ret('search', join(folder, 'none'), 'x', 8, 1, true)).toBe(false);
    expect(await ret('contains', path, ' Two ')).toBe(true);
    expect(await ret('contains', path, 'One')).toBe(false);
  });

  it('is replaced with backslashes as they are, and only looked at where only that is asked', async () => {
    writeFileSync(path, 'a=1\n');
    expect(await ret('replace', path, '1', 'C:\\new', named({ backslash_literal: true, show_changes: false }))).toBe(
      true,
    );
    expect(readFileSync(path, 'utf8')).toBe('a=C:\\new\n');
    const both = named({ search_only: true, append_if_not_found: true });
    expect(await ret('replace', path, 'x', 'y', both)).toContain('search_only cannot be used with append');
    for (const show_changes of [true, false])
      expect(await ret('replace', join(folder, 'none'), 'x', 'y', named({ ignore_if_missing: true, show_changes }))).toBe(false); // prettier-ignore
    expect(unifiedDiff('one\n', 'two\n')).toBe('--- \n+++ \n@@ -1 +1 @@\n-one\n+two\n');
  });

  it.each(['one\ntwo=2\n', 'one\r\ntwo=2\r\n', 'a\nb\n', 'a\nb\r\n', '\na\nb'])(
    'has what it lacks put in once, in however many lines: %j',
    async (before) => {
      writeFileSync(path, before);
      const missing = before.includes('two') ? 'two=2' : 'a\nb';
      for (const where of ['append_if_not_found', 'prepend_if_not_found'])
        expect(await ret('replace', path, '^none$', missing, named({ [where]: true }))).toBe('');
      for (let times = 0; times < 2; times += 1)
        await ret('replace', path, '^none$', 'x\ny', named({ append_if_not_found: true }));
      expect(readFileSync(path, 'utf8')).toBe(`${before}${before.endsWith('\n') ? '' : '\n'}x\ny\n`);
    },
  );

  it('is searched and replaced with patterns that mean what they mean in Python', async () => {
    writeFileSync(path, '[ab] rest [c]\r\n\r\nlast\n');
    for (const [pattern, flags, is] of [
      ['^\\n', 8, false],
      ['last$', 0, true],
      ['c]$', 8, false],
    ] as const)
      expect(await ret('search', path, pattern, flags)).toBe(is);
    await run('replace', path, '\\[[^]]*\\]', '[]');
    expect(readFileSync(path, 'utf8')).toBe('[] rest []\r\n\r\nlast\n');
    expect(await ret('search', path, '(?i)LAST')).toBe(true);
    expect(await ret('search', path, 'x', 72)).toBe("ERROR executing 'file.search': Invalid re flag given: 72");
  });

  it('is not cut off at less than nothing', async () => {
    writeFileSync(path, 'text');
    expect((await run('truncate', path, -1)).success).toBe(false);
    expect(readFileSync(path, 'utf8')).toBe('text');
    expect(await ret('truncate', path, 2)).toBeNull();
    expect(readFileSync(path, 'utf8')).toBe('te');
  });

  it('is appended to only where there is a file', async () => {
    expect(await run('append', path, 'one')).toMatchObject({ ret: `ERROR: ${path}: no such file or directory`, retcode: 1 }); // prettier-ignore
    expect(await ret('path_exists', path)).toBe(false);
    writeFileSync(path, '');
    expect(await ret('append', path, 'one', 'two')).toBe(`Wrote 2 lines to "${path}"`);
    expect(readFileSync(path, 'utf8')).toBe('one\ntwo\n');
  });

  it('gets every line with an end of its own', async () => {
    await ret('write', path, 'one\n', 'two');
    await ret('append', path, 'three\n');
    expect(readFileSync(path, 'utf8')).toBe('one\n\ntwo\nthree\n\n');
  });

  it('is kept with the time in Salt’s words', async () => {
    writeFileSync(path, 'old');
    await ret('write', path, 'new', named({ backup: 'minion' }));
    const [first] = Object.values((await ret('list_backups', path)) ?? {}) as Value[];
    const time = isMap(first) ? first['Backup Time'] : '';
    expect(time).toMatch(/^(Mon|Tue|Wed|Thu|Fri|Sat|Sun) [A-Z][a-z]{2} \d\d \d{4} \d\d:\d\d:\d\d\.\d{6}$/);
  });
});

it('finds of several owners and kinds, by parts of a unit, and in the order of the paths', async () => {
  for (const name of ['b', 'b-c', 'b/d']) if (name !== 'b') execFileSync('mkdir', ['-p', join(folder, name)]);
  writeFileSync(join(folder, 'big'), 'x'.repeat(1600));
  const found = async (options: Readonly<Record<string, Value>>) => ret('find', folder, named({ mindepth: 1, ...options })); // prettier-ignore
  expect(await found({})).toEqual(['b', 'b-c', 'b/d', 'big'].map((name) => join(folder, name)));
  expect(await found({ type: 'f, l' })).toEqual([join(folder, 'big')]);
  const user = execFileSync('id', ['-un'], { encoding: 'utf8' }).trim();
  expect(await found({ owner: `65533,${user}`, type: 'f' })).toEqual([join(folder, 'big')]);
  expect(await found({ owner: '65533 65532' })).toEqual([]);
  expect(await found({ size: '+1.5k', type: 'f' })).toEqual([join(folder, 'big')]);
  expect(await found({ size: '+1.6k', type: 'f' })).toEqual([]);
  expect(await ret('find', '/dev/null', named({ type: 'c' }))).toEqual(['/dev/null']);
  expect(await ret('find', '/dev/null', named({ type: 'b' }))).toEqual([]);
});

it('finds in all folders that a glob names, and where a link leads that it begins at', async () => {
  for (const name of ['ann/.ssh/id', 'bob/.ssh/id', 'bob/id', '.old/.ssh/id', 'b']) {
    mkdirSync(join(folder, name, '..'), { recursive: true });
    writeFileSync(join(folder, name), '');
  }
  const found = async (glob: string, options: Readonly<Record<string, Value>> = {}) => {
    const paths = await ret('find', `${folder}/${glob}`, named({ type: 'f', ...options }));
    return isList(paths) ? paths.map((one) => pyStr(one).slice(folder.length + 1)) : paths;
  };
  expect(await found('*/.ssh')).toEqual(['ann/.ssh/id', 'bob/.ssh/id']);
  expect(await found('.o*')).toEqual(['.old/.ssh/id']);
  expect(await found('[ab]*', { maxdepth: 1 })).toEqual(['b', 'bob/id']);
  expect(await found('b?b/*', { maxdepth: 0 })).toEqual(['bob/id']);
  expect(await found('no*/x')).toEqual([]);
  symlinkSync(join(folder, 'ann'), join(folder, 'link'));
  symlinkSync(join(folder, 'bob'), join(folder, 'ann', 'link'));
  expect(await found('link')).toEqual(['link/.ssh/id']);
  expect(await found('li*', { type: 'l' })).toEqual(['link', 'link/link']);
  expect(await found('ann', { mindepth: 'x' })).toBe("ERROR executing 'file.find': mindepth must be a whole number");
});

it('finds and tells of each path what is asked for, in the order of that', async () => {
  mkdirSync(join(folder, 'd'), { mode: 0o750 });
  writeFileSync(path, 'text', { mode: 0o640 });
  writeFileSync(join(folder, 'b'), 'longer text', { mode: 0o600 });
  symlinkSync('/etc', join(folder, 'link'));
  utimesSync(path, 5, 1_000_000.5);
  const found = async (print: Value, options: Readonly<Record<string, Value>> = {}) => ret('find', folder, named({ mindepth: 1, print, ...options })); // prettier-ignore
  expect(await found('name')).toEqual(['a.conf', 'b', 'd', 'link']);
  expect(await found('size, name', { type: 'f' })).toEqual([[4, 'a.conf'], [11, 'b']]); // prettier-ignore
  expect(await found('type mode', { maxdepth: 1, name: '[bd]' })).toEqual([['d', 0o750], ['f', 0o600]]); // prettier-ignore
  const own = execFileSync('stat', ['-c', '%U %G', path], { encoding: 'utf8' }).trim().split(' ');
  expect(await found('user,group,mtime,path', { name: 'a*' })).toEqual([[...own, 1_000_000, path]]);
  const digits = execFileSync('md5sum', [path], { encoding: 'utf8' }).slice(0, 32);
  expect(await found('md5', { name: 'a*' })).toEqual([digits]);
  expect(await found('md5', { type: 'dl' })).toEqual(['', '']);
  expect(await found('path')).toEqual(await ret('find', folder, named({ mindepth: 1 })));
  expect(await found('name,inode')).toBe(
    "ERROR executing 'file.find': print has no inode; it has path, name, size, type, mode, mtime, user, group, md5",
  );
});

describe('a path that begins with a tilde', () => {
  const home = process.env['HOME'];
  beforeEach(() => {
    process.env['HOME'] = `${folder}/`;
  });
  afterEach(() => {
    process.env['HOME'] = home;
  });

  it('begins in the home of the minion, or of an account', async () => {
    expect(await ret('write', '~/a.conf', 'one')).toBe(`Wrote 1 lines to "${path}"`);
    expect(await ret('read', '~/a.conf')).toBe('one\n');
    expect(await ret('rename', '~/a.conf', '~/b')).toBe(true);
    expect(await ret('find', '~/*', named({ type: 'f' }))).toEqual([join(folder, 'b')]);
    expect(await ret('mkdir', '~/x/~')).toBe(true);
    expect(await ret('readdir', '~/x')).toEqual(['.', '..', '~']);
    expect(await ret('stats', '~')).toMatchObject({ target: folder });
    const own = userInfo();
    expect(await ret('directory_exists', `~${own.username}`)).toBe(true);
    expect(await ret('stats', `~${own.username}/..`)).toMatchObject({ target: join(own.homedir, '..') });
  });

  it('is none of anybody that there is not, nor where paths are no more than texts', async () => {
    for (const none of ['~no-such-user/x', '~+0/x', '~0', '~:x/y'])
      expect(await ret('write', none, 'x')).toBe("ERROR executing 'file.write': File path must be absolute.");
    expect([await ret('dirname', '~/x'), await ret('basename', '~')]).toEqual(['~', '~']);
    expect(await ret('symlink', '~/x', '~/link')).toBe(true);
    expect(await ret('readlink', '~/link')).toBe('~/x');
    expect(await ret('readdir', '~')).toEqual(['.', '..', 'link']);
  });
});
