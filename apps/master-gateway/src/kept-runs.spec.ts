/** Rules of what runners answered: kept before it is told, and found by its jid alone. */
import { encodeRequest, type Grant, requestDigest, sodiumReady } from '@natrium/envelope';
import type { Ran, RunStart } from '@natrium/flow';
import { jidOf, type ValueMap } from '@natrium/model';
import { aRequest } from '@natrium/testing';
import type { Body, contracts, records } from '@natrium/wire';
import { endedRun, KeptRuns } from './kept-runs.js';

await sodiumReady();

const NOW = 1_795_000_000_000;
const JID = jidOf(NOW * 1000);
const START = { jid: JID } as unknown as RunStart;
const RAN = {} as Ran;
const END = { fun: 'runner.manage.up', jid: JID, user: 'alice', fun_args: [1], return: ['a'], success: true };

type Keep = () => Promise<boolean>;
const KEPT: Keep = () => Promise.resolve(true);

class Gateway {
  readonly stored: (readonly [records.StoredReturn, string])[] = [];
  readonly told: unknown[] = [];
  grant: Grant | undefined;
  readonly runs: KeptRuns;

  constructor(keep: Keep = KEPT, end: ValueMap = END) {
    this.runs = new KeptRuns({
      cache: {
        storeLate: (one, key) => {
          this.stored.push([one, key]);
          return keep();
        },
      },
      events: {
        runStarted: () => this.told.push('started'),
        endOf: (_, ran) => (ran === RAN ? end : { ...end, return: ran.outcome?.ret ?? ran.refusal?.sentence ?? null }),
        runEnded: (_, data) => this.told.push(data),
      },
      grantOf: () => this.grant,
      now: () => NOW,
      log: { error: () => this.told.push('problem'), warn: () => this.told.push('a gateway is gone') },
    });
  }
}

async function announced(end: ValueMap, keep: Keep = KEPT) {
  const { runs, told, stored } = new Gateway(keep, end);
  runs.announce(START);
  runs.announce(START, RAN);
  const before = [...told];
  await new Promise(setImmediate);
  return { stored: stored.map(([one]) => one), before, told };
}

const find = (stored: readonly records.StoredReturn[]) =>
  endedRun({ returnsOf: ({ jid }) => Promise.resolve(stored.filter((one) => one.jid === jid)) }, JID);

it('it is kept before it is told, and found with all that its event says', async () => {
  const { stored, before, told } = await announced(END);
  expect(before).toEqual(['started']);
  expect(told).toEqual(['started', END]);
  const id = stored[0]?.id ?? '';
  expect(id).toMatch(/_master$/);
  expect(await find(stored)).toMatchObject({
    jid: JID,
    Function: 'runner.manage.up',
    Arguments: [1],
    User: 'alice',
    Target: id,
    Minions: [id],
    Result: { [id]: { return: { ...END, _stamp: '2026-11-18T11:06:40.000000' }, retcode: 0, success: true } },
  });
});

it('one that failed is found as failed', async () => {
  const { stored } = await announced({ ...END, return: 'no', success: false });
  expect(await find(stored)).toMatchObject({ Result: { [stored[0]?.id ?? '']: { retcode: 1, success: false } } });
});

it('it is told also where it could not be kept', async () => {
  const { told } = await announced(END, () => Promise.reject(new Error('the broker is away')));
  expect(told).toEqual(['started', 'problem', END]);
});

const ofMinion = (id: string, ret: ValueMap): records.StoredReturn => ({
  ...{ jid: JID, id, status: 'done', at: NOW },
  outcome: { ret, retcode: 0, success: true, out: null },
});

it('what minions returned to a job whose record has expired is no runner’s answer', async () => {
  const [web1, salt] = [ofMinion('web1', { os: 'Debian', jid: JID }), ofMinion('salt_master', { os: 'Debian' })];
  expect(await find([web1, salt])).toBeNull();
  const { stored } = await announced(END);
  expect(await find([web1, salt, ...stored])).toMatchObject({ Function: END.fun, Minions: [stored[0]?.id] });
});

it('one that another gateway kept is found', async () => {
  expect(await find([ofMinion('gw2.example.com_master', END)])).toMatchObject({ Minions: ['gw2.example.com_master'] });
});

it('none is found where none was', async () => {
  expect(await find([])).toBeNull();
});

it('its end is to be kept from the start until it is stored, and asked of others it is not', async () => {
  let store: (isNew: boolean) => void = () => undefined;
  const { runs, told } = new Gateway(() => new Promise<boolean>((resolve) => (store = resolve)));
  const open = () => runs.open([JID, '20261118110640000001']);
  expect(open()).toEqual([]);
  runs.announce(START);
  expect(open()).toEqual([JID]);
  runs.announce(START, RAN);
  expect(open()).toEqual([JID]);
  store(true);
  await new Promise(setImmediate);
  expect(open()).toEqual([]);
  expect(told).toEqual(['started', END]);
});

it('an end that another gateway has kept is not told again', async () => {
  const { stored, told } = await announced(END, () => Promise.resolve(false));
  expect(stored).toHaveLength(1);
  expect(told).toEqual(['started']);
});

describe('of a gateway that is gone', () => {
  const request = encodeRequest(aRequest(NOW, { what: 'run', funs: ['manage.up'] }));
  const granted = (fields: Partial<Grant> = {}) =>
    ({
      jid: JID,
      requestDigest: requestDigest(request),
      caller: { kind: 'account', name: 'alice' },
      ...fields,
    }) as Grant;
  const outcome = { ret: ['b'], retcode: 0, success: true, out: null };
  const body = { request, jid: JID, refusal: null, outcome } as unknown as Body<typeof contracts.ended>;

  it('what a run answered is kept and told here, once', async () => {
    const gateway = new Gateway();
    gateway.grant = granted();
    expect(await gateway.runs.take(body)).toMatchObject({ ok: true });
    expect(gateway.told).toEqual(['a gateway is gone', { ...END, return: ['b'] }]);
    expect(gateway.stored).toMatchObject([[{ jid: JID, outcome: { ret: { return: ['b'] } } }, 'end']]);
  });

  it('what is kept already stays, and is not told again', async () => {
    const gateway = new Gateway(() => Promise.resolve(false));
    gateway.grant = granted();
    expect(await gateway.runs.take(body)).toMatchObject({ ok: true });
    expect(gateway.told).toEqual([]);
  });

  it('one that cannot be stored is to be told again', async () => {
    const gateway = new Gateway(() => Promise.reject(new Error('the broker is away')));
    gateway.grant = granted();
    await expect(gateway.runs.take(body)).rejects.toThrow('the broker is away');
    expect(gateway.told).toEqual([]);
  });

  const job = encodeRequest(aRequest(NOW));
  it.each<readonly [string, string, Grant | undefined, Partial<typeof body>]>([
    ['nobody has granted', 'grant_signature', undefined, {}],
    ['was granted under another jid', 'grant_digest', granted({ jid: jidOf(1) }), {}],
    ['was granted for another request', 'grant_digest', granted({ requestDigest: new Uint8Array(32) }), {}],
    ['is a job', 'bad_request', granted({ requestDigest: requestDigest(job) }), { request: job }],
    ['no request can be read of', 'bad_request', granted(), { request: Uint8Array.of(1) }],
  ])('nothing is kept of a run that %s', async (_, code, grant, fields) => {
    const gateway = new Gateway();
    gateway.grant = grant;
    expect(await gateway.runs.take({ ...body, ...fields })).toMatchObject({ ok: false, error: { code } });
    expect([gateway.stored, gateway.told]).toEqual([[], []]);
  });
});
