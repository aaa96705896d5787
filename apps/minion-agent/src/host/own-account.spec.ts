/** Rules of the key `user` on a minion. */
import { userInfo } from 'node:os';
import { accountProblem } from './own-account.js';

it('an agent may run as whoever starts it, and as the account that is named', () => {
  expect(accountProblem(undefined, 'root')).toBeUndefined();
  expect(accountProblem('root', 'root')).toBeUndefined();
  expect(accountProblem(userInfo().username)).toBeUndefined();
});

it('one that would run as another does not start, and says what to mend', () => {
  expect(accountProblem('nobody', 'root')).toBe(
    'user is nobody, and this agent runs as root, with all that it is asked to run: set User=nobody in its unit, or remove user from its configuration',
  );
  expect(accountProblem(`not-${userInfo().username}`)).toContain(`runs as ${userInfo().username}`);
});
