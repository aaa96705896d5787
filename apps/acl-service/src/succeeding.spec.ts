/** Rules of a succession that is asked for: what has changed is recorded and told, whatever fails after it. */
import { MemoryStore, type Opened } from '@natrium/bus';
import {
  announce,
  clusterOf,
  identityFrom,
  newIdentitySecret,
  randomBytes,
  signJoin,
  SigningKey,
  sodiumReady,
  toHex,
} from '@natrium/envelope';
import { Budget } from '@natrium/flow';
import type { contracts } from '@natrium/wire';
import { Roster } from './roster.js';
import { Succeeding } from './succeeding.js';

const NOW = 1_795_000_000_000;
const WEEK_MS = 7 * 86_400_000;

beforeAll(sodiumReady);

/** An acl-service with one accepted minion, and whom that vouches for. */
async function anAuthority() {
  const cluster = clusterOf(SigningKey.generate().publicKey);
  const acl = SigningKey.generate();
  const nameKey = { id: 'one', key: new Uint8Array(32).fill(1) };
  const roster = await Roster.open(new MemoryStore('roster'), {
    acl,
    aclKeys: () => [acl.publicKey],
    cluster,
    nameKey,
    onSpoilt: () => undefined,
  });
  const [old, next] = [identityFrom(newIdentitySecret()), identityFrom(newIdentitySecret())];
  const owner = { kind: 'minion', name: 'web1', identity: old.publicKey, nkey: old.nkeyPublic } as const;
  await roster.write({ ...owner, state: 'accepted' });
  const join = signJoin(next.signing, cluster, {
    id: 'web1',
    identity: next.publicKey,
    nkey: next.nkeyPublic,
    announcement: announce(next.signing, cluster, {
      owner: { type: 'identity', key: next.publicKey },
      use: 'jobs',
      epochKey: randomBytes(32),
      notBefore: NOW,
      notAfter: NOW + WEEK_MS,
      rolesSerial: 1,
    }),
    issued: NOW,
    nonce: randomBytes(16),
  });
  const body = { what: 'commit', join, signature: old.signing.sign('succession', cluster, join.bytes), data: join };
  const asked = { body, party: { owner: { type: 'identity', key: old.publicKey } } } as unknown as Opened<
    typeof contracts.succeed
  >;
  return { cluster, roster, old, next, asked };
}

/** @param failing How many times the data of the old identity cannot be forgotten. */
async function aWorld(failing: number) {
  const { cluster, roster, old, next, asked } = await anAuthority();
  const seen = { recorded: [] as unknown[], told: [] as string[], logged: 0, forgotten: [] as string[] };
  let left = failing;
  const forget = (identity: Uint8Array) => {
    left -= 1;
    if (left >= 0) return Promise.reject(new Error('the broker does not answer'));
    seen.forgotten.push(toHex(identity));
    return Promise.resolve();
  };
  const place = { chain: 'acl1', number: 0 };
  const succeeding = new Succeeding(
    {
      roles: { cluster },
      clock: { skewMs: 1000, now: () => NOW, own: () => NOW },
      announcements: new MemoryStore('announcements'),
    },
    {
      roster,
      inventory: { write: () => Promise.resolve(true), forget },
      mines: { pass: () => Promise.resolve(), forget },
      users: undefined,
      audit: {
        write: ({ verdict, detail }) => {
          seen.recorded.push([verdict, detail['fun'], detail['id']]);
          return place;
        },
        refuse: ({ code }) => {
          seen.recorded.push(code);
          return place;
        },
      },
      events: { succeeded: (id) => void seen.told.push(id) },
      log: { error: () => void (seen.logged += 1) },
      budget: new Budget({ rate: 0, burst: 1 }),
    },
  );
  return { seen, old, next, ask: () => succeeding.handle(asked), roster };
}

const RECORD = ['allow', 'key.succeed', 'web1'];

it('is recorded and told once, and the old identity’s data are forgotten', async () => {
  const { seen, old, next, ask, roster } = await aWorld(0);
  expect((await ask()).refusal).toBeNull();
  expect(roster.keyOfMinion('web1')).toEqual(next.publicKey);
  const oldKey = toHex(old.publicKey);
  expect(seen).toEqual({ recorded: [RECORD], told: ['web1'], logged: 0, forgotten: [oldKey, oldKey] });
});

it.each([1, 2])(
  'is recorded, told and answered when %d of the old identity’s data cannot be forgotten, which is tried again when it is asked again',
  async (failing) => {
    const { seen, ask } = await aWorld(failing);
    const first = await ask();
    expect([first.refusal, first.record]).toEqual([null, expect.anything()]);
    expect(seen).toMatchObject({ recorded: [RECORD], told: ['web1'], logged: failing });
    expect(seen.forgotten).toHaveLength(2 - failing);
    expect(await ask()).toEqual(first);
    expect(seen).toMatchObject({ recorded: [RECORD], told: ['web1'], logged: failing });
    expect(seen.forgotten).toHaveLength(4 - failing);
  },
);
