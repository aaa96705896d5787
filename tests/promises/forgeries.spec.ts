/** Promises 2, 3, 5 to 9 and 13 where `tests/hostile` does not hold them already; each attack with the twin that runs. */
import { readChain, ROLES_DOCUMENTS, Roles, Sealer, writeChain } from '@natrium/bus';
import {
  announce,
  encode,
  fp,
  type KnownParty,
  PairKeys,
  PairRefused,
  randomBytes,
  readData,
  readGrant,
  readRoster,
  readTime,
  type Signed,
  signData,
  SigningKey,
  signRoles,
  signRoster,
  signTime,
  toHex,
  verifyRolesChain,
  type Wire,
} from '@natrium/envelope';
import { readKeyFile } from '@natrium/keystore';
import { PATIENCE_MS, seeded, until, withOneByteEdited } from '@natrium/testing';
import { type JobOrder, placeOf, type TestMinion } from '@natrium/testing/cluster';
import { type Contract, contracts, records, routes, writeAs } from '@natrium/wire';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { Tap } from '../support/tap.js';
import { expectNothingRan, World } from '../hostile/world.js';

let world: World;

beforeAll(async () => {
  world = await World.start();
});
afterAll(() => world.stop());

const NOT_ANSWER = (re: Uint8Array | null) => re === null;
const ALL_KINDS = new Map<string, Contract>(contracts.contracts.map((one) => [one.kind, one]));

/** What somebody who holds everything that a minion holds in memory reads in a message, wherever it came along. */
function readBy(minion: TestMinion, bytes: Uint8Array, subject: string): string {
  const { own, directory, roles, clock } = minion.link;
  const sealer = new Sealer(own, directory, roles, clock);
  const opened = sealer.open(bytes, { subject, contracts: ALL_KINDS, expects: () => true });
  return opened.ok ? opened.value.kind : opened.error;
}

async function expectRuns(order: JobOrder): Promise<void> {
  expect(await world.gateway.sends(world.web1, order)).toMatchObject({ heard: 'done' });
}

describe('promise 2: minion B with its keys and all that was ever sent', () => {
  it('opens nothing of A’s; the same job to B opens', async () => {
    const tap = await Tap.open(world.cluster.broker.url);
    const mark = world.mark();
    const order = await world.gateway.granted(await world.asked(world.marking(mark)));
    await expectRuns(order);
    const toA = await tap.take();
    expect(toA.some(({ subject }) => subject.includes(world.web1.fp))).toBe(true);
    const verdicts = toA.map(({ subject, payload }) => readBy(world.web2, payload, subject));
    expect(verdicts.filter((verdict) => ALL_KINDS.has(verdict) && verdict !== 'stale_key')).toEqual([]);
    const toB = await world.gateway.granted(world.signed(world.marking(mark, { tgt: world.web2.id })));
    await world.gateway.sends(world.web2, toB);
    const twin = (await tap.take()).map(({ subject, payload }) => readBy(world.web2, payload, subject));
    expect(twin).toContain('job');
    await tap.close();
  });
});

/** Every key of the cluster by name, and what only one of them may sign. */
function keys(): Readonly<Record<string, SigningKey>> {
  const { keys: master, account } = world.cluster;
  return {
    'a minion': world.web2.link.identity.signing,
    'an account': account.signing,
    gateway: master.roleKey('gateway'),
    runner: master.roleKey('runner'),
    reactor: master.roleKey('reactor'),
    sink: master.roleKey('sink'),
    acl: master.roleKey('acl'),
    root: SigningKey.fromSeed(readKeyFile(join(master.folder, 'root.key')) ?? new Uint8Array(32)),
  };
}

describe('promise 3: a key signs what it is for and nothing else', () => {
  const nonce = new Uint8Array(32);

  function accepted(sign: (key: SigningKey) => boolean): readonly string[] {
    return Object.entries(keys()).flatMap(([name, key]) => (sign(key) ? [name] : []));
  }

  it('grants, roster records and the time: the acl-service only', () => {
    const { roles, clock } = world.web1.link;
    const { cluster } = roles;
    const acl = roles.keysOf('acl');
    const { request } = world.signed(world.marking(world.mark()));
    const { publicKey: identity, nkeyPublic: nkey } = world.web2.link.identity;
    const record = { kind: 'minion', name: 'x', identity, nkey, state: 'accepted', revision: 1 } as const;
    const grants = accepted((key) => {
      const { grant } = world.grant(request, [world.web1]);
      const signature = key.sign('grant-job', cluster, grant.bytes);
      return readGrant({ bytes: grant.bytes, signature }, cluster, acl, 'job', clock.now(), clock.skewMs).ok;
    });
    const rosters = accepted((key) => readRoster(signRoster(key, cluster, record), cluster, acl).ok);
    const times = accepted((key) => readTime(signTime(key, cluster, nonce, 1), cluster, acl, nonce).ok);
    expect([grants, rosters, times]).toEqual([['acl'], ['acl'], ['acl']]);
  });

  it('the roles document: the root only', () => {
    const { roles } = world.web1.link;
    const [firstRoot, documents] = roles.chain;
    const next = { ...roles.document, serial: roles.document.serial + 1 };
    const taken = accepted((key) => {
      const chain = [firstRoot, [...documents, signRoles(key, roles.cluster, next)]] as const;
      return verifyRolesChain(chain, { firstRoot }, 0).ok;
    });
    expect(taken).toEqual(['root']);
  });

  it.each(['gateway', 'acl', 'runner', 'reactor', 'sink'] as const)('announcements of %s: that role only', (role) => {
    const { roles, clock, own } = world.web1.link;
    const words = { use: 'service', epochKey: own.keyring.current.publicKey, rolesSerial: 1 } as const;
    const span = { notBefore: world.now, notAfter: world.now + 60_000 };
    const taken = accepted((key) => {
      const owner = { type: 'role', role, instance: 'x', key: key.publicKey } as const;
      return roles.read(announce(key, roles.cluster, { ...words, ...span, owner }), clock.now(), clock.skewMs).ok;
    });
    expect(taken).toEqual([role]);
  });

  it('what a minion says of itself: that minion only, also through the acl-service', async () => {
    const { link } = world.web2;
    const { cluster } = link.roles;
    const document = { number: world.now + 1000, grains: { role: 'forged' } };
    const taken = accepted((key) => readData(signData(key, cluster, document), cluster, world.web2.key, 0).ok);
    expect(taken).toEqual(['a minion']);
    const says = (key: SigningKey, announcement: Signed, waitMs = 300) =>
      link.bus.ask(
        {
          contract: contracts.data,
          body: { data: signData(key, cluster, document), announcement },
          subject: link.subjects.upAcl(link.own.fp, 'data'),
          to: () => link.services('acl'),
        },
        contracts.pillar,
        waitMs,
      );
    const own = link.identity.signing;
    expect(await says(world.web1.link.identity.signing, link.own.announced)).toMatchObject({ ok: false });
    expect(await says(own, world.web1.link.own.announced)).toMatchObject({ ok: false });
    expect(await says(own, link.own.announced, PATIENCE_MS)).toMatchObject({ ok: true });
  });
});

describe('promise 5: what a party has sent itself', () => {
  it('is not opened by it on any subject; by whom it was sealed to, it is', () => {
    const { bus, own, clock, roles, directory } = world.gateway.link;
    const second = world.gateway.party('gateway');
    const read = roles.read(second.announced, clock.now(), clock.skewMs);
    if (!read.ok) throw new Error(read.error);
    const bytes = world.gateway.seal(contracts.presence, { jids: [] }, read.value);
    for (const { at } of Object.values(routes)) {
      const subject = `nt.main.${at.replace('*', own.fp)}`;
      const opened = bus.sealer.open(bytes, { subject, contracts: ALL_KINDS, expects: NOT_ANSWER });
      expect(opened).toMatchObject({ ok: false, error: 'stale_key' });
    }
    const twin = new Sealer(second, directory, roles, clock);
    const opening = { subject: 'nt.main.svc.gw.here.x', contracts: ALL_KINDS, expects: NOT_ANSWER };
    expect(twin.open(bytes, opening)).toMatchObject({ ok: true });
  });

  it('cannot even be sealed to itself: equal keys make no pair', () => {
    const { own, clock, roles } = world.gateway.link;
    const me = roles.read(own.announced, clock.now(), clock.skewMs);
    if (!me.ok) throw new Error(me.error);
    const { epochKey } = me.value;
    expect(() => world.gateway.seal(contracts.presence, { jids: [] }, me.value)).toThrow(PairRefused);
    expect(() => new PairKeys().rxFrom(own.keyring.current, epochKey)).toThrow(PairRefused);
  });

  it('does not come back to a minion as a job or an answer', async () => {
    const tap = await Tap.open(world.cluster.broker.url);
    const mark = world.mark();
    const { heard, stop } = await world.asking(world.marking(mark));
    const [sent] = (await tap.take()).filter(({ subject }) => subject.endsWith('.publish'));
    if (sent === undefined) throw new Error('the question was not heard');
    // Whether it knows its own key id or not, it takes nothing from itself.
    expect(['kind', 'unknown_sender']).toContain((await world.gateway.deliver(world.web1, sent.payload)).code);
    world.gateway.link.transport.publish(heard.opened.reply ?? '', sent.payload);
    expect(['kind', 'unknown_sender']).toContain(await world.web1.log.turnedAway.next());
    stop();
    await tap.close();
    await expectNothingRan(world, world.web1, heard, mark);
    await expectRuns(await world.gateway.granted(heard));
    expect(mark.count()).toBe(1);
  });
});

describe('promise 6: one request', () => {
  it('runs once, though a second gateway replica sends it too; another request from that one runs', async () => {
    const mark = world.mark();
    const asked = world.signed(world.marking(mark));
    const order = await world.gateway.granted(asked);
    const replica = world.gateway.party('gateway');
    await expectRuns(order);
    await world.gateway.settled(world.web1.link);
    expect(await world.gateway.sends(world.web1, order, { as: replica })).toMatchObject({ heard: 'already_returned' });
    const again = await world.gateway.granted(asked);
    expect(await world.gateway.sends(world.web1, again, { as: replica })).toMatchObject({ heard: 'already_returned' });
    expect(mark.count()).toBe(1);
    const twin = await world.gateway.granted(world.signed(world.marking(mark)));
    expect(await world.gateway.sends(world.web1, twin, { as: replica })).toMatchObject({ heard: 'done' });
    expect(mark.count()).toBe(2);
  });
});

describe('promise 7: clocks', () => {
  it.each([5000, -5000])('%i ms apart work, for request, grant and message', async (offMs) => {
    const mark = world.mark();
    const issued = world.now + offMs;
    const order = await world.gateway.granted(world.signed(world.marking(mark, { issued })));
    expect(await world.gateway.sends(world.web1, order, { issued })).toMatchObject({ heard: 'done' });
    const other = world.signed(world.marking(mark, { issued }));
    const granted = world.grant(other.request, [world.web1], {}, issued);
    expect(await world.gateway.sends(world.web1, granted, { issued })).toMatchObject({ heard: 'done' });
    expect(mark.count()).toBe(2);
  });
});

describe('promise 8: what is plain, or older', () => {
  const frames = [
    Buffer.from('{"fun":"test.ping"}'),
    encode([1, 'hello', new Uint8Array(32)]),
    encode([1, 'grant', []]),
    encode([2, new Uint8Array(1), new Uint8Array(16), []]),
    Buffer.alloc(0),
  ];

  it('is answered with nothing everywhere but at hello', async () => {
    const { transport } = world.gateway.link;
    const acls = Object.values(routes).filter(({ at }) => /(^|\.)acl\.|^join$/.test(at));
    const subjects = acls.map(({ at }) => `nt.main.${at.replace('*', world.web1.fp)}`);
    subjects.push(world.gateway.link.subjects.job(world.web1.fp));
    const answers: number[] = [];
    await new Promise<void>((resolve) => {
      const listening = transport.subscribe('_INBOX_PLAIN.1', ({ payload }) => {
        if (answers.push(payload.length) < subjects.length * frames.length) return;
        void listening.close();
        resolve();
      });
      for (const subject of subjects) for (const frame of frames) transport.publish(subject, frame, '_INBOX_PLAIN.1');
    });
    expect(new Set(answers)).toEqual(new Set([0]));
  });

  it('as a roles document is taken by nobody who runs; the root’s next one is, by everyone', async () => {
    const { roles: before } = world.gateway.link;
    const [firstRoot, documents] = before.chain;
    const { root, gateway } = keys();
    if (root === undefined || gateway === undefined) throw new Error('the cluster has no root');
    const next = (serial: number, key: SigningKey) =>
      writeChain([firstRoot, [...documents, signRoles(key, before.cluster, { ...before.document, serial })]]);
    const parties = [world.web1.link.roles, world.web2.link.roles, before];
    const tells = async (chain: Uint8Array) => {
      const { transport, subjects } = world.gateway.link;
      transport.publish(subjects.dir(ROLES_DOCUMENTS), chain);
      await transport.flush();
      await world.gateway.settled(world.web1.link);
      await world.gateway.settled(world.web2.link);
    };
    const { serial } = before.document;
    const old = writeChain(before.chain);
    for (const bad of [next(serial, root), next(serial + 1, gateway), old]) await tells(bad);
    expect(parties.map(({ document }) => document.serial)).toEqual(parties.map(() => serial));
    await tells(next(serial + 1, root));
    expect(parties.map(({ document }) => document.serial)).toEqual(parties.map(() => serial + 1));
    await tells(old);
    expect(parties.map(({ document }) => document.serial)).toEqual(parties.map(() => serial + 1));
  });

  it('as an announcement does not bring a minion’s ended key back; its newer one counts', () => {
    const { roles, directory, clock } = world.gateway.link;
    const { own, identity } = world.web2.link;
    const words = { owner: own.owner, use: 'jobs', rolesSerial: 1, notAfter: world.now + 60_000 } as const;
    const announcing = (notBefore: number, byte: number): KnownParty => {
      const epochKey = new Uint8Array(32).fill(byte);
      const read = roles.read(
        announce(identity.signing, roles.cluster, { ...words, epochKey, notBefore }),
        clock.now(),
        clock.skewMs,
      );
      if (!read.ok) throw new Error(read.error);
      return read.value;
    };
    const [old, current, newer] = [announcing(1, 9), announcing(world.now, 11), announcing(world.now + 1, 13)];
    directory.learn(current);
    directory.learn(old);
    const key = toHex(world.web2.key);
    expect(directory.jobsOf(key)?.epochKey).toEqual(current.epochKey);
    directory.learn(newer);
    expect(directory.jobsOf(key)?.epochKey).toEqual(newer.epochKey);
  });
});

/** Every byte of what was signed, each with one bit changed. */
function everyEdit(object: Signed): readonly Signed[] {
  const { bytes, signature } = object;
  return [
    ...Array.from(bytes, (_, at) => ({ bytes: withOneByteEdited(bytes, at), signature })),
    ...Array.from(signature, (_, at) => ({ bytes, signature: withOneByteEdited(signature, at) })),
  ];
}

describe('promise 9: any one byte', () => {
  it('of an announcement, a roster record, a roles document, a time or grains makes it worth nothing', () => {
    const { roles, clock, own, identity } = world.web1.link;
    const { cluster, chain } = roles;
    const acl = roles.keysOf('acl');
    const nonce = randomBytes(32);
    const record = {
      kind: 'minion',
      name: 'x',
      identity: identity.publicKey,
      nkey: identity.nkeyPublic,
      state: 'accepted',
      revision: 1,
    } as const;
    const root = keys()['root'];
    if (root === undefined) throw new Error('no root');
    const next = signRoles(root, cluster, { ...roles.document, serial: roles.document.serial + 1 });
    const grains = signData(identity.signing, cluster, { number: 1, grains: { os: 'Debian' } });
    const objects: readonly (readonly [string, Signed, (object: Signed) => boolean])[] = [
      ['announcement', own.announced, (object) => roles.read(object, clock.now(), clock.skewMs).ok],
      ['roster', signRoster(world.acl.key, cluster, record), (object) => readRoster(object, cluster, acl).ok],
      ['time', signTime(world.acl.key, cluster, nonce, 1), (object) => readTime(object, cluster, acl, nonce).ok],
      ['grains', grains, (object) => readData(object, cluster, identity.publicKey, 0).ok],
      [
        'roles',
        next,
        (object) => new Roles(cluster, roles.document, chain).takeOver([chain[0], [...chain[1], object]], clock.now()),
      ],
    ];
    for (const [what, object, isTaken] of objects) {
      expect([what, everyEdit(object).filter(isTaken).length, isTaken(object)]).toEqual([what, 0, true]);
    }
    const told = writeChain(chain);
    const taken = Array.from(told, (_, at) => readChain(withOneByteEdited(told, at))).filter(
      (read) =>
        read !== undefined && new Roles(cluster, { ...roles.document, serial: 0 }, chain).takeOver(read, clock.now()),
    );
    expect(taken).toEqual([]);
  });

  it('of header, body and wrap makes a message that does not open, and no answer tells why', () => {
    const { link, party, fp: name } = world.web1;
    const order = world.grant(world.signed(world.marking(world.mark())).request, [world.web1]);
    const bytes = world.gateway.sealJob(world.web1, order);
    const { own, directory, roles, clock } = link;
    const sealer = new Sealer(own, directory, roles, clock);
    const opening = { subject: link.subjects.job(name), contracts: ALL_KINDS, expects: NOT_ANSWER };
    const opened = Array.from(bytes, (_, at) => sealer.open(withOneByteEdited(bytes, at), opening).ok);
    expect(opened.filter(Boolean)).toEqual([]);
    expect(party.use).toBe('jobs');
    expect(sealer.open(bytes, opening)).toMatchObject({ ok: true });
  });

  it('of the place in the grant’s tree is refused in the same words, and nothing runs', async () => {
    const mark = world.mark();
    const members = [world.web1, world.web2, world.db1];
    const { request } = world.signed(world.marking(mark, { tgt: '*' }));
    const order = world.grant(request, members);
    const place = placeOf(order.members, world.web1);
    const below = seeded(9);
    for (let round = 0; round < 16; round += 1) {
      const edited = { ...order, place: withOneByteEdited(place, below(place.length)) };
      expect(await world.gateway.sends(world.web1, edited)).toMatchObject({
        heard: 'refused',
        code: 'grant_not_for_me',
      });
    }
    await expectNothingRan(world, world.web1, order, mark);
    await expectRuns(order);
    expect(mark.count()).toBe(1);
  });
});

describe('promise 13: a hostile gateway', () => {
  it('changes nobody’s grains by writing over the inventory; the minion’s own word does', async () => {
    const store = await world.gateway.link.store('data', 'inventory');
    const { cluster } = world.acl;
    const writes = async (of: TestMinion, key: SigningKey, role: string) => {
      const data = signData(key, cluster, { number: world.now, grains: { role } });
      await store.put(fp(of.key), encode(writeAs(records.DataEntry, { identity: of.key, data }) as Wire));
    };
    const meant = async (role: string) => {
      const asked = world.signed(world.marking(world.mark(), { tgt: `role:${role}`, tgtType: 'grain' }));
      return (await world.gateway.askGrant(asked)).members.map(({ id }) => id);
    };
    const { db1, web2 } = world;
    /** Who is meant by what is written, once anybody is: an agent that has a new epoch says its own word meanwhile. */
    const heard = (of: TestMinion, role: string) =>
      until('the grains are known', async () => {
        await writes(of, of.link.identity.signing, role);
        const [fence, taken] = [await meant('fence'), await meant('taken')];
        return (role === 'fence' ? fence : taken).length > 0 && { fence, taken };
      });
    await writes(db1, world.cluster.keys.roleKey('gateway'), 'taken');
    await writes(db1, web2.link.identity.signing, 'taken');
    expect(await heard(web2, 'fence')).toEqual({ fence: [web2.id], taken: [] });
    expect(await heard(db1, 'taken')).toMatchObject({ taken: [db1.id] });
  });

  it('has a grant for as long as a minute, whatever the grains become; asked again, nobody is meant', async () => {
    const minion = await world.anotherMinion();
    const { link } = minion;
    const says = (role: string, number: number) =>
      link.bus.ask(
        {
          contract: contracts.data,
          body: {
            data: signData(link.identity.signing, world.acl.cluster, { number, grains: { role } }),
            announcement: link.own.announced,
          },
          subject: link.subjects.upAcl(link.own.fp, 'data'),
          to: () => link.services('acl'),
        },
        contracts.pillar,
        PATIENCE_MS,
      );
    const mark = world.mark();
    const asked = world.signed(world.marking(mark, { tgt: 'role:between', tgtType: 'grain' }));
    expect(await says('between', world.now + 1000)).toMatchObject({ ok: true });
    const order = await world.gateway.granted(asked);
    expect(await says('other', world.now + 2000)).toMatchObject({ ok: true });
    expect(await world.gateway.askGrant(asked)).toMatchObject({ grant: null, members: [] });
    // The stated limit: what was granted holds until the grant ends, and then not.
    expect(await world.gateway.sends(minion, order)).toMatchObject({ heard: 'done' });
    const late = world.signed(world.marking(mark, { tgt: minion.id }));
    const ended = world.grant(late.request, [minion], {}, world.now - 60_001);
    expect(await world.gateway.sends(minion, ended)).toMatchObject({ heard: 'refused', code: 'grant_expired' });
    expect(mark.count()).toBe(1);
  });

  it('gets no grant for a compound of which a part is not allowed; for the allowed parts it does', async () => {
    const mark = world.mark();
    const compound = (second: string) =>
      world.signed(world.marking(mark, { funs: ['cmd.run', second], args: [[mark.command], []] }));
    const refused = compound('state.apply');
    expect(await world.gateway.askGrant(refused)).toMatchObject({ grant: null, refusal: { code: 'not_permitted' } });
    await expectNothingRan(world, world.web1, refused, mark);
    await expectRuns(await world.gateway.granted(compound('test.ping')));
    expect(mark.count()).toBe(1);
  });

  it.each([[''], [[]], ['nobody.example.com']])(
    'gets no grant for the target %j; for a minion it does',
    async (tgt) => {
      const tgtType = Array.isArray(tgt) ? 'list' : 'glob';
      const answer = await world.gateway.askGrant(world.signed(world.marking(world.mark(), { tgt, tgtType })));
      expect(answer).toMatchObject({ grant: null, members: [] });
      const twin = await world.gateway.askGrant(world.signed(world.marking(world.mark(), { tgt: world.web1.id })));
      expect(twin.members.map(({ id }) => id)).toEqual([world.web1.id]);
    },
  );

  it('gets no grant in an external user’s name without a credential that lives; for who signs it does', async () => {
    const { link } = world.gateway;
    const asked = world.signed(world.marking(world.mark()));
    const dead = { eauth: '', username: '', secret: '', token: '0'.repeat(64) };
    const wrong = { eauth: 'file', username: 'web1.example.com', secret: 'guess', token: '' };
    for (const credential of [null, dead, wrong]) {
      const body = { ...asked, signature: null, callerKey: null, credential, grantRun: null, batch: null };
      const answer = await link.bus.ask(
        {
          contract: contracts.grant,
          body: { ...body, jid: world.gateway.mintJid() },
          subject: link.subjects.svcAcl('grant'),
          to: () => link.directory.role('acl'),
        },
        contracts.granted,
        PATIENCE_MS,
      );
      expect(answer).toMatchObject({ ok: true, value: { body: { grant: null, members: [] } } });
    }
    expect((await world.gateway.askGrant(asked)).grant).not.toBeNull();
  });
});

/** Every key of 32 bytes below the cluster's folder, as it might be written. */
function secrets(): readonly string[] {
  const { folder } = world.cluster;
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.key'));
  return files.flatMap((file) => {
    const secret = readKeyFile(join(folder, file));
    return secret === undefined ? [] : written(secret);
  });
}

function written(secret: Uint8Array): readonly string[] {
  const bytes = Buffer.from(secret);
  return [
    bytes.toString('hex'),
    bytes.toString('base64').replace(/=+$/, ''),
    bytes.toString('base64url'),
    [...bytes].join(','),
  ];
}

describe('promise 15: the logs, at their lowest level', () => {
  it('hold no key of the cluster’s, nor what a job was to run; with one key in them it is found', async () => {
    const mark = world.mark();
    await expectRuns(await world.gateway.granted(world.signed(world.marking(mark))));
    const { aclLog } = world.cluster;
    const lines = [aclLog, world.web1.log, world.web2.log, world.db1.log].map(({ all }) => JSON.stringify(all)).join();
    const all = secrets();
    expect(all.length).toBeGreaterThan(4 * 10);
    const foundIn = (text: string) => all.filter((secret) => text.includes(secret));
    for (const { all: heard } of [aclLog, world.web1.log]) expect(heard.length).toBeGreaterThan(0);
    expect(foundIn(lines)).toEqual([]);
    expect(foundIn(`${lines} ${all[0] ?? ''}`)).toEqual([all[0]]);
    expect(lines).not.toContain(mark.command);
  });
});
