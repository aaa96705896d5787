/** Rules of how many minions may be accepted. */
import { Room } from './room.js';

function aRoom(accepted: number, max: number) {
  const state = { accepted, max };
  const room = new Room({ count: (what) => (what === 'accepted' ? state.accepted : 99) }, () => ({
    max_minions: state.max,
  }));
  return { room, state };
}

it('there is no limit where none is set', () => {
  expect(aRoom(100_000, 0).room.left).toBe(Infinity);
});

it('there is room until as many are accepted, by the limit in force now', () => {
  const { room, state } = aRoom(2, 3);
  expect(room.left).toBe(1);
  state.accepted = 3;
  expect(room.left).toBe(0);
  state.max = 2;
  expect(room.left).toBe(-1);
  state.max = 10;
  expect(room.left).toBe(7);
});

it('who is being accepted counts, until that has ended, whatever its end', async () => {
  const { room, state } = aRoom(0, 1);
  let end: (how: Promise<string>) => void = () => undefined;
  const accepting = () => room.accepting(() => new Promise<string>((resolve) => (end = resolve)));
  const first = accepting();
  expect(room.left).toBe(0);
  end(Promise.reject(new Error('not written')));
  await expect(first).rejects.toThrow('not written');
  expect(room.left).toBe(1);
  const second = accepting();
  state.accepted = 1;
  end(Promise.resolve('written'));
  expect(await second).toBe('written');
  expect(room.left).toBe(0);
});
