/** Rules of taking a job over: it is made one's own first, only who has not returned hears of it again, under a new grant. */
import { err, ok, parseJid, refusal, type Refusal, type Request, type Result, Unanswered } from '@natrium/model';
import type { records } from '@natrium/wire';
import { type ActiveJob, ActiveJobs } from './active-jobs.js';
import { JobTakeover } from './job-takeover.js';
import type { News } from './news.js';
import type { FanRound, GrantedJob } from './publish-ports.js';
import type { SignedRequest } from './signed-request.js';

const JID = parseJid('20261120141646000001')!;
const NOW = 1_795_000_000_000;
const keyOf = (id: string) => Uint8Array.from(Buffer.from(id.padEnd(32)));
const keyText = (key: Uint8Array) => Buffer.from(key).toString('hex');
const grant = { bytes: Uint8Array.of(1), signature: new Uint8Array(64) };
const OUTCOME = { ret: true, retcode: 0, success: true, out: null };

const ASK: SignedRequest = {
  bytes: Uint8Array.of(7), signature: new Uint8Array(64), credential: null, grantRun: null, callerKey: keyOf('root'), digest: 'd',
  request: {
    id: new Uint8Array(16), what: 'job', funs: ['test.ping'], args: [[]], tgt: '*', tgtType: 'glob', returner: '',
    returnerOptions: {}, timeout: 5, options: {}, issued: NOW, lifetime: 65_000,
  } satisfies Request,
}; // prettier-ignore

/** A job of three minions that another gateway began, and whoever goes on with it. */
class Left {
  readonly steps: string[] = [];
  readonly rounds: FanRound[] = [];
  /** What is to be done when, in milliseconds from the moment that it was asked for. */
  readonly timers: { readonly ms: number; readonly run: () => void; over: boolean }[] = [];
  readonly jobs = new ActiveJobs({
    after: (ms, run) => {
      const timer = { ms, run, over: false };
      this.timers.push(timer);
      return () => {
        timer.over = true;
      };
    },
  });
  /** How often in a row the broker does not answer. */
  unreadable = 0;
  unwritable = 0;
  pauses = 0;
  /** While the job is made this one's. */
  meanwhile: () => void = () => undefined;
  /** While the acl-service decides. */
  whileGranted: () => void = () => undefined;
  stored: string[] = [];
  absent: string[] = [];
  moves = [true];
  granted = ['web1', 'web2', 'db1'];
  refused: Refusal | undefined;
  asked: records.AskedJob | undefined = {
    request: ASK.bytes, signature: new Uint8Array(64).fill(9), callerKey: keyOf('other'), batch: null, jid: JID, instance: 'dead', started: NOW,
  }; // prettier-ignore
  /** What the dead gateway wrote down of it. */
  written: records.JobGrant | undefined = {
    jid: JID, place: new Uint8Array(32), caller: { kind: 'account', name: 'root' }, grant,
    members: ['web1', 'web2', 'db1'].map((id) => ({ id, key: keyOf(id) })), missing: [],
  }; // prettier-ignore
  readonly kept: records.JobRecord[] = [];
  readonly moved: records.AskedJob[] = [];

  readonly takeover = new JobTakeover(
    {
      instance: 'here',
      findJob: () => Promise.resolve(this.asked && { asked: this.asked, granted: this.written, revision: 1 }),
      keepGrant: (record, place, when) => {
        this.steps.push(`keep ${place}${when === 'now' ? ' now' : ''}`);
        this.kept.push(record);
        return Promise.resolve();
      },
      moveJob: ({ asked }) => {
        this.steps.push('move');
        this.moved.push(asked);
        if (this.unwritable > 0) {
          this.unwritable -= 1;
          return Promise.reject(new Error('timeout'));
        }
        this.meanwhile();
        return Promise.resolve(this.moves.shift() ?? false);
      },
      storedReturns: () => {
        this.steps.push('read');
        if (this.unreadable > 0) {
          this.unreadable -= 1;
          return Promise.reject(new Error('timeout'));
        }
        const status = 'done' as const;
        return Promise.resolve(this.stored.map((id) => ({ jid: JID, id, status, outcome: OUTCOME, at: NOW })));
      },
      askGrant: (_, jid): Promise<Result<GrantedJob, Refusal>> => {
        this.steps.push(`grant ${jid.slice(-1)}`);
        this.whileGranted();
        if (this.refused !== undefined) return Promise.resolve(err(this.refused));
        const members = this.granted.map((id) => ({ id, key: keyOf(id) }));
        return Promise.resolve(
          ok({ grant, caller: { kind: 'account', name: 'root' }, members, missing: [], rule: 'x' }),
        );
      },
      fanOut: (_, hear, round) => {
        this.steps.push('fan-out');
        this.rounds.push(round);
        for (const id of this.absent) hear.notConnected(keyText(keyOf(id)));
        return () => this.steps.push('hang up');
      },
      keyText,
      pause: () => {
        this.pauses += 1;
        return Promise.resolve();
      },
      now: () => NOW + 1000,
    },
    this.jobs,
  );

  take(ask = ASK): Promise<ActiveJob | undefined> {
    return this.takeover.take(ask);
  }

  /** Runs what is due at its end, in its order. */
  timeIsUp(): void {
    for (const timer of this.timers.filter(({ over }) => !over)) timer.run();
  }

  sentTo(): readonly string[] {
    return this.rounds.flatMap(({ only }) => ['web1', 'web2', 'db1'].filter((id) => only.has(keyText(keyOf(id)))));
  }
}

function heard({ jobs }: Left, job: ActiveJob): readonly News[] {
  const news: News[] = [];
  jobs.catchUp(job, (one) => news.push(one));
  return news;
}

describe('a job that another gateway left', () => {
  it('is made one’s own, then its returns are read, then it is granted anew under its jid, then sent', async () => {
    const left = new Left();
    expect((await left.take())?.record).toMatchObject({ instance: 'here', jid: JID });
    expect(left.steps).toEqual(['move', 'read', 'grant 1', 'fan-out']);
  });

  it('is sent again only to the minions without a return; what is stored is told', async () => {
    const left = new Left();
    left.stored = ['web1'];
    const job = await left.take();
    expect(left.sentTo()).toEqual(['web2', 'db1']);
    expect(heard(left, job!)).toMatchObject([{ returns: [{ id: 'web1' }], end: null }]);
  });

  it('is over when every return is stored, and nobody hears of it again', async () => {
    const left = new Left();
    left.stored = ['web1', 'web2', 'db1'];
    const job = await left.take();
    expect(left.steps).toEqual(['move', 'read']);
    expect(heard(left, job!)).toMatchObject([{ end: [] }]);
  });

  it('is not sent by the loser of a race', async () => {
    const left = new Left();
    left.moves = [false, false, false];
    expect(await left.take()).toBeUndefined();
    expect(left.rounds).toEqual([]);
  });

  it.each([
    ['dead', ['move', 'read', 'grant 1', 'fan-out']],
    ['here', ['move', 'read', 'grant 1', 'fan-out']],
    ['winner', []],
  ])('of a gateway that is gone, where it is %s’s by now: %j', async (instance, steps) => {
    const left = new Left();
    left.asked = { ...left.asked!, instance };
    await left.takeover.take(ASK, 'dead');
    expect(left.steps).toEqual(steps);
  });

  it('is a waiting caller’s to have from whoever has it', async () => {
    const left = new Left();
    left.asked = { ...left.asked!, instance: 'winner' };
    await left.take();
    expect(left.sentTo()).toEqual(['web1', 'web2', 'db1']);
  });

  it('is not taken from the winner of a race for what a gateway left', async () => {
    const left = new Left();
    left.moves = [false, true];
    left.meanwhile = () => (left.asked = { ...left.asked!, instance: 'winner' });
    expect(await left.takeover.take(ASK, 'dead')).toBeUndefined();
    expect(left.rounds).toEqual([]);
  });

  it('is not sent by a gateway to which nobody grants it any more; who is silent is named, with the reason', async () => {
    const left = new Left();
    left.stored = ['web1'];
    left.refused = refusal('not_permitted', 'not any more');
    const job = await left.take();
    expect(left.rounds).toEqual([]);
    expect(heard(left, job!)[0]?.end?.map(({ id, why }) => [id, why])).toEqual([['web2', 'no_answer'], ['db1', 'no_answer']]); // prettier-ignore
  });

  it('whose request lives no longer is heard to its end, without being sent again: whoever has it is at work on it', async () => {
    const left = new Left();
    left.stored = ['web1'];
    left.refused = refusal('request_expired', 'too late');
    const job = await left.take();
    expect(left.steps).toEqual(['move', 'read', 'grant 1']);
    expect(job?.gathering.silent).toEqual(['web2', 'db1'].map((id) => keyText(keyOf(id))));
    expect(heard(left, job!)).toMatchObject([{ returns: [{ id: 'web1' }], end: null }]);
    expect(left.timers.filter(({ over }) => !over)).toHaveLength(1);
  });

  it('calls nobody never reached who is not there now: it may have had the job from the gateway that is gone', async () => {
    const left = new Left();
    left.stored = ['web1', 'db1'];
    left.absent = ['web2'];
    const job = await left.take();
    const sentence =
      'its gateway is gone, and so was it when another one went on with the job; whether it ran the job is unknown';
    expect(heard(left, job!)[0]?.end).toEqual([{ id: 'web2', why: 'no_answer', sentence }]);
  });

  it('is asked for again while nobody decides: that is no refusal', async () => {
    const left = new Left();
    left.refused = refusal('acl_unavailable', 'nobody decided');
    left.whileGranted = () => {
      if (left.steps.filter((step) => step === 'grant 1').length === 3) left.refused = undefined;
    };
    await left.take();
    expect(left.steps).toEqual(['move', 'read', 'grant 1', 'grant 1', 'grant 1', 'fan-out']);
  });

  it('is not sent to a minion that is no longer meant', async () => {
    const left = new Left();
    left.granted = ['web1', 'web2'];
    const job = await left.take();
    expect(job?.gathering.silent).toEqual(['web1', 'web2'].map((id) => keyText(keyOf(id))));
  });

  it('is taken once, however many callers come for it at the same time', async () => {
    const left = new Left();
    const [one, two] = await Promise.all([left.take(), left.take()]);
    expect(one).toBe(two);
    expect(left.rounds).toHaveLength(1);
  });

  it('is gone on with when the broker answers again', async () => {
    const left = new Left();
    left.unwritable = 1;
    left.unreadable = 2;
    left.stored = ['web1', 'web2'];
    await left.take();
    expect(left.steps).toEqual(['move', 'move', 'read', 'read', 'read', 'grant 1', 'fan-out']);
    expect(left.sentTo()).toEqual(['db1']);
    expect(left.pauses).toBe(3);
  });

  it('is sent to all of them again when its returns cannot be read: who has run it returns what it has', async () => {
    const left = new Left();
    left.unreadable = Number.POSITIVE_INFINITY;
    left.stored = ['web1'];
    const job = await left.take();
    expect(left.sentTo()).toEqual(['web1', 'web2', 'db1']);
    left.timeIsUp();
    expect(
      heard(left, job!)
        .at(-1)
        ?.end?.map(({ id, why }) => [id, why]),
    ).toEqual(['web1', 'web2', 'db1'].map((id) => [id, 'running']));
  });

  it('has an end for those who wait for it while its returns are read', async () => {
    const left = new Left();
    left.stored = ['web1'];
    const taking = left.take();
    for (let turn = 0; left.jobs.byJid(JID) === undefined && turn < 10; turn += 1) await Promise.resolve();
    const news = heard(left, left.jobs.byJid(JID)!);
    left.timeIsUp();
    expect(news).toMatchObject([{ end: [{ id: 'web1' }, { id: 'web2' }, { id: 'db1' }] }]);
    await taking;
    expect(left.rounds).toEqual([]);
  });

  it('has the time that it has left from when it is sent, once', async () => {
    const left = new Left();
    await left.take();
    expect(left.timers.map(({ ms, over }) => [ms, over])).toEqual([[34_000, true], [4000, false]]); // prettier-ignore
  });

  it('is not sent when it has begun here after all while it was made one’s own', async () => {
    const left = new Left();
    left.meanwhile = () => {
      left.jobs.start({ ...left.asked!, ...left.written! }, 'd', keyText);
    };
    expect(await left.take()).toBe(left.jobs.byPlace('d'));
    expect(left.steps).toEqual(['move']);
  });

  it('is left alone when it cannot be made one’s own', async () => {
    const left = new Left();
    left.unwritable = Number.POSITIVE_INFINITY;
    await expect(left.take()).rejects.toThrow('timeout');
    expect([left.jobs.all(), left.rounds]).toEqual([[], []]);
  });

  it('that nobody has is not invented', async () => {
    const left = new Left();
    left.asked = undefined;
    expect(await left.take()).toBeUndefined();
    expect(left.steps).toEqual([]);
  });
});

describe('a job of which nobody knows what was granted', () => {
  const unknown = () => {
    const left = new Left();
    left.written = undefined;
    return left;
  };

  it('is decided on under its jid before it is moved, and that is written down; then it is gone on with like any other', async () => {
    const left = unknown();
    left.granted = ['web1', 'web2'];
    left.stored = ['web1'];
    const job = await left.take();
    expect(left.steps).toEqual(['grant 1', 'move', 'keep d', 'read', 'fan-out']);
    expect(left.sentTo()).toEqual(['web2']);
    expect(job?.record).toMatchObject({ instance: 'here', members: [{ id: 'web1' }, { id: 'web2' }] });
    expect(left.kept).toEqual([job?.record]);
  });

  it.each<[string, Partial<SignedRequest>]>([
    ['no signature', { signature: null }],
    ['no key of its caller', { callerKey: null }],
  ])('and that has %s is written down before anybody hears of it: nobody could ask for it again', async (_, change) => {
    const left = unknown();
    await left.take({ ...ASK, ...change });
    expect(left.steps).toEqual(['grant 1', 'move', 'keep d now', 'read', 'fan-out']);
  });

  it('is his who is proved now, also in the store: who wrote it was not', async () => {
    const left = unknown();
    const { signature, callerKey } = ASK;
    expect((await left.take())?.record).toMatchObject({ signature, callerKey });
    expect(left.moved).toMatchObject([{ signature, callerKey }]);
  });

  it('is left as it is when it is not granted: another gateway may have begun it', async () => {
    const left = unknown();
    left.refused = refusal('not_permitted', 'no');
    expect(await left.take()).toBeUndefined();
    expect(left.steps).toEqual(['grant 1']);
    expect([left.rounds, left.jobs.all()]).toEqual([[], []]);
  });

  it('is to be looked at again when nobody decides', async () => {
    const left = unknown();
    left.refused = refusal('acl_unavailable', 'nobody decided');
    await expect(left.take()).rejects.toThrow(Unanswered);
    expect(left.steps).toEqual(['grant 1', 'grant 1', 'grant 1']);
    left.refused = undefined;
    expect((await left.take())?.record.jid).toBe(JID);
  });

  it('is not begun twice when it has begun here while it was decided on', async () => {
    const left = unknown();
    const { written } = new Left();
    left.whileGranted = () => {
      left.jobs.start({ ...left.asked!, ...written! }, 'd', keyText);
    };
    expect(await left.take()).toBe(left.jobs.byPlace('d'));
    expect(left.rounds).toEqual([]);
  });

  it('and whose time is over is settled: it is written down, and nobody hears of it again', async () => {
    const left = unknown();
    await left.takeover.settle(ASK);
    expect(left.steps).toEqual(['grant 1', 'keep d']);
    expect(left.kept).toMatchObject([
      { jid: JID, instance: 'dead', members: [{ id: 'web1' }, { id: 'web2' }, { id: 'db1' }] },
    ]);
    expect([left.rounds, left.jobs.all()]).toEqual([[], []]);
    const known = new Left();
    await known.takeover.settle(ASK);
    expect(known.steps).toEqual([]);
  });
});
