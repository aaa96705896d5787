import { err, ok, refusal } from '@natrium/model';
import type { RunAnswer } from '../ports.js';
import { JID } from '../testing/job-steps.js';
import { ScriptedIo } from '../testing/scripted-io.js';
import { type Script, ScriptedMaster } from '../testing/scripted-master.js';
import { runNatriumRun } from './run-run.js';

async function run(argv: readonly string[], script: Script = {}, io = new ScriptedIo()) {
  const master = new ScriptedMaster(script);
  const exit = await runNatriumRun(argv, io, master.connect);
  return {
    exit,
    out: io.stdout,
    err: io.stderr,
    ran: master.ran,
    connected: master.connected.length,
    closed: master.closed,
  };
}

function answer(fields: Partial<RunAnswer>): Script {
  return { run: ok({ jid: JID, ret: null, retcode: 0, success: true, ...fields }) };
}

describe('natrium-run', () => {
  it('prints the bare value', async () => {
    const { exit, out, ran, closed } = await run(['manage.up', 'x=1'], answer({ ret: ['web1', 'web2'] }));
    expect({ exit, out, closed }).toEqual({ exit: 0, out: '- web1\n- web2\n', closed: 1 });
    expect(ran).toEqual([{ fun: 'manage.up', args: [{ __kwarg__: true, x: 1 }], timeout: 60 }]);
  });

  it('prints a map from column 0 without dashes, and None for nothing', async () => {
    expect((await run(['manage.status'], answer({ ret: { up: ['a'], down: [] } }))).out).toBe('down:\nup:\n    - a\n');
    expect((await run(['test.none'], answer({}))).out).toBe('None\n');
  });

  it('with --quiet prints nothing of what is returned, and exits as without', async () => {
    expect(await run(['--quiet', 'manage.up'], answer({ ret: ['web1'] }))).toMatchObject({ exit: 0, out: '', err: '' });
    const failed = answer({ ret: 'broken', retcode: 3, success: false });
    expect(await run(['--quiet', 'x.y'], failed)).toMatchObject({ exit: 1, out: '', err: '' });
    const refused = { run: err(refusal('not_permitted', 'No.')) };
    expect(await run(['--quiet', 'manage.up'], refused)).toMatchObject({ exit: 13, out: '', err: 'No.\n' });
    const docs = answer({ ret: { 'manage.up': 'Who is up.' } });
    expect((await run(['--quiet', '-d', 'manage.up'], docs)).out).toBe('manage.up:\n\n    Who is up.\n\n');
  });

  it('waits as the configuration says where -t says nothing, 0 or less; what nobody waits for has a day', async () => {
    const script = { ...answer({}), defaults: { runnerTimeout: 600 } };
    const timeoutOf = async (...argv: readonly string[]) => (await run([...argv, 'manage.up'], script)).ran[0]?.timeout;
    expect([await timeoutOf(), await timeoutOf('-t', '0'), await timeoutOf('-t', '9')]).toEqual([600, 600, 9]);
    expect(await timeoutOf('-t', '-1')).toBe(600);
    expect([await timeoutOf('--async'), await timeoutOf('--async', '-t', '9')]).toEqual([86_400, 9]);
    const { exit, err: said, connected } = await run(['-t', '99999', 'manage.up']);
    expect({ exit, connected }).toEqual({ exit: 2, connected: 0 });
    expect(said).toContain("natrium-run: error: option -t: '99999' is more than 86400\n");
  });

  it('says on stderr what it waits for while the broker is away, and goes on', async () => {
    const [master, io] = [new ScriptedMaster(answer({ ret: 1 })), new ScriptedIo()];
    const exit = await runNatriumRun(['manage.up'], io, (options) => {
      options.tell?.('the connection to the broker is lost: …; trying on');
      return master.connect(options);
    });
    expect([exit, io.stdout, io.stderr]).toEqual([0, '1\n', 'the connection to the broker is lost: …; trying on\n']);
  });

  it('takes --out', async () => {
    expect((await run(['--out=json', '--out-indent=-1', 'manage.up'], answer({ ret: [1] }))).out).toBe('[1]\n');
  });

  it('prints a refusal on stderr and exits 13; an unknown runner 1; an absent service 69', async () => {
    const no = (code: 'not_permitted' | 'unknown_runner' | 'no_runner_available') => ({
      run: err(refusal(code, 'No.')),
    });
    expect(await run(['manage.up'], no('not_permitted'))).toMatchObject({ exit: 13, out: '', err: 'No.\n' });
    expect((await run(['x.y'], no('unknown_runner'))).exit).toBe(1);
    expect((await run(['manage.up'], no('no_runner_available'))).exit).toBe(69);
  });

  it('prints what a failed runner answered and exits 1', async () => {
    expect(await run(['x.y'], answer({ ret: 'broken', retcode: 3, success: false }))).toMatchObject({
      exit: 1,
      out: 'broken\n',
    });
  });

  it('--async prints the tag of the run on stderr and exits 0', async () => {
    const { exit, out, err: said, ran } = await run(['manage.up', '--async'], answer({}));
    expect({ exit, out }).toEqual({ exit: 0, out: '' });
    expect(said).toMatch(new RegExp(`^\\[WARNING \\] Running in asynchronous mode\\..* under tag salt/run/${JID}\\n$`));
    expect(ran[0]?.async).toBe(true);
  });

  it('-d prints the documentation that the master finds, of one runner, of a module, of what a glob means, or of all', async () => {
    const docs = answer({ ret: { 'manage.up': 'Who is up.', 'jobs.active': 'What runs.' } });
    const { out } = await run(['-d', 'm*'], docs);
    expect(out).toBe('jobs.active:\n\n    What runs.\n\nmanage.up:\n\n    Who is up.\n\n');
    const asked = async (...words: readonly string[]) => (await run(['-d', ...words], docs)).ran[0];
    expect(await asked()).toMatchObject({ fun: 'doc.runner', args: [] });
    for (const [word, sent] of [
      ['manage.up', 'manage.up'],
      ['manage', 'manage'],
      ['*.u*', '*.u*'],
    ] as const)
      expect(await asked(word)).toMatchObject({ fun: 'doc.runner', args: [sent] });
  });

  it('takes --documentation, --hard-crash, and further words from stdin', async () => {
    expect((await run(['--documentation', 'manage.up'], answer({ ret: {} }))).ran[0]?.fun).toBe('doc.runner');
    const { exit, ran } = await run(
      ['--hard-crash', '--args-stdin', 'test.arg'],
      answer({}),
      new ScriptedIo({ input: 'a b\n5\n' }),
    );
    expect({ exit, args: ran[0]?.args }).toEqual({ exit: 0, args: ['a b', 5] });
  });

  it('without a runner shows the usage and exits 64', async () => {
    const { exit, err: said, connected } = await run([]);
    expect({ exit, said, connected }).toEqual({
      exit: 64,
      said: '\nnatrium-run: error: Requires a runner function or --doc\n',
      connected: 0,
    });
  });

  it('after Ctrl-C says under which jid the run goes on, where that was told, and exits 130', async () => {
    const told = async (jid: string, ...words: readonly string[]) => {
      const io = new ScriptedIo();
      const endless: Script['endless'] = (onJid) => {
        if (jid !== '') onJid(jid);
        queueMicrotask(() => io.pressCtrlC());
      };
      return run([...words, 'test.sleep', '60'], { endless }, io);
    };
    const { exit, out, err: said } = await told(JID);
    expect({ exit, out }).toEqual({ exit: 130, out: '' });
    expect(said).toMatch(new RegExp(`^\nExiting gracefully on Ctrl-c\nThis run's jid is: ${JID}\n`));
    expect(said).toContain(`\n\nnatriumctl event replay salt/run/${JID}\n`);
    const elsewhere = (await told(JID, '-c', '/my state')).err;
    expect(elsewhere).toContain(`\n\nnatriumctl event replay -c '/my state' salt/run/${JID}\n`);
    expect(await told('')).toMatchObject({ exit: 130, err: '\nExiting gracefully on Ctrl-c\n' });
  });

  it('takes no word as log level that is none', async () => {
    const { exit, err: said, connected } = await run(['salt.cmd', 'test.echo', '-l', '/tmp']);
    expect({ exit, connected }).toEqual({ exit: 2, connected: 0 });
    expect(said).toContain("natrium-run: error: option -l: invalid choice: '/tmp'");
  });

  it('says what is not built yet, and does nothing', async () => {
    expect(await run(['--return', 'mysql', 'manage.up'])).toMatchObject({ exit: 64, connected: 0 });
    expect(await run(['--enable-profiling', '--profiling-path', '/tmp/stats', 'manage.up'])).toMatchObject({
      exit: 64,
      err: 'natrium-run: --enable-profiling, --profiling-path are not built yet; nothing was done.\n',
      connected: 0,
    });
  });
});
