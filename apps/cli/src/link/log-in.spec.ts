/** Rules of the end of a login's token. */
import type { Link, LoginAsk, MasterClient } from '@natrium/client';
import { ok } from '@natrium/model';
import { logIn } from './log-in.js';

const TOKEN = 'ab'.repeat(32);
const LINK = {
  bus: {},
  identity: { signing: {} },
  own: { fp: 'f' },
  subjects: { usr: () => '', usrAcl: () => '' },
} as unknown as Link;

async function endedAfter(keep?: (token: string) => boolean): Promise<readonly string[]> {
  const asked: LoginAsk[] = [];
  const auth = (ask: LoginAsk) => {
    asked.push(ask);
    return Promise.resolve(ok({ token: TOKEN }));
  };
  const login = { eauth: 'ldap', username: 'fred', secret: 'x', ...(keep === undefined ? {} : { keep }) };
  const session = await logIn(login, { auth } as unknown as MasterClient, LINK);
  if (!session.ok) throw new Error(session.error.sentence);
  await session.value.logout();
  return asked.filter(({ what }) => what === 'logout').map(({ token = '' }) => token);
}

it('a token ends with the command, unless it is kept', async () => {
  expect(await endedAfter()).toEqual([TOKEN]);
  expect(await endedAfter(() => true)).toEqual([]);
});

it('a token that could not be kept ends with the command', async () => {
  expect(await endedAfter(() => false)).toEqual([TOKEN]);
});
