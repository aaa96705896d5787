import { isSameName } from './account-name.js';

it('a directory takes a name in any case and with any blanks', () => {
  expect(isSameName('Fred  Smith', ' fred smith')).toBe(true);
  expect(isSameName('fred', 'freda')).toBe(false);
});
