/** Rules of asking again: while nobody is there, for a while, and never after what may have been run. */
import { NO_TRACING, type SealedBus } from '@natrium/bus';
import type { RoleLink } from '@natrium/edge';
import { identityFrom, newIdentitySecret, sodiumReady } from '@natrium/envelope';
import type { ReactionCall } from '@natrium/flow';
import { err, ok, type Refusal, refusal, type RefusalCode, type Result } from '@natrium/model';
import { askReaction } from './ask-reaction.js';
import { askedWhileAway } from './asked-while-away.js';

/** What is answered, and after how many milliseconds; the last for ever. */
type Answer = readonly [says: RefusalCode | 'ran', afterMs: number];

async function outcomeOf(answers: readonly Answer[], stopping = new AbortController().signal) {
  const left = [...answers];
  let [now, asked] = [0, 0];
  const pass = (ms: number) => Promise.resolve((now += ms));
  const ask = async (): Promise<Result<string, Refusal>> => {
    const [says, afterMs] = (left.length > 1 ? left.shift() : left[0]) ?? ['ran', 0];
    asked += 1;
    await pass(afterMs);
    return says === 'ran' ? ok('jid') : err(refusal(says, 'none'));
  };
  const outcome = await askedWhileAway(ask, { now: () => now, pause: pass, stopping });
  return { says: outcome.ok ? 'ran' : outcome.error.code, why: outcome.ok ? '' : outcome.error.sentence, asked, now };
}

it.each<RefusalCode>(['master_unreachable', 'acl_unavailable', 'store_unavailable'])(
  'after %s, told at once, it is asked again',
  async (code) => {
    expect(await outcomeOf([[code, 10], [code, 2000], ['ran', 10]])).toMatchObject({ says: 'ran', asked: 3 }); // prettier-ignore
  },
);

it.each<RefusalCode>(['acl_unavailable', 'store_unavailable'])(
  'so it is after %s that is told late, as on a busy machine: a gateway has sent it nowhere',
  async (code) => {
    expect(await outcomeOf([[code, 9000], ['ran', 10]])).toMatchObject({ says: 'ran', asked: 2 }); // prettier-ignore
  },
);

it('that a gateway could not be reached, told late, is the end of it: it may have been asked for twice, and run', async () => {
  expect(await outcomeOf([['master_unreachable', 3000], ['ran', 0]])).toMatchObject({ asked: 1 }); // prettier-ignore
});

it('then the log says that it may have run, and of what nobody can have heard it does not', async () => {
  expect((await outcomeOf([['master_unreachable', 3000]])).why).toBe('none: it may have been heard, and run');
  expect((await outcomeOf([['master_unreachable', 0]])).why).toBe('none');
  expect((await outcomeOf([['acl_unavailable', 5000]])).why).toBe('none');
});

it.each<RefusalCode>(['not_permitted', 'already_ran', 'no_runner_available', 'invalid_target'])(
  '%s is an answer',
  async (code) => {
    expect(await outcomeOf([[code, 0], ['ran', 0]])).toMatchObject({ says: code, asked: 1 }); // prettier-ignore
  },
);

it('who never comes is not waited for without end, nor when the service stops', async () => {
  const { says, now } = await outcomeOf([['master_unreachable', 0]]);
  expect([says, now >= 60_000, now < 70_000]).toEqual(['master_unreachable', true, true]);
  expect(await outcomeOf([['master_unreachable', 0]], AbortSignal.abort())).toMatchObject({ asked: 1 });
});

describe('a reaction', () => {
  beforeAll(sodiumReady);

  it.each(['job', 'run', 'wheel'] as const)('waits for nobody who is away with a %s: it is asked for again', (what) => {
    const asked: (number | undefined)[] = [];
    const converse: SealedBus['converse'] = ({ backMs }) => {
      asked.push(backMs);
      return () => undefined;
    };
    const roles = { cluster: new Uint8Array(16) };
    const sealer = { clock: { now: () => Date.now() }, roles, directory: { role: () => [] } };
    const bus = { converse, tracing: NO_TRACING, sealer } as unknown as SealedBus;
    const { signing } = identityFrom(newIdentitySecret());
    const link = { bus, own: { signing }, subjects: { svcGw: () => '' } } as unknown as RoleLink;
    const reaction = { what, fun: 'test.ping', tgtType: 'glob', timeout: 1 };
    void askReaction(link, { reaction, cause: { reaction: 'r' }, tgt: '*', args: [] } as unknown as ReactionCall);
    expect(asked).toEqual([0]);
  });
});
