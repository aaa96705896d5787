/** Rules of hello: answers go to inboxes alone; strangers share a budget, under whatever name they ask, and keep nobody of the cluster waiting. */
import type { RoleLink } from '@natrium/edge';
import { clusterOf, encode, randomBytes, SigningKey, sodiumReady, type Wire } from '@natrium/envelope';
import type { KeyRecord } from '@natrium/flow';
import { contracts, writeAs } from '@natrium/wire';
import { answeringHello, HelloBudget } from './hello-service.js';

const KNOWN = { web1: 'minion', web2: 'minion', joe: 'account', 'runner-abc': 'service' } as const;
const aBudget = () =>
  new HelloBudget((name) => (Object.hasOwn(KNOWN, name) ? KNOWN[name as keyof typeof KNOWN] : undefined), {
    rate: 1,
    burst: 3,
  });

/** How many of so many are answered. */
const answered = (budget: HelloBudget, count: number, inbox: (n: number) => string) =>
  Array.from({ length: count }, (_, n) => budget.take(inbox(n), 0)).filter(Boolean).length;

it.each([
  ['one name', () => '_INBOX_JOIN.stranger.1'],
  ['ever new names', (n: number) => `_INBOX_JOIN.s${String(n)}.1`],
  ['inboxes of others', (n: number) => `_INBOX.s${String(n)}.1`],
  ['who knocks', (n: number) => `_INBOX_KNOCK.s${String(n)}.1`],
])('strangers are answered no more often than one caller, asking by %s', (_about, inbox) => {
  const budget = aBudget();
  expect(answered(budget, 100, inbox)).toBe(3);
  expect(answered(budget, 100, (n) => `_INBOX_JOIN.other${String(n)}`)).toBe(0);
});

it('whoever is of the cluster is answered while strangers are not, at the newcomers’ door too', () => {
  const budget = aBudget();
  answered(budget, 100, (n) => `_INBOX_JOIN.s${String(n)}`);
  for (const inbox of ['_INBOX_JOIN.web1.1', '_INBOX.web2.1', '_INBOX.joe.1', '_INBOX.runner-abc.1'])
    expect(budget.take(inbox, 0)).toBe(true);
});

it('a name that somebody else asks under is answered so many times and no more, and hinders no other', () => {
  const budget = aBudget();
  expect(answered(budget, 100, () => '_INBOX.web1.1')).toBe(20);
  expect(answered(budget, 100, () => '_INBOX.joe.1')).toBe(3);
  expect(budget.take('_INBOX.web2.1', 0)).toBe(true);
});

it('a stranger is answered again after a while', () => {
  const budget = aBudget();
  answered(budget, 100, () => '_INBOX_JOIN.s');
  expect([budget.take('_INBOX_JOIN.s', 900), budget.take('_INBOX_JOIN.s', 1100)]).toEqual([false, true]);
});

/** An acl-service that hears hello and nothing else. @returns How many questions it answers: under a name, or with a place for the answer. */
async function anAcl(users: { readonly isFixedName: (name: string) => boolean } | undefined) {
  await sodiumReady();
  const key = SigningKey.generate();
  const answers: string[] = [];
  let hear: (message: { readonly payload: Uint8Array; readonly reply: string }) => void = () => undefined;
  const link = {
    transport: {
      subscribe: (_subject: string, handler: typeof hear) => {
        hear = handler;
        return { close: () => Promise.resolve() };
      },
      publish: (subject: string) => answers.push(subject),
    },
    subjects: { hello: 'nt.main.hello' },
    roles: {
      chain: [key.publicKey, [{ bytes: randomBytes(9), signature: randomBytes(64) }]],
      cluster: clusterOf(key.publicKey),
    },
    directory: { services: () => [] },
    clock: { own: () => 0, now: () => 1_795_000_000_000 },
    keys: { roleKey: () => key },
  } as unknown as RoleLink;
  const byFp = (name: string) =>
    ({ web1: { state: 'accepted', kind: 'minion' }, gone: { state: 'deleted', kind: 'minion' } })[name] as
      KeyRecord | undefined;
  answeringHello(link, { roster: { byFp }, users, limits: { rate: 1, burst: 3 }, onStop: () => undefined })();
  const question = { version: 1, word: 'hello', nonce: randomBytes(32) } as const;
  const payload = encode(writeAs(contracts.helloQuestion, question) as Wire);
  const answersAt = (reply: string, count = 1) => {
    answers.length = 0;
    for (let n = 0; n < count; n += 1) hear({ payload, reply });
    return answers.length;
  };
  return { answersAt, asks: (name: string, count: number) => answersAt(`_INBOX_JOIN.${name}.1`, count) };
}

it('an acl-service knows its services and accepted keys; all others are strangers, who are not answered beyond their budget', async () => {
  const { asks } = await anAcl({ isFixedName: (name) => name === 'runner-abc' });
  expect([asks('stranger', 10), asks('gone', 10), asks('other', 10)]).toEqual([3, 0, 0]);
  expect([asks('web1', 10), asks('runner-abc', 2)]).toEqual([10, 2]);
});

it('where the broker asks nobody who comes, everybody is answered', async () => {
  expect((await anAcl(undefined)).asks('stranger', 100)).toBe(100);
});

it('an answer goes to an inbox and nowhere else: nobody has an acl-service write into a store, or speak to somebody', async () => {
  const { answersAt } = await anAcl(undefined);
  for (const place of ['$KV.roster.k', '$JS.API.STREAM.PURGE.x', 'nt.main.svc.acl.grant', '_INBOX', '_INBOXES.x', ''])
    expect(answersAt(place)).toBe(0);
  expect(answersAt('_INBOX.x')).toBe(1);
});
