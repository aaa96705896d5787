/** Rules of what a peer asks: what fits into no request is made to, or refused with a sentence. */
import type { JobNews } from '@natrium/model';
import type { JobAsk, RunAsk } from './asks.js';
import type { MasterClient } from './master-client.js';
import { peerPort } from './peer-port.js';

const DAY_S = 86_400;
const PUBLISH = {
  tgt: '*',
  fun: 'test.ping',
  arg: [],
  tgtType: 'glob',
  returner: '',
  form: 'clean',
  noParse: [],
} as const;

/** A master that notes for how long it is asked to wait. */
function noting() {
  const seconds: number[] = [];
  const client = {
    publishTo: ({ timeout }: JobAsk, _: unknown, hear: (news: JobNews) => void) => {
      seconds.push(timeout);
      hear({ type: 'end', absent: [] });
    },
    run: ({ timeout }: RunAsk) => {
      seconds.push(timeout);
      return Promise.resolve({ ok: true, value: { jid: '1', ret: null, retcode: 0, success: true } });
    },
  };
  return { seconds, port: peerPort(client as unknown as MasterClient, []) };
}

it.each([
  [10, 10],
  [0, 0],
  [DAY_S, DAY_S],
  [DAY_S + 1, DAY_S],
  [1e300, DAY_S],
  ['999999', DAY_S],
  [-1, 5],
  ['soon', 5],
])('a publish and a runner with the timeout %j wait %d s', async (timeout, expected) => {
  const { seconds, port } = noting();
  await port.publish({ ...PUBLISH, timeout });
  await port.runner({ fun: 'manage.up', arg: [], timeout, noParse: [] });
  expect(seconds).toEqual([expected, expected]);
});
