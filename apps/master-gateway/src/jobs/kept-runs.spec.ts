/** Rules of what runners answered: kept before it is told, and found by its jid alone. */
import { encodeRequest, type Grant, requestDigest, sodiumReady } from '@natrium/envelope';
import type { Ran, RunStart } from '@natrium/flow';
import { jidOf, type Value, type ValueMap } from '@natrium/model';
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
  isTold = true;
  stoodStill = false;
  before: records.StoredReturn[] = [];
  telling: () => Promise<void> = () => Promise.resolve();
  /** Runs that are written down as open: `+` and the jid when they begin, `-` when they have ended. */
  readonly opened: string[] = [];
  opening: () => Promise<void> = () => Promise.resolve();
  readonly runs: KeptRuns;

  constructor(keep: Keep = KEPT, end: ValueMap = END) {
    this.runs = new KeptRuns({
      open: {
        begin: ({ jid }) => {
          this.opened.push(`+${jid}`);
          return this.opening();
        },
        end: (jid) => {
          this.opened.push(`-${jid}`);
          return this.opening();
        },
      },
      cache: {
        storeReturn: async (one) => {
          this.stored.push([one, 'with others']);
          await keep();
        },
        storeLate: (one, key) => {
          this.stored.push([one, key]);
          return keep();
        },
        returnsOf: () => Promise.resolve(this.before),
      },
      events: {
        runStarted: () => this.told.push('started'),
        endOf: (_, ran) => (ran === RAN ? end : { ...end, return: ran.outcome?.ret ?? ran.refusal?.sentence ?? null }),
        runEnded: (_, data) => {
          this.told.push(data);
          return this.telling();
        },
        isToldAsEnded: () => Promise.resolve(this.isTold),
      },
      grantOf: () => this.grant,
      stoodStill: () => this.stoodStill,
      now: () => NOW,
      log: { error: () => this.told.push('problem'), warn: () => this.told.push('not kept by its own') },
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

it('arguments that no answer carries, nested as they are, do not keep it from being found', async () => {
  const nested = (levels: number): Value => (levels === 0 ? 1 : [nested(levels - 1)]);
  const { stored } = await announced({ ...END, fun_args: [nested(21), nested(20)] });
  expect(await find(stored)).toMatchObject({ Arguments: ['[cut: nested too deeply to be shown]', nested(20)] });
});

it('one that failed is found as failed', async () => {
  const { stored } = await announced({ ...END, return: 'no', success: false });
  expect(await find(stored)).toMatchObject({ Result: { [stored[0]?.id ?? '']: { retcode: 1, success: false } } });
});

it('where it could not be kept, the log says so, and its runner-service has it still', async () => {
  const { runs, told } = new Gateway(() => Promise.reject(new Error('the broker is away')));
  runs.announce(START);
  runs.announce(START, RAN);
  await runs.settled();
  expect(told).toEqual(['started', 'problem']);
  expect(runs.kept([JID])).toEqual([]);
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

it('it is kept when it is stored and its event is; a stop waits for that', async () => {
  let store: (isNew: boolean) => void = () => undefined;
  let tell: () => void = () => undefined;
  const gateway = new Gateway(() => new Promise<boolean>((resolve) => (store = resolve)));
  gateway.telling = () => new Promise<void>((resolve) => (tell = resolve));
  const { runs } = gateway;
  const kept = () => runs.kept([JID, '20261118110640000001']);
  runs.announce(START);
  runs.announce(START, RAN);
  let isSettled = false;
  void runs.settled().then(() => (isSettled = true));
  expect(kept()).toEqual([]);
  store(true);
  await new Promise(setImmediate);
  expect([kept(), isSettled, gateway.told]).toEqual([[], false, ['started', END]]);
  tell();
  await new Promise(setImmediate);
  expect([kept(), isSettled]).toEqual([[JID], true]);
});

it.each([
  ['what it answered', false],
  ['what was guessed of it', true],
])('it is written down as open until %s is kept and told', async (_, isGuess) => {
  const gateway = new Gateway();
  let tell: () => void = () => undefined;
  gateway.telling = () => new Promise<void>((resolve) => (tell = resolve));
  await gateway.runs.writeDown(START);
  gateway.runs.announce(START, RAN, isGuess);
  await new Promise(setImmediate);
  expect(gateway.opened).toEqual([`+${JID}`]);
  tell();
  await gateway.runs.settled();
  expect(gateway.opened).toEqual([`+${JID}`, `-${JID}`]);
});

it('while its end is not kept it stays written down', async () => {
  const gateway = new Gateway(() => Promise.reject(new Error('the broker is away')));
  gateway.runs.announce(START, RAN);
  await gateway.runs.settled();
  expect(gateway.opened).toEqual([]);
});

it('where it could not be written down, the log says so, and it goes on', async () => {
  const gateway = new Gateway();
  gateway.opening = () => Promise.reject(new Error('the broker is away'));
  await gateway.runs.writeDown(START);
  gateway.runs.announce(START, RAN);
  await gateway.runs.settled();
  expect(gateway.runs.kept([JID])).toEqual([JID]);
  expect(gateway.told).toEqual(['not kept by its own', END, 'not kept by its own']);
});

describe('of which neither its gateway nor its runner-service is left', () => {
  const LOST = /^no runner-service says that it works on it any more; whether it ran to its end is not known$/;

  it('its end is that nobody knows, kept and told once, by whichever gateway finds it', async () => {
    const gateway = new Gateway();
    await gateway.runs.lost(START);
    const [[guess, key] = []] = gateway.stored;
    expect([guess?.id, key]).toEqual([expect.stringMatching(/^\?.*_master$/), 'lost']);
    const lost = { ...END, return: expect.stringMatching(LOST) as string };
    expect(gateway.told).toEqual(['not kept by its own', lost]);
    expect(gateway.runs.kept([JID])).toEqual([]);
    const { stored, told, opened, runs } = new Gateway(() => Promise.resolve(false));
    await runs.lost(START);
    expect([stored.length, told, opened]).toEqual([1, [], [`-${JID}`]]);
  });

  it('it gives way to what the run answered after all', async () => {
    const gateway = new Gateway();
    await gateway.runs.lost(START);
    const [[guess] = []] = gateway.stored;
    const id = guess!.id.slice(1);
    expect(await find([guess!])).toMatchObject({ Minions: [id] });
    expect(await find([guess!, ofMinion(id, END)])).toMatchObject({ Result: { [id]: { return: END } } });
  });

  it.each([
    ['what it answered', 'gw_master'],
    ['what was guessed of it', '?gw_master'],
  ])('%s is told where its gateway had kept that alone, and nothing else is kept', async (_, id) => {
    const gateway = new Gateway();
    gateway.before = [ofMinion(id, { ...END, return: 'kept', _stamp: '2026-11-18T11:06:40.000000' })];
    gateway.isTold = false;
    await gateway.runs.lost(START);
    expect([gateway.stored, gateway.told]).toEqual([[], [{ ...END, return: 'kept' }]]);
    expect(gateway.opened).toEqual([`-${JID}`]);
    gateway.isTold = true;
    await gateway.runs.lost(START);
    expect(gateway.told).toHaveLength(1);
  });

  it('it stays written down while its end cannot be told', async () => {
    const gateway = new Gateway();
    gateway.telling = () => Promise.reject(new Error('the broker is away'));
    await expect(gateway.runs.lost(START)).rejects.toThrow('the broker is away');
    expect(gateway.opened).toEqual([]);
  });
});

it('one whose event could not be stored is not kept', async () => {
  const gateway = new Gateway();
  gateway.telling = () => Promise.reject(new Error('the broker is away'));
  gateway.runs.announce(START, RAN);
  await gateway.runs.settled();
  expect([gateway.runs.kept([JID]), gateway.told]).toEqual([[], [END, 'problem']]);
});

it('what the gateway itself says of a silent runner-service is found and told, and gives way to what it answers later', async () => {
  const { runs, stored, told } = new Gateway();
  runs.announce(START, RAN, true);
  await runs.settled();
  expect([told, runs.kept([JID])]).toEqual([[END], []]);
  const [guess] = stored.map(([one]) => one);
  const id = guess?.id.slice(1) ?? '';
  expect(await find([guess!])).toMatchObject({ Minions: [id], Result: { [id]: { return: { return: END.return } } } });
  const answered = ofMinion(id, { ...END, return: 'late' });
  expect(await find([guess!, answered])).toMatchObject({ Result: { [id]: { return: { return: 'late' } } } });
});

it('nothing is guessed of a run whose answer is kept', async () => {
  const gateway = new Gateway();
  gateway.before = [ofMinion('gw_master', END)];
  gateway.runs.announce(START, RAN, true);
  await gateway.runs.settled();
  expect([gateway.stored, gateway.told]).toEqual([[], []]);
});

it('an end that another gateway has kept while this one stood still is not told again', async () => {
  const kept = new Gateway(() => Promise.resolve(false));
  kept.stoodStill = true;
  kept.runs.announce(START, RAN);
  await kept.runs.settled();
  expect([kept.stored.map(([, key]) => key), kept.told]).toEqual([['end'], []]);
  const known = new Gateway();
  known.stoodStill = true;
  known.before = [ofMinion('gw_master', END)];
  known.runs.announce(START, RAN);
  await known.runs.settled();
  expect([known.stored, known.told]).toEqual([[], []]);
});

it('one that nobody has kept meanwhile is kept and told', async () => {
  const gateway = new Gateway();
  gateway.stoodStill = true;
  gateway.runs.announce(START, RAN);
  await gateway.runs.settled();
  expect([gateway.stored.map(([, key]) => key), gateway.told]).toEqual([['end'], [END]]);
  expect(gateway.runs.kept([JID])).toEqual([JID]);
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
    expect(gateway.told).toEqual(['not kept by its own', { ...END, return: ['b'] }]);
    expect(gateway.stored).toMatchObject([[{ jid: JID, outcome: { ret: { return: ['b'] } } }, 'end']]);
    expect([gateway.runs.kept([JID]), gateway.opened]).toEqual([[JID], [`-${JID}`]]);
  });

  it('what a gateway of an earlier version kept elsewhere is not kept twice, and a guess hinders nothing', async () => {
    const gateway = new Gateway();
    gateway.grant = granted();
    gateway.before = [ofMinion('gw_master', END)];
    await gateway.runs.take(body);
    expect([gateway.stored, gateway.told]).toEqual([[], []]);
    const other = new Gateway();
    other.grant = granted();
    other.before = [ofMinion('?gw_master', END)];
    await other.runs.take(body);
    expect(other.stored).toHaveLength(1);
  });

  it('what it kept and did not tell is told here', async () => {
    const gateway = new Gateway(() => Promise.resolve(false));
    gateway.grant = granted();
    gateway.isTold = false;
    expect(await gateway.runs.take(body)).toMatchObject({ ok: true });
    expect(gateway.told).toEqual([{ ...END, return: ['b'] }]);
  });

  it('what is kept already stays, and is not told again', async () => {
    const gateway = new Gateway(() => Promise.resolve(false));
    gateway.grant = granted();
    expect(await gateway.runs.take(body)).toMatchObject({ ok: true });
    expect(gateway.told).toEqual([]);
  });

  it('of hundreds that come at once a few are looked for at a time, and each once, however often it comes', async () => {
    let [looks, most, underWay] = [0, 0, 0];
    const kept: (() => void)[] = [];
    const gateway = new Gateway(async () => {
      looks += 1;
      most = Math.max(most, (underWay += 1));
      await new Promise<void>((resolve) => kept.push(resolve));
      underWay -= 1;
      return true;
    });
    const take = (n: number) => {
      gateway.grant = granted({ jid: jidOf(n) });
      return gateway.runs.take({ ...body, jid: jidOf(n) });
    };
    const taken = [...Array(200).keys(), ...Array(200).keys()].map(take);
    const all = Promise.all(taken);
    for (let isOver = false; !isOver;) {
      kept.shift()?.();
      isOver = await Promise.race([all.then(() => true), new Promise<false>((go) => setImmediate(go, false))]);
    }
    expect((await all).every(({ ok }) => ok)).toBe(true);
    expect([looks, most]).toEqual([200, 4]);
    expect(await take(7)).toMatchObject({ ok: true });
    expect(looks).toBe(200);
  });

  it('one that cannot be stored is to be handed over again', async () => {
    const gateway = new Gateway(() => Promise.reject(new Error('the broker is away')));
    gateway.grant = granted();
    expect(await gateway.runs.take(body)).toMatchObject({ ok: false, error: { code: 'store_unavailable' } });
    expect([gateway.told, gateway.runs.kept([JID])]).toEqual([['problem'], []]);
  });

  const job = encodeRequest(aRequest(NOW));
  it.each<readonly [string, string, Grant | undefined, Partial<typeof body>]>([
    ['nobody has granted', 'grant_signature', undefined, {}],
    ['was over more than an hour ago', 'grant_expired', granted({ expires: NOW - 3_600_001 }), {}],
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
