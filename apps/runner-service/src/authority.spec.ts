/** Rules of handing `key.*` of the wheel to the acl-services, of which the broker lets one hear it. */
import { jest } from '@jest/globals';
import type { Hearing } from '@natrium/bus';
import type { RoleLink } from '@natrium/edge';
import type { KnownParty } from '@natrium/envelope';
import type { Body, contracts } from '@natrium/wire';
import { handOn } from './authority.js';

type Ran = Body<typeof contracts.ran>;

const JID = '20261120141646000001';
const LONGER_MS = 6000;
const DONE: Ran = { refusal: null, jid: JID, outcome: { ret: 'done', retcode: 0, success: true, out: null } };
const BEGUN: Ran = { refusal: { code: 'already_ran', sentence: 'before' }, jid: JID, outcome: null };

beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

/** @param says What each acl-service says, in the order in which they are asked; undefined: it stands still. */
async function handed(...says: readonly (Ran | undefined)[]) {
  const requests: Uint8Array[] = [];
  const converse = (
    asked: { readonly body: Body<typeof contracts.wheel> },
    _answers: unknown,
    silentMs: number,
    hear: Hearing<typeof contracts.ran>,
  ) => {
    const said = says[requests.length];
    requests.push(asked.body.request);
    if (said !== undefined) queueMicrotask(() => hear.onAnswer(said, undefined as unknown as KnownParty));
    const silence = setTimeout(() => {
      hear.onFailure('timeout');
    }, silentMs);
    return () => {
      clearTimeout(silence);
    };
  };
  const link = { bus: { converse }, subjects: { svcAcl: () => '' }, directory: { role: () => [] } };
  const body = { request: Uint8Array.of(1), signature: null, callerKey: null, grant: undefined, jid: JID };
  const told = handOn(link as unknown as RoleLink, body as unknown as Body<typeof contracts.run>);
  await jest.advanceTimersByTimeAsync(LONGER_MS);
  return { told: await told, requests };
}

it('where one stands still the very same request is asked of another, and its outcome counts', async () => {
  const { told, requests } = await handed(undefined, DONE);
  expect(told).toEqual(DONE);
  expect(requests).toEqual([Uint8Array.of(1), Uint8Array.of(1)]);
});

it('one that answers is asked alone', async () => {
  const { told, requests } = await handed(DONE, DONE);
  expect([told, requests.length]).toEqual([DONE, 1]);
});

it('where one has begun it and none tells an outcome, its caller hears to look whether it was done', async () => {
  const { told } = await handed(undefined, BEGUN);
  expect(told).toMatchObject({ refusal: { code: 'acl_unavailable' }, outcome: null });
  expect(told.refusal?.sentence).toMatch(/look whether it was done$/);
});

it('where all stand still its caller hears the same', async () => {
  const { told } = await handed();
  expect(told.refusal?.sentence).toBe('no acl-service answered (timeout); look whether it was done');
});
