import { err, refusal, type ValueMap } from '@natrium/model';
import type { CtlPorts, RunAnswer } from '../ports.js';
import { ScriptedIo } from '../testing/scripted-io.js';
import { type Script, ScriptedMaster } from '../testing/scripted-master.js';
import { runNatriumctl } from './run-ctl.js';

const JID = '20261120112404639750';
const no = () => Promise.resolve(70);

async function follow(script: Script, ...more: readonly string[]) {
  const io = new ScriptedIo();
  const master = new ScriptedMaster(script);
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
  };
  const exit = await runNatriumctl(['job', 'follow', JID, ...more], io, ports);
  return {
    exit,
    out: io.stdout,
    err: io.stderr,
    waits: io.waits,
    asked: master.ran.map(({ fun }) => fun),
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

describe('natriumctl job follow', () => {
  it('prints what came, and ends at once when all have returned', async () => {
    expect(await follow({ runs: [stored({ a: ['x', 0], b: ['y', 0] })] })).toEqual({
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

  it('ends when nobody works on it any more, after another look, and names the missing', async () => {
    const { exit, out, waits } = await follow({ runs: [stored({}), stored({}), active(), stored({ a: ['x', 0] })] });
    expect({ exit, waits }).toEqual({ exit: 1, waits: [1000] });
    expect(out).toContain('a:\n    x\nb:\n    Minion did not return. [No response]\n');
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

  it('of a job that nobody knows exits 1, and of one that may not be read 13', async () => {
    const unknown = await follow({ runs: [answer({ jid: JID, Error: 'no', Result: {} })] });
    expect(unknown).toMatchObject({ exit: 1, out: '' });
    expect(unknown.err).toContain(`There is no job ${JID}`);
    const refused = await follow({ run: err(refusal('not_permitted', 'You may not.')) });
    expect(refused).toMatchObject({ exit: 13, out: '', err: 'You may not.\n' });
  });
});
