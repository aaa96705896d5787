/** Who asks about a session, and how often. */
import type { RoleLink } from '@natrium/edge';
import { Sessions } from './sessions.js';

const FROM = { address: '192.0.2.7', about: 'r1' };
const TOKEN = 'a'.repeat(40);

/** An acl-service that knows every token. */
function known(affords: (caller: string) => boolean) {
  const asked: unknown[] = [];
  const ask = (question: unknown) => {
    asked.push(question);
    return Promise.resolve({ ok: true, value: { body: { refusal: null, token: TOKEN, session: { name: 'fred' } } } });
  };
  const link = { bus: { ask }, subjects: { svcAcl: () => '' }, directory: { role: () => [] } } as unknown as RoleLink;
  return { asked, sessions: new Sessions(link, affords) };
}

it('an address that asks too much is told so, and nobody is asked', async () => {
  const { asked, sessions } = known((caller) => caller !== 'address 192.0.2.7');
  await expect(sessions.check(TOKEN, FROM)).rejects.toMatchObject({ status: 503 });
  expect(asked).toEqual([]);
  await sessions.check(TOKEN, { ...FROM, address: '192.0.2.8' });
  expect(asked).toHaveLength(1);
});

it('what the gateway looks at by itself is not counted', async () => {
  const { asked, sessions } = known(() => false);
  expect(await sessions.check(TOKEN, FROM, false)).toEqual({ name: 'fred' });
  expect(asked).toHaveLength(1);
});
