import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CommandDefaults } from '../common/command-defaults.js';
import { ended, returned, started } from '../testing/job-steps.js';
import { ScriptedIo } from '../testing/scripted-io.js';
import { ScriptedMaster } from '../testing/scripted-master.js';
import { runNatrium } from './run-natrium.js';

async function natrium(...argv: readonly string[]) {
  return natriumReading('', ...argv);
}

async function natriumReading(input: string, ...argv: readonly string[]) {
  return natriumWith({ input }, ...argv);
}

interface Setting {
  readonly input?: string;
  readonly defaults?: Partial<CommandDefaults>;
}

async function natriumWith({ input = '', defaults = {} }: Setting, ...argv: readonly string[]) {
  const io = new ScriptedIo({ input });
  const master = new ScriptedMaster({ defaults, job: [started(['a']), returned('a', true), ended()] });
  const exit = await runNatrium(argv, io, master.connect);
  return { exit, out: io.stdout, err: io.stderr, asked: master.published[0], connected: master.connected.length };
}

describe('the target', () => {
  it.each([
    [[], 'glob'],
    [['-E'], 'pcre'],
    [['--pcre'], 'pcre'],
    [['-G'], 'grain'],
    [['-P'], 'grain_pcre'],
    [['--grain-pcre'], 'grain_pcre'],
    [['-I'], 'pillar'],
    [['-J'], 'pillar_pcre'],
    [['-C'], 'compound'],
    [['-S'], 'ipcidr'],
    [['-N'], 'nodegroup'],
    [['-R'], 'range'],
  ])('of %j is a %s', async (flags, tgtType) => {
    expect((await natrium(...flags, 'x', 'test.ping')).asked).toMatchObject({ tgt: 'x', tgtType });
  });

  it('of -L is split at commas', async () => {
    expect((await natrium('-L', 'a, b', 'test.ping')).asked).toMatchObject({ tgt: ['a', 'b'], tgtType: 'list' });
  });

  it('has one type at most', async () => {
    const { exit, err, connected } = await natrium('-G', '-E', 'x', 'test.ping');
    expect(exit).toBe(2);
    expect(err).toMatch(/^Usage: natrium \[options\].*\n\nnatrium: error: the options -E and -G exclude each other/);
    expect(connected).toBe(0);
  });

  it('may have another delimiter', async () => {
    expect((await natrium('-G', '--delimiter', '|', 'a|b', 'test.ping')).asked).toMatchObject({ delimiter: '|' });
    expect((await natrium('-G', 'a:b', 'test.ping')).asked).not.toHaveProperty('delimiter');
  });
});

describe('the function and its arguments', () => {
  it('are parsed as YAML, named ones last', async () => {
    const { asked } = await natrium('*', 'test.arg', '1', 'true', '[a, b]', 'k={x: 1}', 'a,b');
    expect(asked).toMatchObject({
      funs: ['test.arg'],
      args: [[1, true, ['a', 'b'], 'a,b', { __kwarg__: true, k: { x: 1 } }]],
    });
  });

  it('may be several, arguments divided by a comma or by another word', async () => {
    const expected = { funs: ['test.ping', 'test.echo'], args: [[], ['hi']] };
    expect((await natrium('*', 'test.ping,test.echo', ',', 'hi')).asked).toMatchObject(expected);
    expect((await natrium('*', 'test.ping,test.echo', '--args-separator', '::', '::', 'hi')).asked).toMatchObject(
      expected,
    );
  });

  it('must divide among the functions, or the command exits 42', async () => {
    const { exit, out, err, connected } = await natrium('*', 'test.ping,test.echo', 'hi');
    const sentence = 'Cannot execute compound command without defining all arguments.\n';
    expect({ exit, out, err, connected }).toEqual({ exit: 42, out: '', err: sentence, connected: 0 });
    expect(await natrium('*', 'test.ping,test.version')).toMatchObject({ exit: 42, out: '', err: sentence });
  });

  it('keep the words of --no-parse as text, and negative numbers as numbers', async () => {
    expect((await natrium('*', 'test.arg', '--no-parse', 'k', 'k=1', '-5')).asked).toMatchObject({
      args: [[-5, { __kwarg__: true, k: '1' }]],
    });
  });

  it('may begin with a dash after --', async () => {
    expect((await natrium('*', 'test.arg', '--', '--x')).asked).toMatchObject({ args: [['--x']] });
  });
});

describe('the timeout', () => {
  it('is 5 seconds, or what -t says; 0 and less mean the usual', async () => {
    expect((await natrium('*', 'test.ping')).asked?.timeout).toBe(5);
    expect((await natrium('-t', '30', '*', 'test.ping')).asked?.timeout).toBe(30);
    expect((await natrium('--timeout=0', '*', 'test.ping')).asked?.timeout).toBe(5);
    expect((await natrium('-t', '-1', '*', 'test.ping')).asked?.timeout).toBe(5);
  });

  it('is the configured one where -t says nothing or 0', async () => {
    const timeoutOf = async (...argv: readonly string[]) =>
      (await natriumWith({ defaults: { timeout: 30 } }, ...argv, '*', 'test.ping')).asked?.timeout;
    expect([await timeoutOf(), await timeoutOf('-t', '0'), await timeoutOf('-t', '9')]).toEqual([30, 30, 9]);
  });

  it('is a number', async () => {
    const { exit, err } = await natrium('-t', 'soon', '*', 'test.ping');
    expect(exit).toBe(2);
    expect(err).toContain("natrium: error: option -t: invalid integer value: 'soon'\n");
    expect((await natrium('--tim=soon', '*', 'test.ping')).err).toContain('error: option --timeout: invalid integer');
  });

  it('and other numbers name their range where they are outside of it', async () => {
    const said = async (...flags: readonly string[]) => {
      const { exit, err, connected } = await natrium(...flags, '*', 'test.ping');
      expect({ exit, connected }).toEqual({ exit: 2, connected: 0 });
      return err.trimEnd().split('\n').at(-1);
    };
    expect(await said('-t', '99999')).toBe("natrium: error: option -t: '99999' is more than 86400");
    expect(await said('--out-indent', '5000')).toBe(
      "natrium: error: option --out-indent: '5000' is not between -1000 and 1000",
    );
    expect(await said('--subset=-1')).toBe("natrium: error: option --subset: '-1' is not between 0 and 1000000");
    expect(await said('-b1', '--batch-wait=1e9')).toBe(
      "natrium: error: option --batch-wait: '1e9' is not between 0 and 86400",
    );
  });
});

describe('an incomplete command line', () => {
  it('without anything shows the usage and exits 42', async () => {
    const { exit, out, err } = await natrium();
    expect(exit).toBe(42);
    expect(out).toMatch(/^Usage: natrium \[options\] '<target>' <function> \[arguments\]\n/);
    expect(err).toBe('\nCannot execute command without defining a target.\n');
  });

  it('with only a target exits 42', async () => {
    const { exit, err } = await natrium('*');
    expect({ exit, err }).toEqual({ exit: 42, err: '\nIncomplete options passed.\n' });
  });
});

describe('usage errors', () => {
  it('name an unknown option as optparse does, and exit 2', async () => {
    const { exit, out, err } = await natrium('*', 'test.ping', '--bogus');
    expect({ exit, out }).toEqual({ exit: 2, out: '' });
    expect(err).toBe(
      "Usage: natrium [options] '<target>' <function> [arguments]\n\nnatrium: error: no such option: --bogus\n",
    );
  });

  it('name an option with a value that it does not take, and an unknown one without its value', async () => {
    expect(await natrium('--static=1', '*', 'test.ping')).toMatchObject({ exit: 2, connected: 0 });
    expect((await natrium('--stati=1', '*', 'test.ping')).err).toMatch(
      /natrium: error: --static option does not take a value\n$/,
    );
    expect((await natrium('--bogus=1', '*', 'test.ping')).err).toMatch(/natrium: error: no such option: --bogus\n$/);
  });

  it('name an option whose value is missing, and a file that cannot be opened', async () => {
    const missing = async (...argv: readonly string[]) => (await natrium('*', 'test.ping', ...argv)).err;
    expect(await missing('--out')).toMatch(/natrium: error: --out option requires 1 argument\n$/);
    expect(await missing('--output-ind')).toMatch(/natrium: error: --output-indent option requires 1 argument\n$/);
    expect(await missing('-vt')).toMatch(/natrium: error: -t option requires 1 argument\n$/);
    expect(await natrium('*', 'test.ping', '--out-file', '/forbidden/x')).toMatchObject({ exit: 2, connected: 0 });
  });
});

describe('a long option may be cut short', () => {
  it('while only one begins so, with its value in the same word or the next', async () => {
    expect((await natrium('--tim', '9', '*', 'test.ping')).asked?.timeout).toBe(9);
    expect((await natrium('*', 'test.ping', '--timeo=9')).asked?.timeout).toBe(9);
    expect((await natrium('--versions')).out).toContain('Natrium');
    expect((await natriumReading('x\n', '--args-std', '*', 'test.arg')).asked?.args).toEqual([['x']]);
  });

  it('and is an error with the candidates where several do', async () => {
    const { exit, err, connected } = await natrium('*', 'test.ping', '--batch-s=3');
    expect({ exit, connected }).toEqual({ exit: 2, connected: 0 });
    expect(err).toMatch(
      /natrium: error: ambiguous option: --batch-s \(--batch-safe-limit, --batch-safe-size, --batch-size\?\)\n$/,
    );
  });

  it('never where its own name is written out, after --, or as the value of another', async () => {
    expect((await natrium('--out=quiet', '--batch', '1', '*', 'test.ping')).err).not.toContain('ambiguous');
    expect((await natrium('*', 'test.arg', '--', '--tim')).asked?.args).toEqual([['--tim']]);
    expect((await natrium('*', 'test.arg', '--metadata', '--tim')).asked?.options).toMatchObject({ metadata: '--tim' });
    expect((await natrium('-vt', '9', '*', 'test.ping', '-t', '--tim')).err).toContain("integer value: '--tim'");
  });
});

describe('a log level', () => {
  it('is none of the words of a command that was not quoted', async () => {
    const { exit, err, connected } = await natrium('web1', 'cmd.run', 'ls', '-l', '/tmp');
    expect({ exit, connected }).toEqual({ exit: 2, connected: 0 });
    expect(err).toMatch(
      /natrium: error: option -l: invalid choice: '\/tmp' \(choose from 'all', 'garbage', .*, 'quiet'\)\n$/,
    );
    for (const flag of ['--log-level', '--log-file-level'])
      expect((await natrium('*', 'test.ping', flag, 'loud')).err).toContain(
        `error: option ${flag}: invalid choice: 'l`,
      );
  });

  it.each(['all', 'garbage', 'trace', 'debug', 'profile', 'info', 'warning', 'error', 'critical', 'quiet'])(
    'may be %s',
    async (level) => {
      const flags = ['-l', level, `--log-file-level=${level}`];
      expect(await natrium(...flags, '*', 'test.ping')).toMatchObject({ exit: 0, connected: 1 });
    },
  );
});

describe('options of Salt that change nothing', () => {
  it.each([['--hard-crash'], ['--output-diff'], ['--show-timeout']])('%s is taken', async (flag) => {
    expect(await natrium(flag, '*', 'test.ping')).toMatchObject({ exit: 0, err: '' });
  });
});

describe('what is not built yet', () => {
  it.each([
    [['--module-executors', 'x'], '--module-executors'],
    [['--executor-opts', 'x'], '--executor-opts'],
    [['--return_config', 'x'], '--return_config'],
    [['--return_kwargs', '{}'], '--return_kwargs'],
    [['--saltfile', 'x'], '--saltfile'],
  ])('%j says so, does nothing and exits 64', async (flags, name) => {
    const { exit, err, connected } = await natrium(...flags, '*', 'test.ping');
    expect({ exit, connected }).toEqual({ exit: 64, connected: 0 });
    expect(err).toBe(`natrium: ${name} is not built yet; nothing was done.\n`);
  });

  it('is named together', async () => {
    expect((await natrium('--module-executors', 'x', '--executor-opts', 'x', '*', 'test.ping')).err).toBe(
      'natrium: --module-executors, --executor-opts are not built yet; nothing was done.\n',
    );
  });
});

describe('--return', () => {
  it('goes with the signed request; none is no returner', async () => {
    expect((await natrium('*', 'test.ping', '--return', 'local_file')).asked?.returner).toBe('local_file');
    expect((await natrium('*', 'test.ping', '--return', 'none')).asked?.returner).toBe('');
    expect((await natrium('*', 'test.ping')).asked?.returner).toBe('');
  });
});

describe('--metadata', () => {
  it('goes with the signed request, read as YAML', async () => {
    expect((await natrium('*', 'test.ping', '--metadata', '{ticket: 7}')).asked?.options).toEqual({
      metadata: { ticket: 7 },
      wait_running: true,
    });
    expect((await natrium('*', 'test.ping')).asked?.options).toEqual({ wait_running: true });
    expect((await natrium('*', 'test.ping', '--metadata=')).asked?.options).toEqual({ wait_running: true });
  });
});

describe('--args-stdin', () => {
  it('reads further words and options, one a line', async () => {
    const { exit, asked } = await natriumReading('a b\r\n-t\n9\n\nlast\n', '--args-stdin', '*', 'test.arg');
    expect({ exit, timeout: asked?.timeout, args: asked?.args }).toEqual({
      exit: 0,
      timeout: 9,
      args: [['a b', '', 'last']],
    });
  });

  it('is a word like any other after --, and stdin is left alone without it', async () => {
    expect((await natriumReading('x\n', '*', 'test.arg', '--', '--args-stdin')).asked?.args).toEqual([
      ['--args-stdin'],
    ]);
    expect((await natriumReading('x\n', '*', 'test.arg')).asked?.args).toEqual([[]]);
  });

  it('that cannot be read is a usage error, and nobody is asked', async () => {
    const [io, master] = [new ScriptedIo(), new ScriptedMaster({ job: [] })];
    io.input = () => Promise.reject(new Error('it is a folder'));
    expect(await runNatrium(['--args-stdin', '*', 'test.arg'], io, master.connect)).toBe(2);
    expect(io.stderr).toMatch(/natrium: error: option --args-stdin: stdin cannot be read: it is a folder\n$/);
    expect(master.connected).toEqual([]);
  });
});

describe('--config-dump', () => {
  it('prints the master file with its defaults, and asks nobody', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'nt-dump-'));
    writeFileSync(join(folder, 'master'), 'user: joe\n');
    const { exit, out, connected } = await natrium('--config-dump', '-c', folder);
    expect({ exit, connected }).toEqual({ exit: 0, connected: 0 });
    expect(out).toContain('user: joe\n');
    expect(out).toContain('timeout: 5\n');
    writeFileSync(join(folder, 'master'), 'user: [\n');
    expect(await natrium('--config-dump', '-c', folder)).toMatchObject({ exit: 78, out: '' });
    rmSync(folder, { recursive: true });
  });

  it.each([
    ['nats://s3cret@broker.example:4222', 'nats://<hidden>@broker.example:4222'],
    ['tls://joe:s3cret@broker.example:4222', 'tls://<hidden>@broker.example:4222'],
    ['nats://joe:s3cret%40x@broker.example', 'nats://<hidden>@broker.example:4222'],
    ['s3cret@broker.example', 'nats://<hidden>@broker.example:4222'],
    ['nats://broker.example:4222', 'nats://broker.example:4222'],
  ])('hides who logs in at a broker, be it a token or a name: %s', async (address, shown) => {
    const folder = mkdtempSync(join(tmpdir(), 'nt-dump-'));
    writeFileSync(join(folder, 'master'), `nats: ${address}\n`);
    const { exit, out } = await natrium('--config-dump', '-c', folder);
    rmSync(folder, { recursive: true });
    expect(exit).toBe(0);
    expect(out).toContain(shown);
    expect(out).not.toContain('s3cret');
  });
});

describe('help and version', () => {
  it('print on stdout and exit 0', async () => {
    const help = await natrium('-h');
    expect(help.exit).toBe(0);
    for (const text of ['Usage: natrium', 'Target (', '-C, --compound', 'Examples:', 'Exit codes'])
      expect(help.out).toContain(text);
    expect(await natrium('--version')).toMatchObject({ exit: 0, out: 'natrium 0.1.0 (Sodium)\n', connected: 0 });
    expect(await natrium('--versions-report')).toMatchObject({ exit: 0, out: 'Natrium: 0.1.0\nRuntime: Test\n' });
  });

  it("accept Salt's options that change nothing here", async () => {
    expect((await natrium('--state-output=terse', '--log-file', 'x', '*', 'test.ping')).exit).toBe(0);
  });
});
