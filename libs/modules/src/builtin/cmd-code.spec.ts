/** Rules of `cmd.exec_code` and of `cmd.script_retcode`: Salt's words, on this machine's own interpreters. */
import { randomUUID } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pyStr, type Value } from '@natrium/model';
import { call, named } from '../testing/call-context.js';

const SHOW = 'echo "$0"; echo "[$1][$2]"; echo err >&2; exit 3';

describe('cmd.exec_code', () => {
  it('runs a text in the language that is named, and leaves nothing of it behind', async () => {
    expect(await call('cmd.exec_code', ['sh', 'echo out; echo err >&2'])).toMatchObject({ ret: 'out', retcode: 0 });
    const { ret, retcode } = await call('cmd.exec_code_all', ['sh', SHOW]);
    expect([ret, retcode]).toMatchObject([{ retcode: 3, stderr: 'err', pid: expect.any(Number) as number }, 3]);
    const [, file = ''] = /^(.*)\n/.exec(pyStr((await call('cmd.exec_code', ['sh', SHOW])).ret)) ?? [];
    expect(file).toMatch(/^\/tmp\/natrium-script-/);
    expect((await call('file.path_exists', [file])).ret).toBe(false);
  });

  it.each<[Value, string]>([
    ['a b', '[a b][]'],
    [['a b', 2], '[a b][2]'],
    [5, '[5][]'],
    [null, '[][]'],
  ])('has the words %j as they are, and no shell between', async (args, words) => {
    expect((await call('cmd.exec_code', ['sh', SHOW, '/usr', args])).ret).toContain(words);
    expect((await call('cmd.exec_code', ['sh', SHOW, named({ args })])).ret).toContain(words);
  });

  it('runs where and as it is told, and its exit code counts or not', async () => {
    expect((await call('cmd.exec_code', ['sh', 'pwd; cat', '/usr', named({ stdin: 'in' })])).ret).toBe('/usr\nin');
    expect((await call('cmd.exec_code', ['sh', 'echo $A', named({ env: { A: 1 } })])).ret).toBe('1');
    expect((await call('cmd.exec_code', ['sh', 'exit 3', named({ ignore_retcode: true })])).retcode).toBe(0);
  });

  it('has both outputs as one where that is asked for', async () => {
    const both = named({ redirect_stderr: true });
    const code = 'echo out; echo err >&2; exit 3';
    expect((await call('cmd.exec_code', ['sh', code, both])).ret).toBe('out\nerr');
    expect((await call('cmd.exec_code_all', ['sh', code, both])).ret).toMatchObject({ stdout: 'out\nerr', stderr: '' });
    const apart = named({ redirect_stderr: false });
    expect((await call('cmd.exec_code_all', ['sh', code, apart])).ret).toMatchObject({ stdout: 'out', stderr: 'err' });
  });

  it('is subject to the lists of commands, and says what it cannot run', async () => {
    const config = { cmd_blacklist_glob: ['sh *'] };
    expect((await call('cmd.exec_code', ['sh', 'echo ran'], { config })).ret).toMatch(
      /^ERROR: This shell command is not permitted: "sh \/tmp\/\S+"$/,
    );
    expect((await call('cmd.exec_code', ['no-such-language', 'x'])).ret).toBe(
      "ERROR: Unable to run command 'no-such-language': No such file or directory",
    );
    expect((await call('cmd.exec_code', ['', 'x'])).success).toBe(false);
    expect((await call('cmd.exec_code', ['sh', 'x', named({ python_shell: true })])).ret).toMatch(/are not valid/);
  });
});

it.each([
  ['cmd.script', (text: string) => [`#!/bin/sh\n${text}`]],
  ['cmd.exec_code', (text: string) => ['sh', text]],
])('code that is not permitted is never written to a file: %s', async (fun, sent) => {
  const text = `: ${randomUUID()}`;
  let globs: Value = [];
  const written: (readonly string[])[] = [];
  // The lists are read when it is asked whether it may run.
  const grains = () => {
    written.push(filesWith(text));
    return { cmd_blacklist_glob: globs };
  };
  expect(await call(fun, sent(`${text}; exit 0`), { grains })).toMatchObject({ success: true });
  globs = ['*'];
  expect((await call(fun, sent(text), { grains })).ret).toMatch(/^ERROR: This shell command is not permitted/);
  expect(written.length).toBeGreaterThan(1);
  expect(written.flat()).toEqual([]);
});

/** Scripts that lie in the place for them now and hold this. */
function filesWith(text: string): readonly string[] {
  const folders = readdirSync('/tmp').filter((name) => name.startsWith('natrium-script-'));
  const files = folders.map((name) => join('/tmp', name, 'script'));
  return files.filter((file) => existsSync(file) && readFileSync(file, 'utf8').includes(text));
}

it('cmd.script_retcode answers the exit code alone', async () => {
  expect(await call('cmd.script_retcode', ['#!/bin/sh\nexit $1', '4'])).toMatchObject({ ret: 4, retcode: 4 });
  expect(await call('cmd.script_retcode', ['#!/bin/sh\n:'])).toMatchObject({ ret: 0, retcode: 0 });
  const ignored = named({ ignore_retcode: true });
  expect(await call('cmd.script_retcode', ['#!/bin/sh\nexit 4', ignored])).toMatchObject({ ret: 4, retcode: 0 });
  expect((await call('cmd.script_retcode', ['salt://x.sh'])).ret).toContain('a script is a whole path on this host');
});
