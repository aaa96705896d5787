import { isStale } from '../containers/stale.mjs';

const missing = (name: string) =>
  `{"status":"unavailable","error":"JetStream consumer '$G \\u003e KV_NT_main_announcements \\u003e ${name}' is not current: consumer not found"}`;
const LAGS = `{"status":"unavailable","error":"JetStream consumer '$G \\u003e NT_EVENTS \\u003e a' is not current: group node unhealthy"}`;

/** What a node says, second by second; then it is well. */
async function looked(said: readonly string[]) {
  let seconds = 0;
  const health = () => Promise.resolve(said[seconds] ?? '');
  const look = () => {
    seconds += 1;
    return Promise.resolve();
  };
  return { stale: await isStale(health, look), seconds };
}

const times = (count: number, say: (second: number) => string) => Array.from({ length: count }, (_, n) => say(n));

describe('a node of the broker that misses a consumer', () => {
  it('waits for one that nobody has when it still does after a minute', async () => {
    expect(await looked(times(100, () => missing('a')))).toEqual({ stale: true, seconds: 60 });
  });

  it('waits for several, of which it names any, in the same way', async () => {
    expect(await looked(times(100, (second) => missing(second % 3 === 0 ? 'a' : 'b')))).toMatchObject({ stale: true });
  });

  it.each([
    ['it has it before that', times(59, () => missing('a'))],
    ['it was well meanwhile', [...times(30, () => missing('a')), '', ...times(70, () => missing('a'))]],
    ['it misses another each second', times(300, (second) => missing(String(second)))],
    ['it has it and lags', times(100, () => LAGS)],
    ['it does not answer', times(100, () => 'http://127.0.0.1:8222 does not answer')],
    ['nothing is wrong', []],
  ])('does not when %s', async (_why, said) => {
    expect(await looked(said)).toMatchObject({ stale: false });
  });
});
