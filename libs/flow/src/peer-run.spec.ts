/** Rules of running a runner: a grant first, one answer, and nothing handed on without one. */
import {
  err,
  ok,
  parseJid,
  type Principal,
  refusal,
  type Refusal,
  type Request,
  type Result,
  type Signed,
} from '@natrium/model';
import { type NoAnswer, PeerRun, type Ran } from './peer-run.js';
import { runsPublish, type SignedRequest } from './signed-request.js';

const JID = parseJid('20261120141646000001')!;
const GRANT: Signed = { bytes: Uint8Array.of(1), signature: new Uint8Array(64) };
const RAN: Ran = { refusal: null, jid: JID, outcome: { ret: ['web1'], retcode: 0, success: true, out: null } };

function asks(what: Request['what']): SignedRequest {
  const request: Request = {
    id: new Uint8Array(16),
    what,
    funs: ['manage.up'],
    args: [[]],
    tgt: '',
    tgtType: 'glob',
    returner: '',
    returnerOptions: {},
    timeout: 7,
    options: {},
    issued: 0,
    lifetime: 65_000,
  };
  const nothing = { signature: null, credential: null, grantRun: null, callerKey: null };
  return { bytes: Uint8Array.of(7), ...nothing, request, digest: 'digest' };
}

class Gate {
  readonly heard: Ran[] = [];
  readonly ran: unknown[] = [];
  /** The jid that was told with the grant, and how many runs were handed on before. */
  readonly granted: unknown[] = [];
  /** What the event bus was told: the start, then the end with what came of it. */
  readonly announced: unknown[] = [];
  /** Whether each end was only guessed. */
  readonly guessed: boolean[] = [];
  grant: Result<{ readonly grant: Signed; readonly caller: Principal }, Refusal> = ok({
    grant: GRANT,
    caller: { kind: 'minion', name: 'web1' },
  });
  answer: Result<Ran, NoAnswer> = ok(RAN);
  /** Runs that have not ended and that nobody waits for here. */
  readonly goOn: unknown[] = [];
  mintFails = false;
  /** Resolves when it is written down that the run goes on. */
  writing: Promise<void> = Promise.resolve();

  async run(what: Request['what'] = 'run', follow: 'all' | 'jid' = 'all'): Promise<readonly Ran[]> {
    const flow = new PeerRun({
      mintJid: () => (this.mintFails ? Promise.reject(new Error('timeout')) : Promise.resolve(JID)),
      askGrant: () => Promise.resolve(this.grant),
      run: (_ask, grant, jid, timeoutMs) => {
        this.ran.push([grant, jid, timeoutMs]);
        return Promise.resolve(this.answer);
      },
      writeDown: ({ bytes }) => {
        expect(bytes).toEqual(Uint8Array.of(7));
        return this.writing;
      },
      announce: ({ jid, caller }, ran, isGuess) => {
        this.announced.push(ran ?? [jid, caller.name]);
        if (ran !== undefined) this.guessed.push(isGuess === true);
      },
      goesOn: ({ jid }) => this.goOn.push(jid),
    });
    const onGranted = (jid: string) => this.granted.push([jid, this.ran.length]);
    await flow.handle(asks(what), follow, (ran) => this.heard.push(ran), onGranted);
    return this.heard;
  }
}

describe('a runner', () => {
  it('runs with its grant, and gives one answer; that it was ended after the request’s time is waited for', async () => {
    const gate = new Gate();
    expect(await gate.run()).toEqual([RAN]);
    expect(gate.ran).toEqual([[GRANT, JID, 7000 + 5000]]);
  });

  it.each(['all', 'jid'] as const)('has a jid that is told before it runs, followed by %s', async (follow) => {
    const gate = new Gate();
    await gate.run('run', follow);
    expect(gate.granted).toEqual([[JID, 0]]);
  });

  it('is told on the event bus when it starts and when it ends; a refused one is not', async () => {
    const gate = new Gate();
    await gate.run('run', 'jid');
    expect(gate.announced).toEqual([[JID, 'web1'], RAN]);
    const refused = new Gate();
    refused.grant = err(refusal('not_permitted', 'No.'));
    await refused.run();
    expect(refused.announced).toEqual([]);
  });

  it('that ran under another jid before is told as that, and under its own jid nothing ran', async () => {
    const gate = new Gate();
    const before = { ...RAN, jid: '20261120141640000001' };
    gate.answer = ok(before);
    expect(await gate.run()).toEqual([before]);
    const told = gate.announced[1] as Ran;
    expect(told).toMatchObject({ jid: JID, outcome: null, refusal: { code: 'already_ran' } });
    expect(told.refusal?.sentence).toContain(before.jid);
  });

  it('may be a function of the wheel', async () => {
    expect(await new Gate().run('wheel')).toEqual([RAN]);
  });

  it('does not run without a grant', async () => {
    const gate = new Gate();
    const why = refusal('not_permitted', 'no rule permits it');
    gate.grant = err(why);
    expect(await gate.run()).toEqual([{ refusal: why, jid: JID, outcome: null }]);
    expect([gate.ran, gate.granted]).toEqual([[], []]);
  });

  it('does not run while no jid can be had, and says why', async () => {
    const gate = new Gate();
    gate.mintFails = true;
    const sentence = 'no job id could be had, so nothing was run: timeout';
    expect(await gate.run()).toEqual([{ refusal: refusal('store_unavailable', sentence), jid: '', outcome: null }]);
    expect([gate.ran, gate.announced]).toEqual([[], []]);
  });

  it.each(['job', 'token', 'key'] as const)('is not what a request for %s asks for', async (what) => {
    const gate = new Gate();
    expect((await gate.run(what)).map((ran) => ran.refusal?.code)).toEqual(['bad_request']);
    expect(gate.ran).toEqual([]);
  });

  it('that gives no answer is told as a refusal with its jid', async () => {
    const gate = new Gate();
    const why = refusal('no_runner_available', 'no runner-service is there');
    gate.answer = err({ why, isRunning: false });
    expect(await gate.run()).toEqual([{ refusal: why, jid: JID, outcome: null }]);
    expect(gate.goOn).toEqual([]);
  });

  it('that is said to run still when its time is over is told as that, and has no end yet', async () => {
    const gate = new Gate();
    const why = refusal('no_runner_available', 'it is still running');
    gate.answer = err({ why, isRunning: true });
    expect(await gate.run()).toEqual([{ refusal: why, jid: JID, outcome: null }]);
    expect([gate.announced, gate.goOn]).toEqual([[[JID, 'web1']], [JID]]);
  });

  it('that gives no answer is only guessed to have ended, and one that refuses is known to have', async () => {
    const silent = new Gate();
    silent.answer = err({ why: refusal('no_runner_available', 'gone'), isRunning: false });
    await silent.run();
    const refusing = new Gate();
    refusing.answer = ok({ refusal: refusal('already_ran', 'before'), jid: JID, outcome: null });
    await refusing.run();
    expect([silent.guessed, refusing.guessed]).toEqual([[true], [false]]);
  });

  it('is told by its jid alone to a caller that asked for no more', async () => {
    const gate = new Gate();
    expect(await gate.run('run', 'jid')).toEqual([{ refusal: null, jid: JID, outcome: null }]);
    expect(gate.ran).toHaveLength(1);
  });
});

describe('a runner that goes on while nobody waits', () => {
  it('is written down before its jid is told; for a caller who waits it does not wait for that', async () => {
    const [left, waited] = [new Gate(), new Gate()];
    let written: () => void = () => undefined;
    left.writing = new Promise((resolve) => (written = resolve));
    waited.writing = new Promise(() => undefined);
    const running = left.run('run', 'jid');
    await new Promise(setImmediate);
    expect([left.heard, left.ran]).toEqual([[], []]);
    written();
    expect(await running).toEqual([{ refusal: null, jid: JID, outcome: null }]);
    expect(await waited.run()).toEqual([RAN]);
  });
});

describe('a function that publishes', () => {
  it.each([['publish.publish'], ['publish'], ['publisher.any'], [' publish.runner'], ['test.ping', 'publish.publish']])(
    'is known by its beginning, also among others: %s %s',
    (...funs) => {
      expect(runsPublish(funs)).toBe(true);
    },
  );

  it.each([['test.publish'], ['Publish.publish'], ['test.ping', 'test.version'], ['']])('is not: %s', (...funs) => {
    expect(runsPublish(funs)).toBe(false);
  });
});
