/** Rules of when a master that says nothing is asked again, and when it is given up. */
import { jest } from '@jest/globals';
import { BACK_MS, NO_TRACING, type SealedBus } from '@natrium/bus';
import { identityFrom, newIdentitySecret, sodiumReady } from '@natrium/envelope';
import { ASKED_AGAIN_MS } from './following.js';
import { MasterClient } from './master-client.js';

const RUN = { fun: 'test.ping', args: [], timeout: 1 };
const JOB = {
  ...{ tgt: '*', tgtType: 'glob', funs: [RUN.fun], args: [[]], timeout: 1 },
  ...{ returner: '', returnerOptions: {}, options: {} },
};

beforeAll(sodiumReady);
beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

/** A client whom nobody ever answers, and how long each of its questions waits for somebody to hear it. */
function unanswered() {
  const asked: (number | undefined)[] = [];
  const converse: SealedBus['converse'] = ({ backMs }, _answers, timeoutMs, hear) => {
    asked.push(backMs);
    setTimeout(() => {
      hear.onFailure('timeout');
    }, timeoutMs);
    return () => undefined;
  };
  const roles = { cluster: new Uint8Array(16) };
  const sealer = { clock: { now: () => Date.now() }, roles, directory: { role: () => [] } };
  const bus = { converse, tracing: NO_TRACING, sealer } as unknown as SealedBus;
  const { signing } = identityFrom(newIdentitySecret());
  const subjects = { publish: '', runner: '', admin: '', auth: '' };
  return { client: new MasterClient({ bus, signing, subjects, grantRun: null }), asked };
}

it.each(['job', 'run', 'wheel'])(
  'a %s of a day of which nobody tells the start is given up after little more than a minute',
  async (what) => {
    const { client } = unanswered();
    const day = 86_400;
    const told =
      what === 'job'
        ? client.publishAsync({ ...JOB, timeout: day })
        : client[what === 'run' ? 'run' : 'wheel']({ ...RUN, timeout: day }, 'jid');
    await jest.advanceTimersByTimeAsync(70_000);
    const soon = await Promise.race([told, Promise.resolve('still asked')]);
    expect(soon).toMatchObject({ error: { code: 'master_unreachable' } });
  },
);

it.each(['job', 'run', 'wheel'])('a %s is asked for once, and a second time when the silence is long', async (what) => {
  const { client, asked } = unanswered();
  if (what === 'run') void client.run(RUN, 'jid');
  else if (what === 'wheel') void client.wheel(RUN, 'jid');
  else void client.publishAsync(JOB);
  await jest.advanceTimersByTimeAsync(ASKED_AGAIN_MS - 100);
  expect(asked).toEqual([BACK_MS]);
  await jest.advanceTimersByTimeAsync(200);
  expect(asked).toEqual([BACK_MS, BACK_MS]);
});
