import { ok, refusal } from '@natrium/model';
import { ended, JID, returned, started } from '../testing/job-steps.js';
import { ScriptedIo, type ScriptedIoOptions } from '../testing/scripted-io.js';
import { type Script, ScriptedMaster, type Step } from '../testing/scripted-master.js';
import { subsetOf } from './batch.js';
import { runNatrium } from './run-natrium.js';

async function natrium(argv: readonly string[], script: Script = {}, options: ScriptedIoOptions = {}) {
  const io = new ScriptedIo(options);
  const master = new ScriptedMaster(script);
  const exit = await runNatrium(argv, io, master.connect);
  return { exit, io, master, out: io.stdout, err: io.stderr, asked: master.published.map(({ tgt }) => tgt) };
}

const good = (id: string) => [started([id]), returned(id, true), ended()];
const three: Script = { preview: ok(['c', 'a', 'b']), jobs: [good('a'), good('b'), good('c')] };

describe('--batch', () => {
  it('signs once, asks for one list after the other, and shows each value with its jid and retcode', async () => {
    const { exit, out, master } = await natrium(['-G', 'os:Debian', 'test.ping', '-b', '1'], three);
    expect(master.previewed).toEqual([{ tgt: 'os:Debian', tgtType: 'grain', funs: ['test.ping'], args: [[]] }]);
    expect(master.signed).toMatchObject([{ tgt: 'os:Debian', tgtType: 'grain', funs: ['test.ping'] }]);
    expect(master.published).toMatchObject([
      { tgt: ['a'], tgtType: 'list', funs: ['test.ping'] },
      { tgt: ['b'], tgtType: 'list' },
      { tgt: ['c'], tgtType: 'list' },
    ]);
    const block = (id: string) =>
      `\nExecuting run on ['${id}']\n\n${id}:\n    True\njid:\n    ${JID}\nretcode:\n    0\n`;
    expect({ exit, out }).toEqual({ exit: 0, out: ['a', 'b', 'c'].map(block).join('') });
  });

  it('says on stderr whom it asks where a program reads stdout', async () => {
    const { out, err: said } = await natrium(['*', 'test.ping', '-b1', '--out=json', '--out-indent=-1'], three);
    expect(said).toBe(['a', 'b', 'c'].map((id) => `\nExecuting run on ['${id}']\n\n`).join(''));
    expect(
      out
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as object),
    ).toEqual(['a', 'b', 'c'].map((id) => ({ [id]: true, jid: JID, retcode: 0 })));
  });

  it('asks for nothing in the name of an empty id of a list, nor of one that is longer than any', async () => {
    const listed = { preview: ok(['a', 'b']), jobs: [good('a'), good('b')] };
    const { master } = await natrium(['-L', `a,,b,${'x'.repeat(256)},z`, 'test.ping', '-b', '1'], listed);
    expect(master.published).toMatchObject([{ tgt: ['a', 'z'] }, { tgt: ['b'] }]);
  });

  it('asks its next minions only when the batch before has ended', async () => {
    const seen: number[] = [];
    const io = new ScriptedIo();
    const master: ScriptedMaster = new ScriptedMaster({
      preview: ok(['a', 'b']),
      jobs: [[started(['a']), () => void seen.push(master.published.length), returned('a', 1), ended()], good('b')],
    });
    expect(await runNatrium(['-b1', '*', 'test.ping'], io, master.connect)).toBe(0);
    expect(seen).toEqual([1]);
    expect(master.published).toHaveLength(2);
  });

  it('waits between two batches with --batch-wait, not after the last', async () => {
    expect((await natrium(['*', 'test.ping', '-b', '1', '--batch-wait', '7'], three)).io.waits).toEqual([7000, 7000]);
  });

  it('waits for parts of seconds too, and for no other word', async () => {
    const waits = async (text: string) =>
      (await natrium(['*', 'test.ping', '-b2', `--batch-wait=${text}`], three)).io.waits;
    expect([await waits('0.5'), await waits('.25'), await waits('1e1')]).toEqual([[500], [250], [10_000]]);
    const { exit, err } = await natrium(['*', 'test.ping', '-b2', '--batch-wait=soon'], three);
    expect(exit).toBe(2);
    expect(err).toContain("option --batch-wait: invalid floating-point value: 'soon'");
    expect((await natrium(['*', 'test.ping', '-b2', '--batch-wait=-1'], three)).exit).toBe(2);
  });

  it("goes on after a failure and exits as the worst of its minions, without Salt's sentence", async () => {
    const failing = { ...three, jobs: [[started(['a']), returned('a', 'no', 3), ended()], good('b'), good('c')] };
    expect(await natrium(['*', 'test.ping', '-b', '1'], failing)).toMatchObject({
      exit: 3,
      err: '',
      asked: [['a'], ['b'], ['c']],
    });
  });

  it('exits 1 with --static, and never with a code that a host would read as another', async () => {
    const code = async (retcode: number, ...flags: readonly string[]) =>
      (
        await natrium(['*', 'test.ping', '-b1', ...flags], {
          ...three,
          jobs: [[started(['a']), returned('a', 'no', retcode), ended()], good('b'), good('c')],
        })
      ).exit;
    expect([await code(3, '-s'), await code(256), await code(-9), await code(255)]).toEqual([1, 255, 1, 255]);
  });

  it.each([
    ['a failure', 3, [started(['a']), returned('a', 'no', 3), ended()]],
    ['a missing minion', 1, [started(['a']), ended({ id: 'a', why: 'no_answer' })]],
  ])('stops after %s with --failhard, says who was not asked, and exits %d', async (_what, code, job) => {
    const { exit, err, asked } = await natrium(['*', 'test.ping', '-b1', '--failhard'], { ...three, jobs: [job] });
    expect({ exit, asked }).toEqual({ exit: code, asked: [['a']] });
    expect(err).toContain('The batch stopped here. Not asked: b, c\n');
  });

  it('asks for listed ids that are nobody with the first batch, once each, so that they are missed', async () => {
    const { exit, asked } = await natrium(['-L', 'a,z,b,z', 'test.ping', '-b1'], {
      preview: ok(['a', 'b']),
      jobs: [[started(['a'], ['z']), returned('a', 1), ended()], good('b')],
    });
    expect({ exit, asked }).toEqual({ exit: 1, asked: [['a', 'z'], ['b']] });
  });

  it('is one object with --static, and one line an answer with jsonl', async () => {
    expect((await natrium(['*', 'test.ping', '-b1', '-s', '--out=txt'], three)).out).toBe(
      'a: True\nb: True\nc: True\n',
    );
    expect((await natrium(['*', 'test.ping', '-b3', '--out=json', '--out-indent=-1'], three)).out).toContain(
      `{"a": true, "jid": "${JID}", "retcode": 0}\n`,
    );
  });

  it('ends with Ctrl-C, also while it waits, and says who was not asked', async () => {
    const io = new ScriptedIo();
    io.wait = () => {
      queueMicrotask(() => io.pressCtrlC());
      return new Promise(() => undefined);
    };
    const master = new ScriptedMaster(three);
    expect(await runNatrium(['*', 'test.ping', '-b1', '--batch-wait=9'], io, master.connect)).toBe(130);
    expect(io.stderr).toBe('\nExiting gracefully on Ctrl-c\nThe batch stopped here. Not asked: b, c\n');
  });

  it.each<readonly [string, number, readonly Step[]]>([
    ['a refusal', 13, [{ type: 'refused', refusal: refusal('not_permitted', 'no') }]],
    ['a lost connection', 69, [started(['b'])]],
  ])('with --static shows what has returned before %s ends it', async (_what, code, job) => {
    const script = { ...three, jobs: [good('a'), job] };
    const { exit, out, err } = await natrium(['*', 'test.ping', '-b1', '-s', '--out=json', '--out-indent=-1'], script);
    expect({ exit, out }).toEqual({ exit: code, out: '{"a": true}\n' });
    expect(err).toContain('The batch stopped here. Not asked: c\n');
  });

  it('with --static shows what has returned before Ctrl-C ends it, and nothing where that is nobody', async () => {
    const shown = async (...jobs: readonly (readonly Step[])[]) => {
      const io = new ScriptedIo();
      const pressed: readonly Step[] = [started(['b']), () => io.pressCtrlC(), returned('b', true), ended()];
      const master = new ScriptedMaster({ ...three, jobs: [...jobs, pressed] });
      expect(await runNatrium(['*', 'test.ping', '-b1', '--static'], io, master.connect)).toBe(130);
      return io.stdout;
    };
    expect([await shown(good('a')), await shown()]).toEqual(['a:\n    True\n', '']);
  });

  it('of an empty size, as of a shell’s unset variable, is none', async () => {
    expect((await natrium(['*', 'test.ping', '-b', ''], three)).asked).toEqual(['*']);
    expect((await natrium(['*', 'test.ping', '-b', '', '--async'], three)).exit).not.toBe(64);
    const safe = ['*', 'test.ping', '--batch-safe-limit=3', '--batch-safe-size='];
    expect((await natrium(safe, three)).asked).toEqual([['a', 'b', 'c']]);
  });

  it('of nobody exits 2 and sends nothing', async () => {
    expect(await natrium(['x*', 'test.ping', '-b1'], { preview: ok([]) })).toMatchObject({ exit: 2, asked: [] });
  });

  it.each(['0', '0%', '%', 'x', '1.5', '%1%', '-1'])('of %j is a usage error', async (size) => {
    const { exit, err, master } = await natrium(['*', 'test.ping', `--batch-size=${size}`], three);
    expect({ exit, connected: master.connected }).toEqual({ exit: 2, connected: [] });
    expect(err).toContain('it must be in the form of 10%, %10 or 3');
  });

  it.each([
    ['-b1', '--batch'],
    ['--batch-safe-limit=2', '--batch-safe-limit'],
  ])('%s with --async is not built yet, however many match', async (word, named) => {
    const { exit, err, master } = await natrium(['*', 'test.ping', word, '--async'], three);
    expect({ exit, connected: master.connected }).toEqual({ exit: 64, connected: [] });
    expect(err).toContain(`${named} with --async`);
  });

  it('that never comes to be stands in nobody’s way', async () => {
    const { exit } = await natrium(['*', 'test.ping', '--batch-safe-limit=1', '--async'], three);
    expect(exit).not.toBe(64);
  });
});

describe('--batch-safe-limit', () => {
  it('makes batches only when so many match', async () => {
    const argv = ['*', 'test.ping', '--batch-safe-size', '2'];
    expect((await natrium([...argv, '--batch-safe-limit', '3'], three)).asked).toEqual([['a', 'b'], ['c']]);
    expect((await natrium([...argv, '--batch-safe-limit', '4'], three)).asked).toEqual(['*']);
    expect((await natrium(argv, three)).asked).toEqual(['*']);
  });

  it('of less than 2 is none', async () => {
    for (const limit of ['1', '0', '-1'])
      expect((await natrium(['*', 'test.ping', `--batch-safe-limit=${limit}`], three)).asked).toEqual(['*']);
  });

  it('says that it makes batches, in no output that a program reads', async () => {
    const NOTICE = '\nNOTICE: Too many minions targeted, switching to batch execution.\n';
    const limited = (...flags: readonly string[]) =>
      natrium(['*', 'test.ping', '--batch-safe-limit=3', ...flags], three);
    const { out, err } = await limited();
    expect([out.startsWith(`${NOTICE}\nExecuting run on ['a', 'b', 'c']\n\na:\n`), err]).toEqual([true, '']);
    const run = "\nExecuting run on ['a', 'b', 'c']\n\n";
    for (const [flag, also] of [
      ['--out=json', run],
      ['--static', ''],
      ['--out=quiet', ''],
    ] as const) {
      const told = await limited(flag);
      expect([told.out.includes('NOTICE'), told.err]).toEqual([false, `${NOTICE}${also}`]);
    }
    const asked = await limited('-b2');
    expect(asked.out + asked.err).not.toContain('NOTICE');
  });

  const defaults = { batchSafeLimit: 3, batchSafeSize: '50%' };

  it('is that of the configuration where the command line has none, and so is the size', async () => {
    const asked = async (...flags: readonly string[]) =>
      (await natrium(['*', 'test.ping', ...flags], { ...three, defaults })).asked;
    expect(await asked()).toEqual([['a'], ['b'], ['c']]);
    expect(await asked('--batch-safe-size=2')).toEqual([['a', 'b'], ['c']]);
    expect(await asked('--batch-safe-limit=4')).toEqual(['*']);
    expect(await asked('--batch-safe-limit=0')).toEqual(['*']);
  });

  it('of the configuration lets --async start as many as are below it, and no more', async () => {
    const ticket = ok({ jid: JID, minions: ['a', 'b'], missing: [] });
    const async = (preview: readonly string[], ...flags: readonly string[]) =>
      natrium(['*', 'test.ping', '--async', ...flags], { preview: ok(preview), ticket, defaults });
    expect(await async(['a', 'b'])).toMatchObject({ exit: 0, asked: ['*'] });
    expect(await async(['a', 'b', 'c'], '--batch-safe-limit=0')).toMatchObject({ exit: 0, asked: ['*'] });
    const { exit, err, asked } = await async(['a', 'b', 'c']);
    expect({ exit, asked }).toEqual({ exit: 64, asked: [] });
    expect(err).toMatch(
      /^natrium: 3 minions match, which with batch_safe_limit 3 are asked in batches; .*nothing was done/,
    );
  });
});

describe('--subset', () => {
  it('asks some of those that match, as a list', async () => {
    const { asked, master } = await natrium(['*', 'test.ping', '--subset', '2'], three);
    expect(asked).toEqual([['b', 'c']]);
    expect(master.published[0]?.tgtType).toBe('list');
  });

  it('is taken of those who are connected, which a batch is not', async () => {
    const { master } = await natrium(['*', 'test.ping', '--subset=2'], three);
    expect(master.previewed).toMatchObject([{ connected: true }]);
    const batch = await natrium(['*', 'test.ping', '-b2'], three);
    expect(batch.master.previewed).toEqual([{ tgt: '*', tgtType: 'glob', funs: ['test.ping'], args: [[]] }]);
  });

  it('may be started with --async, and be asked in batches', async () => {
    const ticket = ok({ jid: JID, minions: ['b'], missing: [] });
    expect((await natrium(['*', 'test.ping', '--subset=1', '--async'], { ...three, ticket })).asked).toEqual([['b']]);
    expect((await natrium(['*', 'test.ping', '--subset=2', '-b1'], three)).asked).toEqual([['b'], ['c']]);
  });

  it('of 0 is everybody, and of nobody exits 2', async () => {
    expect((await natrium(['*', 'test.ping', '--subset=0'], three)).asked).toEqual(['*']);
    expect(await natrium(['*', 'test.ping', '--subset=2'], { preview: ok([]) })).toMatchObject({ exit: 2, asked: [] });
  });

  it('is everybody when it is larger, and each at most once', () => {
    expect(subsetOf(['a', 'b'], 5, () => 0.99)).toEqual(['a', 'b']);
    expect(subsetOf(['a', 'b', 'c'], 2, () => 0)).toEqual(['a', 'b']);
  });
});
