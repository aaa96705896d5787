/** Whom something is run as. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { accountOf } from './account.js';

let folder: string;
let passwd: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'nt-passwd-'));
  passwd = join(folder, 'passwd');
  writeFileSync(
    passwd,
    'ann:x:1001:1002:Ann:/home/ann:/bin/dash\nold:x:7:8::/:\nnone:::\nword:x:a:1::/:/bin/sh\nend:x\n',
  );
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

it('is an account with its numbers', async () => {
  expect(await accountOf('ann', passwd)).toEqual({
    name: 'ann',
    uid: 1001,
    gid: 1002,
    home: '/home/ann',
    shell: '/bin/dash',
  });
  expect(await accountOf('old', passwd)).toMatchObject({ uid: 7, gid: 8, shell: '/bin/sh' });
});

it.each(['none', 'word', 'end', 'nobody-here', ''])('is never root for want of a number: %p', async (name) => {
  await expect(accountOf(name, passwd)).rejects.toThrow('is not available');
});
