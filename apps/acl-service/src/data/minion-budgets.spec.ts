/** Rules of how much one minion may ask of its mine and of its next user of the broker: beyond it nothing is read, kept or made. */
import type { Opened } from '@natrium/bus';
import { sodiumReady } from '@natrium/envelope';
import { Budget } from '@natrium/flow';
import type { contracts } from '@natrium/wire';
import type { AuditLog } from '../audit/audit-log.js';
import type { BrokerUsers } from '../broker/broker-users.js';
import { MineDoor } from '../mine-door.js';
import type { Mines } from './mines.js';
import type { Policies } from '../policy/policies.js';
import { MinionData } from './minion-data.js';
import { Renewing } from '../broker/renewing.js';
import type { Roster } from '../roster/roster.js';

const BURST = 3;
const roster = {
  callerOf: () => ({ kind: 'minion', name: 'web1' }),
  byKey: () => ({ state: 'accepted', name: 'web1' }),
} as unknown as Roster;
const party = (key: number) => ({ owner: { type: 'identity', key: new Uint8Array(32).fill(key) } });
const slowDown = expect.objectContaining({ code: 'slow_down' }) as unknown;

beforeAll(sodiumReady);

it('a minion that asks too much of the mine is told to slow down, and nothing of it is kept; another is heard', async () => {
  let [kept, now] = [0, 0];
  const mines = { bytesOf: () => 0, change: () => Promise.resolve((kept += 1) > 0) } as unknown as Mines;
  const budget = new Budget({ rate: 1, burst: BURST });
  const door = new MineDoor({ roster, policies: {} as Policies, mines, audit: {} as AuditLog, budget, now: () => now });
  const body = { what: 'put', items: [], names: [], tgt: null, tgtType: 'glob' };
  const put = (key: number) => door.handle({ body, party: party(key) } as unknown as Opened<typeof contracts.mine>);
  for (let n = 0; n < BURST; n += 1) expect(await put(1)).toEqual({ refusal: null, result: true });
  expect(await put(1)).toEqual({ refusal: slowDown, result: null });
  expect(kept).toBe(BURST);
  expect(await put(2)).toEqual({ refusal: null, result: true });
  now = 1000;
  expect(await put(1)).toEqual({ refusal: null, result: true });
});

describe('data', () => {
  /** What came to be kept, and logged, of documents of so many bytes that one minion sends at the same moment. */
  async function sentTo(takes: boolean, ...sizes: readonly number[]) {
    const [kept, logged]: [number[], unknown[]] = [[], []];
    const inventory = {
      write: ({}, { bytes }: { readonly bytes: Uint8Array }) => Promise.resolve(takes && kept.push(bytes.length) > 0),
      pillarOf: () => ({ pillar: {}, revision: 1 }),
    };
    const announced = { use: 'jobs', ...party(1) };
    const link = {
      roles: { read: () => ({ ok: true, value: announced }) },
      clock: { now: () => 0, own: () => 0, skewMs: 0 },
      announcements: { put: () => Promise.resolve() },
    };
    const log = { error: (about: unknown) => void logged.push(about) };
    const parts = { roster, inventory, log, budget: new Budget({ rate: 1, burst: BURST }) };
    const door = new MinionData(...([link, parts] as unknown as ConstructorParameters<typeof MinionData>));
    const nothing = new Uint8Array();
    for (const size of sizes) {
      const signed = { bytes: new Uint8Array(size), signature: nothing };
      const body = { data: signed, announcement: { bytes: nothing, signature: nothing } };
      await door.handle({ body, party: party(1) } as unknown as Opened<typeof contracts.data>);
    }
    return { kept, logged };
  }
  const sent = (...sizes: readonly number[]) => sentTo(true, ...sizes);

  it('that are not taken are told of in the log, once', async () => {
    expect(await sentTo(false, 10, 10)).toEqual({ kept: [], logged: [{ minion: 'web1' }] });
    expect(await sent(10, 10)).toEqual({ kept: [10, 10], logged: [] });
  });

  it('of more than 1 MiB are not looked at, and the log names the minion once', async () => {
    const most = 1 << 20;
    expect(await sent(most + 1, most + 2, most)).toEqual({
      kept: [most],
      logged: [{ minion: 'web1' }],
    });
  });

  it('cost as many requests as they have pages of 4096 bytes, beside the one that they are', async () => {
    const [small, large] = [4095, 2 * 4096];
    expect((await sent(small, small, small, small)).kept).toEqual([small, small, small]);
    expect((await sent(large, small)).kept).toEqual([large]);
  });
});

it('a party that asks too often for its next user hears nothing, and none is made', async () => {
  let made = 0;
  const users = { userOf: () => Promise.resolve(`user ${String((made += 1))}`) } as unknown as BrokerUsers;
  const renewing = new Renewing(roster, users, new Budget({ rate: 1, burst: BURST }), () => 0);
  const renew = (key: number) => renewing.handle({ party: party(key) } as unknown as Opened<typeof contracts.renew>);
  for (let n = 1; n <= BURST; n += 1) expect(await renew(1)).toEqual({ user: `user ${String(n)}` });
  expect(await renew(1)).toBeUndefined();
  expect(made).toBe(BURST);
  expect(await renew(2)).toEqual({ user: `user ${String(BURST + 1)}` });
});
