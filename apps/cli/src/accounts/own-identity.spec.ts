import { entriesIn } from './host-accounts.js';
import { accountKeyPath, claimOf, escapedName, keyFilesOf, nameOfKeyFile } from './own-identity.js';

const PLACES = { pkiDir: '/p', firstAccount: '/p/account.key', masterAccount: 'salt' };
const account = (uid: number, name: string, sudoUser?: string) => ({ uid, name, sudoUser });

describe('the key of an account', () => {
  it('is the first account’s for root and the master’s own account', () => {
    expect(keyFilesOf(account(0, 'root'), PLACES)).toEqual(['/p/account.key']);
    expect(keyFilesOf(account(7, 'salt'), PLACES)).toEqual(['/p/account.key']);
  });

  it('is its own for everyone else, or the first when the account founded the cluster', () => {
    expect(keyFilesOf(account(1001, 'fred'), PLACES)).toEqual(['/p/accounts/fred.key', '/p/account.key']);
  });

  it.each([
    ['fred', 'fred'],
    ['a.b', 'a.b'],
    ['EXAMPLE\\fred', 'EXAMPLE%5Cfred'],
    ['fred@example.com', 'fred%40example.com'],
    ['../x', '%2E.%2Fx'],
    ['.', '%2E'],
    ['50%', '50%25'],
    ['é', '%C3%A9'],
  ])('of %s is in a file of a name that is no path', (name, file) => {
    expect(escapedName(name)).toBe(file);
    expect(nameOfKeyFile(`${file}.key`)).toBe(name);
    expect(accountKeyPath('/p', name)).toBe(`/p/accounts/${file}.key`);
  });

  it.each(['fred', 'fred.key.new', '%zz.key', 'a%2fb.key', 'a\\b.key'])('%s is no file of ours', (file) => {
    expect(nameOfKeyFile(file)).toBeUndefined();
  });
});

describe('the name in which an account asks', () => {
  it('is sudo_ and the caller for root through sudo; nobody else claims that', () => {
    for (const first of ['root', 'salt']) {
      expect(claimOf(account(0, 'root', 'fred'), first)).toBe('sudo_fred');
      expect(claimOf(account(1001, 'fred', 'thatch'), first)).toBeUndefined();
      expect(claimOf(account(7, 'salt', 'thatch'), first)).toBeUndefined();
    }
  });

  it('is root for root, with the key of another first account too', () => {
    for (const nobody of [undefined, '']) expect(claimOf(account(0, 'root', nobody), 'salt')).toBe('root');
  });

  it('is that of the key for everyone else, and for root where the first account is root', () => {
    expect(claimOf(account(0, 'root'), 'root')).toBeUndefined();
    expect(claimOf(account(7, 'salt'), 'salt')).toBeUndefined();
    expect(claimOf(account(1001, 'fred'), 'salt')).toBeUndefined();
  });
});

describe('what getent says', () => {
  it('is read by its lines, and what is no account is passed over', () => {
    const text = 'root:x:0:0:root:/root:/bin/bash\nEX\\fred:*:70001:70000::/home/fred:\n:x:1:1\nbad:x:y:z\n\n';
    expect(entriesIn(text)).toEqual([['root', { uid: 0, gid: 0 }], ['EX\\fred', { uid: 70001, gid: 70000 }]]); // prettier-ignore
  });
});
