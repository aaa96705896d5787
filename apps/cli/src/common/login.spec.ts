import { userInfo } from 'node:os';
import { ok } from '@natrium/model';
import { runNatrium } from '../natrium/run-natrium.js';
import { runNatriumRun } from '../natrium-run/run-run.js';
import { ended, returned, started } from '../testing/job-steps.js';
import { ScriptedIo } from '../testing/scripted-io.js';
import { ScriptedMaster } from '../testing/scripted-master.js';

const CANARY = 'canary-cli-22d7';
const TOKEN = 'ab'.repeat(32);
const PING = ['web1', 'test.ping'];

interface How {
  readonly answers?: readonly string[];
  readonly token?: string;
  readonly command?: typeof runNatrium;
}

async function natrium(argv: readonly string[], { answers = [], token, command = runNatrium }: How = {}) {
  const io = new ScriptedIo({ answers });
  io.token = token;
  const run = ok({ jid: '1', ret: true, retcode: 0, success: true });
  const master = new ScriptedMaster({ run, job: [started(['web1']), returned('web1', true), ended()] });
  const exit = await command(argv, io, master.connect);
  const [connected] = master.connected;
  return { exit, io, login: connected?.login, times: master.connected.length };
}

describe('-a', () => {
  it('asks for what is missing, the password last', async () => {
    const { exit, io, login } = await natrium(['-a', 'ldap', ...PING], { answers: ['fred', CANARY] });
    expect({ exit, asked: io.asked }).toEqual({ exit: 0, asked: ['username: ', 'password: '] });
    expect(login).toEqual({ eauth: 'ldap', username: 'fred', secret: CANARY });
    expect(io.stdout + io.stderr).not.toContain(CANARY);
  });

  it.each([
    [[], ['', CANARY]],
    [['--username', ''], [CANARY]],
  ])('takes an empty name for the account that asks: %j, then %j', async (flags, answers) => {
    const { exit, login } = await natrium(['-a', 'pam', ...flags, ...PING], { answers });
    expect({ exit, login }).toEqual({
      exit: 0,
      login: { eauth: 'pam', username: userInfo().username, secret: CANARY },
    });
  });

  it.each(['-a', '--auth', '--eauth', '--external-auth'])('is also spelled %s', async (flag) => {
    const { login } = await natrium([flag, 'pam', '--username', 'fred', ...PING], { answers: [CANARY] });
    expect(login).toMatchObject({ eauth: 'pam', username: 'fred' });
  });

  it('takes a password from the command line, and out of the list of processes', async () => {
    const { io, login } = await natrium(['-a', 'pam', '--username', 'fred', '--password', CANARY, ...PING]);
    expect({ hidden: io.hidden, asked: io.asked }).toEqual({ hidden: 1, asked: [] });
    expect(login).toMatchObject({ secret: CANARY });
  });

  it('is for natrium-run too', async () => {
    const how = { answers: ['fred', CANARY], command: runNatriumRun };
    expect((await natrium(['-a', 'ldap', 'manage.up'], how)).login).toEqual({
      eauth: 'ldap',
      username: 'fred',
      secret: CANARY,
    });
  });

  it.each([[[]], [['fred']], [['fred', '']], [['']], [['', '']]])(
    'connects to nobody when only %j is answered',
    async (answers) => {
      const { exit, times } = await natrium(['-a', 'ldap', ...PING], { answers });
      expect({ exit, times }).toEqual({ exit: 13, times: 0 });
    },
  );

  it.each([
    ['username', []],
    ['password', ['--username', 'fred']],
  ])('connects to nobody after Ctrl-C at the %s, and exits 130', async (what, flags) => {
    const io = new ScriptedIo();
    io.prompt = (question) => {
      io.asked.push(question);
      return Promise.resolve().then(() => {
        io.pressCtrlC();
        return undefined;
      });
    };
    const master = new ScriptedMaster();
    const exit = await runNatrium(['-a', 'ldap', ...flags, ...PING], io, master.connect);
    expect({ exit, asked: io.asked, times: master.connected.length }).toEqual({
      exit: 130,
      asked: [`${what}: `],
      times: 0,
    });
    expect(io.stderr).toBe('Exiting gracefully on Ctrl-c\n');
  });

  it.each([[[]], [['-a', '']], [['--eauth=']]])('without it, or with %j, nobody logs in', async (flags) => {
    const { exit, login, io } = await natrium([...flags, ...PING], { token: TOKEN });
    expect({ exit, login, asked: io.asked }).toEqual({ exit: 0, login: undefined, asked: [] });
  });
});

describe('the other options', () => {
  it.each([['-T'], ['-a', '', '-T'], ['--username', 'fred'], ['--password', CANARY]])(
    '%s means nothing without -a',
    async (...flags) => {
      const { exit, io, times } = await natrium([...flags, ...PING]);
      expect({ exit, times }).toEqual({ exit: 2, times: 0 });
      expect(io.stderr).toContain('name the back end with -a');
      expect(io.stderr).not.toContain(CANARY);
    },
  );
});

describe('a token that was kept', () => {
  it('is what -a alone uses', async () => {
    const { login, io } = await natrium(['-a', 'ldap', ...PING], { token: TOKEN });
    expect({ login, asked: io.asked }).toEqual({ login: { eauth: 'ldap', token: TOKEN }, asked: [] });
  });

  it('is left where it is when a name is given', async () => {
    const { login } = await natrium(['-a', 'ldap', '--username', 'x', ...PING], { token: TOKEN, answers: [CANARY] });
    expect(login).toMatchObject({ username: 'x' });
  });

  it('is replaced by -T', async () => {
    const { login, io } = await natrium(['-T', '-a', 'ldap', ...PING], { token: TOKEN, answers: ['fred', CANARY] });
    const isTaken = login !== undefined && 'keep' in login;
    if (!isTaken) throw new Error('nothing takes the token');
    login.keep('cd'.repeat(32));
    expect(io.token).toBe('cd'.repeat(32));
  });

  it('is not kept where its file cannot be written: that is said, and the job runs', async () => {
    const { exit, login, io } = await natrium(['-T', '-a', 'ldap', ...PING], { answers: ['fred', CANARY] });
    io.tokenFile.write = () => {
      throw new Error('EROFS: read-only file system');
    };
    const isKept = login !== undefined && 'keep' in login ? login.keep(TOKEN) : undefined;
    expect({ exit, isKept }).toEqual({ exit: 0, isKept: false });
    expect(io.stderr).toBe(
      'the token was not kept in ~/.natrium_token (EROFS: read-only file system); it ends with this command\n',
    );
  });
});
