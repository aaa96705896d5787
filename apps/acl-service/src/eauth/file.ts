/**
 * `file`: users and hashed passwords in a file, as Salt's back end of that name reads it.
 *
 * `^filename`; `^filetype: htpasswd`, or `text` with `^hashtype` (a hash of node:crypto as hexadecimal), `^field_separator`,
 * `^username_field` and `^password_field` (from 1). The file is read at each login, so that a change counts at once.
 */
import { createHash, getHashes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { Value, ValueMap } from '@natrium/model';
import { type BackEnd, BackEndInvalid, type BackEndMaker } from './back-end.js';
import { isKnownHash, verifiesPassword } from './password-hash.js';
import { isSame } from './shared-secret.js';

type Verify = (password: string, stored: string) => Promise<boolean>;

interface Fields {
  readonly separator: string;
  readonly user: number;
  readonly password: number;
}

export const file: BackEndMaker = (settings, { log }): BackEnd => {
  const path = settings['filename'];
  if (typeof path !== 'string' || path === '')
    throw new BackEndInvalid("external_auth.file: say which file: '^filename': /path/to/htpasswd");
  const fields = fieldsOf(settings);
  const verify = verifierOf(settings);
  return {
    authenticate: async ({ username, secret }) => {
      const entries = entriesOf(await readFile(path, 'utf8'), fields);
      const own = entries.find(([name]) => name === username);
      if (own !== undefined && settings['filetype'] === 'htpasswd' && !isKnownHash(own[1])) {
        log.warn(
          { eauth: 'file', user: username },
          'the hash of this user is of a kind that is not read: bcrypt, apr1 and SHA-1 are',
        );
      }
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
  username_field: user = 1,
  password_field: password = 2,
}: ValueMap): Fields {
  const text = filetype !== 'htpasswd';
  return {
    separator: text && typeof separator === 'string' && separator !== '' ? separator : ':',
    user: text ? columnOf('username_field', user) : 0,
    password: text ? columnOf('password_field', password) : 1,
  };
}

/** @returns From 0. */
function columnOf(key: string, value: Value): number {
  if ((typeof value !== 'number' && typeof value !== 'string') || !/^[1-9]\d{0,3}$/.test(String(value)))
    throw new BackEndInvalid(`external_auth.file: '^${key}' is the number of a column, from 1`);
  return Number(value) - 1;
}

function entriesOf(text: string, { separator, user, password }: Fields): readonly (readonly [string, string])[] {
  return text.split(/\r?\n/).flatMap((line) => {
    const parts = line.trim().split(separator);
    const [name, stored] = [parts[user], parts[password]];
    return name === undefined || name === '' || name.startsWith('#') || stored === undefined ? [] : [[name, stored]];
  });
}
