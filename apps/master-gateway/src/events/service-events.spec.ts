/** Rules of what a runner fires: as what it is, and of what that came its grant-run says, not the runner and not its caller. */
import type { Opened } from '@natrium/bus';
import type { RoleLink } from '@natrium/edge';
import { encodeRequest, SigningKey, sodiumReady, type Wire } from '@natrium/envelope';
import type { Principal, ValueMap } from '@natrium/model';
import { aGrant, aRequest } from '@natrium/testing';
import type { contracts } from '@natrium/wire';
import { ServiceEvents } from './service-events.js';

const NOW = 1_795_000_000_000;
const CAUSE = { event: 'gw.1', reaction: 'hello', depth: 2 };
const FORGED = { event: 'gw.9', reaction: 'none', depth: 99 };
const REACTOR: Principal = { kind: 'reactor', name: 'hello' };
const ALICE: Principal = { kind: 'account', name: 'alice' };

beforeAll(sodiumReady);

interface Run {
  readonly caller: Principal;
  /** What its request says of its cause. */
  readonly cause?: Wire;
}

/** What is on the bus when the runner `event.send` fires this. */
async function fired({ caller, cause }: Run, data: ValueMap): Promise<unknown> {
  const signer = { key: SigningKey.generate(), cluster: new Uint8Array(32) };
  const options = cause === undefined ? {} : { cause };
  const request = encodeRequest(aRequest(NOW, { what: 'run', funs: ['event.send'], options }));
  const about = { request, members: [{ id: 'web1', key: new Uint8Array(32) }], issued: NOW };
  const grant = aGrant(signer, about, { kind: 'run', caller, root: new Uint8Array(32), count: 0 });
  const link = {
    clock: { now: () => NOW, skewMs: 0 },
    roles: { cluster: signer.cluster, keysOf: () => [signer.key.publicKey] },
  };
  const said: unknown[] = [];
  const fire = (...event: readonly unknown[]) => Promise.resolve(void said.push(event));
  const opened = {
    body: { tag: 'web/up', data, grantRun: { request, grant } },
    party: { owner: { type: 'role', role: 'runner' } },
  };
  const answer = await new ServiceEvents(link as unknown as RoleLink, { fire }).handle(
    opened as unknown as Opened<typeof contracts.fire>,
  );
  expect(answer).toEqual({ refusal: null });
  return said;
}

const told = (data: ValueMap) => [['web/up', data, { kind: 'runner', name: 'event.send' }]];

it('a runner that a reaction started tells what that came of', async () => {
  expect(await fired({ caller: REACTOR, cause: CAUSE }, { a: 1 })).toEqual(told({ a: 1, _cause: CAUSE }));
});

it('whoever else runs one says nothing of a cause: not with the request, and not in the data', async () => {
  expect(await fired({ caller: ALICE, cause: FORGED }, { a: 1 })).toEqual(told({ a: 1 }));
  expect(await fired({ caller: ALICE }, { a: 1, _cause: FORGED })).toEqual(told({ a: 1 }));
});

it('a runner that a reaction started says nothing else of it in the data', async () => {
  const data = { a: 1, _cause: FORGED };
  expect(await fired({ caller: REACTOR, cause: CAUSE }, data)).toEqual(told({ a: 1, _cause: CAUSE }));
});
