import { err, ok, refusal } from '@natrium/model';
import { ended, JID, returned, started } from '../testing/job-steps.js';
import { ScriptedIo } from '../testing/scripted-io.js';
import { type Script, ScriptedMaster } from '../testing/scripted-master.js';
import { runNatrium } from './run-natrium.js';

const NOTE =
  'The command runs without a shell, its special characters as plain text; python_shell=True runs it in one.\n';

async function natrium(argv: readonly string[], script: Script) {
  const io = new ScriptedIo();
  const exit = await runNatrium(argv, io, new ScriptedMaster(script).connect);
  return { exit, out: io.stdout, err: io.stderr };
}

const job = [started(['a', 'b']), returned('a', 'key >> /x'), returned('b', 'key >> /x'), ended()];

describe('natrium with a command that seems to be written for a shell', () => {
  it('says once that none reads it, beside what the minions return', async () => {
    const said = await natrium(['*', 'cmd.run', 'echo key >> /x', '--out=txt'], { job });
    expect(said).toEqual({ exit: 0, out: 'a: key >> /x\nb: key >> /x\n', err: NOTE });
  });

  it('says it of one among several functions, and of a job that is only started', async () => {
    expect((await natrium(['*', 'test.ping,cmd.run', ',', 'rm /tmp/x*'], { job })).err).toBe(NOTE);
    const ticket = ok({ jid: JID, minions: ['a'], missing: [] });
    expect((await natrium(['*', 'cmd.run', 'rm /tmp/x*', '--async'], { ticket })).err).toBe(NOTE);
  });

  it.each([
    ['cmd.run', 'rm /tmp/x*', 'python_shell=True'],
    ['cmd.run', 'rm /tmp/x', ''],
    ['test.echo', 'rm /tmp/x*', ''],
  ])('says nothing of %s %j %s', async (...words) => {
    expect((await natrium(['*', ...words.filter((word) => word !== '')], { job })).err).toBe('');
  });

  it('says nothing of what nobody runs', async () => {
    const nobody = await natrium(['x', 'cmd.run', 'rm /tmp/x*'], { job: [started([])] });
    expect(nobody.err).not.toContain('shell');
    const denied = refusal('not_permitted', 'account fred may not run it');
    const refused = await natrium(['*', 'cmd.run', 'rm /tmp/x*'], { job: [{ type: 'refused', refusal: denied }] });
    expect(refused.err).not.toContain('shell');
    const ticket = err(denied);
    expect((await natrium(['*', 'cmd.run', 'rm /tmp/x*', '--async'], { ticket })).err).not.toContain('shell');
  });
});
