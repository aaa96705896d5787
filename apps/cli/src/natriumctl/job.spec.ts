import { err, ok, type Refusal, refusal, type RefusalCode, type Result, type ValueMap } from '@natrium/model';
import type { JobEars, RunAnswer, RunAsk } from '../ports.js';
import type { CtlPorts } from './ctl-ports.js';
import { ScriptedIo } from '../testing/scripted-io.js';
import { type Script, ScriptedMaster } from '../testing/scripted-master.js';
import { runNatriumctl } from './run-ctl.js';

const JID = '20261120112404639750';
const no = () => Promise.resolve(70);

async function follow(script: Script, ...more: readonly string[]) {
  return followHearing(undefined, script, new ScriptedIo(), ...more);
}

async function followHearing(ears: JobEars | undefined, script: Script, io: ScriptedIo, ...more: readonly string[]) {
  return followOn(new ScriptedMaster(script), ears, io, ...more);
}

/** Refuses what is asked in between. */
class RefusingMaster extends ScriptedMaster {
  /** @param refusals By the number of the run, from 0; undefined: the script answers. */
  constructor(
    script: Script,
    private readonly refusals: (run: number) => RefusalCode | undefined,
  ) {
    super(script);
  }

  override async run(ask: RunAsk) {
    const code = this.refusals(this.ran.length);
    if (code === undefined) return super.run(ask);
    this.ran.push(ask);
    return err(refusal(code, 'Not so.'));
  }
}

/** Its operator presses Ctrl-C while the second question is under way. */
class LateMaster extends ScriptedMaster {
  answer: (late: Result<RunAnswer, Refusal>) => void = () => undefined;

  constructor(
    script: Script,
    private readonly io: ScriptedIo,
  ) {
    super(script);
  }

  override run(ask: RunAsk) {
    if (this.ran.length === 0) return super.run(ask);
    this.ran.push(ask);
    setImmediate(() => this.io.pressCtrlC());
    return new Promise<Result<RunAnswer, Refusal>>((resolve) => (this.answer = resolve));
  }
}

async function followOn(master: ScriptedMaster, ears: JobEars | undefined, io: ScriptedIo, ...more: readonly string[]) {
  const ports: CtlPorts = {
    connectMaster: master.connect,
    up: no,
    init: no,
    fingerprint: no,
    doctor: no,
    audit: no,
    accounts: no,
    token: no,
    swarm: no,
    event: no,
    hearJob: () => Promise.resolve(ears),
    documented: () => Promise.resolve([]),
  };
  const exit = await runNatriumctl(['job', 'follow', JID, ...more], io, ports);
  return {
    exit,
    out: io.stdout,
    err: io.stderr,
    waits: io.waits,
    asked: master.ran.map(({ fun }) => fun),
    args: master.ran.map(({ args }) => args),
    closed: master.closed,
  };
}

const answer = (ret: ValueMap): RunAnswer => ({ jid: JID, ret, retcode: 0, success: true });
const stored = (returns: Readonly<Record<string, readonly [string, number]>>): RunAnswer =>
  answer({
    jid: JID,
    Minions: ['a', 'b'],
    Result: Object.fromEntries(
      Object.entries(returns).map(([id, [ret, retcode]]) => [id, { return: ret, retcode, success: retcode === 0 }]),
    ),
  });
const active = (...ids: readonly string[]): RunAnswer =>
  answer(ids.length === 0 ? {} : { [JID]: { Running: ids.map((id) => ({ [id]: 7 })) } });

/** Nobody tells of a return. */
const silent: JobEars = { isGone: false, heard: () => new Promise(() => undefined), close: () => undefined };

describe('natriumctl job follow', () => {
  it('prints what came, and ends at once when all have returned', async () => {
    expect(await follow({ runs: [stored({ a: ['x', 0], b: ['y', 0] })] })).toEqual({
      args: [[JID, { __kwarg__: true, partial: true }]],
      exit: 0,
      out: 'a:\n    x\nb:\n    y\n',
      err: '',
      waits: [],
      asked: ['jobs.list_job'],
      closed: 1,
    });
  });

  it('prints what comes later, each once, and exits 1 when something failed', async () => {
    const runs = [stored({ a: ['x', 0] }), stored({ a: ['x', 0] }), active('b'), stored({ a: ['x', 0], b: ['no', 2] })];
    const { exit, out, asked } = await follow({ runs });
    expect({ exit, out }).toEqual({ exit: 1, out: 'a:\n    x\nb:\n    no\n' });
    expect(asked).toEqual(['jobs.list_job', 'jobs.list_job', 'jobs.active', 'jobs.list_job']);
  });

  describe('of returns that no one message carries', () => {
    const minions = ['a', 'b', 'c', 'd'];
    const part = (ids: readonly string[], left: readonly string[]): RunAnswer =>
      answer({
        jid: JID,
        Minions: minions,
        Result: Object.fromEntries(ids.map((id) => [id, { return: id.repeat(3), retcode: 0, success: true }])),
        ...(left.length === 0 ? {} : { Left: [...left] }),
      });
    const named = (...ids: readonly string[]) => [JID, { __kwarg__: true, partial: true, minions: [...ids] }];

    it('prints all, a message after the other, each once', async () => {
      const runs = [
        part(['a'], ['b', 'c']),
        part(['b'], ['c']),
        part(['c'], []),
        part([], []),
        active('d'),
        part(['d'], []),
      ];
      const { exit, out, asked, args } = await follow({ runs });
      expect({ exit, out }).toEqual({ exit: 0, out: minions.map((id) => `${id}:\n    ${id.repeat(3)}\n`).join('') });
      const look = 'jobs.list_job';
      expect(asked).toEqual([look, look, look, look, 'jobs.active', look]);
      expect(args).toEqual([
        [JID, { __kwarg__: true, partial: true }],
        named('b', 'c'),
        named('c'),
        named('d'),
        [],
        named('d'),
      ]);
    });

    it('asks for one of them alone where nothing comes of many', async () => {
      const runs = [part([], minions), part([], minions), part(['a'], []), part(['b', 'c', 'd'], [])];
      const { exit, args } = await follow({ runs });
      expect(exit).toBe(0);
      expect(args.slice(1)).toEqual([named(...minions), named('a'), named('b', 'c', 'd')]);
    });

    it('says what to do where already one of them does not fit, and asks no more', async () => {
      const { exit, err: told, asked } = await follow({ runs: [part([], ['a']), part([], ['a'])] });
      expect(exit).toBe(2);
      expect(told).toContain(
        `What a returned does not fit beside what was asked into one message, which carries 7 MiB: GET /jobs/${JID}`,
      );
      expect(asked).toHaveLength(3);
    });
  });

  it('looks when it is told of a return, and asks nothing in between', async () => {
    const patient = new (class extends ScriptedIo {
      override wait(ms: number): Promise<void> {
        this.waits.push(ms);
        return new Promise(() => undefined);
      }
    })();
    let closed = 0;
    const ears: JobEars = { isGone: false, heard: () => Promise.resolve(), close: () => void (closed += 1) };
    const runs = [stored({}), stored({}), stored({ a: ['x', 0] }), stored({ a: ['x', 0], b: ['y', 0] })];
    const { exit, out, asked, waits } = await followHearing(ears, { runs }, patient);
    expect({ exit, out, closed }).toEqual({ exit: 0, out: 'a:\n    x\nb:\n    y\n', closed: 1 });
    expect(asked).toEqual(Array.from({ length: 4 }, () => 'jobs.list_job'));
    expect(waits).toEqual([1000, 1000]); // the look at who works on it, which no return of it puts off
  });

  it('looks at who works on it each five seconds when it is told of nothing', async () => {
    const runs = [stored({}), stored({}), active('b'), stored({}), active('b'), stored({ a: ['x', 0], b: ['y', 0] })];
    const { exit, waits } = await followHearing(silent, { runs }, new ScriptedIo());
    expect({ exit, waits }).toEqual({ exit: 0, waits: [1000, 5000] });
  });

  it('asks each second once the bus is gone', async () => {
    const gone: JobEars = { isGone: true, heard: () => Promise.resolve(), close: () => undefined };
    const runs = [stored({}), stored({}), active('b'), stored({}), stored({ a: ['x', 0], b: ['y', 0] })];
    const { exit, waits } = await followHearing(gone, { runs }, new ScriptedIo());
    expect({ exit, waits }).toEqual({ exit: 0, waits: [1000, 1000] });
  });

  it('ends when nobody was at work three times in a row, after another look, and names the missing', async () => {
    const looks = [active(), stored({}), active(), stored({}), active(), stored({ a: ['x', 0] })];
    const { exit, out, waits } = await followHearing(
      silent,
      { runs: [stored({}), stored({}), ...looks] },
      new ScriptedIo(),
    );
    expect({ exit, waits }).toEqual({ exit: 1, waits: [1000, 5000, 5000] });
    expect(out).toContain('a:\n    x\nb:\n    Minion did not return. [No response]\n');
  });

  it('goes on when a minion that is at work was late to say so', async () => {
    const late = [active(), stored({}), active(), stored({}), active('b'), stored({})];
    const end = [active(), stored({}), active(), stored({ a: ['x', 0], b: ['y', 0] })];
    const runs = [stored({}), stored({}), ...late, ...end];
    expect(await followHearing(silent, { runs }, new ScriptedIo())).toMatchObject({ exit: 0, err: '' });
  });

  describe('while something is not there', () => {
    const PASSING = ['acl_unavailable', 'store_unavailable', 'slow_down', 'master_unreachable', 'no_runner_available'];
    const all = stored({ a: ['x', 0], b: ['y', 0] });
    const during =
      (code: string, ...runs: readonly number[]) =>
      (run: number) =>
        runs.includes(run) ? (code as RefusalCode) : undefined;

    it.each(PASSING)('goes on, and prints the returns that come after it: %s', async (code) => {
      const script = { runs: [stored({}), stored({}), all] };
      // The look at who works, the one at the returns beside it, and the next.
      const master = new RefusingMaster(script, during(code, 2, 3, 4));
      const { exit, out, err: told } = await followOn(master, silent, new ScriptedIo());
      expect({ exit, out, told }).toEqual({ exit: 0, out: 'a:\n    x\nb:\n    y\n', told: '' });
    });

    it('looks each second, and after its time says why: 69', async () => {
      const master = new RefusingMaster({ runs: [stored({})] }, (run) =>
        run === 0 ? undefined : 'master_unreachable',
      );
      const { exit, err: told, waits } = await followOn(master, silent, new ScriptedIo(), '-t', '3');
      expect({ exit, told, waits }).toEqual({ exit: 69, told: 'Not so.\n', waits: [1000, 1000, 1000] });
    });

    it('counts no look from before it: minions may not be heard at once after it', async () => {
      const looks = [active(), stored({}), active(), stored({})];
      const script = { runs: [stored({}), stored({}), ...looks, ...looks, all] };
      const master = new RefusingMaster(script, during('master_unreachable', 6));
      expect(await followOn(master, silent, new ScriptedIo())).toMatchObject({ exit: 0, err: '' });
    });

    it.each([
      ['master_unreachable', 0, 69],
      ['not_permitted', 0, 13],
      ['not_permitted', 1, 13],
      ['not_permitted', 2, 13],
    ])(
      'ends at once where it is not there from the beginning, or refuses for good: %s, run %i',
      async (code, run, exit) => {
        const master = new RefusingMaster({ runs: [stored({}), stored({})] }, during(code, run));
        const { asked, ...told } = await followOn(master, silent, new ScriptedIo());
        expect(told).toMatchObject({ exit, err: 'Not so.\n' });
        expect(asked).toHaveLength(run + 1);
      },
    );
  });

  it('ends after its time, and says who is still running', async () => {
    const { exit, out } = await follow(
      { runs: [stored({ a: ['x', 0] }), active('b'), stored({ a: ['x', 0] })] },
      '-t',
      '0',
    );
    expect(exit).toBe(1);
    expect(out).toContain(`It is still running, jid ${JID}.`);
  });

  describe('that ends before the job does', () => {
    const runs = [stored({ a: ['x', 0] })];

    it('at Ctrl-C shows with --static what came', async () => {
      const io = new ScriptedIo();
      const pressing: JobEars = {
        ...silent,
        heard: () => {
          io.pressCtrlC();
          return new Promise(() => undefined);
        },
      };
      const { exit, out, err: told } = await followHearing(pressing, { runs }, io, '--static');
      expect({ exit, out, told }).toEqual({ exit: 130, out: 'a:\n    x\n', told: '\nThe job goes on.\n' });
    });

    it.each([
      ['an answer', ok(stored({ a: ['x', 0], b: ['y', 0] }))],
      ['its end', err(refusal('not_permitted', 'Not so.'))],
    ])('at Ctrl-C shows no more of a question that was under way: %s', async (_, late) => {
      const io = new ScriptedIo();
      const master = new LateMaster({ runs }, io);
      const { exit, out, err: told } = await followOn(master, silent, io, '--static');
      master.answer(late);
      await new Promise(setImmediate);
      const after = { out: io.stdout, told: io.stderr };
      expect({ exit, out, told }).toEqual({ exit: 130, out: 'a:\n    x\n', told: '\nThe job goes on.\n' });
      expect(after).toEqual({ out, told });
      expect(master.ran).toHaveLength(2);
    });

    it.each([1, 2])('at a refusal shows with --static what came, and takes the live line away: run %i', async (at) => {
      const io = new ScriptedIo({ tty: true });
      const master = new RefusingMaster({ runs }, (run) => {
        io.pass(1000);
        return run === at ? 'not_permitted' : undefined;
      });
      const { exit, out, err: told } = await followOn(master, silent, io, '--static', '--no-color');
      expect({ exit, out }).toEqual({ exit: 13, out: 'a:\n    x\n' });
      expect(told).toContain('\r\u001b[KNot so.\n');
    });
  });

  it('of a job that nobody knows exits 1, and of one that may not be read 13', async () => {
    const unknown = await follow({ runs: [answer({ jid: JID, Error: 'no', Result: {} })] });
    expect(unknown).toMatchObject({ exit: 1, out: '' });
    expect(unknown.err).toContain(`There is no job ${JID}`);
    const refused = await follow({ run: err(refusal('not_permitted', 'You may not.')) });
    expect(refused).toMatchObject({ exit: 13, out: '', err: 'You may not.\n' });
  });
});
