import { err, ok, refusal, type Value } from '@natrium/model';
import { ended, JID, returned, started } from '../testing/job-steps.js';
import { ScriptedIo, type ScriptedIoOptions } from '../testing/scripted-io.js';
import { type Script, ScriptedMaster, type Step } from '../testing/scripted-master.js';
import { runNatrium } from './run-natrium.js';

async function natrium(argv: readonly string[], script: Script = {}, options: ScriptedIoOptions = {}) {
  const io = new ScriptedIo(options);
  const master = new ScriptedMaster(script);
  const exit = await runNatrium(argv, io, master.connect);
  return { exit, io, master, out: io.stdout, err: io.stderr };
}

const PING = ['*', 'test.ping'];
const lines = (...all: readonly string[]): string => all.map((line) => `${line}\n`).join('');
const HINT =
  'The minions may not have all finished running and any remaining minions will return upon completion. To look up the return data for this job later, run the following command:';

describe('natrium prints results as they come', () => {
  it('one minion after the other, nested, and exits 0', async () => {
    const seen: string[] = [];
    const io = new ScriptedIo();
    const master = new ScriptedMaster({
      job: [started(['a', 'b']), returned('b', true), () => void seen.push(io.stdout), returned('a', false), ended()],
    });
    expect(await runNatrium(PING, io, master.connect)).toBe(0);
    expect(seen).toEqual([lines('b:', '    True')]);
    expect(io.stdout).toBe(lines('b:', '    True', 'a:', '    False'));
    expect(io.stderr).toBe('');
    expect(master.closed).toBe(1);
  });

  it('as one document per minion with --out json, after the function', async () => {
    const job = [started(['a', 'b']), returned('a', 1), returned('b', 2), ended()];
    const { out } = await natrium([...PING, '--out', 'json', '--out-indent=-1'], { job });
    expect(out).toBe(lines('{"a": 1}', '{"b": 2}'));
  });

  it('as one object with --static', async () => {
    const job = [started(['a', 'b']), returned('b', 1), returned('a', 2), ended()];
    const { out } = await natrium(['--static', '--out=yaml', ...PING], { job });
    expect(out).toBe(lines('a: 2', 'b: 1'));
  });

  it.each(['quiet', 'no_return'])('with --static all of them, also where one asks for %s', async (out) => {
    const job = [started(['a', 'b']), returned('b', 1, 0, out), returned('a', 2), ended()];
    expect((await natrium(['--static', ...PING], { job })).out).toBe(lines('a:', '    2', 'b:', '    1'));
    expect((await natrium(['--static', '--out', 'quiet', ...PING], { job })).out).toBe('');
  });

  it('gathered for a format that wants all of them', async () => {
    const job = [started(['a', 'b']), returned('b', { x: 1 }), returned('a', { x: 2 }), ended()];
    expect((await natrium([...PING, '--out', 'table'], { job })).out).toBe(lines('   x', '-  -', 'a  2', 'b  1'));
  });

  it("in the function's own format unless --out names one", async () => {
    const job = [started(['a']), returned('a', ['x'], 0, 'newline_values_only'), ended()];
    expect((await natrium(PING, { job })).out).toBe(lines('x'));
    expect((await natrium([...PING, '--out', 'txt'], { job })).out).toBe(lines("a: ['x']"));
  });

  it('nested when the format is unknown, and says so once', async () => {
    const job = [started(['a', 'b']), returned('a', 1), returned('b', 2, 0, 'fancy'), ended()];
    const { out, err: said, exit } = await natrium([...PING, '--out', 'fancy'], { job });
    expect(out).toBe(lines('a:', '    1', 'b:', '    2'));
    expect(said).toBe('[ERROR   ] Invalid outputter fancy specified, fall back to nested\n');
    expect(exit).toBe(0);
  });

  it('of the others also where one answer cannot be drawn, and says so', async () => {
    let deep: Value = 1;
    for (let level = 0; level < 100_000; level += 1) deep = [deep];
    const job = [started(['a', 'b']), returned('a', deep), returned('b', 2), ended()];
    const { out, err: said } = await natrium(PING, { job });
    expect(out).toBe(lines('b:', '    2'));
    expect(said).toMatch(/^\[ERROR {3}\] An answer is too large to be shown in this format: .*\n$/);
  });

  it('into a file with --out-file, emptied first', async () => {
    const job = [started(['a']), returned('a', 1), ended()];
    const { out, io } = await natrium([...PING, '--out-file', '/x'], { job });
    expect(out).toBe('');
    expect(io.files.get('/x')).toBe(lines('a:', '    1'));
  });

  it('added to the file with --out-file-append, which needs a file', async () => {
    const job = [started(['a']), returned('a', 1), ended()];
    const io = new ScriptedIo();
    io.files.set('/x', 'before\n');
    await runNatrium([...PING, '--out-file=/x', '--out-file-append'], io, new ScriptedMaster({ job }).connect);
    expect(io.files.get('/x')).toBe(lines('before', 'a:', '    1'));
    expect(await natrium([...PING, '--out-file-append'], { job })).toMatchObject({ exit: 2, out: '' });
  });

  it('on stdout and nested where the name of the file or of the format is empty', async () => {
    const job = [started(['a']), returned('a', 1), ended()];
    const {
      exit,
      out,
      err: said,
      io,
    } = await natrium([...PING, '--out=', '--out-file=', '--out-file-append'], { job });
    expect({ exit, out, said }).toEqual({ exit: 0, out: lines('a:', '    1'), said: '' });
    expect(io.files.size).toBe(0);
    expect((await natrium([...PING, '--out-file='], { job }, { tty: true })).out).toContain('\u001b[0;36ma');
  });

  it('in colour on a terminal only, unless told otherwise', async () => {
    const job = [started(['a']), returned('a', 1), ended()];
    expect((await natrium(PING, { job }, { tty: true })).out).toContain('\u001b[0;36ma');
    expect((await natrium(PING, { job })).out).not.toContain('\u001b');
    expect((await natrium([...PING, '--no-color'], { job }, { tty: true })).out).not.toContain('\u001b');
    expect((await natrium(PING, { job }, { tty: true, env: { NO_COLOR: '1' } })).out).not.toContain('\u001b');
    expect((await natrium([...PING, '--force-color'], { job })).out).toContain('\u001b[0;36ma');
  });
});

describe('natrium exits 1', () => {
  const ERROR = 'ERROR: Minions returned with non-zero exit code\n';

  it('when a function failed or does not exist', async () => {
    const job = [started(['a']), returned('a', "'x.y' is not available.", 254), ended()];
    const { exit, out, err: said } = await natrium(['a', 'x.y'], { job });
    expect({ exit, out, said }).toEqual({ exit: 1, out: lines('a:', "    'x.y' is not available."), said: ERROR });
  });

  it('when a minion is not connected', async () => {
    const job = [started(['a', 'b']), returned('a', true), ended({ id: 'b', why: 'not_connected' })];
    const { exit, out, err: said } = await natrium(PING, { job });
    expect(out).toBe(lines('a:', '    True', 'b:', '    Minion did not return. [Not connected]'));
    expect({ exit, said }).toEqual({ exit: 1, said: ERROR });
  });

  it('when a minion is silent, with the way to look its return up later', async () => {
    const { exit, out } = await natrium(PING, { job: [started(['b']), ended({ id: 'b', why: 'no_answer' })] });
    expect(out).toBe(
      lines(
        'b:',
        '    Minion did not return. [No response]',
        `    ${HINT}`,
        '    ',
        `    natrium-run jobs.lookup_jid ${JID}`,
      ),
    );
    expect(exit).toBe(1);
  });

  it.each([
    [[], ''],
    [['-c', '/state/master'], ' -c /state/master'],
    [['--config-dir=/my state'], " -c '/my state'"],
  ])('and with the folder of %j that way leads to the same master', async (words, onward) => {
    const command = `natrium-run${onward} jobs.lookup_jid ${JID}\n`;
    const silent = [started(['b']), ended({ id: 'b', why: 'no_answer' as const })];
    expect((await natrium([...words, ...PING], { job: silent })).out).toContain(`    ${command}`);
    const gone = { type: 'refused', refusal: refusal('master_unreachable', 'no answer') } as const;
    expect((await natrium([...words, ...PING], { job: [started(['b']), gone] })).err).toContain(`\n${command}`);
  });

  it('when a minion was there and is gone, which is not as if it had never been reached', async () => {
    const gone = { id: 'b', why: 'no_answer', sentence: 'it was connected and is not now' } as const;
    const { out } = await natrium(PING, { job: [started(['b']), ended(gone)] });
    expect(out.split('\n').slice(0, 4)).toEqual([
      'b:',
      '    Minion did not return. [No response]',
      '    It was connected and is not now.',
      `    ${HINT}`,
    ]);
  });

  it('when a minion is still running, with the jid', async () => {
    const { out } = await natrium(PING, { job: [started(['b']), ended({ id: 'b', why: 'running' })] });
    expect(out).toContain('    Minion did not return. [No response]\n');
    expect(out).toContain(`still running, jid ${JID}`);
    expect(out).toContain(`natrium-run jobs.lookup_jid ${JID}`);
  });

  it('when a minion refused the job, with its own sentence', async () => {
    const { exit, out } = await natrium(PING, {
      job: [started(['b']), ended({ id: 'b', why: 'refused', sentence: 'The grant is older than 30 s.' })],
    });
    expect(out).toBe(lines('b:', '    Minion did not return. [Refused]', '    The grant is older than 30 s.'));
    expect(exit).toBe(1);
  });

  it('when an id of a list is nobody', async () => {
    const { exit, out } = await natrium(['-L', 'a,z', 'test.ping'], {
      job: [started(['a'], ['z']), returned('a', true), ended()],
    });
    expect(out).toContain(
      lines('z:', '    Minion did not return. [Not connected]', '    No accepted minion has this id.'),
    );
    expect(exit).toBe(1);
  });

  it('also when --hide-timeout keeps the missing out of sight', async () => {
    const job = [started(['a', 'b']), returned('a', true), ended({ id: 'b', why: 'no_answer' })];
    const { exit, out } = await natrium([...PING, '--hide-timeout'], { job });
    expect({ exit, out }).toEqual({ exit: 1, out: lines('a:', '    True') });
  });

  it('while a minion that refused stays in sight, and with -v all of them', async () => {
    const refusing = { id: 'b', why: 'refused', sentence: 'No.' } as const;
    const job = [started(['a', 'b']), ended({ id: 'a', why: 'not_connected' }, refusing)];
    const { out } = await natrium([...PING, '--hide-timeout'], { job });
    expect(out).toBe(lines('b:', '    Minion did not return. [Refused]', '    No.'));
    expect((await natrium([...PING, '--hide-timeout', '-v'], { job })).out).toContain('a:\n    Minion did not return.');
  });

  it('and puts the sentence of a missing one in the document of --out json', async () => {
    const job = [started(['b']), ended({ id: 'b', why: 'not_connected' })];
    const { out } = await natrium([...PING, '--out', 'json', '--out-indent', '-1'], { job });
    expect(out).toBe('{"b": "Minion did not return. [Not connected]"}\n');
  });
});

describe('natrium exits 2', () => {
  it('when nobody matched', async () => {
    const { exit, out, err: said } = await natrium(['nobody*', 'test.ping'], { job: [started([])] });
    expect(out).toBe('No minions matched the target. No command was sent, no jid was assigned.\n');
    expect({ exit, said }).toEqual({ exit: 2, said: 'ERROR: No return received\n' });
  });

  it.each([[[]], [['-v']], [['-b1']]])('when nobody has an id of the list, with %j: no jid is told', async (flags) => {
    const script = { preview: ok([]), job: [started([], ['z']), ended()] };
    const { exit, out, err: said, master } = await natrium([...flags, '-L', 'z', 'test.ping'], script);
    // Only a batch knows before it asks.
    expect(master.published).toHaveLength(flags[0] === '-b1' ? 0 : 1);
    expect({ exit, out, said }).toEqual({
      exit: 2,
      out: 'No minions matched the target. No command was sent, no jid was assigned.\n',
      said: 'ERROR: No return received\nz: No accepted minion has this id.\n',
    });
  });
});

describe('a refusal', () => {
  const no = refusal('not_permitted', "account joe may not run cmd.run on '*'.");

  it('is one sentence on stderr and exit 13', async () => {
    const { exit, out, err: said } = await natrium(['*', 'cmd.run', 'id'], { job: [{ type: 'refused', refusal: no }] });
    expect({ exit, out, said }).toEqual({ exit: 13, out: '', said: `${no.sentence}\n` });
  });

  it('after the job’s start is that nobody answers any more: the jid is told with it', async () => {
    const gone = refusal('master_unreachable', 'the master did not answer in time');
    const job = [started(['a']), { type: 'refused', refusal: gone } as const];
    const { exit, err: said } = await natrium(PING, { job });
    expect({ exit, said }).toEqual({
      exit: 69,
      said: `${gone.sentence}\nThis job's jid is: ${JID}\n${HINT}\n\nnatrium-run jobs.lookup_jid ${JID}\n`,
    });
  });

  it('is the same with --async and --preview-target', async () => {
    expect((await natrium([...PING, '--async'], { ticket: err(no) })).exit).toBe(13);
    expect((await natrium(['*', '--preview-target'], { preview: err(no) })).exit).toBe(13);
  });

  it('of a target that makes no sense is a usage error, of an absent service unavailability', async () => {
    const exitOf = async (code: 'invalid_target' | 'acl_unavailable' | 'not_built_yet') =>
      (await natrium(PING, { job: [{ type: 'refused', refusal: refusal(code, 'no') }] })).exit;
    expect([await exitOf('invalid_target'), await exitOf('acl_unavailable'), await exitOf('not_built_yet')]).toEqual([
      2, 69, 64,
    ]);
  });
});

describe('decorations', () => {
  const job = [started(['a', 'b', 'c']), returned('a', 1), returned('b', 2, 1), ended({ id: 'c', why: 'no_answer' })];

  it('-v prints the jid over a dashed line', async () => {
    const sentence = `Executing job with jid ${JID}`;
    const { out } = await natrium(['-v', ...PING], { job });
    expect(out.startsWith(lines(sentence, '-'.repeat(sentence.length), '', 'a:'))).toBe(true);
  });

  it('--show-jid prints the jid', async () => {
    expect((await natrium(['--show-jid', ...PING], { job })).out.startsWith(lines(`jid: ${JID}`, 'a:'))).toBe(true);
  });

  it.each(['-v', '--show-jid'])(
    '%s in a format for programs leaves stdout to that, and says the jid on stderr',
    async (flag) => {
      const { out, err: said } = await natrium([flag, '-s', '--out', 'json', ...PING], { job });
      expect(JSON.parse(out)).toMatchObject({ a: 1, b: 2 });
      expect(said).toContain(JID);
      for (const format of ['json', 'jsonl', 'yaml', 'raw']) {
        const each = await natrium([flag, '--out', format, ...PING], {
          job: [started(['a']), returned('a', 1), ended()],
        });
        expect([each.out.includes(JID), each.err.includes(JID)]).toEqual([false, true]);
      }
      for (const flags of [['-s'], ['--out', 'txt']])
        expect((await natrium([flag, ...flags, ...PING], { job })).out).toContain(`${JID}\n`);
    },
  );

  it('--summary counts at the end, with names when -v', async () => {
    const rule = '-------------------------------------------';
    const counts = [
      '# of minions targeted: 3',
      '# of minions returned: 2',
      '# of minions that did not return: 1',
      '# of minions with errors: 1',
    ];
    expect(
      (await natrium(['--summary', ...PING], { job })).out.endsWith(
        lines('', '', rule, 'Summary', rule, ...counts, rule),
      ),
    ).toBe(true);
    const named = (await natrium(['--summary', '-v', ...PING], { job })).out;
    expect(named.endsWith(lines(...counts, 'Minions not responding: c', 'Minions with failures: b', rule))).toBe(true);
  });

  it('are those of the configuration where the command line says nothing', async () => {
    const defaults = { summary: true, showJid: true, showTimeout: false };
    const { out, exit } = await natrium(PING, { job, defaults });
    expect(out.startsWith(lines(`jid: ${JID}`, 'a:'))).toBe(true);
    expect(out).toContain('# of minions targeted: 3\n');
    expect(out).not.toContain('Minion did not return');
    expect(exit).toBe(1);
    expect((await natrium(['--show-timeout', ...PING], { job, defaults })).out).toContain('Minion did not return');
    expect((await natrium(PING, { job })).out).not.toMatch(/jid:|targeted/);
  });

  it('--summary stays out of formats for programs', async () => {
    expect((await natrium(['--summary', '--out', 'json', ...PING], { job })).out).not.toContain('Summary');
    expect((await natrium(['--summary', '--out', 'nested', ...PING], { job })).out).toContain('Summary');
    expect((await natrium(['--summary', '--out', 'quiet', ...PING], { job })).out).toMatch(/^\s+-+\nSummary\n/);
  });
});

describe('--async', () => {
  it('prints the jid and waits for nothing', async () => {
    const { exit, out } = await natrium([...PING, '--async'], {
      ticket: ok({ jid: JID, minions: ['a'], missing: [] }),
    });
    expect({ exit, out }).toEqual({ exit: 0, out: `Executed command with job ID: ${JID}\n` });
  });

  it('says when nobody matched', async () => {
    const ticket = ok({ jid: '', minions: [], missing: [] });
    const { exit, out, err: said } = await natrium([...PING, '--async'], { ticket });
    expect({ exit, out, said }).toEqual({
      exit: 2,
      out: 'No minions matched the target. No command was sent, no jid was assigned.\n',
      said: 'ERROR: No return received\n',
    });
  });

  it('says which listed ids nobody has', async () => {
    const ticket = ok({ jid: '20261120141646000001', minions: ['a'], missing: ['typo'] });
    const { exit, err: said } = await natrium([...PING, '--async'], { ticket });
    expect({ exit, said }).toEqual({ exit: 0, said: 'typo: No accepted minion has this id.\n' });
  });
});

describe('--preview-target', () => {
  it('prints the ids and sends nothing', async () => {
    const { exit, out, master } = await natrium(['-L', 'a,b', '--preview-target'], { preview: ok(['a', 'b']) });
    expect({ exit, out }).toEqual({ exit: 0, out: lines('- a', '- b') });
    expect(master.previewed).toEqual([{ tgt: ['a', 'b'], tgtType: 'list' }]);
    expect(master.published).toEqual([]);
  });

  it('prints them by id, in whatever order the master names them', async () => {
    const { out } = await natrium(['*', '--preview-target'], { preview: ok(['c', 'a', 'b']) });
    expect(out).toBe(lines('- a', '- b', '- c'));
  });

  it('says that it means nobody, and exits 2', async () => {
    const { exit, err: said } = await natrium(['nobody*', '--preview-target'], { preview: ok([]) });
    expect({ exit, said }).toEqual({ exit: 2, said: 'ERROR: No return received\n' });
  });
});

describe('documentation', () => {
  const job = [
    started(['a', 'b']),
    returned('a', { 'test.ping': 'Answers true.\n\nAlways.' }),
    returned('b', { 'test.ping': 'Answers true.', 'test.echo': '\n    Already indented.\n' }),
    ended(),
  ];

  it('sends no controls to the terminal, also where a minion has put them into the name of a function', async () => {
    const hostile = [started(['a']), returned('a', { '\u001b[2J\nb': 'x' }), ended()];
    const { out } = await natrium(['*', '-d'], { job: hostile });
    expect(out).toMatch(/^[^\u0000-\u0009\u000b-\u001f]*b:\n\n {4}x\n\n$/);
    expect(out.split('\n')).toHaveLength(5);
  });

  it('is printed once for all minions, by name', async () => {
    const { exit, out, master } = await natrium(['*', '-d', 'test'], { job });
    expect(out).toBe(
      lines(
        'test.echo:',
        '',
        '    Already indented.',
        '',
        'test.ping:',
        '',
        '    Answers true.',
        '',
        '    Always.',
        '',
      ),
    );
    expect(exit).toBe(0);
    expect(master.published[0]).toMatchObject({ funs: ['sys.doc'], args: [['test']] });
  });

  it('has no summary behind it', async () => {
    const asked = await natrium(['*', '-d', 'test', '--summary'], { job });
    expect(asked.out).toBe((await natrium(['*', '-d', 'test'], { job })).out);
  });

  it('is asked of every minion when no target is given', async () => {
    const { master } = await natrium(['-d'], { job });
    expect(master.published[0]).toMatchObject({ tgt: '*', funs: ['sys.doc'], args: [[]] });
  });

  it('says when nobody has any', async () => {
    const { exit, err: said } = await natrium(['*', 'sys.doc'], {
      job: [started(['a']), ended({ id: 'a', why: 'no_answer' })],
    });
    expect({ exit, said }).toEqual({ exit: 2, said: 'No minions found to gather docs from\n' });
  });

  it('of something that nobody knows is nothing, which is no failure', async () => {
    const none = [started(['a', 'b']), returned('a', {}), returned('b', {}), ended()];
    for (const flags of [[], ['--static']]) {
      const { exit, out, err: said } = await natrium([...flags, '*', '-d', 'no.such'], { job: none });
      expect({ exit, out, said }).toEqual({ exit: 0, out: '', said: '' });
    }
  });

  it('is beside what became of those who did not return it, and the code tells of them', async () => {
    const some = [
      started(['a', 'b', 'c', 'd']),
      returned('a', { 'test.ping': 'Answers true.' }),
      returned('b', 'ERROR: no', 1),
      ended({ id: 'c', why: 'no_answer' }, { id: 'd', why: 'refused', sentence: 'No.' }),
    ];
    const { exit, out, err: said } = await natrium(['*', '-d', 'test.ping'], { job: some });
    expect({ exit, said }).toEqual({ exit: 1, said: 'ERROR: Minions returned with non-zero exit code\n' });
    expect(out).toContain(lines('b:', '    ERROR: no', 'c:', '    Minion did not return. [No response]'));
    expect(out).toContain(lines('d:', '    Minion did not return. [Refused]', '    No.'));
    expect(out.endsWith(lines('test.ping:', '', '    Answers true.', ''))).toBe(true);
    const whole = await natrium(['--static', '*', '-d', 'test.ping'], { job: some });
    expect(whole.exit).toBe(1);
    for (const text of ['test.ping:', 'b:', 'c:', 'd:']) expect(whole.out).toContain(text);
  });
});

describe('Ctrl-C', () => {
  it('prints the jid and how to look it up, and exits 130', async () => {
    const io = new ScriptedIo();
    const master = new ScriptedMaster({
      job: [started(['a']), () => io.pressCtrlC(), () => new Promise<void>(() => undefined)],
    });
    expect(await runNatrium(PING, io, master.connect)).toBe(130);
    expect(io.stderr).toBe(
      `\nExiting gracefully on Ctrl-c\nThis job's jid is: ${JID}\n${HINT}\n\nnatrium-run jobs.lookup_jid ${JID}\n`,
    );
    expect(master.closed).toBe(1);
  });

  it('shows with --static what has returned before it, in every format, and documentation too', async () => {
    const shown = async (words: readonly string[], ...came: readonly Step[]) => {
      const io = new ScriptedIo();
      const job = [started(['a', 'b']), ...came, () => io.pressCtrlC(), () => new Promise<void>(() => undefined)];
      expect(await runNatrium(words, io, new ScriptedMaster({ job }).connect)).toBe(130);
      return io.stdout;
    };
    const json = [...PING, '--static', '--out=json', '--out-indent=-1'];
    expect(await shown(json, returned('a', true))).toBe('{"a": true}\n');
    expect(await shown(json)).toBe('');
    expect(await shown([...PING, '--out=table'], returned('a', { x: 1 }))).toBe(lines('   x', '-  -', 'a  1'));
    expect(await shown([...PING, '-d'], returned('a', { 'test.ping': 'Answers true.' }))).toContain('Answers true.');
    expect(await shown(PING, returned('a', true))).toBe(lines('a:', '    True'));
  });

  it.each([['--async'], ['--subset=1'], ['--preview-target']])('says so before there is a job: %s', async (option) => {
    const io = new ScriptedIo();
    const master = new ScriptedMaster({});
    const never = <T>() => {
      queueMicrotask(() => io.pressCtrlC());
      return new Promise<T>(() => undefined);
    };
    master.publishAsync = () => never();
    master.preview = () => never();
    expect(await runNatrium([...PING, option], io, master.connect)).toBe(130);
    expect(io.stderr).toBe('\nExiting gracefully on Ctrl-c\n');
  });
});

describe('the way to the master', () => {
  it('that is not there is a sentence and its exit code', async () => {
    const io = new ScriptedIo();
    const exit = await runNatrium(PING, io, () => Promise.resolve(err({ sentence: 'No master at x.', exit: 69 })));
    expect({ exit, out: io.stdout, err: io.stderr }).toEqual({ exit: 69, out: '', err: 'No master at x.\n' });
  });

  it('that is lost during the job is a sentence with the jid, and exit 69', async () => {
    const { exit, err: said } = await natrium(PING, { job: [started(['a'])] });
    expect(exit).toBe(69);
    expect(said).toContain(`The connection to the master was lost while job ${JID} was running.`);
  });

  it('that is lost during the job leaves with --static what has returned', async () => {
    const { exit, out } = await natrium([...PING, '-s'], { job: [started(['a', 'b']), returned('a', true)] });
    expect({ exit, out }).toEqual({ exit: 69, out: lines('a:', '    True') });
  });

  it('begins in the folder of -c, of $NATRIUM_CONFIG_DIR, or /etc/natrium', async () => {
    const job = [started(['a']), returned('a', 1), ended()];
    const folder = async (argv: readonly string[], env = {}) =>
      (await natrium([...argv, ...PING], { job }, { env })).master.connected;
    expect(await folder(['-c', '/x'], { NATRIUM_CONFIG_DIR: '/y' })).toMatchObject([{ configDir: '/x' }]);
    expect(await folder([], { NATRIUM_CONFIG_DIR: '/y' })).toMatchObject([{ configDir: '/y' }]);
    expect(await folder(['-l', 'debug'])).toMatchObject([{ configDir: '/etc/natrium' }]);
  });

  it('never begins in the folder that one stands in because a name is empty', async () => {
    const folder = async (argv: readonly string[], NATRIUM_CONFIG_DIR: string) =>
      (await natrium([...argv, ...PING], {}, { env: { NATRIUM_CONFIG_DIR } })).master.connected[0]?.configDir;
    expect(await folder([], '')).toBe('/etc/natrium');
    expect(await folder(['-c', ''], '')).toBe('/etc/natrium');
    expect(await folder(['--config-dir='], '/y')).toBe('/y');
  });

  it('begins at home where the folder begins with ~, which no shell sees in --config-dir=~/conf', async () => {
    const folder = async (given: string, HOME = '/home/$&') =>
      (await natrium([`--config-dir=${given}`, ...PING], {}, { env: { HOME } })).master.connected[0]?.configDir;
    expect(await folder('~/conf')).toBe('/home/$&/conf');
    expect(await folder('~')).toBe('/home/$&');
    expect([await folder('~joe/x'), await folder('/a/~/b'), await folder('~/conf', '')]).toEqual([
      '~joe/x',
      '/a/~/b',
      '~/conf',
    ]);
  });

  it('that throws is an internal error, without a trace', async () => {
    const io = new ScriptedIo();
    expect(await runNatrium(PING, io, () => Promise.reject(new Error('boom')))).toBe(70);
    expect(io.stderr).toBe('natrium: internal error: boom\n');
  });
});

describe('the live line', () => {
  it('shows who is missing on a terminal, and goes before anything is printed', async () => {
    const io = new ScriptedIo({ tty: true });
    const master = new ScriptedMaster({
      job: [started(['a', 'b']), returned('a', 1), () => io.pass(4000), returned('b', 2), ended()],
    });
    await runNatrium([...PING, '--no-color'], io, master.connect);
    expect(io.stderr).toBe('\r\u001b[K1/2 returned · missing: b (running 4 s)\r\u001b[K');
    expect(io.timers).toBe(0);
  });

  it('goes before it is said why a job is followed no further', async () => {
    const io = new ScriptedIo({ tty: true });
    const refused = { type: 'refused', refusal: refusal('master_unreachable', 'It is gone.') } as const;
    await runNatrium(PING, io, new ScriptedMaster({ job: [started(['a']), () => io.pass(4000), refused] }).connect);
    expect(io.stderr).toContain('running 4 s)\r\u001b[KIt is gone.\n');
    const lost = new ScriptedIo({ tty: true });
    await runNatrium(PING, lost, new ScriptedMaster({ job: [started(['a']), () => lost.pass(4000)] }).connect);
    expect(lost.stderr).toContain('running 4 s)\r\u001b[KThe connection to the master was lost');
  });

  it('is not there when the output is no terminal', async () => {
    const io = new ScriptedIo();
    const master = new ScriptedMaster({ job: [started(['a']), () => io.pass(4000), returned('a', 2), ended()] });
    await runNatrium(PING, io, master.connect);
    expect(io.stderr).toBe('');
  });

  it('begins with a bar when -p asks, also where results go elsewhere', async () => {
    const steps = (io: ScriptedIo) => [started(['a', 'b']), returned('a', 1), () => io.pass(4000), ended()];
    const io = new ScriptedIo({ tty: true });
    await runNatrium([...PING, '-p', '--out', 'quiet'], io, new ScriptedMaster({ job: steps(io) }).connect);
    expect(io.stderr).toContain('[##########          ] 1/2 returned');
    const piped = Object.assign(new ScriptedIo({ tty: true }), { outIsTty: false });
    await runNatrium([...PING, '-p'], piped, new ScriptedMaster({ job: steps(piped) }).connect);
    expect(piped.stderr).toContain('1/2 returned');
  });
});
