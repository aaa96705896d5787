/** Rules of publishing: the order is the security argument, and whatever refuses sends nothing. */
import { err, ok, parseJid, refusal, type Refusal, type Request, type Result, Unanswered } from '@natrium/model';
import type { records } from '@natrium/wire';
import { aRequest, NOW } from './a-request.spec-support.js';
import { type ActiveJob, ActiveJobs } from './active-jobs.js';
import type { News } from './news.js';
import { PeerPublish } from './peer-publish.js';
import type { Follow, GrantedJob, JobCreation } from './publish-ports.js';
import type { SignedRequest } from './signed-request.js';

const JIDS = ['20261120141646000001', '20261120141646000002'].map((text) => parseJid(text)!);

const keyOf = (id: string) => Uint8Array.from(Buffer.from(id.padEnd(32)));
const keyText = (key: Uint8Array) => Buffer.from(key).toString('hex');

function asks(fun: string, change: Partial<Request> = {}, digest = 'digest'): SignedRequest {
  const request = aRequest({ funs: fun.split(','), ...change });
  const bytes = Uint8Array.from(Buffer.from(`${fun} ${digest}`));
  const signature = new Uint8Array(64);
  return { bytes, signature, credential: null, grantRun: null, callerKey: keyOf('web1'), request, digest };
}

function granted(...ids: readonly string[]): Result<GrantedJob, Refusal> {
  const members = ids.map((id) => ({ id, key: keyOf(id) }));
  const grant = { bytes: Uint8Array.of(1), signature: new Uint8Array(64) };
  return ok({
    grant,
    caller: { kind: 'minion', name: 'web1' },
    members,
    missing: ['gone'],
    rule: 'peer › .* › test.*',
  });
}

/** The gate with its ports recorded; `steps` holds what it did, in order. */
class Gate {
  readonly steps: string[] = [];
  readonly heard: News[] = [];
  readonly sent: ActiveJob[] = [];
  readonly created: records.AskedJob[] = [];
  readonly kept: records.JobRecord[] = [];
  verdict: Result<GrantedJob, Refusal> = granted('web1', 'web2');
  creations: JobCreation[] = [];
  stored: records.StoredReturn[] = [];
  absent: string[] = [];
  storeFails = false;
  mintFails = false;
  keepFails = false;
  whileDropped: Promise<void> | undefined;
  /** Nobody else has gone on with it. */
  drops = true;
  /** Goes on with the job that another gateway has. */
  takesOver = false;
  takeOvers = 0;
  prepareFails = false;
  /** A job that another gateway has. */
  elsewhere: records.JobRecord | undefined;
  /** While the job is written. */
  meanwhile: (asked: records.AskedJob) => void = () => undefined;
  readonly jobs = new ActiveJobs({ after: () => () => undefined });
  #jids = 0;

  readonly flow = new PeerPublish(
    {
      instance: 'gw1',
      mintJid: () =>
        this.mintFails ? Promise.reject(new Error('timeout')) : Promise.resolve(JIDS[this.#jids++ % JIDS.length]!),
      askGrant: (_ask, jid) => {
        this.steps.push(`grant ${jid.slice(-1)}`);
        return Promise.resolve(this.verdict);
      },
      createJob: (asked) => {
        this.steps.push('record');
        this.created.push(asked);
        this.meanwhile(asked);
        if (this.storeFails) return Promise.reject(new Error('JetStream: insufficient storage'));
        return Promise.resolve(this.creations.shift() ?? { type: 'created', revision: this.created.length });
      },
      dropJob: async (place, revision) => {
        await this.whileDropped;
        this.steps.push(`drop ${place} ${String(revision)}`);
        return this.drops;
      },
      prepare: (_, writing) => (this.prepareFails ? Promise.reject(new Error('too large')) : writing),
      keepGrant: (record, place, when) => {
        this.steps.push(`keep ${place}${when === 'now' ? ' now' : ''}`);
        this.kept.push(record);
        return this.keepFails ? Promise.reject(new Error('no disk')) : Promise.resolve();
      },
      findJob: () => Promise.resolve(this.elsewhere),
      fanOut: (job, hear) => {
        this.steps.push('fan-out');
        this.sent.push(job);
        for (const id of this.absent) hear.notConnected(keyText(keyOf(id)));
        return () => this.steps.push('hang up');
      },
      notConnected: () => Promise.resolve(this.absent.map((id) => keyText(keyOf(id)))),
      storedReturns: () => Promise.resolve(this.stored),
      takeOver: ({ digest }) => {
        this.takeOvers += 1;
        const record = this.takesOver ? this.elsewhere : undefined;
        return Promise.resolve(record && this.jobs.start(record, digest, keyText));
      },
      announce: () => this.steps.push('event'),
      keyText,
      now: () => NOW,
    },
    this.jobs,
  );

  async publish(ask: SignedRequest, follow: Follow = 'all', peer = true): Promise<readonly News[]> {
    const before = this.heard.length;
    await this.flow.handle(ask, peer, follow, (news) => this.heard.push(news));
    return this.heard.slice(before);
  }
}

const codes = (heard: readonly News[]) => heard.map((news) => news.refusal?.code);
const starts = (heard: readonly News[]) => heard.map((news) => news.started?.jid);

describe('a job that runs', () => {
  const stranger = (change: Partial<SignedRequest>) => ({ ...asks('cmd.run'), callerKey: keyOf('thief'), ...change });

  it.each<[string, Partial<SignedRequest>]>([
    ['another signature', { signature: new Uint8Array(64).fill(7) }],
    ['none, and a token', { signature: null, credential: { token: 'x' } as unknown as SignedRequest['credential'] }],
  ])('is told to nobody who has its bytes, as its minions do, and %s: the acl-service is asked', async (_, change) => {
    const gate = new Gate();
    await gate.publish(asks('cmd.run'));
    const [job] = gate.sent;
    if (job === undefined) throw new Error('no job');
    gate.jobs.heard(job, { id: 'web2', ret: 'a secret', retcode: 0, success: true });
    gate.steps.length = 0;
    gate.verdict = err(refusal('not_permitted', 'no'));
    const heard = await gate.publish(stranger(change));
    expect(gate.steps).toEqual(['grant 2']);
    expect(codes(heard)).toEqual(['not_permitted']);
    expect(JSON.stringify(heard)).not.toContain('secret');
  });

  it('is told to its caller without another grant', async () => {
    const gate = new Gate();
    await gate.publish(asks('cmd.run'));
    gate.steps.length = 0;
    expect(starts(await gate.publish(asks('cmd.run')))).toContain(JIDS[0]);
    expect(gate.steps).toEqual([]);
  });
});

describe('a job that has outlived its request and its gateway', () => {
  const EXPIRED = err(refusal('request_expired', 'too late'));

  async function left(change: Partial<records.JobRecord> = {}): Promise<Gate> {
    const gate = new Gate();
    await gate.publish(asks('cmd.run', {}, 'before'));
    gate.elsewhere = { ...gate.kept[0]!, request: asks('cmd.run').bytes, ...change };
    gate.verdict = EXPIRED;
    gate.takesOver = true;
    gate.creations = [{ type: 'exists' }];
    gate.steps.length = 0;
    gate.sent.length = 0;
    return gate;
  }

  it('is gone on with for its caller, who is known by his signature, and nothing is sent', async () => {
    const gate = await left();
    expect(starts(await gate.publish(asks('cmd.run')))).toEqual([JIDS[0]]);
    expect([gate.steps, gate.takeOvers, gate.sent]).toEqual([['grant 2', 'record'], 1, []]);
    const job = gate.jobs.byPlace('digest')!;
    for (const id of ['web1', 'web2']) {
      job.gathering.returned(keyText(keyOf(id)));
      gate.jobs.heard(job, { id, ret: true, retcode: 0, success: true });
    }
    expect(gate.heard.at(-1)).toMatchObject({ returns: [{ id: 'web2' }], end: [] });
  });

  it.each<[string, Partial<records.JobRecord>, Partial<SignedRequest>]>([
    ['another signature', {}, { signature: new Uint8Array(64).fill(7) }],
    ['no signature', {}, { signature: null }],
    ['no signature, as it was asked for', { signature: null }, { signature: null }],
  ])('is told to nobody who has its bytes and %s', async (_, change, ask) => {
    const gate = await left(change);
    gate.stored = [{ jid: JIDS[0]!, id: 'web1', status: 'done', outcome: { ret: 'a secret', retcode: 0, success: true, out: null }, at: NOW }]; // prettier-ignore
    const heard = await gate.publish({ ...asks('cmd.run'), ...ask });
    expect(codes(heard)).toEqual(['request_expired']);
    expect(gate.takeOvers).toBe(0);
    expect(JSON.stringify(heard)).not.toContain('secret');
  });

  it.each(['not_permitted', 'unknown_caller'] as const)(
    'is not gone on with for a caller who is refused: %s',
    async (code) => {
      const gate = await left();
      gate.verdict = err(refusal(code, 'no'));
      expect(codes(await gate.publish(asks('cmd.run')))).toEqual([code]);
      expect(gate.takeOvers).toBe(0);
    },
  );

  it('is in no preview, and one that is nowhere is refused as too late', async () => {
    const gate = await left();
    expect(codes(await gate.publish(asks('cmd.run'), 'preview'))).toEqual(['request_expired']);
    gate.elsewhere = undefined;
    expect(codes(await gate.publish(asks('cmd.run')))).toEqual(['request_expired']);
    expect([gate.sent, gate.jobs.byPlace('digest')]).toEqual([[], undefined]);
  });
});

describe('the gate', () => {
  it('follows a job that a take-over has begun here while it was written, and sends nothing twice', async () => {
    const gate = new Gate();
    gate.meanwhile = (asked) => {
      const members = ['web1', 'web2'].map((id) => ({ id, key: keyOf(id) }));
      const caller = { kind: 'minion', name: 'web1' } as const;
      const grant = { bytes: Uint8Array.of(1), signature: new Uint8Array(64) };
      gate.jobs.start({ ...asked, caller, grant, members, missing: [] }, 'digest', keyText);
    };
    const heard = await gate.publish(asks('test.version'));
    expect(gate.sent).toEqual([]);
    expect(starts(heard)).toEqual([JIDS[0]]);
    const job = gate.jobs.byPlace('digest')!;
    for (const id of ['web1', 'web2']) {
      job.gathering.returned(keyText(keyOf(id)));
      gate.jobs.heard(job, { id, ret: true, retcode: 0, success: true });
    }
    expect(gate.heard.flatMap(({ returns }) => returns.map(({ id }) => id))).toEqual(['web1', 'web2']);
    expect(gate.heard.at(-1)?.end).toEqual([]);
  });

  it('asks for a grant, writes the job, and only then lets a minion hear of it', async () => {
    const gate = new Gate();
    const heard = await gate.publish(asks('test.version'));
    expect(gate.steps).toEqual(['grant 1', 'record', 'fan-out', 'keep digest', 'event']);
    expect(heard).toEqual([
      {
        refusal: null,
        started: { jid: JIDS[0], minions: ['web1', 'web2'], missing: ['gone'], rule: 'peer › .* › test.*' },
        returns: [],
        end: null,
      },
    ]);
  });

  it('makes the job of the request’s bytes and the grant’s caller, and of nothing that the sender says', async () => {
    const gate = new Gate();
    const ask = asks('test.version');
    await gate.publish(ask);
    const asked = {
      request: ask.bytes,
      signature: ask.signature,
      callerKey: ask.callerKey,
      batch: null,
      jid: JIDS[0],
      instance: 'gw1',
      started: NOW,
    };
    expect(gate.created).toEqual([asked]);
    const granted = {
      caller: { kind: 'minion', name: 'web1' },
      members: [{ id: 'web1' }, { id: 'web2' }],
      missing: ['gone'],
    };
    expect(gate.kept).toMatchObject([{ ...asked, ...granted }]);
  });

  it.each(['publish.publish', 'test.ping,publish.runner', ' publish.full_data', 'publishing.any'])(
    'refuses recursion before anything else: %s',
    async (fun) => {
      const gate = new Gate();
      expect(codes(await gate.publish(asks(fun)))).toEqual(['recursive_publish']);
      expect(gate.steps).toEqual([]);
      expect(gate.sent).toEqual([]);
    },
  );

  it('lets an account publish a function that publishes', async () => {
    const gate = new Gate();
    expect(codes(await gate.publish(asks('publish.publish'), 'all', false))).toEqual([undefined]);
    expect(gate.sent).toHaveLength(1);
  });

  it.each(['run', 'key', 'wheel', 'token'] as const)(
    'refuses a request for %s, and asks for no grant',
    async (what) => {
      const gate = new Gate();
      expect(codes(await gate.publish(asks('manage.up', { what })))).toEqual(['bad_request']);
      expect(gate.steps).toEqual([]);
    },
  );

  it('passes a refusal of the acl-service on, and writes and sends nothing', async () => {
    const gate = new Gate();
    gate.verdict = err(refusal('not_permitted', 'no rule permits it'));
    const heard = await gate.publish(asks('cmd.run'));
    expect(heard[0]?.refusal).toEqual({ code: 'not_permitted', sentence: 'no rule permits it' });
    expect(gate.steps).toEqual(['grant 1']);
    expect(gate.jobs.all()).toEqual([]);
  });

  it('never sends an empty resolution on', async () => {
    const gate = new Gate();
    gate.verdict = ok({ grant: null, caller: { kind: 'account', name: '' }, members: [], missing: ['a'], rule: 'r' });
    expect(await gate.publish(asks('test.ping'))).toEqual([
      { refusal: null, started: { jid: JIDS[0], minions: [], missing: ['a'], rule: 'r' }, returns: [], end: [] },
    ]);
    expect(gate.steps).toEqual(['grant 1']);
  });

  it('shows in a preview who is meant, and writes and sends nothing', async () => {
    const gate = new Gate();
    const heard = await gate.publish(asks('test.ping'), 'preview');
    expect(heard.map((news) => news.started?.minions)).toEqual([['web1', 'web2']]);
    expect(gate.steps).toEqual(['grant 1']);
    expect(gate.jobs.all()).toEqual([]);
  });

  it('leaves out of a preview who is not connected, for a caller who asks for that only', async () => {
    const gate = new Gate();
    gate.absent = ['web2'];
    const connected = await gate.publish(asks('test.ping', { options: { connected: true } }), 'preview');
    expect(connected.map((news) => news.started?.minions)).toEqual([['web1']]);
    const all = await gate.publish(asks('test.ping'), 'preview');
    expect(all.map((news) => news.started?.minions)).toEqual([['web1', 'web2']]);
    expect(gate.steps).toEqual(['grant 1', 'grant 2']);
  });

  it('sends nothing while no jid can be had, and says why', async () => {
    const gate = new Gate();
    gate.mintFails = true;
    const heard = await gate.publish(asks('test.ping'));
    expect(heard[0]?.refusal).toMatchObject({
      code: 'store_unavailable',
      sentence: 'no job id could be had, so nothing was sent: timeout',
    });
    expect([gate.steps, gate.sent]).toEqual([[], []]);
  });

  it('sends nothing of a job that cannot be written, and says why', async () => {
    const gate = new Gate();
    gate.storeFails = true;
    const heard = await gate.publish(asks('test.ping'));
    expect(heard[0]?.refusal).toMatchObject({
      code: 'store_unavailable',
      sentence: expect.stringContaining('insufficient storage') as string,
    });
    expect([gate.sent, gate.jobs.all()]).toEqual([[], []]);
  });

  it('follows the job that is running when the same request comes again', async () => {
    const gate = new Gate();
    await gate.publish(asks('test.ping'));
    gate.steps.length = 0;
    expect(starts(await gate.publish(asks('test.ping')))).toEqual([JIDS[0]]);
    expect(gate.steps).toEqual([]);
    const [job] = gate.sent;
    expect(gate.sent).toHaveLength(1);
    expect(job?.listeners.size).toBe(2);
  });

  it('makes a job of each batch of one request, and one only of the same batch', async () => {
    const gate = new Gate();
    const batch = (place: string) => gate.publish({ ...asks('test.version'), batch: [place], place });
    expect(starts([...(await batch('b1')), ...(await batch('b2')), ...(await batch('b1'))])).toEqual([
      JIDS[0],
      JIDS[1],
      JIDS[0],
    ]);
    expect(gate.sent).toHaveLength(2);
  });

  it('refuses to follow a job that was made of other bytes', async () => {
    const gate = new Gate();
    await gate.publish(asks('test.ping'));
    const other = { ...asks('cmd.run'), digest: 'digest' };
    expect(codes(await gate.publish(other))).toEqual(['bad_request']);
    expect(gate.sent).toHaveLength(1);
  });

  it('tells what has come of a job that another gateway gathers, and does not send it again', async () => {
    const gate = new Gate();
    await gate.publish(asks('test.ping', {}, 'elsewhere'));
    gate.elsewhere = { ...gate.kept[0]!, jid: JIDS[1]! };
    gate.creations = [{ type: 'exists' }];
    const outcome = { ret: true, retcode: 0, success: true, out: null };
    gate.stored = [{ jid: JIDS[1]!, id: 'web1', status: 'done', outcome, at: NOW }];
    const heard = await gate.publish(asks('test.ping'));
    expect(starts(heard)).toEqual([JIDS[1], undefined]);
    expect(heard[1]).toEqual({
      refusal: null,
      started: null,
      returns: [{ id: 'web1', ...outcome }],
      end: [{ id: 'web2', why: 'running', sentence: null }],
    });
    expect(gate.sent).toHaveLength(1);
  });

  it('has a caller ask again whose job another gateway is still deciding on, and sends nothing', async () => {
    const gate = new Gate();
    gate.creations = [{ type: 'exists' }, { type: 'exists' }];
    expect(codes(await gate.publish(asks('test.ping')))).toEqual(['slow_down']);
    expect(gate.sent).toEqual([]);
  });

  it('goes on when the job that was there was not granted and is gone: whoever knows a request may not keep it from running', async () => {
    const gate = new Gate();
    gate.creations = [{ type: 'exists' }];
    expect(starts(await gate.publish(asks('test.ping')))).toEqual([JIDS[0]]);
    expect(gate.steps).toEqual(['grant 1', 'record', 'record', 'fan-out', 'keep digest', 'event']);
  });

  it.each<[string, Partial<SignedRequest>]>([
    ['nobody has signed', { signature: null }],
    ['a runner asks for', { callerKey: null }],
  ])(
    'lets no minion hear of a job that %s before it is written who is meant: nobody could ask that again',
    async (_, change) => {
      const gate = new Gate();
      const unsigned = { ...asks('test.ping'), ...change };
      await gate.publish(unsigned);
      expect(gate.steps).toEqual(['grant 1', 'record', 'keep digest now', 'fan-out', 'event']);
      const failing = new Gate();
      failing.keepFails = true;
      expect(codes(await failing.publish(unsigned))).toEqual(['store_unavailable']);
      expect(failing.steps).toEqual(['grant 1', 'record', 'keep digest now', 'drop digest 1']);
      expect(failing.sent).toEqual([]);
    },
  );

  it('leaves nothing of a job that cannot be sealed', async () => {
    const gate = new Gate();
    gate.prepareFails = true;
    await expect(gate.publish(asks('test.ping'))).rejects.toThrow('too large');
    await Promise.resolve();
    expect(gate.steps).toEqual(['grant 1', 'record', 'drop digest 1']);
    expect(gate.sent).toEqual([]);
  });

  it('says only the start to a caller that asked for no more', async () => {
    const gate = new Gate();
    expect(starts(await gate.publish(asks('test.ping'), 'jid'))).toEqual([JIDS[0]]);
    expect(gate.sent[0]?.listeners.size).toBe(0);
  });

  it('ends at once when the broker says that nobody is connected', async () => {
    const gate = new Gate();
    gate.absent = ['web1', 'web2'];
    const heard = await gate.publish(asks('test.ping'));
    expect(heard.at(-1)?.end?.map(({ id, why }) => [id, why])).toEqual([
      ['web1', 'not_connected'],
      ['web2', 'not_connected'],
    ]);
  });
});

function withResolvers(): { readonly promise: Promise<void>; readonly resolve: () => void } {
  let resolve: () => void = () => undefined;
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}

describe('a caller whose last request was granted', () => {
  const second = asks('cmd.run', {}, 'second');

  async function afterOne(): Promise<Gate> {
    const gate = new Gate();
    await gate.publish(asks('test.ping'));
    gate.steps.length = 0;
    return gate;
  }

  it('has his job written while the acl-service decides, and sent when both are there', async () => {
    const gate = await afterOne();
    await gate.publish(second);
    expect(gate.steps).toEqual(['grant 2', 'record', 'fan-out', 'keep second', 'event']);
  });

  it('is refused like any other: his job is taken back, nobody hears of it, and his next is not written before', async () => {
    const gate = await afterOne();
    gate.verdict = err(refusal('not_permitted', 'no'));
    expect(codes(await gate.publish(second))).toEqual(['not_permitted']);
    await gate.publish(asks('cmd.run', {}, 'third'));
    expect(gate.steps).toEqual(['grant 2', 'record', 'drop second 2', 'grant 1']);
    expect(gate.sent).toHaveLength(1);
  });

  it('hears that nobody decided, and nothing was sent, only when his job is taken back', async () => {
    const gate = await afterOne();
    const { promise, resolve } = withResolvers();
    gate.whileDropped = promise;
    gate.verdict = err(refusal('acl_unavailable', 'nobody decided: nothing was sent'));
    const heard = gate.heard.length;
    const publishing = gate.publish(second);
    for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
    expect(gate.heard).toHaveLength(heard);
    resolve();
    expect(codes(await publishing)).toEqual(['acl_unavailable']);
    expect(gate.steps).toEqual(['grant 2', 'record', 'drop second 2']);
  });

  it.each<[string, (gate: Gate) => void]>([
    ['another gateway has gone on with his job', (gate) => (gate.drops = false)],
    ['his request has another job', (gate) => gate.creations.push({ type: 'exists' })],
    ['his job may yet be written', (gate) => (gate.storeFails = true)],
  ])('does not hear that nothing was sent when nobody decides and %s: he asks again', async (_, change) => {
    const gate = await afterOne();
    change(gate);
    gate.verdict = err(refusal('acl_unavailable', 'nobody decided: nothing was sent'));
    const heard = gate.heard.length;
    await expect(gate.publish(second)).rejects.toThrow(Unanswered);
    expect(gate.heard).toHaveLength(heard);
  });

  it('whose request means nobody leaves no job behind', async () => {
    const gate = await afterOne();
    gate.verdict = ok({ grant: null, caller: { kind: 'account', name: '' }, members: [], missing: ['a'], rule: 'r' });
    await gate.publish(second);
    expect(gate.steps).toEqual(['grant 2', 'record', 'drop second 2']);
  });

  it('and whose next request has a job already does not lose that when he is refused', async () => {
    const gate = await afterOne();
    gate.verdict = err(refusal('not_permitted', 'no'));
    gate.creations = [{ type: 'exists' }];
    await gate.publish(second);
    expect(gate.steps).toEqual(['grant 2', 'record']);
  });

  it('has nothing written for a preview', async () => {
    const gate = await afterOne();
    await gate.publish(second, 'preview');
    expect(gate.steps).toEqual(['grant 2']);
  });

  it('is known by his key: another’s request is not written before it is granted', async () => {
    const gate = await afterOne();
    await gate.publish({ ...second, callerKey: keyOf('web2') });
    await gate.publish({ ...asks('cmd.run', {}, 'third'), callerKey: null });
    expect(gate.steps.slice(0, 2)).toEqual(['grant 2', 'record']);
    expect(gate.steps.slice(5, 7)).toEqual(['grant 1', 'record']);
  });
});
