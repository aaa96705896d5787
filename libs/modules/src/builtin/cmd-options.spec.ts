/** Rules of the options that `cmd.*` takes from Salt's scripts: with which variables, and what counts as success. As whom: `tests/system/host-changes.spec.ts`. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Value } from '@natrium/model';
import { call, named } from '../testing/call-context.js';

const run = async (command: Value, options: Readonly<Record<string, Value>> = {}) =>
  (await call('cmd.run', [command, named({ python_shell: true, ...options })])).ret;

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'natrium-cmd-options-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

describe('the variables', () => {
  /** With these among those of the agent. */
  const within = async (further: Readonly<Record<string, string>>, work: () => Promise<void>) => {
    const before = process.env;
    process.env = { ...before, ...further };
    try {
      await work();
    } finally {
      process.env = before;
    }
  };

  it('the agent’s own are none of what it runs: those of its unit, of its supervisor and of systemd', async () => {
    const unit = readFileSync(new URL('../../../../systemd/natrium-minion.service', import.meta.url), 'utf8');
    const [, words = ''] = /^Environment=(.*)$/m.exec(unit) ?? [];
    const names = words.split(' ').map((word) => word.split('=')[0] ?? '');
    expect(names).toContain('NODE_ENV');
    const own = [...names, 'NOTIFY_SOCKET', 'NATRIUM_SUPERVISED'];
    await within(Object.fromEntries(own.map((name) => [name, '1'])), async () => {
      const show = own.map((name) => `$${name}`).join('');
      expect(await run(`echo "[${show}]"`)).toBe('[]');
      expect((await call('cmd.script', [`#!/bin/sh\necho "[${show}]"`])).ret).toMatchObject({ stdout: '[]' });
      expect(await run('echo $NODE_ENV', { env: { NODE_ENV: 'test' } })).toBe('test');
    });
  });

  it('the locale is C in all its parts, but for those that the caller gives', async () => {
    await within({ LC_ALL: 'de_DE.UTF-8' }, async () => {
      const parts = 'echo $LC_ALL $LC_CTYPE $LC_TIME $LC_MESSAGES $LANGUAGE';
      expect(await run(parts)).toBe('C C C C');
      expect(await run(parts, { env: { LC_CTYPE: 'C.UTF-8' } })).toBe('C.UTF-8 C C C');
      expect(await run('echo $LC_ALL', { env: { LC_ALL: 'C.UTF-8' } })).toBe('C.UTF-8');
      expect(await run('echo $LC_ALL', { reset_system_locale: false })).toBe('de_DE.UTF-8');
    });
  });

  it('folders stand before those of PATH, also for the program itself', async () => {
    expect(await run('echo $PATH', { prepend_path: '/opt/a:/opt/b' })).toMatch(/^\/opt\/a:\/opt\/b:\//);
    await call('file.write', [join(folder, 'mine'), '#!/bin/sh', 'echo mine']);
    await call('file.set_mode', [join(folder, 'mine'), '0755']);
    expect(await run('mine', { prepend_path: folder, python_shell: false })).toBe('mine');
  });

  it('a script has those that it is given, and its other options are those of a command', async () => {
    const script = async (text: string, options: Readonly<Record<string, Value>>) =>
      await call('cmd.script', [`#!/bin/sh\n${text}`, named(options)]);
    expect((await script('echo $A', { env: { A: 1 }, saltenv: 'base' })).ret).toMatchObject({ stdout: '1' });
    expect((await script('umask', { umask: '027' })).ret).toMatchObject({ stdout: '0027' });
    expect(await script('exit 3', { success_retcodes: [3] })).toMatchObject({ ret: { retcode: 0 }, retcode: 0 });
    expect(await script('exit 3', { ignore_retcode: true })).toMatchObject({ ret: { retcode: 3 }, retcode: 0 });
    expect((await script('echo x', { hide_output: true })).ret).toMatchObject({ stdout: '' });
    expect((await script('echo x', { template: 'jinja' })).ret).toMatch(/are not valid: template/);
  });
});

it('what it makes has the mode of its umask', async () => {
  const file = join(folder, 'made');
  await run(`touch ${file}`, { umask: '077' });
  expect((await call('file.get_mode', [file])).ret).toBe('0600');
  expect((await call('cmd.run_all', ['sh -c umask', named({ umask: 27 })])).ret).toMatchObject({ stdout: '0027' });
  for (const umask of ['000', '7000'])
    expect(await run('echo ran', { umask })).toBe('ERROR: Zero umask is not allowed.');
  expect(await run('echo ran', { umask: '9' })).toBe("ERROR: Invalid umask: '9'");
});

it('an exit code counts as 0 where it prints what says so, and no longer than its time limit', async () => {
  const all = async (options: Readonly<Record<string, Value>>, command = 'echo done; echo late >&2; exit 4') =>
    await call('cmd.run_all', [command, named({ python_shell: true, ...options })]);
  for (const options of [{ success_stdout: 'none, done' }, { success_stdout: ['on'] }, { success_stderr: ['late'] }])
    expect(await all(options)).toMatchObject({ ret: { retcode: 0, stdout: 'done', stderr: 'late' }, retcode: 0 });
  for (const options of [{ success_stdout: 'late' }, { success_stdout: '' }, { success_stderr: [] }])
    expect(await all(options)).toMatchObject({ ret: { retcode: 4 }, retcode: 4 });
  expect(await all({ success_stdout: 'Timed', timeout: 0.05 }, 'sleep 60')).toMatchObject({ retcode: 1 });
});

it('both outputs are one, or apart, as asked', async () => {
  const text = 'echo out; echo err >&2';
  expect(await run(text, { redirect_stderr: false })).toBe('out');
  const { ret } = await call('cmd.run_all', [text, named({ python_shell: true, redirect_stderr: true })]);
  expect(ret).toMatchObject({ stdout: 'out\nerr', stderr: '' });
});

it('a command that fails is an error where that is asked for, unless its exit code is to be ignored', async () => {
  expect(await call('cmd.run', ['echo no; exit 3', named({ python_shell: true, raise_err: true })])).toMatchObject({
    ret: 'ERROR: no',
    retcode: 1,
    fault: 'failed',
  });
  expect(await run('echo no; exit 3', { raise_err: true, ignore_retcode: true })).toBe('no');
  expect(await run('echo yes', { raise_err: true })).toBe('yes');
});

describe('in the background', () => {
  it('it is started and not waited for, outlives the end of its job, and is none of its processes', async () => {
    const file = join(folder, 'fifo');
    execFileSync('mkfifo', [file]);
    const heard: string[] = [];
    const processes = { began: () => heard.push('began'), ended: () => heard.push('ended') };
    const ended = new AbortController();
    const context = { processes, signal: ended.signal };
    // It waits until somebody reads what it writes.
    const command = `echo "$A" > ${file}; exit 9`;
    const options = named({ python_shell: true, bg: true, timeout: 0.01, env: { A: 'still here' } });
    expect(await call('cmd.run', [command, options], context)).toMatchObject({ ret: '', retcode: 0, success: true });
    ended.abort('the job is over');
    expect(heard).toEqual([]);
    expect((await call('cmd.run', [['cat', file]])).ret).toBe('still here');
    const { ret } = await call('cmd.run_all', ['true', named({ bg: true })]);
    expect(ret).toEqual({ pid: expect.any(Number) as number, retcode: null, stdout: '', stderr: '' });
  });

  it('cmd.run_bg answers the process alone, and its third place is the account, as in Salt', async () => {
    const file = join(folder, 'fifo');
    execFileSync('mkfifo', [file]);
    const begun = await call('cmd.run_bg', [`pwd > ${file}; exit 9`, '/usr', named({ python_shell: true })]);
    expect(begun).toMatchObject({ ret: { pid: expect.any(Number) as number }, retcode: 0, success: true });
    expect(Object.keys(begun.ret ?? {})).toEqual(['pid']);
    expect((await call('cmd.run', [['cat', file]])).ret).toBe('/usr');
    expect((await call('cmd.run_bg', ['true', '/', 'no-such-user'])).ret).toBe(
      "ERROR: User 'no-such-user' is not available",
    );
    expect((await call('cmd.run_bg', ['true', named({ stdin: 'x' })])).ret).toMatch(/are not valid: stdin/);
  });

  it('nothing is started once its job has ended', async () => {
    const file = join(folder, 'made');
    const signal = AbortSignal.abort(new Error('the job was ended'));
    await call('cmd.run', [['touch', file], named({ bg: true })], { signal });
    expect(await run(['ls', folder], { python_shell: false })).toBe('');
  });

  it('what cannot be started is an error all the same', async () => {
    await call('file.write', [join(folder, 'bad'), '#!/no/such/shell']);
    await call('file.set_mode', [join(folder, 'bad'), '0755']);
    const ret = await run([join(folder, 'bad')], { bg: true, python_shell: false });
    expect(ret).toMatch(/^ERROR: Unable to run command '\S+': spawn \S+ ENOENT$/);
  });
});
