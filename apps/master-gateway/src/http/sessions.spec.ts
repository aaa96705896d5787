/** Who asks about a session, and how often. */
import { sodiumReady } from '@natrium/envelope';
import { Budget } from '@natrium/flow';
import type { RoleLink } from '@natrium/edge';
import { Sessions } from './sessions.js';

const FROM = { address: '192.0.2.7', about: 'r1' };
const ELSEWHERE = { ...FROM, address: '192.0.2.8' };
const GOOD = 'a'.repeat(40);
const MOST = 3;
const tried = (n: number) => n.toString(16).padStart(40, '0');

beforeAll(sodiumReady);

/** An acl-service that knows one token, and a gateway where each caller has so many requests. */
function aGateway() {
  const asked: string[] = [];
  const ask = ({ body: { credential } }: { readonly body: { readonly credential: { readonly token: string } } }) => {
    asked.push(credential.token);
    const refusal = credential.token === GOOD ? null : { code: 'bad_credential', sentence: 'no' };
    const session = refusal === null ? { name: 'fred' } : null;
    return Promise.resolve({ ok: true, value: { body: { refusal, token: credential.token, session } } });
  };
  const budget = new Budget({ rate: 1, burst: MOST });
  const allowance = { take: (who: string) => budget.take(who, 0), isSpent: (who: string) => budget.isSpent(who, 0) };
  const link = { bus: { ask }, subjects: { svcAcl: () => '' }, directory: { role: () => [] } } as unknown as RoleLink;
  return { asked, sessions: new Sessions(link, allowance) };
}

it('an address that tries too many tokens is told so, and nobody is asked; another address is heard', async () => {
  const { asked, sessions } = aGateway();
  for (let n = 0; n < MOST; n += 1) await expect(sessions.check(tried(n), FROM)).rejects.toMatchObject({ status: 401 });
  await expect(sessions.check(tried(MOST), FROM)).rejects.toMatchObject({ status: 503 });
  expect(asked).toHaveLength(MOST);
  await expect(sessions.check(tried(MOST), ELSEWHERE)).rejects.toMatchObject({ status: 401 });
});

it('a session that lives is none of that, however many come from its address by a proxy; it has a budget of its own', async () => {
  const { asked, sessions } = aGateway();
  await sessions.check(GOOD, FROM);
  for (let n = 0; n <= MOST; n += 1) await sessions.check(tried(n), FROM).catch(() => undefined);
  const before = asked.length;
  for (let n = 0; n < MOST; n += 1) expect(await sessions.check(GOOD, FROM)).toEqual({ name: 'fred' });
  await expect(sessions.check(GOOD, FROM)).rejects.toMatchObject({ status: 503 });
  expect(asked.length - before).toBe(MOST);
});

it('what the gateway looks at by itself is not counted', async () => {
  const { sessions } = aGateway();
  for (let n = 0; n <= 2 * MOST; n += 1) expect(await sessions.check(GOOD, FROM, false)).toEqual({ name: 'fred' });
});

it('who needs no session is counted by his address', () => {
  const { sessions } = aGateway();
  for (let n = 0; n < MOST; n += 1) sessions.count(FROM);
  expect(() => {
    sessions.count(FROM);
  }).toThrow('too many requests');
  sessions.count(ELSEWHERE);
});
