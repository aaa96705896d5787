/** Rules of what a runner fires: as what it is, and of what that came its grant-run says, not the runner and not its caller. */
import { type Journal, MemoryJournal, type Opened, type Reading, Unstorable } from '@natrium/bus';
import type { RoleLink } from '@natrium/edge';
import { encodeRequest, SigningKey, sodiumReady, type Wire } from '@natrium/envelope';
import { EventLog, eventsOf, type LoggedBatch } from '@natrium/events';
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

/** What a runner's function `event.send` asks a gateway to fire. */
function asked({ caller, cause }: Run, data: ValueMap, number = 1) {
  const signer = { key: SigningKey.generate(), cluster: new Uint8Array(32) };
  const options = cause === undefined ? {} : { cause };
  const request = encodeRequest(aRequest(NOW, { what: 'run', funs: ['event.send'], options }));
  const about = { request, members: [{ id: 'web1', key: new Uint8Array(32) }], issued: NOW };
  const grant = aGrant(signer, about, { kind: 'run', caller, root: new Uint8Array(32), count: 0 });
  const opened = {
    body: { tag: 'web/up', data, grantRun: { request, grant }, lane: new Uint8Array(16), number },
    party: { owner: { type: 'role', role: 'runner' } },
  } as unknown as Opened<typeof contracts.fire>;
  return { signer, opened };
}

const problems: string[] = [];

/** A gateway's answer to it. */
function answered({ signer, opened }: ReturnType<typeof asked>, journal: Journal, maxBytes = 1 << 20) {
  const link = {
    clock: { now: () => NOW, skewMs: 0 },
    roles: { cluster: signer.cluster, keysOf: () => [signer.key.publicKey] },
  };
  const log = new EventLog(journal, (sender) => sender);
  const onProblem = (problem: string) => void problems.push(problem);
  return new ServiceEvents(link as unknown as RoleLink, log, maxBytes, onProblem).handle(opened);
}

/** What is stored, as listeners hear it. */
async function heard(journal: MemoryJournal) {
  const all: unknown[] = [];
  const readings: Reading[] = [];
  await new Promise<void>((resolve) => {
    const onBatch = (batch: LoggedBatch) => {
      all.push(...eventsOf(batch).map(({ tag, data, origin }) => [tag, data, origin]));
      if (batch.sequence === journal.messages.length) resolve();
    };
    readings.push(new EventLog(journal, (sender) => sender).read({ everything: true }, onBatch));
  });
  for (const reading of readings) reading.close();
  return all;
}

/** What is on the bus when a runner that was started so fires this. */
async function fired(run: Run, data: ValueMap): Promise<unknown> {
  const journal = new MemoryJournal();
  expect(await answered(asked(run, data), journal)).toEqual({ refusal: null });
  return heard(journal);
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

it('is on the bus once, however many gateways are asked for it: the number in its lane says which one it is', async () => {
  const journal = new MemoryJournal();
  const first = asked({ caller: ALICE }, { n: 1 });
  const gateways = [first, first, first].map((one) => answered(one, journal));
  expect(await Promise.all(gateways)).toEqual(Array(3).fill({ refusal: null }));
  const second = asked({ caller: ALICE }, { n: 2 }, 2);
  await answered(second, journal);
  // A gateway that stood still stores nothing of what its sender has given up since.
  expect(await answered(first, journal)).toEqual({ refusal: null });
  expect(await heard(journal)).toEqual([...told({ n: 1 }), ...told({ n: 2 })]);
});

it('a broker that takes nothing refuses it for now, and what no later try stores for good', async () => {
  const failing = (cause: Error) => Object.assign(new MemoryJournal(), { append: () => Promise.reject(cause) });
  const codeOf = async (cause: Error) =>
    (await answered(asked({ caller: ALICE }, { a: 1 }), failing(cause))).refusal?.code;
  expect(await codeOf(new Error('no quorum'))).toBe('store_unavailable');
  expect(problems).toEqual(['the event of a service could not be stored, and is asked for again']);
  expect(await codeOf(new Unstorable('larger than a message'))).toBe('bad_request');
  expect(problems).toHaveLength(1);
});

it('what is larger than an event may be is refused, and nothing is stored', async () => {
  const journal = new MemoryJournal();
  const answer = await answered(asked({ caller: ALICE }, { a: 'x'.repeat(300) }), journal, 256);
  expect(answer.refusal?.sentence).toContain('an event has at most 256 bytes');
  expect(journal.messages).toEqual([]);
});
