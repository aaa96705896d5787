import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isMap, type Value } from '@natrium/model';
import { until } from '@natrium/testing';
import { OUTPUT_LIMIT } from '../process/bounded-output.js';
import type { ProcessPort } from '../process/run-process.js';
import { runTool } from '../process/run-tool.js';
import { aCall, call, named } from '../testing/call-context.js';

const inShell = named({ python_shell: true });

describe('cmd.run', () => {
  it('returns what was printed, without the line end', async () => {
    expect(await call('cmd.run', ["echo 'a  b' c"])).toEqual({ ret: 'a  b c', retcode: 0, success: true, notes: [] });
    expect((await call('cmd.run', [['echo', 'a  b']])).ret).toBe('a  b');
    expect((await call('cmd.run', ['echo x', named({ rstrip: false })])).ret).toBe('x\n');
  });

  it('has both outputs in the order in which they were written', async () => {
    const text = 'echo 1; echo 2 >&2; echo 3; echo 4 >&2';
    expect((await call('cmd.run', [text, inShell])).ret).toBe('1\n2\n3\n4');
  });

  it('uses no shell unless asked, and says so when the command looks like one', async () => {
    const outcome = await call('cmd.run', ['echo $HOME; echo hi']);
    expect(outcome.ret).toBe('$HOME; echo hi');
    expect(outcome.notes).toEqual([expect.stringContaining('python_shell=True')]);
    expect((await call('cmd.run', ["echo '$HOME; x'"])).notes).toEqual([]);
    expect((await call('cmd.run', ['echo hi | tr a-z A-Z', inShell])).ret).toBe('HI');
    expect((await call('cmd.run', ['echo $0', named({ shell: '/bin/bash' })])).ret).toBe('/bin/bash');
    expect((await call('cmd.run', ['echo $0', named({ shell: '/bin/bash', python_shell: false })])).ret).toBe('$0');
  });

  it('has the parameters before `group` in the order of Salt, and all others by name alone', async () => {
    expect((await call('cmd.run', ['cat', '/', 'in', ''])).ret).toBe('in');
    for (const fun of ['cmd.run', 'cmd.run_all', 'cmd.shell', 'cmd.retcode'])
      expect((await call(fun, ['echo hi', '', '', '', '/bin/sh'])).ret).toMatch(/takes .* but 5 were given/);
    expect((await call('cmd.run', ['id', named({ group: 'staff' })])).ret).toMatch(/are not valid: group/);
  });

  it('cmd.shell uses one unless told otherwise', async () => {
    expect(await call('cmd.shell', ['echo hi | tr a-z A-Z; exit 3'])).toMatchObject({
      ret: 'HI',
      retcode: 3,
      notes: [],
    });
    expect((await call('cmd.shell', ['echo $0', named({ shell: '/bin/bash' })])).ret).toBe('/bin/bash');
    expect((await call('cmd.shell', ['echo $0', named({ python_shell: false })])).ret).toBe('$0');
  });

  it('makes the exit code the retcode of the job, unless that is to be ignored', async () => {
    expect(await call('cmd.run', ['exit 3', inShell])).toMatchObject({ ret: '', retcode: 3, success: false });
    expect(await call('cmd.run', ['exit 3', named({ python_shell: true, ignore_retcode: true })])).toMatchObject({
      retcode: 0,
      success: true,
    });
  });

  it.each([3, [0, 3], '3', '4, 3', ['3']])(
    'counts other exit codes as success where it is told to: %j',
    async (codes) => {
      const asked = named({ python_shell: true, success_retcodes: codes });
      expect(await call('cmd.run_all', ['echo x; exit 3', asked])).toMatchObject({
        ret: { retcode: 0, stdout: 'x' },
        retcode: 0,
        success: true,
      });
      expect(await call('cmd.retcode', ['exit 5', asked])).toMatchObject({ ret: 5, retcode: 5, success: false });
      expect(await call('cmd.retcode', ['exit 0', asked])).toMatchObject({ ret: 0, retcode: 0 });
    },
  );

  it('runs nothing where the exit codes are none, and what it was ended at is no success', async () => {
    const { ret } = await call('cmd.run', ['echo ran', named({ success_retcodes: 'many' })]);
    expect(ret).toBe("ERROR executing 'cmd.run': success_retcodes must be a list of integers");
    const slow = named({ timeout: 0.05, success_retcodes: [1] });
    expect(await call('cmd.run', ['sleep 60', slow])).toMatchObject({ retcode: 1, success: false });
  });

  it('returns nothing of what was printed where it is told to, and the job ends as it would', async () => {
    const hidden = named({ python_shell: true, hide_output: true });
    const command = 'echo s3cret; echo s3cret >&2; exit 3';
    for (const fun of ['run', 'shell', 'run_stdout', 'run_stderr'])
      expect(await call(`cmd.${fun}`, [command, hidden])).toMatchObject({ ret: '', retcode: 3 });
    const { ret } = await call('cmd.run_all', [command, hidden]);
    expect(ret).toMatchObject({ retcode: 3, stdout: '', stderr: '' });
  });

  it('ends at its time limit with all that it started', async () => {
    const sleep = `sleep 62.${String(process.pid)}`; // of this very process: the machine may run these tests twice at once
    const outcome = await call('cmd.run', [`${sleep} & ${sleep}`, named({ python_shell: true, timeout: 0.2 })]);
    expect(outcome).toMatchObject({ ret: `${sleep} & ${sleep} : Timed out after 0.2 seconds`, retcode: 1 });
    await until('none of them is alive', async () => (await call('ps.pgrep', [sleep, '', true])).ret === null);
  });

  it('has a line end of its input where the words say a backslash and an n, unless told to leave that', async () => {
    const input = 'one\\ntwo\nthree';
    for (const raw of [false, true]) {
      const options = named({ stdin: input, stdin_raw_newlines: raw });
      const lines = raw ? input : 'one\ntwo\nthree';
      expect((await call('cmd.run', ['cat', options])).ret).toBe(lines);
      expect((await call('cmd.script', ['#!/bin/sh\ncat', options])).ret).toMatchObject({
        stdout: expect.stringContaining(lines) as string,
      });
    }
  });

  it('ends when the job is ended', async () => {
    const controller = new AbortController();
    const running = call('cmd.run', ['sleep 63.5'], { signal: controller.signal });
    setTimeout(() => {
      controller.abort();
    }, 50);
    expect(await running).toMatchObject({ fault: 'aborted', success: false });
  });

  it('runs where and with what it was told', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'natrium-cmd-'));
    try {
      expect((await call('cmd.run', ['pwd', named({ cwd: folder })])).ret).toBe(folder);
    } finally {
      rmSync(folder, { recursive: true });
    }
    expect((await call('cmd.run', ['cat', named({ stdin: 'in\nput' })])).ret).toBe('in\nput');
    expect((await call('cmd.run', ['env', named({ clean_env: true, env: [{ A: 1 }, { B: true }] })])).ret).toMatch(
      /^A=1\nB=True(\nPWD=.*)?$/,
    );
    expect((await call('cmd.run', ['printenv LC_CTYPE'])).ret).toBe('C');
  });

  it('has no further variables where those given are empty, and refuses what are none', async () => {
    for (const env of ['', false, 0, [], {}, null])
      expect((await call('cmd.run', ['printenv LC_TIME', named({ env })])).ret).toBe('C');
    for (const env of ['A=1', 5, ['A=1'], ['']])
      expect((await call('cmd.run', ['env', named({ env })])).ret).toBe(
        "ERROR executing 'cmd.run': env must be a mapping or a list of mappings",
      );
  });

  it('runs in the home of the account where there is one, else in the root; never where a variable of the caller leads', async () => {
    const home = process.env['HOME'];
    const folder = mkdtempSync(join(tmpdir(), 'natrium-home-'));
    const pwd = async (options: Readonly<Record<string, Value>>) =>
      (await call('cmd.run', ['pwd', named(options)])).ret;
    try {
      process.env['HOME'] = folder;
      expect(await pwd({ env: { HOME: '/nonexistent' } })).toBe(folder);
      expect((await call('cmd.script', ['#!/bin/sh\npwd'])).ret).toMatchObject({ stdout: folder });
      process.env['HOME'] = join(folder, 'missing');
      expect(await pwd({})).toBe('/');
    } finally {
      process.env['HOME'] = home;
      rmSync(folder, { recursive: true });
    }
  });

  it.each(['cmd.run_all', 'cmd.script'])(
    '%s has as much time as it is given, however much, and never less than none',
    async (fun) => {
      const script = '#!/bin/sh\nsleep 0.1; echo done';
      const words = fun === 'cmd.script' ? script : ['sh', '-c', 'sleep 0.1; echo done'];
      const run = (timeout: number) => call(fun, [words, named({ timeout })]);
      for (const seconds of [0, 3_000_000, 1e12])
        expect((await run(seconds)).ret).toMatchObject({ stdout: 'done', retcode: 0 });
      expect((await run(-1)).ret).toBe(
        `ERROR executing '${fun}': timeout is a number of seconds, and -1 is less than none`,
      );
    },
  );

  it.each(['use_vt', 'template', 'password', 'log_callback', 'encoding', 'group', 'encoded_cmd'])(
    'takes %s where it asks for nothing',
    async (name) => {
      for (const value of [false, null, ''])
        expect(await call('cmd.run', ['echo x'], { [name]: value })).toMatchObject({ ret: 'x', success: true });
    },
  );

  it.each([
    ['no-such-program --x', {}, "ERROR: Unable to run command 'no-such-program': No such file or directory"],
    ['/etc/passwd', {}, "ERROR: Unable to run command '/etc/passwd': No such file or directory"],
    [
      'source /etc/profile',
      {},
      `ERROR: Unable to run command 'source': No such file or directory (python_shell=True runs the command in a shell)`,
    ],
    [
      'no-such-program | x',
      {},
      `ERROR: Unable to run command 'no-such-program': No such file or directory (python_shell=True runs the command in a shell)`,
    ],
    ['pwd', { cwd: '/nonexistent' }, "ERROR: Specified cwd '/nonexistent' either not absolute or does not exist"],
    ['pwd', { cwd: 'etc' }, "ERROR: Specified cwd 'etc' either not absolute or does not exist"],
    ['pwd', { runas: 'no-such-user' }, "ERROR: User 'no-such-user' is not available"],
    ["echo 'open", {}, "ERROR executing 'cmd.run': a quote or an escape at position 5 of the command is not closed"],
    ['', {}, "ERROR executing 'cmd.run': there is no command to run"],
    ['pwd', { use_vt: true }, "ERROR executing 'cmd.run': The following keyword arguments are not valid: use_vt"],
  ])('answers %j %j with the reason', async (command, options, ret) => {
    expect(await call('cmd.run', [command, named(options)])).toMatchObject({ ret, retcode: 1, success: false });
  });

  it('keeps the beginning of a flood, says how much there was, and goes on', async () => {
    const outcome = await call('cmd.run', ['head -c 20000000 /dev/zero | tr "\\0" x', inShell]);
    const text = typeof outcome.ret === 'string' ? outcome.ret : '';
    expect(text).toMatch(new RegExp(`x\\n\\[output cut here: ${OUTPUT_LIMIT} of 20000000 bytes\\]$`));
    expect(text.length).toBeLessThan(OUTPUT_LIMIT + 100);
    expect((await call('test.ping')).ret).toBe(true);
  });
});

describe('the other cmd functions', () => {
  const text = 'echo out; echo err >&2; exit 2';

  it('return what each says', async () => {
    expect(await call('cmd.run_stdout', [text, inShell])).toMatchObject({ ret: 'out', retcode: 2 });
    expect(await call('cmd.run_stderr', [text, inShell])).toMatchObject({ ret: 'err', retcode: 2 });
    expect(await call('cmd.retcode', [text, inShell])).toMatchObject({ ret: 2, retcode: 2 });
    const all = await call('cmd.run_all', [text, inShell]);
    expect(all).toMatchObject({ ret: { retcode: 2, stdout: 'out', stderr: 'err' }, retcode: 2 });
    expect(isMap(all.ret) ? all.ret['pid'] : 0).toBeGreaterThan(1);
  });

  it('show a process that was killed by a signal as Python does', async () => {
    expect((await call('cmd.retcode', ['kill -9 $$', inShell])).ret).toBe(-9);
  });
});

describe('cmd.which, cmd.has_exec and cmd.script', () => {
  it('look for programs', async () => {
    expect((await call('cmd.which', ['sh'])).ret).toMatch(/\/sh$/);
    expect((await call('cmd.which', ['no-such-program'])).ret).toBeNull();
    expect((await call('cmd.has_exec', ['no-such-program'])).ret).toBe(false);
  });

  it('run a script that came as text, leave nothing behind, and fetch nothing', async () => {
    const text = '#!/bin/sh\necho "$0" "$2"; cat; exit 3\n';
    const { ret, retcode } = await call('cmd.script', [text, "a 'b c'", '/', 'in']);
    expect(ret).toMatchObject({ retcode: 3, stderr: '' });
    expect(retcode).toBe(3);
    const stdout = isMap(ret) && typeof ret['stdout'] === 'string' ? ret['stdout'] : '';
    expect(stdout).toMatch(/^\S+ b c\nin$/);
    expect((await call('file.path_exists', [stdout.split(' ')[0] ?? ''])).ret).toBe(false);
    expect((await call('cmd.script', ['salt://x.sh'])).ret).toContain('a script is a whole path on this host');
  });

  it('a script has its parameters in the order of Salt, and a limit of time by name alone', async () => {
    const { ret: spec } = await call('sys.argspec', ['cmd.script']);
    expect(spec).toMatchObject({
      'cmd.script': { args: expect.arrayContaining(['timeout']) as unknown },
    });
    expect(JSON.stringify(spec)).toContain('["source","args","cwd","stdin","runas",');
    const { ret } = await call('cmd.script', ['#!/bin/sh\npwd', '', '/usr']);
    expect(ret).toMatchObject({ stdout: '/usr' });
    expect((await call('cmd.script', ['#!/bin/sh\n:', '', '', '', '', 5])).success).toBe(false);
  });
});

it('a script that cannot be started is an answer, and so is one that its time limit ends', async () => {
  const unknown = await call('cmd.script', ['#!/no/such/shell\necho hello']);
  expect(unknown).toMatchObject({ fault: 'failed', retcode: 1 });
  expect(unknown.ret).toMatch(/^ERROR: Unable to run command '\S+': spawn \S+ ENOENT$/);
  const slow = await call('cmd.script', ['#!/bin/sh\necho begun; sleep 60', 'a', named({ timeout: 0.2 })]);
  expect(slow).toMatchObject({ ret: { retcode: 1, stderr: '' }, retcode: 1, success: false });
  const stdout = isMap(slow.ret) ? slow.ret['stdout'] : '';
  expect(stdout).toMatch(/^\S+ a : Timed out after 0.2 seconds$/);
});

it('a script and a tool of the system are known to their job as its processes', async () => {
  const heard: string[] = [];
  const processes: ProcessPort = { began: () => heard.push('began'), ended: () => heard.push('ended') };
  await call('cmd.script', ['#!/bin/sh\n:'], { processes });
  expect(heard).toEqual(['began', 'ended']);
  await runTool('true', [], aCall({ processes }));
  expect(heard).toEqual(['began', 'ended', 'began', 'ended']);
});
