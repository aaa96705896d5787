import { heardIn, judged, mayBeUnheard, saidIn } from '../containers/heard.mjs';

const sub = (subject: string, msgs: number) => ({ subject, sid: `R ${subject}`, msgs, cid: 9 });
const route = (account: string | undefined, subs: readonly unknown[]) => ({
  ...(account === undefined ? {} : { account }),
  in_msgs: 21_000,
  out_msgs: 9000,
  subscriptions_list_detail: subs,
});

/** As nats-server 2.10.27 told of a node that was started unheard, and of one beside it, while a client asked much of JetStream. */
const UNHEARD = [sub('$SYS.SERVER.*.STATSZ', 6), sub('$JS.API.>', 39), sub('$NRG.R.6DVFpukC', 0), sub('$NRG.V.abc', 0)];
const HEARD = [sub('$SYS.SERVER.*.STATSZ', 6), sub('$JS.API.>', 0), sub('$NRG.R.6DVFpukC', 31), sub('$NRG.V.abc', 1)];

describe('what a broker node says to the others', () => {
  it('is counted over the routes of the system account alone, and of it Raft alone: what clients ask is no word of its own', () => {
    const told = (subs: readonly unknown[]) =>
      saidIn({ routes: [route('SYS', subs), route(undefined, [sub('$NRG.R.x', 5)]), route('SYS', UNHEARD)] }, 'SYS');
    expect(told(UNHEARD)).toBe(0);
    expect(told(HEARD)).toBe(32);
  });

  it('is Raft, too, where somebody reads all there is and so has the count of it', () => {
    expect(saidIn({ routes: [route('SYS', [sub('>', 40)])] }, 'SYS')).toBe(40);
  });

  it('is nothing while there is no other node', () => {
    expect(saidIn({ routes: [] }, 'SYS')).toBe(0);
  });
});

describe('a node that says nothing', () => {
  const led = true;

  it('is not heard when a leader spoke to it: each word of a leader is answered', () => {
    const subs = {
      subscriptions_list: [sub('$NRG.AE.x', 5), sub('$NRG.V.x', 1), sub('$JS.API.>', 900), sub('>', 906)],
    };
    expect(heardIn(subs)).toBe(5);
    expect(judged({ heard: 0, led }, { heard: heardIn(subs), led })).toBe('unheard');
  });

  it('is not heard when it has no leader all the while: it would have asked for votes', () => {
    expect(judged({ heard: 0, led: false }, { heard: 0, led: false })).toBe('unheard');
  });

  it.each([
    ['much of what clients ask came, and no leader’s word', { heard: 9, led }, { heard: 9, led }],
    ['too little came', { heard: 9, led }, { heard: 13, led }],
    ['its leader has just died', { heard: 9, led }, { heard: 9, led: false }],
    ['it has just found one', { heard: 9, led: false }, { heard: 10, led }],
  ])('may well be heard when %s', (_why, before, after) => {
    expect(judged(before, after)).toBe('unknown');
  });

  it('is heard in a version without the race, and never started again for it', () => {
    const versions = ['2.10.27', '2.10.27-RC.1', '2.11.0', '2.15.1', '2.100.1'];
    expect(versions.map(mayBeUnheard)).toEqual([true, true, false, false, false]);
  });
});
