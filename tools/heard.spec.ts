import { counted, judged, seemsHeard } from '../containers/heard.mjs';

/** Of the system account's routes of three nodes, 43 s after n0 was started again and was not heard (nats-server 2.10.27). */
const SEEN = {
  n0: { in: 10_162, out: 406 },
  n1: { in: 11_911, out: 21_387 },
  n2: { in: 11_946, out: 12_249 },
};
const route = (account: string | undefined, came: number, went: number) => ({
  ...(account === undefined ? {} : { account }),
  in_msgs: came,
  out_msgs: went,
});
const two = { routes: 2 };

describe('what goes over the routes of a broker node', () => {
  it('is counted over the routes of the system account alone: the others carry what clients say', () => {
    const routez = { routes: [route('SYS', 530, 203), route(undefined, 9, 9000), route('SYS', 9632, 203)] };
    expect(counted(routez, 'SYS')).toEqual({ ...two, ...SEEN.n0 });
  });

  it('is nothing while there is no other node', () => {
    expect(counted({ routes: [] }, 'SYS')).toEqual({ routes: 0, in: 0, out: 0 });
  });

  it('tells the node that is not heard from the two that are', () => {
    expect(Object.values(SEEN).map((count) => seemsHeard({ ...two, ...count }))).toEqual([false, true, true]);
  });

  it('tells it within seconds, also just after its first words', () => {
    expect(judged({ ...two, in: 58, out: 63 }, { ...two, in: 103, out: 65 })).toBe('unheard');
    expect(judged({ ...two, in: 58, out: 110 }, { ...two, in: 103, out: 190 })).toBe('heard');
  });

  it.each([
    ['too little came', { in: 60, out: 63 }, { in: 74, out: 63 }, 2],
    ['a route was made anew', { in: 600, out: 630 }, { in: 660, out: 20 }, 2],
    ['a node came', { in: 60, out: 63 }, { in: 160, out: 63 }, 1],
  ])('tells nothing when %s', (_why, before, after, routes) => {
    expect(judged({ routes, ...before }, { ...two, ...after })).toBe('unknown');
  });
});
