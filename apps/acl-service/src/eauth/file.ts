/**
 * `file`: users and hashed passwords in a file, as Salt's back end of that name reads it.
 *
 * `^filename`; `^filetype: htpasswd`, or `text` with `^hashtype` (a hash of node:crypto as hexadecimal), `^field_separator`,
 * `^username_field` and `^password_field` (from 1). The file is read at each login, so that a change counts at once.
 */
import { createHash, getHashes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { ValueMap } from '@natrium/model';
import { type BackEnd, BackEndInvalid, type BackEndMaker } from './back-end.js';
import { verifiesPassword } from './password-hash.js';
import { isSame } from './shared-secret.js';

type Verify = (password: string, stored: string) => Promise<boolean>;

interface Fields {
  readonly separator: string;
  readonly user: number;
  readonly password: number;
}

export const file: BackEndMaker = (settings): BackEnd => {
  const path = settings['filename'];
  if (typeof path !== 'string' || path === '')
    throw new BackEndInvalid("external_auth.file: say which file: '^filename': /path/to/htpasswd");
  const fields = fieldsOf(settings);
  const verify = verifierOf(settings);
  return {
    authenticate: async ({ username, secret }) => {
      const entries = entriesOf(await readFile(path, 'utf8'), fields);
      const own = entries.find(([name]) => name === username);
      // Somebody unknown costs what somebody known does.
      const stored = own?.[1] ?? entries[0]?.[1] ?? '';
      const isRight = await verify(secret, stored);
      return isRight && own !== undefined ? { name: username, groups: [] } : undefined;
    },
  };
};

function verifierOf({ filetype = 'text', hashtype = 'plaintext' }: ValueMap): Verify {
  if (filetype === 'htpasswd') return verifiesPassword;
  if (filetype !== 'text') throw new BackEndInvalid("external_auth.file: '^filetype' is htpasswd or text");
  if (hashtype === 'plaintext') return (password, stored) => Promise.resolve(isSame(password, stored));
  if (typeof hashtype !== 'string' || !getHashes().includes(hashtype)) {
    throw new BackEndInvalid("external_auth.file: '^hashtype' is plaintext or a hash such as sha256");
  }
  return (password, stored) =>
    Promise.resolve(isSame(createHash(hashtype).update(password).digest('hex'), stored.toLowerCase()));
}

function fieldsOf({
  filetype,
  field_separator: separator,
  username_field: user,
  password_field: password,
}: ValueMap): Fields {
  const text = filetype !== 'htpasswd';
  return {
    separator: text && typeof separator === 'string' && separator !== '' ? separator : ':',
    user: text && typeof user === 'number' ? user - 1 : 0,
    password: text && typeof password === 'number' ? password - 1 : 1,
  };
}

function entriesOf(text: string, { separator, user, password }: Fields): readonly (readonly [string, string])[] {
  return text.split(/\r?\n/).flatMap((line) => {
    const parts = line.trim().split(separator);
    const [name, stored] = [parts[user], parts[password]];
    return name === undefined || name === '' || name.startsWith('#') || stored === undefined ? [] : [[name, stored]];
  });
}
