import { err, ok, refusal, type Value } from '@natrium/model';
import { ScriptedIo } from '../testing/scripted-io.js';
import type { AgentOptions, CallOptions, CallOutcome } from '../ports.js';
import { runNatriumCall } from './run-call.js';

interface Asked {
  readonly fun: string;
  readonly args: readonly Value[];
  readonly options: CallOptions;
}

async function call(argv: readonly string[], outcome: Partial<CallOutcome> = {}, io = new ScriptedIo()) {
  const asked: Asked[] = [];
  const connected: AgentOptions[] = [];
  let closed = 0;
  const exit = await runNatriumCall(argv, io, (how) => {
    connected.push(how);
    return Promise.resolve(
      ok({
        call: (fun, args, options) => {
          asked.push({ fun, args, options });
          return Promise.resolve({ ret: true, retcode: 0, success: true, notes: [], ...outcome });
        },
        close: () => Promise.resolve(void (closed += 1)),
      }),
    );
  });
  return { exit, out: io.stdout, err: io.stderr, asked, connected, closed };
}

describe('natrium-call', () => {
  it('prints the answer under local:, never under the id', async () => {
    const { exit, out, err: said, asked, closed } = await call(['test.arg', '1', 'k=v'], { ret: ['x'] });
    expect({ exit, out, said, closed }).toEqual({ exit: 0, out: 'local:\n    - x\n', said: '', closed: 1 });
    expect(asked).toEqual([{ fun: 'test.arg', args: [1, { __kwarg__: true, k: 'v' }], options: {} }]);
  });

  it('prints the whole outcome with --metadata', async () => {
    const { exit, out } = await call(['--metadata', '--out=json', '--out-indent=-1', 'x.y', '1', 'k=v'], {
      ret: 'no',
      retcode: 3,
    });
    expect({ exit, out }).toEqual({
      exit: 1,
      out: '{"local": {"fun": "x.y", "fun_args": [1, {"k": "v"}], "return": "no", "retcode": 3, "success": true}}\n',
    });
  });

  it('takes the format of --out, else that of the function', async () => {
    expect((await call(['--out', 'json', '--out-indent=-1', 'test.ping'])).out).toBe('{"local": true}\n');
    expect((await call(['test.ping'], { out: 'txt' })).out).toBe('local: True\n');
    expect(await call(['--out=highstate', 'test.ping'])).toMatchObject({ out: 'local:\n    True\n', err: '' });
  });

  it('prints a refusal on stderr, nothing on stdout, and exits 13', async () => {
    const sentence = "minion db1.foo.org may not run manage.up: no rule of 'peer_run' names it.";
    const refused = { ret: {}, retcode: 1, success: false, refusal: refusal('not_permitted', sentence) };
    expect(await call(['publish.runner', 'manage.up'], refused)).toMatchObject({
      exit: 13,
      out: '',
      err: `${sentence}\n`,
    });
  });

  it('prints the notes beside the answer', async () => {
    const outcome = { ret: { web1: true }, retcode: 1, success: false, notes: ['web2 is not connected.'] };
    expect(await call(['publish.publish', '*', 'test.ping'], outcome)).toMatchObject({
      exit: 1,
      out: 'local:\n    ----------\n    web1:\n        True\n',
      err: 'web2 is not connected.\n',
    });
  });

  it('names the returners, and says which took nothing', async () => {
    const untaken = ['a return was not taken by the returner local_file: the disk is full'];
    const { exit, out, err: said, asked } = await call(['--return', 'local_file', 'test.ping'], { untaken });
    expect({ exit, out, said }).toEqual({ exit: 1, out: 'local:\n    True\n', said: `${untaken.join('')}\n` });
    expect(asked[0]?.options).toEqual({ returner: 'local_file' });
  });

  it.each([
    ['SIGINT', 130, 'Ctrl-c'],
    ['SIGTERM', 143, 'SIGTERM'],
    ['SIGHUP', 129, 'SIGHUP'],
  ] as const)('says that %s ended it, and ends only when the function has', async (signal, exit, name) => {
    const io = new ScriptedIo();
    let closed = false;
    const never = () => {
      queueMicrotask(() => io.end(signal));
      return new Promise<CallOutcome>(() => undefined);
    };
    const close = async () => {
      await new Promise(setImmediate);
      closed = true;
    };
    expect(await runNatriumCall(['test.sleep', '9'], io, () => Promise.resolve(ok({ call: never, close })))).toBe(exit);
    expect({ out: io.stdout, err: io.stderr, closed }).toEqual({
      ...{ out: '', closed: true },
      err: `\nExiting gracefully on ${name}\n`,
    });
  });

  it('exits 1 for a failure, or with the code itself when asked', async () => {
    const failed = { ret: 'no', retcode: 42, success: false };
    expect((await call(['cmd.run', 'x'], failed)).exit).toBe(1);
    expect((await call(['--retcode-passthrough', 'cmd.run', 'x'], failed)).exit).toBe(42);
    for (const retcode of [256, -1, 512])
      expect((await call(['--retcode-passthrough', 'cmd.run', 'x'], { ...failed, retcode })).exit).toBe(255);
  });

  it('tells how a function failed on stderr in Salt’s words, nothing on stdout, and exits 1', async () => {
    const failed = { ret: 'ERROR: no\u001b[2J', retcode: 1, success: false, problem: { sentence: 'no\u001b[2J' } };
    const { exit, out, err: said } = await call(['--metadata', 'x.y'], failed);
    expect({ exit, out }).toEqual({ exit: 1, out: '' });
    expect(said).toMatch(/^Error running 'x.y': no[^\u001b]*\n$/);
  });

  it('tells what was wrong with the arguments on stderr, and the documentation on stdout', async () => {
    const problem = { sentence: 'takes no arguments', usage: 'Answers true.\n\nExample: …\n' };
    expect(await call(['test.ping', '1'], { ret: 'long', retcode: 1, success: false, problem })).toMatchObject({
      exit: 1,
      out: 'Answers true.\n\nExample: …\n',
      err: '\nPassed invalid arguments: takes no arguments.\n\nUsage:\n',
    });
  });

  it('exits 0 for a False answer', async () => {
    expect((await call(['test.false'], { ret: false })).exit).toBe(0);
  });

  it('exits 255 for a function that does not exist', async () => {
    const unknown = { ret: "'x.y' is not available.", retcode: 254, success: false };
    expect(await call(['x.y'], unknown)).toMatchObject({ exit: 255, out: '', err: "'x.y' is not available.\n" });
  });

  it('tells a text that only looks like that from it', async () => {
    const text = { ret: "'x.y' is not available." };
    expect(await call(['x.y'], text)).toMatchObject({ exit: 0, out: "local:\n    'x.y' is not available.\n" });
  });

  it('without a function shows the usage and exits 64', async () => {
    const { exit, out, err: said, connected } = await call([]);
    expect({ exit, connected }).toEqual({ exit: 64, connected: [] });
    expect(out).toContain('Usage: natrium-call [options] <function> [arguments]');
    expect(said).toBe('\nnatrium-call: error: Requires function, --grains or --doc\n');
  });

  it('-g asks for the grains, -d for documentation', async () => {
    expect((await call(['-g'])).asked[0]).toMatchObject({ fun: 'grains.items', args: [] });
    const stray = await call(['-g', 'os']);
    expect(stray).toMatchObject({ exit: 2, out: '', connected: [] });
    expect(stray.err).toContain('natrium-call: error: -g/--grains does not accept any arguments\n');
    const doc = await call(['-d', 'test.ping'], { ret: { 'test.ping': 'Answers true.' } });
    expect(doc.asked[0]).toMatchObject({ fun: 'sys.doc', args: ['test.ping'] });
    expect(doc.out).toBe('test.ping:\n\n    Answers true.\n\n');
  });

  it('prints what sys.doc returns as any other result', async () => {
    const flags = ['--out=json', '--out-indent=-1'];
    const ret = { 'test.ping': 'Answers true.' };
    expect((await call(['sys.doc', 'test.ping'], { ret })).out).toBe(
      'local:\n    ----------\n    test.ping:\n        Answers true.\n',
    );
    expect((await call([...flags, 'sys.doc', 'test.ping'], { ret })).out).toBe(
      '{"local": {"test.ping": "Answers true."}}\n',
    );
    expect((await call(['--metadata', ...flags, 'sys.doc'], { ret })).out).toContain('{"local": {"fun": "sys.doc", ');
  });

  it('takes --documentation, and options of Salt that change nothing', async () => {
    expect((await call(['--documentation', 'test.ping'])).asked[0]).toMatchObject({ fun: 'sys.doc' });
    expect((await call(['--hard-crash', '--output-diff', '--no-return-event', 'test.ping'])).exit).toBe(0);
  });

  it('reads further words from stdin with --args-stdin', async () => {
    const { asked } = await call(['test.arg', '--args-stdin'], {}, new ScriptedIo({ input: 'a b\n5\n' }));
    expect(asked[0]?.args).toEqual(['a b', 5]);
  });

  it('hands its options to the agent', async () => {
    const flags = ['--local', '--id', 'x', '-c', '/d', '-l', 'debug', '-m', '/a,/b', '--master', 'm', '-t', '9'];
    const { connected, asked } = await call([...flags, 'test.ping']);
    expect(connected).toEqual([{ configDir: '/d', local: true, id: 'x', master: 'm', moduleDirs: ['/a', '/b'] }]);
    expect(asked[0]?.options).toEqual({ timeout: 9 });
  });

  it('takes an empty value, and a timeout of 0 or less, as none', async () => {
    const { connected, asked } = await call(['-c', '/d', '--id=', '--master=', '--return=', '-t', '-1', 'test.ping']);
    expect(connected).toEqual([{ configDir: '/d', local: false }]);
    expect(asked[0]?.options).toEqual({});
    expect((await call(['-t', '0', 'test.ping'])).asked[0]?.options).toEqual({});
    expect(await call(['-t', '99999', 'test.ping'])).toMatchObject({ exit: 2, connected: [] });
  });

  it('takes no word as log level that is none', async () => {
    const { exit, err: said, connected } = await call(['cmd.run', 'ls', '-l', '/tmp']);
    expect({ exit, connected }).toEqual({ exit: 2, connected: [] });
    expect(said).toContain("natrium-call: error: option -l: invalid choice: '/tmp'");
  });

  it('says what is not built yet, and does nothing', async () => {
    expect(await call(['--file-root', '/srv/salt', 'test.ping'])).toMatchObject({
      exit: 64,
      err: 'natrium-call: --file-root is not built yet; nothing was done.\n',
      connected: [],
    });
  });

  it.each([
    ['--set-metadata', '{a: 1}'],
    ['--cachedir', '/x'],
    ['--priv', 'joe'],
    ['--proxyid', 'p1'],
    ['--module-executors', '[sudo]'],
    ['--executor-opts', '{}'],
    ['--profiling-path', '/tmp/stats'],
    ['--enable-profiling'],
  ])('has not built %s either', async (flag, ...value) => {
    const { exit, err: said, connected } = await call([flag, ...value, 'test.ping']);
    expect({ exit, connected }).toEqual({ exit: 64, connected: [] });
    expect(said).toBe(`natrium-call: ${flag} is not built yet; nothing was done.\n`);
  });

  it.each(['[direct_call]', "['direct_call']", 'direct_call'])(
    'takes --module-executors %s, which asks for nothing',
    async (value) => {
      expect(await call(['--module-executors', value, 'test.ping'])).toMatchObject({ exit: 0, err: '' });
    },
  );

  it('says when there is no agent', async () => {
    const io = new ScriptedIo();
    const exit = await runNatriumCall(['test.ping'], io, () =>
      Promise.resolve(err({ sentence: 'No agent.', exit: 69 })),
    );
    expect({ exit, err: io.stderr, out: io.stdout }).toEqual({ exit: 69, err: 'No agent.\n', out: '' });
  });
});
