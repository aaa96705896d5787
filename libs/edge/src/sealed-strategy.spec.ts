/** Rules of how a handler's word becomes an answer; the doors themselves are tried in tests/cluster. */
import type { Opened, SealedBus } from '@natrium/bus';
import { SealedStrategy } from './sealed-strategy.js';

/** What the asker of a return hears when its handler ends so. */
async function saidTo(ends: () => Promise<unknown>) {
  const said: string[] = [];
  const failures: string[] = [];
  let take: (opened: Opened) => unknown = () => undefined;
  const serve: SealedBus['serve'] = (_subject, _queue, _contracts, handler) => {
    take = handler;
    return { close: () => Promise.resolve() };
  };
  const strategy = new SealedStrategy({
    bus: { serve } as SealedBus,
    prefix: 'nt.main',
    queue: 'gateway',
    instance: 'gw1',
    onHandlerFailure: (route) => failures.push(route),
  });
  strategy.addHandler('up.*.return', ends);
  strategy.listen(() => undefined);
  const opened: Pick<Opened, 'acknowledge' | 'answer'> = {
    acknowledge: () => said.push('receipt'),
    answer: ({ kind }) => said.push(kind),
  };
  await take(opened as Opened);
  return { said, failures };
}

it('a return has its receipt when the handler says that it is done, and nothing else', async () => {
  expect(await saidTo(() => Promise.resolve(true))).toEqual({ said: ['receipt'], failures: [] });
});

it.each([false, undefined, { jid: '1' }])('a return has none when the handler says %p', async (word) => {
  expect(await saidTo(() => Promise.resolve(word))).toEqual({ said: [], failures: [] });
});

it('a return has none when the handler fails, which is told', async () => {
  const failed = await saidTo(() => Promise.reject(new Error('no room')));
  expect(failed).toEqual({ said: [], failures: ['up.*.return'] });
});
