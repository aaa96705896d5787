/**
 * Promise 14: each identity, with the credentials that it really has, tries every subject; the broker lets it have only its
 * own. What it may do and what it may not are tried on the same connection.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { jetstreamManager } from '@nats-io/jetstream';
import { connect, createInbox, headers, type NatsConnection } from '@nats-io/transport-node';
import { fp, NatsKey, sodiumReady } from '@natrium/envelope';
import { claimsIn, readCredentials, readIdentity } from '@natrium/keystore';
import { scopedUserJwt, SCOPES, type ScopeName } from '@natrium/broker-auth';
import { brokerKeysOf, loginAs, operatorLogin } from '../support/broker-operator.js';
import { NO_PEER } from '../support/examples.js';
import { useCluster } from '../support/use-cluster.js';

await sodiumReady();

const cluster = useCluster({ minions: ['a', 'b'], masterConfig: NO_PEER });

interface Identity {
  readonly name: string;
  readonly scope: ScopeName | 'system' | 'doctor';
  readonly login: () => { readonly jwt: string; readonly key: NatsKey };
}

/** Users that several have, and where those hear answers. */
const SHARED: ReadonlyMap<string, string> = new Map([
  ['join', '_INBOX_JOIN'],
  ['knock', '_INBOX_KNOCK'],
]);

/** What the broker says of one try. */
type Said = 'allowed' | 'refused';

/** A connection, and what the broker refused on it. */
class Party {
  readonly #refused = new Set<string>();

  private constructor(
    readonly connection: NatsConnection,
    readonly inbox: string,
  ) {
    void this.#listen();
  }

  static async open(url: string, { jwt, key }: ReturnType<Identity['login']>): Promise<Party> {
    const name = claimsIn(jwt)?.name ?? '';
    const inbox = SHARED.get(name) ?? `_INBOX.${name}`;
    const connection = await connect({ servers: url, authenticator: loginAs(jwt, key), inboxPrefix: inbox });
    return new Party(connection, inbox);
  }

  /** What the broker says when it is asked for each of these. */
  hears(subjects: readonly string[]): Promise<Readonly<Record<string, Said>>> {
    for (const subject of subjects) this.connection.subscribe(subject, { callback: () => undefined });
    return this.#verdicts('subscription', subjects);
  }

  sends(subjects: readonly string[], reply: string): Promise<Readonly<Record<string, Said>>> {
    for (const subject of subjects) this.connection.publish(subject, new Uint8Array(), { reply });
    return this.#verdicts('publish', subjects);
  }

  /** The broker answers in order: after its PONG there is no refusal left. */
  async #verdicts(operation: string, subjects: readonly string[]): Promise<Readonly<Record<string, Said>>> {
    await this.connection.flush();
    await new Promise((resolve) => setImmediate(resolve));
    const verdict = (subject: string) => (this.#refused.has(`${operation} ${subject}`) ? 'refused' : 'allowed');
    return Object.fromEntries(subjects.map((subject) => [subject, verdict(subject)]));
  }

  async #listen(): Promise<void> {
    for await (const status of this.connection.status()) {
      if (status.type !== 'error') continue;
      const { operation, subject } = status.error as { operation?: string; subject?: string };
      this.#refused.add(`${operation ?? ''} ${subject ?? ''}`);
    }
  }
}

const fixed = (scope: ScopeName | 'system' | 'doctor'): Identity => ({
  name: SHARED.has(scope) ? `the ${scope} user` : `the ${scope}'s user`,
  scope,
  login: () => {
    const credentials = readCredentials(brokerKeysOf(cluster().folder).credsPath(scope));
    if (credentials === undefined) throw new Error(`no credentials of ${scope}`);
    return credentials;
  },
});
const issued = (scope: 'minion' | 'account', key: () => string, jwt: () => string): Identity => ({
  name: `the ${scope}`,
  scope,
  login: () => {
    const identity = readIdentity(key());
    if (identity === undefined) throw new Error(`no key of ${scope}`);
    return { jwt: readFileSync(jwt(), 'utf8').trim(), key: NatsKey.fromSeed('user', identity.nkeySeed) };
  },
});

const pki = (...parts: readonly string[]) => join(cluster().folder, ...parts);
const minion = issued('minion', () => pki('minions/a/pki/minion.key'), () => pki('minions/a/pki/broker-user.jwt')); // prettier-ignore
const account = issued(
  'account',
  () => pki('master/pki/account.key'),
  () => pki('master/pki/account.jwt'),
);
/** As the acl-service makes it for whoever knocks. */
const guest: Identity = {
  name: 'the guest',
  scope: 'guest',
  login: () => ({ jwt: guestJwt, key: guestKey }),
};
const guestName = 'guest0of0the0test';
let guestKey: NatsKey;
let guestJwt = '';

const IDENTITIES: readonly Identity[] = [
  minion,
  account,
  guest,
  ...(['join', 'knock', 'gateway', 'acl', 'runner', 'reactor', 'sink', 'auditor', 'keeper'] as const).map(fixed),
  fixed('system'),
  fixed('doctor'),
];

const fpOf = (id: string) => fp(readIdentity(pki(`minions/${id}/pki/minion.key`))?.publicKey ?? new Uint8Array());
const accountFp = () => fp(readIdentity(pki('master/pki/account.key'))?.publicKey ?? new Uint8Array());
const nameIn = ({ login }: Identity) => claimsIn(login().jwt)?.name ?? '';

const stream = (of: string) => `${of === 'events' ? '' : 'KV_'}NT_main_${of}`;

/** Every kind of subject there is, those of each party, and the wildcards over them. */
function everySubject(): readonly string[] {
  const [a, b, root] = [fpOf('a'), fpOf('b'), accountFp()];
  const parties = [a, b].flatMap((of) =>
    ['publish', 'runner', 'event', 'return', 'return.x', 'acl.data', 'acl.renew'].map(
      (verb) => `nt.main.up.${of}.${verb}`,
    ),
  );
  const accounts = [root, guestName].flatMap((of) =>
    ['publish', 'runner', 'fetch', 'acl.admin', 'acl.auth', 'acl.guest', 'acl.renew'].map(
      (verb) => `nt.main.usr.${of}.${verb}`,
    ),
  );
  const services = [
    'acl.grant',
    'acl.auth',
    'acl.event',
    'acl.read',
    'acl.wheel',
    'gw.publish',
    'gw.read',
    'gw.fire',
    'run.run',
  ];
  const roles = ['gateway', 'acl', 'runner', 'reactor', 'sink'];
  const buckets = [
    'roster',
    'data',
    'tokens',
    'audit',
    'jobs',
    'jobs2',
    'jids',
    'events',
    'runs',
    'sinks',
    'announcements',
  ];
  return [
    ...[
      'nt.main.hello',
      'nt.main.join',
      'nt.main.events.x',
      `nt.main.job.${a}`,
      `nt.main.job.${b}`,
      ...parties,
      ...accounts,
    ],
    ...services.map((one) => `nt.main.svc.${one}`),
    ...roles.flatMap((role) => [`nt.main.dir.${role}`, `$KV.NT_main_announcements.s.${role}.x`]),
    ...buckets.flatMap((of) => [`$KV.NT_main_${of}.x`, `$JS.API.STREAM.INFO.${stream(of)}`]),
    ...buckets.flatMap((of) => [`$JS.API.STREAM.CREATE.${stream(of)}`, `$JS.API.DIRECT.GET.${stream(of)}.x`]),
    ...buckets.flatMap((of) => ['DELETE', 'PURGE', 'UPDATE'].map((verb) => `$JS.API.STREAM.${verb}.${stream(of)}`)),
    ...buckets.flatMap((of) => [`$JS.API.STREAM.MSG.DELETE.${stream(of)}`, `$JS.API.CONSUMER.CREATE.${stream(of)}.c`]),
    ...['$JS.API.INFO', '$JS.API.STREAM.LIST', '$JS.API.STREAM.NAMES', '$JS.API.STREAM.CREATE.mine'],
    ...['$SYS.REQ.CLAIMS.UPDATE', '$SYS.REQ.SERVER.PING.JSZ', '$SYS.REQ.CLAIMS.DELETE', '$SYS.REQ.CLAIMS.PACK'],
    ...['$SYS.REQ.ACCOUNT.x.CLAIMS.LOOKUP', '$SYS.REQ.ACCOUNT.PING.CONNZ', '$SYS.REQ.SERVER.x.KICK'],
    ...[...IDENTITIES.filter(({ scope }) => !SHARED.has(scope)).map(nameIn), b].map((name) => `_INBOX.${name}.x`),
    ...['_INBOX_JOIN.x', '_INBOX_KNOCK.x', '_INBOX_JS.x', 'other', 'nt.other.hello', 'nt.main.other'],
  ];
}

/** What somebody may try to hear beside single subjects. */
const WILDCARDS = [
  ...['>', '*', 'nt.>', 'nt.main.>', 'nt.main.up.>', 'nt.main.usr.>', 'nt.main.job.*', 'nt.main.job.>'],
  ...[
    '_INBOX.>',
    '_INBOX.*.>',
    '_INBOX_JOIN.>',
    '_INBOX_KNOCK.>',
    '$JS.>',
    '$JS.API.>',
    '$KV.>',
    '$SYS.>',
    '$SYS.ACCOUNT.*.CONNECT',
  ],
  ...['nt.main.dir.*', 'nt.main.svc.>', '$JS.EVENT.>', '$SYS.REQ.>'],
];

/** The table of spec/broker.md, read anew here: `*` one word, `>` the rest, `<fp>` the own name. */
function allows(patterns: readonly string[], name: string, subject: string): boolean {
  return patterns.some((pattern) => {
    const full = /^[_$]/.test(pattern) ? pattern : `nt.main.${pattern}`;
    const [own, words] = [full.replaceAll('<fp>', name).split('.'), subject.split('.')];
    return own.every((word, at) => (word === '>' ? words.length > at : at < words.length && covers(word, words[at]))) && (own.at(-1) === '>' || own.length === words.length); // prettier-ignore
  });
}

/** A wildcard that is asked for is covered only by one as wide. */
function covers(word: string, asked: string | undefined): boolean {
  return word === asked || (word === '*' && asked !== '>');
}

const SYSTEM: Readonly<Record<string, readonly string[]>> = {
  system: ['$SYS.REQ.CLAIMS.UPDATE', '$SYS.REQ.ACCOUNT.*.CLAIMS.LOOKUP'],
  doctor: ['$SYS.REQ.SERVER.PING.*', '$SYS.REQ.ACCOUNT.*.CLAIMS.LOOKUP'],
};
const READS = ['STREAM.INFO', 'STREAM.MSG.GET', 'DIRECT.GET', 'DIRECT.GET/', 'CONSUMER.CREATE/'];

/** What an identity may send, and what it may hear. */
function ownOf({ scope }: Identity): { readonly sends: readonly string[]; readonly hears: readonly string[] } {
  const found = SCOPES.find(({ name }) => name === scope);
  if (found === undefined) return { sends: SYSTEM[scope] ?? [], hears: ['_INBOX.<fp>.>'] };
  const stored = Object.entries(found.buckets).flatMap(([bucket, access]) => {
    const name = `NT_main_${bucket}`;
    const reads = READS.map((verb) => `$JS.API.${verb.replace('/', '')}.${stream(bucket)}${verb.endsWith('/') ? '.>' : ''}`); // prettier-ignore
    if (access === 'own')
      return [...reads, `$JS.API.STREAM.CREATE.${stream(bucket)}`, ...(bucket === 'events' ? [] : [`$KV.${name}.>`])];
    return access === 'part' ? [...reads, `$KV.${name}.s.${scope}.>`] : reads;
  });
  const info = stored.length === 0 ? [] : ['$JS.API.INFO'];
  return { sends: [...found.sends, ...info, ...stored], hears: found.hears };
}

beforeAll(async () => {
  // The account gets its user with its first call.
  expect((await cluster().natrium('*', 'test.ping')).code).toBe(0);
  const keys = brokerKeysOf(cluster().folder);
  guestKey = NatsKey.generate('user');
  guestJwt = await scopedUserJwt(keys.account, keys.scopeKey('guest'), { name: guestName, user: guestKey.publicKey });
});

describe.each(IDENTITIES)('(14) $name', (identity) => {
  let party: Party;
  let name: string;
  beforeAll(async () => {
    name = nameIn(identity);
    party = await Party.open(cluster().brokerUrl, identity.login());
  });
  afterAll(async () => {
    await party.connection.close();
  });

  it('hears its own subjects and no other', async () => {
    const { hears } = ownOf(identity);
    const subjects = [...everySubject(), ...WILDCARDS];
    const said = await party.hears(subjects);
    const expected = Object.fromEntries(subjects.map((one) => [one, allows(hears, name, one) ? 'allowed' : 'refused']));
    expect(said).toEqual(expected);
    expect(Object.values(said)).toContain('allowed');
  });

  it('sends on its own subjects and no other, and what is refused reaches nobody', async () => {
    const { sends } = ownOf(identity);
    const authenticator = await operatorLogin(cluster().folder);
    const tap = await connect({
      servers: cluster().brokerUrl,
      ...(authenticator === undefined ? {} : { authenticator }),
    });
    const own = party.connection.info?.client_id ?? 0;
    const mark = `${own}-${createInbox().slice(-8)}`;
    const heard = new Set<string>();
    tap.subscribe('>', { callback: (_, { subject, reply }) => { if (reply === mark) heard.add(subject); } }); // prettier-ignore
    await tap.flush();
    const subjects = everySubject().filter((one) => !(CHANGES.test(one) && allows(sends, name, one)));
    const said = await party.sends(subjects, mark);
    await tap.flush();
    await tap.close();
    expect(said).toEqual(Object.fromEntries(subjects.map((one) => [one, allows(sends, name, one) ? 'allowed' : 'refused']))); // prettier-ignore
    for (const [subject, verdict] of Object.entries(said))
      if (verdict === 'refused') expect([...heard]).not.toContain(subject);
    // Each allow has reached somebody, where one account may hear the other.
    const isInAccount = identity.scope !== 'system' && identity.scope !== 'doctor';
    if (isInAccount)
      for (const [subject, verdict] of Object.entries(said))
        if (verdict === 'allowed' && subject.startsWith('nt.')) expect([...heard]).toContain(subject);
  });
});

/** Not tried by those who may: they would spoil the cluster for the others. */
const CHANGES =
  /^\$SYS\.REQ\.CLAIMS\.UPDATE$|^nt\.main\.events\.x$|^\$KV\.NT_main_(roster|audit|jobs2?|jids|data|runs|sinks|tokens)\.x$|SERVER\.PING/;

it('(14) a minion answers a question once, and not twice; who was not asked not at all', async () => {
  const authenticator = await operatorLogin(cluster().folder);
  const asker = await connect({
    servers: cluster().brokerUrl,
    ...(authenticator === undefined ? {} : { authenticator }),
  });
  const party = await Party.open(cluster().brokerUrl, minion.login());
  try {
    const heard: string[] = [];
    asker.subscribe('_INBOX.somebody.>', { callback: (_, { data }) => { heard.push(Buffer.from(data).toString()); } }); // prettier-ignore
    const asked = new Promise<string>((resolve) => {
      party.connection.subscribe(`nt.main.job.${fpOf('a')}`, { callback: (_, { reply }) => { resolve(reply ?? ''); } }); // prettier-ignore
    });
    await Promise.all([asker.flush(), party.connection.flush()]);
    asker.publish(`nt.main.job.${fpOf('a')}`, new Uint8Array(), { reply: '_INBOX.somebody.1' });
    const reply = await asked;
    for (const answer of ['first', 'second']) party.connection.publish(reply, Buffer.from(answer));
    party.connection.publish('_INBOX.somebody.2', Buffer.from('unasked'));
    await party.connection.flush();
    await asker.flush();
    // The real agent has answered too, without bytes: it opened nothing.
    expect(heard.filter((one) => one !== '')).toEqual(['first']);
  } finally {
    await Promise.all([asker.close(), party.connection.close()]);
  }
});

it('(14) who may write a part of a store writes that, and erases nothing of the others', async () => {
  const authenticator = await operatorLogin(cluster().folder);
  const reader = await connect({
    servers: cluster().brokerUrl,
    ...(authenticator === undefined ? {} : { authenticator }),
  });
  const party = await Party.open(cluster().brokerUrl, fixed('reactor').login());
  try {
    const { streams } = await jetstreamManager(reader);
    const keys = async () => {
      const { state } = await streams.info('KV_NT_main_announcements', { subjects_filter: '>' });
      return Object.keys(state.subjects ?? {});
    };
    const own = '$KV.NT_main_announcements.s.reactor.part';
    const write = async (how: Record<string, string>) => {
      const beside = headers();
      for (const [name, value] of Object.entries(how)) beside.set(name, value);
      return (await party.connection.request(own, 'x', { headers: beside, timeout: 5000 })).json();
    };
    const before = await keys();
    expect(before.length).toBeGreaterThan(1);
    expect(await write({ 'Nats-Rollup': 'all' })).toMatchObject({ error: { description: 'rollup not permitted' } });
    expect(await keys()).toEqual(before);
    expect(await write({})).toMatchObject({ stream: 'KV_NT_main_announcements' });
    expect((await keys()).toSorted()).toEqual([...before, own].toSorted());
  } finally {
    await Promise.all([reader.close(), party.connection.close()]);
  }
});

/** What the broker says to somebody who does this. */
async function saidTo(who: Identity, act: (connection: NatsConnection) => void): Promise<readonly string[]> {
  const { jwt, key } = who.login();
  const authenticator = loginAs(jwt, key);
  const connection = await connect({ servers: cluster().brokerUrl, reconnect: false, authenticator });
  const said: string[] = [];
  const listening = (async () => {
    for await (const status of connection.status()) if (status.type === 'error') said.push(status.error.message);
  })();
  act(connection);
  const lost = await Promise.race([connection.flush(), connection.closed()]);
  if (lost instanceof Error) said.push(lost.message);
  await connection.close();
  await listening;
  return said;
}

it.each([minion, account, guest])('(14) $name listens on 64 subjects at once, and on no more', async (who) => {
  const inbox = `_INBOX.${claimsIn(who.login().jwt)?.name ?? ''}`;
  const listenOn = (count: number) => (connection: NatsConnection) => {
    for (let n = 0; n < count; n += 1) connection.subscribe(`${inbox}.${String(n)}`);
  };
  expect(await saidTo(who, listenOn(64))).toEqual([]);
  expect(await saidTo(who, listenOn(65))).toContainEqual(expect.stringMatching(/maximum subscriptions exceeded/i));
});

describe.each<ScopeName>(['join', 'knock'])('(14) of the strangers who share the %s user', (scope) => {
  it('one listens on 16 subjects at once, and on no more', async () => {
    const listenOn = (count: number) => (connection: NatsConnection) => {
      for (let n = 0; n < count; n += 1) connection.subscribe(`${SHARED.get(scope) ?? ''}.${String(n)}`);
    };
    expect(await saidTo(fixed(scope), listenOn(16))).toEqual([]);
    expect(await saidTo(fixed(scope), listenOn(17))).toContainEqual(
      expect.stringMatching(/maximum subscriptions exceeded/i),
    );
  });

  it('one sends 65,536 bytes in a message, and no more', async () => {
    const send = (size: number) => (connection: NatsConnection) => {
      Object.assign(connection.info ?? {}, { max_payload: Infinity }); // the client would keep to the broker's word itself
      connection.publish('nt.main.hello', new Uint8Array(size));
    };
    expect(await saidTo(fixed(scope), send(65_536))).toEqual([]);
    expect(await saidTo(fixed(scope), send(65_537))).toContainEqual(
      expect.stringMatching(/maximum payload violation/i),
    );
  });
});

it('(14) nobody comes in without a user', async () => {
  await expect(connect({ servers: cluster().brokerUrl, reconnect: false })).rejects.toThrow(/authorization/i);
});

it('(14) a user of a scope cannot be made with another scope’s key, nor with permissions of its own', async () => {
  const keys = brokerKeysOf(cluster().folder);
  const key = NatsKey.generate('user');
  const { encodeUser } = await import('@nats-io/jwt');
  const scope = keys.scopeKey('minion');
  const jwt = await encodeUser(
    'thief',
    key.name,
    keys.account,
    { sub: { allow: ['>'] }, pub: { allow: ['>'] } },
    { signer: Buffer.from(scope.seedText) },
  );
  await expect(
    connect({ servers: cluster().brokerUrl, reconnect: false, authenticator: loginAs(jwt, key) }),
  ).rejects.toThrow(/authorization/i);
});
