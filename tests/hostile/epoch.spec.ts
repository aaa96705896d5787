/**
 * Promise 11: whoever has recorded everything and later takes every long-lived key opens nothing of an epoch that has ended;
 * and a storage key that is gone opens nothing that was stored under it.
 */
import { MemoryStore, OwnParty, SealedStore, Sealer } from '@natrium/bus';
import { encode, type KnownParty } from '@natrium/envelope';
import { MasterKeys } from '@natrium/keystore';
import { join } from 'node:path';
import { until } from '@natrium/testing';
import { contracts } from '@natrium/wire';
import { WEB1, World } from './world.js';

const CANARY = 'canary-of-an-ended-epoch';

let world: World;
beforeAll(async () => {
  world = await World.start();
});
afterAll(() => world.stop());

/** A job for web1 as the broker has recorded it. */
function captured(to: KnownParty): Uint8Array {
  const { request } = world.signed(world.marking(world.mark(), { args: [[CANARY]], tgt: WEB1 }));
  const body = { request, grant: { bytes: encode('grant'), signature: new Uint8Array(64) }, instance: 'a' };
  return world.gateway.seal(contracts.job, body, to);
}

/** Opens as web1 does; on the next line the same with what a thief has. */
function openedBy(own: OwnParty, bytes: Uint8Array): string {
  const { directory, roles, clock } = world.web1.link;
  const opened = new Sealer(own, directory, roles, clock).open(bytes, {
    subject: world.web1.link.subjects.job(own.fp),
    contracts: new Map([[contracts.job.kind, contracts.job]]),
    expects: (re) => re === null,
  });
  if (!opened.ok) return opened.error;
  const { request } = opened.value.body as { readonly request: Uint8Array };
  return Buffer.from(request).includes(CANARY) ? 'canary' : 'something else';
}

/** web1 with its identity key, and epoch keys as long as the test says. */
function web1With(overlapMs: number): OwnParty {
  const { identity, roles, clock } = world.web1.link;
  const own = new OwnParty(
    {
      owner: { type: 'identity', key: identity.publicKey },
      signing: identity.signing,
      cluster: roles.cluster,
      use: 'jobs',
      rolesSerial: 1,
    },
    { epochMs: 60_000, overlapMs, announcementMs: 60_000 },
  );
  own.rotate(clock.now());
  return own;
}

function asKnown(own: OwnParty): KnownParty {
  const { roles, clock } = world.web1.link;
  const party = roles.read(own.announced, clock.now(), clock.skewMs);
  if (!party.ok) throw new Error(party.error);
  return party.value;
}

describe('what was sent in an epoch', () => {
  it('opens while the epoch lasts and in its overlap; after that not even for its receiver, whose key is wiped', async () => {
    const own = web1With(1000);
    const bytes = captured(asKnown(own));
    const { secretKey } = own.keyring.current;
    expect(openedBy(own, bytes)).toBe('canary');
    own.rotate(world.now);
    expect(openedBy(own, bytes)).toBe('canary');
    await until('the key of the ended epoch is wiped', () => secretKey.every((byte) => byte === 0));
    expect(openedBy(own, bytes)).toBe('stale_key');
  });

  it('opens for nobody who has the identity, every role key and every storage key afterwards; the epoch’s key opens it', () => {
    const own = web1With(0);
    const bytes = captured(asKnown(own));
    const thief = web1With(0); // the same identity: all that outlives a process
    expect(openedBy(thief, bytes)).toBe('stale_key');
    expect(openedBy(own, bytes)).toBe('canary');
  });

  it('is lost with the second epoch after it at the latest, whatever the overlap', () => {
    const own = web1With(60_000);
    const bytes = captured(asKnown(own));
    own.rotate(world.now);
    expect(openedBy(own, bytes)).toBe('canary');
    own.rotate(world.now);
    expect(openedBy(own, bytes)).toBe('stale_key');
  });
});

describe('what was stored under a storage key', () => {
  it('opens until that key is deleted, and then for nobody', async () => {
    const keys = new MasterKeys(join(world.cluster.folder, 'pki-of-this-test'));
    keys.create(world.now - 10_000);
    const jobs = keys.storageKeys('jobs');
    const corrupt: string[] = [];
    const store = new SealedStore(new MemoryStore('jobs'), jobs, ({ message }) => corrupt.push(message));
    await store.put('one', Buffer.from(CANARY));
    const [old = ''] = jobs.ids;
    jobs.add(world.now - 5000);
    await store.put('two', Buffer.from(CANARY));
    expect((await store.list('>')).map(({ value }) => Buffer.from(value).toString())).toEqual([CANARY, CANARY]);
    jobs.remove(old);
    expect((await store.list('>')).map(({ key }) => key)).toEqual(['two']);
    expect(corrupt).toHaveLength(1);
    await expect(store.get('one')).rejects.toThrow('does not open');
  });
});
