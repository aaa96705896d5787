/** Rules of cutting off what was archived: only what is old enough, only whole groups, never an end, and never back. */
import { MemoryStore } from '@natrium/bus';
import {
  auditHash,
  type ChainEnd,
  clusterOf,
  decode,
  encode,
  readAudit,
  readAuditCut,
  type Signed,
  signAuditCut,
  signedToWire,
  SigningKey,
  sodiumReady,
  toHex,
} from '@natrium/envelope';
import { isMap, type Value } from '@natrium/model';
import { FakeClock } from '@natrium/testing';
import { AuditArchive } from './audit-archive.js';
import type { AuditHeads } from './audit-heads.js';
import { AuditIndex } from './audit-index.js';
import { AuditLog } from './audit-log.js';
import { auditHandler } from './audit-requests.js';

const NOW = 1_795_000_000_000;
const DAY_MS = 86_400_000;

beforeAll(sodiumReady);

/** A chain of `groups` groups with two records each, the last of which is written now, and one a day before each other. */
async function aWorld({ groups = 6, days = 2 }: { readonly groups?: number; readonly days?: number } = {}) {
  const store = new MemoryStore('audit');
  const clock = new FakeClock(NOW - (groups - 1) * DAY_MS);
  const log = new AuditLog(store, {
    instance: 'acl1',
    heads: [],
    now: clock.now,
    windowMs: 0,
    growsMs: 0,
    onFailure: (cause) => {
      throw cause;
    },
    onRecovered: () => undefined,
  });
  const write = async () => {
    for (const rule of ['one', 'two']) log.note({ what: 'policy', verdict: 'in_force', rule, detail: {} });
    await log.settled();
  };
  for (let n = 0; n < groups; n += 1) {
    if (n > 0) clock.advance(DAY_MS);
    await write();
  }
  const acl = SigningKey.generate();
  const cluster = clusterOf(SigningKey.generate().publicKey);
  const options = { acl, cluster, aclKeys: () => [acl.publicKey], now: clock.now, days: () => days };
  const index = await AuditIndex.open(store);
  const archive = new AuditArchive(store, index, options);
  const keys = async () =>
    (await store.keyNames('a.*.*')).map((key) => Number(key.split('.')[2])).sort((a, b) => a - b);
  return { store, clock, write, archive, index, keys, acl, cluster, end: (number: number) => endAt(store, number) };
}

async function endAt(store: MemoryStore, number: number): Promise<ChainEnd> {
  const records = (await store.list('a.acl1.*')).flatMap(({ value }) => decode(value) as readonly Uint8Array[]);
  const found = records.find((bytes) => {
    const read = readAudit(bytes);
    return read.ok && read.value.number === number;
  });
  return { chain: 'acl1', number, hash: auditHash(found!) };
}

type World = Awaited<ReturnType<typeof aWorld>>;

async function signedCut({ archive, end }: World, number: number): Promise<Signed> {
  const signed = await archive.sign([await end(number)]);
  if (!signed.ok) throw new Error(signed.error.sentence);
  return signed.value;
}

async function sweepAll(archive: AuditArchive): Promise<number> {
  let groups = 0;
  for (let from = 0; ;) {
    const swept = await archive.sweep(from);
    groups += swept.groups;
    if (swept.isLast) return groups;
    from = swept.next;
  }
}

const ALL = [0, 2, 4, 6, 8, 10];

describe('a cut', () => {
  it('deletes nothing when it is signed, nor when it is put in force; then what it names goes, group by group', async () => {
    const world = await aWorld();
    const { archive, keys } = world;
    const signed = await signedCut(world, 5);
    expect([await keys(), await archive.stored(), await sweepAll(archive)]).toEqual([ALL, undefined, 0]);
    expect(await archive.putInForce(signed)).toEqual({ ok: true, value: null });
    expect([await keys(), await archive.stored()]).toEqual([ALL, signed]);
    expect(await sweepAll(archive)).toBe(3);
    expect(await keys()).toEqual([6, 8, 10]);
    expect(await sweepAll(archive)).toBe(0);
  });

  it('is signed for the last record that goes, and names again what was cut before', async () => {
    const world = await aWorld();
    const { archive, acl, cluster, end } = world;
    const [first, second] = [await end(1), await end(5)];
    const read = (signed: Signed) => readAuditCut(signed, cluster, [acl.publicKey]);
    const one = await signedCut(world, 1);
    expect(read(one)).toEqual({ ok: true, value: { time: NOW, ends: [first] } });
    await archive.putInForce(one);
    const again = await archive.sign([]);
    expect(again.ok && read(again.value)).toMatchObject({ value: { ends: [first] } });
    expect(read(await signedCut(world, 5))).toMatchObject({ value: { ends: [second] } });
  });

  it.each([
    ['that is younger', 9, /record 10 is younger than audit_archive_after \(2 days\)/],
    ['of which the next is younger', 7, /record 8 is younger than/],
    ['in the middle of a group', 4, /no stored group begins behind record 4/],
    ['that is the last of its chain', 11, /no stored group begins behind record 11/],
  ])('goes never behind a record %s', async (_, number, sentence) => {
    const world = await aWorld();
    const refused = await world.archive.sign([await world.end(number)]);
    expect(refused).toMatchObject({ ok: false, error: { sentence: expect.stringMatching(sentence) as string } });
    expect(await world.keys()).toEqual(ALL);
  });

  it.each([
    ['another hash', { hash: new Uint8Array(32) }, /names another hash/],
    ['another chain', { chain: 'acl2' }, /no stored group/],
  ])('is not signed with %s', async (_, other, sentence) => {
    const { archive, end } = await aWorld();
    const refused = await archive.sign([{ ...(await end(5)), ...other }]);
    expect(refused).toMatchObject({ ok: false, error: { sentence: expect.stringMatching(sentence) as string } });
  });

  it('is neither signed nor put in force while no age is configured; the refusal says which key to set', async () => {
    const world = await aWorld();
    const { store, index, archive, keys, acl, cluster, clock } = world;
    const signed = await signedCut(world, 5);
    const options = { acl, cluster, aclKeys: () => [acl.publicKey], now: clock.now, days: () => 0 };
    const never = new AuditArchive(store, index, options);
    for (const refused of [await never.sign([await world.end(5)]), await never.putInForce(signed)])
      expect(refused).toMatchObject({
        error: { code: 'not_permitted', sentence: expect.stringContaining('audit_archive_after') as string },
      });
    expect([await archive.stored(), await sweepAll(never), await keys()]).toEqual([undefined, 0, ALL]);
  });

  it('that another key signed, or the role for another cluster or as something else, is not put in force', async () => {
    const world = await aWorld();
    const { archive, keys, acl, cluster, end } = world;
    const cut = { time: NOW, ends: [await end(5)] };
    const { bytes, signature } = signAuditCut(acl, cluster, cut);
    const other = clusterOf(acl.publicKey);
    const forged = [signAuditCut(SigningKey.generate(), cluster, cut), signAuditCut(acl, other, cut)];
    const asHead = { bytes, signature: acl.sign('audit', cluster, bytes) };
    const edited = { bytes: encode([NOW + 1, []]), signature };
    for (const signed of [...forged, asHead, edited]) expect((await archive.putInForce(signed)).ok).toBe(false);
    expect([await archive.stored(), await sweepAll(archive), await keys()]).toEqual([undefined, 0, ALL]);
  });

  it('is not taken back: an older one is refused, and one that was signed meanwhile for less', async () => {
    const world = await aWorld();
    const [one, two] = [await signedCut(world, 1), await signedCut(world, 5)];
    await world.archive.putInForce(two);
    expect(await world.archive.putInForce(one)).toMatchObject({ ok: false, error: { code: 'bad_request' } });
    expect(await world.archive.stored()).toEqual(two);
  });

  it('that somebody stored without the role’s signature deletes nothing', async () => {
    const world = await aWorld();
    const cut = { time: NOW, ends: [await world.end(9)] };
    const forged = signAuditCut(SigningKey.generate(), world.cluster, cut);
    await world.store.put('cut', encode(signedToWire(forged)));
    expect([await sweepAll(world.archive), await world.keys()]).toEqual([0, ALL]);
    // It is put right by the next one.
    expect(await world.archive.putInForce(await signedCut(world, 5))).toMatchObject({ ok: true });
  });

  it('that was carried out in part is carried out to its end later, and its records are written on meanwhile', async () => {
    const world = await aWorld();
    const { archive, store, keys, write, index } = world;
    await archive.putInForce(await signedCut(world, 5));
    await store.delete('a.acl1.2'); // and then it was killed
    await write();
    expect(await sweepAll(archive)).toBe(2);
    expect(await keys()).toEqual([6, 8, 10, 12]);
    expect(await index.ends()).toEqual([await world.end(13)]);
  });
});

describe('requests about an archive', () => {
  const asked = async (world: World, fun: string, arg?: Value) => {
    const { index, archive } = world;
    const answer = await auditHandler({ index, archive, heads: {} as AuditHeads })(fun, arg === undefined ? [] : [arg], () => undefined); // prettier-ignore
    return answer.ok ? answer.value : answer.error.code;
  };

  it('say before when a record has to be, sign, put in force, and sweep; the last page read has the cut', async () => {
    const world = await aWorld();
    const { chain, number, hash } = await world.end(5);
    expect(await asked(world, 'audit.cut')).toEqual({ before: NOW - 2 * DAY_MS });
    const signed = await asked(world, 'audit.cut', { chains: [{ chain, number, hash: toHex(hash) }] });
    const cut = isMap(signed) ? signed['cut'] : undefined;
    expect(await asked(world, 'audit.read', {})).not.toHaveProperty('cut');
    expect(await asked(world, 'audit.archive', { cut: cut ?? null })).toBe(null);
    expect(await asked(world, 'audit.read', { limit: 2 })).not.toHaveProperty('cut');
    expect(await asked(world, 'audit.read', {})).toMatchObject({ cut: cut ?? {}, last: true });
    expect(await asked(world, 'audit.sweep', { from: 0 })).toMatchObject({ groups: 3, last: true });
  });

  it.each([
    ['audit.cut', { chains: 'acl1' }],
    ['audit.cut', { chains: [{ chain: 'a.b', number: 5, hash: '0'.repeat(64) }] }],
    ['audit.cut', { chains: [{ chain: 'acl1', number: -1, hash: '0'.repeat(64) }] }],
    ['audit.cut', { chains: [{ chain: 'acl1', number: 5, hash: 'x' }] }],
    ['audit.archive', {}],
    ['audit.archive', { cut: { bytes: 'AAAA', signature: '' } }],
    ['audit.sweep', {}],
    ['audit.sweep', { from: -1 }],
    ['audit.none', {}],
    ['toString', {}],
  ])('with another form are refused: %s %j', async (fun, arg) => {
    const world = await aWorld();
    expect(await asked(world, fun, arg)).toBe('bad_request');
    expect(await world.keys()).toEqual(ALL);
  });
});
