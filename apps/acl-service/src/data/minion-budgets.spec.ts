/** Rules of how much one minion may ask of its mine and of its next user of the broker: beyond it nothing is read, kept or made. */
import type { Opened } from '@natrium/bus';
import { Budget } from '@natrium/flow';
import type { contracts } from '@natrium/wire';
import type { AuditLog } from '../audit/audit-log.js';
import type { BrokerUsers } from '../broker/broker-users.js';
import { MineDoor } from '../mine-door.js';
import type { Mines } from './mines.js';
import type { Policies } from '../policy/policies.js';
import { Renewing } from '../broker/renewing.js';
import type { Roster } from '../roster/roster.js';

const BURST = 3;
const roster = {
  callerOf: () => ({ kind: 'minion', name: 'web1' }),
  byKey: () => ({ state: 'accepted', name: 'web1' }),
} as unknown as Roster;
const party = (key: number) => ({ owner: { type: 'identity', key: new Uint8Array(32).fill(key) } });
const slowDown = expect.objectContaining({ code: 'slow_down' }) as unknown;

it('a minion that asks too much of the mine is told to slow down, and nothing of it is kept; another is heard', async () => {
  let [kept, now] = [0, 0];
  const mines = { change: () => Promise.resolve((kept += 1) > 0) } as unknown as Mines;
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
