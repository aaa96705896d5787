import { execFileSync } from 'node:child_process';
import { linkSync, mkdirSync, readFileSync, statSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { isList, isMap, pyStr, type Value, type ValueMap } from '@natrium/model';
import { named } from '../testing/call-context.js';
import { folder, path, ret, run } from './file-calls.spec-support.js';
import { findFiles } from './file-find.js';
import { refuseRoot } from './file-tree.js';

describe('file.* that reads', () => {
  it('reads, hashes and describes a file as the system does', async () => {
    writeFileSync(path, 'one\ntwo\n', { mode: 0o640 });
    expect(await ret('read', path)).toBe('one\ntwo\n');
    const digits = execFileSync('sha256sum', [path], { encoding: 'utf8' }).slice(0, 64);
    expect(await ret('get_hash', path)).toBe(digits);
    expect(await ret('check_hash', path, `sha256=${digits}`)).toBe(true);
    expect(await ret('check_hash', path, digits)).toBe(true);
    expect(await ret('check_hash', path, `sha256:${'0'.repeat(64)}`)).toBe(false);
    const user = execFileSync('id', ['-un'], { encoding: 'utf8' }).trim();
    expect(await ret('stats', path, 'md5')).toMatchObject({ mode: '0640', size: 8, type: 'file', user, target: path });
    expect(await ret('contains', path, 'two')).toBe(true);
    expect(await ret('contains', join(folder, 'missing'), 'two')).toBe(false);
    expect(await ret('search', path, '^two$')).toBe(true);
    expect(await ret('search', path, '^TWO', ['IGNORECASE', 'MULTILINE'])).toBe(true);
    expect(await ret('search', path, 'three')).toBe(false);
    const [start, end] = ['\\Aone', 'two\\n\\Z'];
    expect([await ret('search', path, start), await ret('search', path, end)]).toEqual([true, true]);
    for (const pattern of ['\\Atwo', 'one\\Z', '\\\\Aone']) expect(await ret('search', path, pattern)).toBe(false);
    expect(await ret('search', path, '[\\Z]')).toContain('\\Z in a class of characters');
  });

  it('tells what is there', async () => {
    symlinkSync(folder, join(folder, 'link'));
    expect(await ret('directory_exists', folder)).toBe(true);
    expect(await ret('file_exists', folder)).toBe(false);
    expect(await ret('is_link', join(folder, 'link'))).toBe(true);
    expect(await ret('readlink', join(folder, 'link'))).toBe(folder);
    expect(await ret('readdir', folder)).toEqual(['.', '..', 'link']);
  });

  it('reads files of /proc, cuts long ones, and waits for no pipe', async () => {
    expect(await ret('read', '/proc/version')).toMatch(/^Linux version/);
    writeFileSync(path, 'x'.repeat(2_000_000));
    expect(await ret('read', path)).toMatch(/x\n\[cut here: 1048576 bytes shown\]$/);
    execFileSync('mkfifo', [join(folder, 'pipe')]);
    expect(await ret('read', join(folder, 'pipe'))).toBe(`ERROR: ${folder}/pipe is not a regular file`);
  });

  it.each([
    ['read', ['etc/passwd'], "ERROR executing 'file.read': File path must be absolute."],
    ['read', ['/nonexistent'], 'ERROR: /nonexistent: no such file or directory'],
    ['read', ['/etc'], 'ERROR: /etc is not a regular file'],
    ['search', ['/etc/passwd', '('], /the pattern does not compile/],
    ['get_hash', ['/etc/passwd', 'rot13'], /hash rot13 is not one of md5/],
    ['remove', ['//..'], "ERROR executing 'file.remove': the root of the file system is not removed"],
    ['set_mode', ['/nonexistent', 'rwx'], "ERROR executing 'file.set_mode': mode rwx is not octal digits"],
    ['find', ['/etc', { __kwarg__: true, exec: 'rm' }], "ERROR executing 'file.find': file.find has no option exec"],
  ])('answers %s %j with the reason', async (fun, sent, text) => {
    const outcome = await run(fun, ...sent);
    expect(outcome.success).toBe(false);
    expect(outcome.ret).toEqual(typeof text === 'string' ? text : expect.stringMatching(text));
  });

  it('finds by name, kind, size and depth, and follows no link', async () => {
    mkdirSync(join(folder, 'sub'));
    writeFileSync(join(folder, 'sub', 'b.conf'), 'x'.repeat(5000));
    writeFileSync(path, '');
    symlinkSync('/etc', join(folder, 'link'));
    const found = async (options: Readonly<Record<string, Value>>) => ret('find', folder, named(options));
    expect(await found({ name: '*.conf', type: 'f' })).toEqual([path, join(folder, 'sub', 'b.conf')]);
    expect(await found({ size: '+4k', type: 'f' })).toEqual([join(folder, 'sub', 'b.conf')]);
    expect(await found({ type: 'dl', mindepth: 1 })).toEqual([join(folder, 'link'), join(folder, 'sub')]);
    expect(await found({ maxdepth: 1, regex: '.*conf$' })).toEqual([path]);
    expect(await found({ regex: 'b\\.' })).toEqual([join(folder, 'sub', 'b.conf')]);
    expect(await found({ iregex: 'B\\.CONF$' })).toEqual([join(folder, 'sub', 'b.conf')]);
    expect(await found({ regex: '.*sub/b' })).toEqual([]);
  });

  it('finds by age as Salt: with a minus what changed since then, without one what did not', async () => {
    const found = async (mtime: string) => ret('find', folder, named({ type: 'f', mtime }));
    const old = Date.now() / 1000 - 10.5 * 86_400;
    writeFileSync(path, '');
    utimesSync(path, old, old);
    for (const span of ['3d', '+3d', '1w3d', '10d12h', '1W', '10']) expect(await found(span)).toEqual([path]);
    for (const span of ['11d', '-10d', '-1w3d', '+1w4d', '11']) expect(await found(span)).toEqual([]);
    expect(await found('-1w4d')).toEqual([path]);
    for (const span of ['', '+', '3x', '3d1w']) expect(await found(span)).toContain('is not a span of time');
  });

  it('counts what it finds after all tests, and says in the value when that is not all', async () => {
    const names = ['a', 'b', 'c', 'd', 'z'];
    for (const name of names) writeFileSync(join(folder, name), '');
    const found = async (options: ValueMap, limits: { readonly found: number; readonly looked: number }) => {
      const { ret: paths, options: said } = await findFiles(folder, options, new AbortController().signal, limits);
      return { names: isList(paths) ? paths.map((one) => basename(pyStr(one))) : [], retcode: said.retcode ?? 0 };
    };
    const files = { type: 'f' };
    const cut = (most: number, looked: number) => `[cut here: the search ended at ${most} paths or ${looked} looks]`;
    expect(await found({ ...files, regex: 'z' }, { found: 3, looked: 10 })).toEqual({ names: ['z'], retcode: 0 });
    expect(await found(files, { found: 5, looked: 10 })).toEqual({ names, retcode: 0 });
    expect(await found(files, { found: 2, looked: 10 })).toEqual({ names: ['a', 'b', cut(2, 10)], retcode: 1 });
    expect(await found(files, { found: 9, looked: 4 })).toEqual({ names: ['a', 'b', 'c', cut(9, 4)], retcode: 1 });
  });
});

describe('file.* that writes', () => {
  it('writes and appends lines, and keeps owner, mode and inode', async () => {
    expect(await ret('write', path, 'one', 'two')).toBe(`Wrote 2 lines to "${path}"`);
    const { ino } = statSync(path);
    expect(await ret('append', path, 'three')).toBe(`Wrote 1 lines to "${path}"`);
    expect(readFileSync(path, 'utf8')).toBe('one\ntwo\nthree\n');
    await run('write', path, named({ args: ['x', 5] }));
    expect(readFileSync(path, 'utf8')).toBe('x\n5\n');
    expect(statSync(path).ino).toBe(ino);
    writeFileSync(path, 'no end');
    await run('append', path, 'more');
    expect(readFileSync(path, 'utf8')).toBe('no end\nmore\n');
  });

  it('puts lines before those that are there, as Salt says it', async () => {
    expect(await ret('prepend', path, 'two', 'three')).toBe(`Prepended 2 lines to "${path}"`);
    const { ino } = statSync(path);
    await run('prepend', path, named({ args: 'a=b', backup: 'minion' }));
    expect(readFileSync(path, 'utf8')).toBe('a=b\ntwo\nthree\n');
    expect(statSync(path).ino).toBe(ino);
    expect(await ret('list_backups', path)).toMatchObject({ 0: { Size: 10 } });
  });

  it('keeps what was there, lists it, and puts it back', async () => {
    writeFileSync(path, 'old\n');
    await run('write', path, 'new', named({ backup: 'minion' }));
    const listed = await ret('list_backups', path);
    expect(listed).toMatchObject({ 0: { Size: 4 } });
    expect(JSON.stringify(listed)).toContain(join(folder, 'cache', 'file_backup', path));
    expect(await run('restore_backup', path, 0)).toMatchObject({ ret: { result: true }, success: true });
    expect(readFileSync(path, 'utf8')).toBe('old\n');
    const backups = await ret('list_backups', path);
    expect(Object.keys(isMap(backups) ? backups : {})).toHaveLength(2);
    expect(await run('delete_backup', path, 1)).toMatchObject({ ret: { result: true } });
    expect(await run('delete_backup', path, 7)).toMatchObject({ ret: { result: false }, success: false });
    await run('remove', path, named({ backup: true }));
    expect(Object.keys((await ret('list_backups', path)) ?? {})).toHaveLength(2);
    expect(await run('write', path, 'x', named({ backup: '.bak' }))).toMatchObject({ success: false });
  });

  it('replaces with groups and counts, shows a diff, and changes nothing in a dry run', async () => {
    writeFileSync(path, 'port=1\nhost=a\nport=2\n');
    const diff = '--- \n+++ \n@@ -1,3 +1,3 @@\n-port=1\n+port=<1>\n host=a\n port=2\n';
    expect(await ret('replace', path, '^port=(?P<n>\\d)', 'port=<\\g<n>>', 1, named({ dry_run: true }))).toBe(diff);
    expect(readFileSync(path, 'utf8')).toBe('port=1\nhost=a\nport=2\n');
    expect(await ret('replace', path, '^port=(\\d)', 'port=\\1$&0', named({ show_changes: false }))).toBe(true);
    expect(readFileSync(path, 'utf8')).toBe('port=1$&0\nhost=a\nport=2$&0\n');
    expect(Object.keys((await ret('list_backups', path)) ?? {})).toHaveLength(1);
    expect(await ret('replace', path, 'nothing', 'x')).toBe('');
    expect(await ret('replace', path, 'host', '', named({ search_only: true }))).toBe(true);
    await run('replace', path, '^user=.*', 'user=u', named({ append_if_not_found: true }));
    await run('replace', path, '^no=.*', 'user=u', named({ append_if_not_found: true }));
    expect(readFileSync(path, 'utf8')).toMatch(/port=2\$&0\nuser=u\n$/);
  });

  it('refuses to change a file through a link, and leaves what it leads to alone', async () => {
    const target = join(folder, 'target');
    writeFileSync(target, 'kept\n', { mode: 0o600 });
    symlinkSync(target, path);
    const calls: readonly (readonly [string, ...Value[]])[] = [
      ['write', path, 'x'],
      ['append', path, 'x'],
      ['prepend', path, 'x'],
      ['replace', path, 'kept', 'x'],
      ['set_mode', path, '777'],
      ['copy', '/etc/hostname', path],
      ['touch', path],
    ];
    for (const [fun, ...sent] of calls) {
      expect(await ret(fun, ...sent)).toBe(`ERROR: ${path} is a symbolic link; name the file itself`);
    }
    expect(readFileSync(target, 'utf8')).toBe('kept\n');
    expect(statSync(target).mode & 0o777).toBe(0o600);
    expect(await ret('remove', path)).toBe(true);
    expect(readFileSync(target, 'utf8')).toBe('kept\n');
  });
});

it.each(['/', '/.', '//./'])('takes a link with %j behind it for the link as well, not for the folder', async (end) => {
  const target = join(folder, 'target');
  mkdirSync(target, { mode: 0o700 });
  writeFileSync(join(target, 'kept'), '');
  utimesSync(target, 1, 1);
  symlinkSync(target, path);
  mkdirSync(join(folder, 'other'));
  writeFileSync(join(folder, 'other', 'new'), '');
  const link = `${path}${end}`;
  const calls: readonly (readonly [string, ...Value[]])[] = [
    ['set_mode', link, '777'],
    ['touch', link, 5, 5],
    ['copy', join(folder, 'other'), link, true],
    ['copy', join(folder, 'other'), link, true, true],
  ];
  for (const [fun, ...sent] of calls)
    expect(await ret(fun, ...sent)).toBe(`ERROR: ${link} is a symbolic link; name the file itself`);
  expect(await ret('remove', link)).toBe(true);
  expect(await ret('is_link', path)).toBe(false);
  const { uid, mode, mtimeMs } = statSync(target);
  expect([uid, mode & 0o777, mtimeMs]).toEqual([process.getuid?.(), 0o700, 1000]);
  expect(await ret('readdir', target)).toEqual(['.', '..', 'kept']);
});

describe('file.* that makes, moves and removes', () => {
  it('does so', async () => {
    const sub = join(folder, 'x', 'y');
    expect(await ret('mkdir', sub, named({ mode: 750 }))).toBe(true);
    expect(await ret('get_mode', sub)).toBe('0750');
    const file = join(sub, 'f');
    expect(await ret('touch', file, 1_000_000, 2_000_000)).toBe(true);
    expect([statSync(file).atimeMs, statSync(file).mtimeMs]).toEqual([1e9, 2e9]);
    expect(await ret('set_mode', file, '0600')).toBe('0600');
    expect(await ret('copy', join(folder, 'x'), join(folder, 'z'))).toContain('needs recurse=True');
    expect(await ret('copy', join(folder, 'x'), join(folder, 'z'), true)).toBe(true);
    expect(await ret('rename', join(folder, 'z'), join(folder, 'w'))).toBe(true);
    expect(await ret('file_exists', join(folder, 'w', 'y', 'f'))).toBe(true);
    expect(await ret('symlink', file, path)).toBe(true);
    expect(await ret('symlink', sub, path)).toBe(`ERROR: Found existing symlink: ${path}`);
    expect(await ret('symlink', sub, path, true)).toBe(true);
    expect(await ret('readlink', path)).toBe(sub);
    expect(await ret('remove', join(folder, 'x'))).toBe(true);
    expect(await ret('remove', join(folder, 'x'))).toBe(false);
    expect(await ret('truncate', path, 0)).toBe(`ERROR: ${path} is not a regular file`);
  });

  it('copies with the mode, waits for no pipe on either side, and empties no file by copying it to itself', async () => {
    const [pipe, copy] = [join(folder, 'pipe'), join(folder, 'copy')];
    execFileSync('mkfifo', [pipe]);
    writeFileSync(path, 'text', { mode: 0o640 });
    writeFileSync(copy, 'longer than that');
    expect(await ret('copy', path, copy)).toBe(true);
    expect(readFileSync(copy, 'utf8')).toBe('text');
    expect(await ret('get_mode', copy)).toBe('0640');
    expect(await ret('copy', pipe, copy)).toBe(`ERROR: ${pipe} is not a regular file`);
    expect((await run('copy', path, pipe)).success).toBe(false);
    linkSync(path, join(folder, 'same'));
    expect(await ret('copy', path, join(folder, 'same'))).toContain('are the same file');
    expect(readFileSync(path, 'utf8')).toBe('text');
  });

  it('knows the root of the file system under every name, and a link to it as no more than a link', async () => {
    symlinkSync('/', path);
    for (const root of ['/', '/tmp/..', '/tmp/../.', `${path}/`, `${path}/tmp/..`, '/proc/self/root/'])
      await expect(refuseRoot(root)).rejects.toThrow('the root of the file system is not removed');
    for (const other of [path, folder, '/tmp', '/nonexistent']) await refuseRoot(other);
  });
});
