import { endOf, lineOf } from './told.js';

const STARTING = { name: 'a', isUp: false };
const UP = { name: 'a', isUp: true };

it('of a child that ends `up` says that it stays away, and what to do; not where `up` ends with it', () => {
  expect(endOf(UP, 'SIGKILL')).toBe('natriumctl: a ended: SIGKILL; it is not started again: Ctrl-C, then up');
  expect(endOf(STARTING, 'SIGKILL')).toBe('natriumctl: a ended: SIGKILL');
  expect(endOf({ ...UP, name: 'nats-server' }, 'SIGKILL')).toBe('natriumctl: nats-server ended: SIGKILL');
});

it('`up` asks nobody to accept a key that it accepts itself, and tells all else', () => {
  const asks = '{"msg":"waiting for the key of a to be accepted: natrium-key -a a"}';
  expect(lineOf(STARTING, asks)).toBeUndefined();
  expect(lineOf(UP, asks)).toBe(`a: ${asks}`);
  expect(lineOf({ ...STARTING, name: 'b' }, asks)).toBe(`b: ${asks}`);
  expect(lineOf(STARTING, 'the key of a is denied')).toBe('a: the key of a is denied');
});
